/* SPDX-License-Identifier: BSD-3-Clause */
#include "sys/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "lario/error.h"

static int parse_unix(lario_address *address, const char *path)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&address->storage;
    size_t len = strlen(path);

    if (len == 0 || len >= sizeof un->sun_path || strcmp(path, "@") == 0)
        return LARIO_EADDR;
    un->sun_family = AF_UNIX;
    if (path[0] == '@') {
        /* A name of Linux without a file: it begins with a NUL and ends with its length. */
        memcpy(un->sun_path + 1, path + 1, len - 1);
        address->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
        return 0;
    }
    memcpy(un->sun_path, path, len + 1);
    address->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
    return 0;
}

static int parse_port(const char *text, uint16_t *ret_port)
{
    unsigned port = 0;

    if (*text == '\0' || strlen(text) > 5)
        return LARIO_EADDR;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return LARIO_EADDR;
        port = port * 10 + (unsigned)(*text - '0');
    }
    if (port > UINT16_MAX)
        return LARIO_EADDR;
    *ret_port = htons((uint16_t)port);
    return 0;
}

static int parse_host(lario_address *address, const char *host, uint16_t port)
{
    struct sockaddr_in *in4 = (struct sockaddr_in *)&address->storage;
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address->storage;

    if (host[0] != '[' && host[0] != '\0') {
        in4->sin_family = AF_INET;
        in4->sin_port = port;
        address->len = sizeof *in4;
        return inet_pton(AF_INET, host, &in4->sin_addr) == 1 ? 0 : LARIO_EADDR;
    }
    in6->sin6_family = AF_INET6;
    in6->sin6_port = port;
    address->len = sizeof *in6;
    if (host[0] == '\0') {
        in6->sin6_addr = in6addr_any;
        return 0;
    }
    char inner[INET6_ADDRSTRLEN];
    size_t len = strlen(host);

    if (len < 3 || host[len - 1] != ']' || len - 2 >= sizeof inner)
        return LARIO_EADDR;
    memcpy(inner, host + 1, len - 2);
    inner[len - 2] = '\0';
    return inet_pton(AF_INET6, inner, &in6->sin6_addr) == 1 ? 0 : LARIO_EADDR;
}

int lario_address_parse(lario_address *address, const char *text)
{
    char host[INET6_ADDRSTRLEN + 2];
    const char *colon = strrchr(text, ':');
    uint16_t port;

    memset(address, 0, sizeof *address);
    if (strncmp(text, "unix:", 5) == 0)
        return parse_unix(address, text + 5);
    if (!colon || (size_t)(colon - text) >= sizeof host)
        return LARIO_EADDR;
    memcpy(host, text, (size_t)(colon - text));
    host[colon - text] = '\0';
    int rc = parse_port(colon + 1, &port);

    return rc < 0 ? rc : parse_host(address, host, port);
}

bool lario_address_is_unix(const lario_address *address)
{
    return address->storage.ss_family == AF_UNIX;
}

const char *lario_address_path(const lario_address *address)
{
    const struct sockaddr_un *un = (const struct sockaddr_un *)&address->storage;

    return address->len > offsetof(struct sockaddr_un, sun_path) ? un->sun_path : "";
}

const char *lario_address_format(const lario_address *address, char text[LARIO_ADDRESS_TEXT_BYTES])
{
    const struct sockaddr_in *in4 = (const struct sockaddr_in *)&address->storage;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address->storage;
    char host[INET6_ADDRSTRLEN];

    if (address->storage.ss_family == AF_INET) {
        inet_ntop(AF_INET, &in4->sin_addr, host, sizeof host);
        snprintf(text, LARIO_ADDRESS_TEXT_BYTES, "%s:%u", host, ntohs(in4->sin_port));
    } else if (address->storage.ss_family == AF_INET6) {
        inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof host);
        snprintf(text, LARIO_ADDRESS_TEXT_BYTES, "[%s]:%u", host, ntohs(in6->sin6_port));
    } else {
        const char *path = lario_address_path(address);

        if (!path[0] && address->len > offsetof(struct sockaddr_un, sun_path) + 1)
            snprintf(text, LARIO_ADDRESS_TEXT_BYTES, "unix:@%.*s",
                     (int)(address->len - offsetof(struct sockaddr_un, sun_path) - 1), path + 1);
        else
            snprintf(text, LARIO_ADDRESS_TEXT_BYTES, path[0] ? "unix:%s" : "unix%s", path);
    }
    return text;
}

lario_ip lario_address_ip(const lario_address *address)
{
    const struct sockaddr_in *in4 = (const struct sockaddr_in *)&address->storage;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address->storage;

    switch (address->storage.ss_family) {
    case AF_INET:
        return lario_ip_from_bytes(LARIO_IP_4, &in4->sin_addr);
    case AF_INET6:
        return lario_ip_from_bytes(LARIO_IP_6, &in6->sin6_addr);
    default:
        return (lario_ip){.family = LARIO_IP_NONE};
    }
}

void lario_address_from_ip(lario_address *address, const lario_ip *ip, uint16_t port)
{
    struct sockaddr_in *in4 = (struct sockaddr_in *)&address->storage;
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address->storage;

    memset(address, 0, sizeof *address);
    if (ip->family == LARIO_IP_4) {
        in4->sin_family = AF_INET;
        in4->sin_port = htons(port);
        memcpy(&in4->sin_addr, ip->bytes, sizeof in4->sin_addr);
        address->len = sizeof *in4;
    } else {
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(port);
        memcpy(&in6->sin6_addr, ip->bytes, sizeof in6->sin6_addr);
        address->len = sizeof *in6;
    }
}

void lario_address_from_path(lario_address *address, const char *path, size_t len)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&address->storage;

    memset(address, 0, sizeof *address);
    un->sun_family = AF_UNIX;
    if (len >= sizeof un->sun_path)
        len = sizeof un->sun_path - 1;
    memcpy(un->sun_path, path, len);
    address->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
}
