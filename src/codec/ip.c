/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/ip.h"

#include <arpa/inet.h>
#include <string.h>

#include "lario/error.h"

static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

lario_ip lario_ip_from_bytes(enum lario_ip_family family, const void *bytes)
{
    const uint8_t *at = bytes;
    lario_ip ip = {.family = (uint8_t)family};

    if (family == LARIO_IP_6 && memcmp(at, mapped_prefix, sizeof mapped_prefix) == 0) {
        ip.family = LARIO_IP_4;
        at += sizeof mapped_prefix;
    }
    memcpy(ip.bytes, at, ip.family == LARIO_IP_4 ? 4 : 16);
    return ip;
}

int lario_ip_parse(lario_ip *ret_ip, const char *text, size_t len)
{
    char copy[LARIO_IP_TEXT_BYTES];
    uint8_t bytes[16];

    if (len == 0 || len >= sizeof copy || memchr(text, '\0', len))
        return LARIO_EADDR;
    memcpy(copy, text, len);
    copy[len] = '\0';
    bool is_6 = memchr(copy, ':', len) != NULL;

    if (inet_pton(is_6 ? AF_INET6 : AF_INET, copy, bytes) != 1)
        return LARIO_EADDR;
    *ret_ip = lario_ip_from_bytes(is_6 ? LARIO_IP_6 : LARIO_IP_4, bytes);
    return 0;
}

const char *lario_ip_format(const lario_ip *ip, char text[LARIO_IP_TEXT_BYTES])
{
    text[0] = '\0';
    if (ip->family != LARIO_IP_NONE)
        inet_ntop(ip->family == LARIO_IP_4 ? AF_INET : AF_INET6, ip->bytes, text,
                  LARIO_IP_TEXT_BYTES);
    return text;
}

int lario_ip_parse_port(uint16_t *ret_port, const char *text, size_t len)
{
    unsigned port = 0;

    if (len == 0 || len > 5 || (len > 1 && text[0] == '0'))
        return LARIO_EADDR;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return LARIO_EADDR;
        port = port * 10 + (unsigned)(text[i] - '0');
    }
    if (port > UINT16_MAX)
        return LARIO_EADDR;
    *ret_port = (uint16_t)port;
    return 0;
}

static unsigned family_bits(const lario_ip *ip)
{
    return ip->family == LARIO_IP_4 ? 32 : 128;
}

/* Byte number `index` of the mask of a prefix. */
static uint8_t mask_byte(unsigned bits, unsigned index)
{
    unsigned begin = index * 8;

    if (bits >= begin + 8)
        return 0xff;
    if (bits <= begin)
        return 0;
    return (uint8_t)(0xff00u >> (bits - begin));
}

int lario_ip_net_parse(lario_ip_net *ret_net, const char *text)
{
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : strlen(text);
    lario_ip_net net;
    uint16_t bits;

    if (lario_ip_parse(&net.ip, text, len) < 0)
        return LARIO_EADDR;
    net.bits = (uint8_t)family_bits(&net.ip);
    if (slash) {
        /* The prefix of a mapped IPv4 network counts from the front of the IPv6 address. */
        unsigned skipped = net.ip.family == LARIO_IP_4 && memchr(text, ':', len) ? 96 : 0;

        if (lario_ip_parse_port(&bits, slash + 1, strlen(slash + 1)) < 0 || bits < skipped ||
            bits - skipped > net.bits)
            return LARIO_EADDR;
        net.bits = (uint8_t)(bits - skipped);
    }
    for (unsigned i = 0; i < family_bits(&net.ip) / 8; i++)
        if (net.ip.bytes[i] & ~mask_byte(net.bits, i))
            return LARIO_EADDR;
    *ret_net = net;
    return 0;
}

bool lario_ip_net_has(const lario_ip_net *net, const lario_ip *ip)
{
    if (ip->family == LARIO_IP_NONE || ip->family != net->ip.family)
        return false;
    for (unsigned i = 0; i < family_bits(ip) / 8; i++)
        if ((ip->bytes[i] ^ net->ip.bytes[i]) & mask_byte(net->bits, i))
            return false;
    return true;
}
