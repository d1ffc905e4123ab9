/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz_target.h"

#include <string.h>

#include "codec/forwarded.h"
#include "codec/proxy_header.h"
#include "lario/error.h"

/*
 * What proxies say: a PROXY header, whole and byte by byte, which must come out the same; and the
 * same bytes as the fields that tell of the hops before.
 */

static int parse(lario_proxy_header *header, const uint8_t *data, size_t len, size_t part,
                 size_t *ret_used)
{
    size_t at = 0;
    int rc = 0;

    lario_proxy_header_init(header);
    while (rc == 0 && at < len) {
        size_t count = part < len - at ? part : len - at;
        size_t used;

        rc = lario_proxy_header_parse(header, data + at, count, &used);
        FUZZ_CHECK(used >= 1 && used <= count && (rc != 0 || used == count));
        at += used;
    }
    *ret_used = at;
    return rc;
}

static void check_end(const lario_proxy_header *header, const lario_proxy_end *end,
                      const lario_proxy_end *other)
{
    FUZZ_CHECK(memcmp(&end->ip, &other->ip, sizeof end->ip) == 0 && end->port == other->port);
    if (header->family == LARIO_PROXY_IP)
        FUZZ_CHECK(end->ip.family == LARIO_IP_4 || end->ip.family == LARIO_IP_6);
    if (header->family == LARIO_PROXY_UNIX)
        FUZZ_CHECK(memcmp(end->path, other->path, LARIO_PROXY_UNIX_BYTES) == 0);
}

static void fuzz_header(const uint8_t *data, size_t len)
{
    lario_proxy_header whole, pieces;
    size_t whole_used, pieces_used;
    int rc = parse(&whole, data, len, len, &whole_used);

    FUZZ_CHECK(parse(&pieces, data, len, 1, &pieces_used) == rc && whole_used == pieces_used);
    FUZZ_CHECK(rc == 0 || rc == 1 || (rc == LARIO_EPROTO && whole.reason));
    FUZZ_CHECK(whole_used <= LARIO_PROXY_V2_BYTES_MAX);
    if (rc != 1)
        return;
    FUZZ_CHECK(whole.family == pieces.family && whole.is_tls == pieces.is_tls);
    check_end(&whole, &whole.source, &pieces.source);
    check_end(&whole, &whole.destination, &pieces.destination);
}

static void fuzz_list(bool (*last)(const char *, size_t *, lario_forwarded_hop *),
                      const char *value, size_t len)
{
    lario_forwarded_hop hop;
    size_t left = len, before = len;

    while (last(value, &left, &hop)) {
        FUZZ_CHECK(left < before);
        FUZZ_CHECK(!hop.is_malformed || (hop.ip.family == LARIO_IP_NONE && hop.proto == 0));
        before = left;
    }
    FUZZ_CHECK(left == 0);
}

static void fuzz_net(const char *text, size_t len)
{
    char copy[64];
    lario_ip_net net;

    if (len >= sizeof copy || memchr(text, '\0', len))
        return;
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (lario_ip_net_parse(&net, copy) == 0)
        FUZZ_CHECK(lario_ip_net_has(&net, &net.ip));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* In a block of that size, so that a read beyond is seen. */
    char *copy = malloc(size > 0 ? size : 1);

    FUZZ_CHECK(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    fuzz_header((const uint8_t *)copy, size);
    fuzz_list(lario_forwarded_last, copy, size);
    fuzz_list(lario_x_forwarded_for_last, copy, size);
    (void)lario_x_forwarded_proto(copy, size);
    fuzz_net(copy, size);
    free(copy);
    return 0;
}
