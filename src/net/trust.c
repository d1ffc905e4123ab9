/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/trust.h"

#include <string.h>

#include "lario/error.h"

int lario_trust_add(lario_trust *trust, const char *text)
{
    lario_ip_net net;

    if (strcmp(text, "unix:") == 0) {
        trust->has_unix = true;
        return 0;
    }
    if (lario_ip_net_parse(&net, text) < 0)
        return LARIO_EADDR;
    if (trust->nets_count == LARIO_TRUST_NETS_MAX)
        return LARIO_EFULL;
    trust->nets[trust->nets_count++] = net;
    return 0;
}

bool lario_trust_has_ip(const lario_trust *trust, const lario_ip *ip)
{
    for (unsigned i = 0; i < trust->nets_count; i++)
        if (lario_ip_net_has(&trust->nets[i], ip))
            return true;
    return false;
}

bool lario_trust_has(const lario_trust *trust, const lario_address *address)
{
    if (lario_address_is_unix(address))
        return trust->has_unix;
    lario_ip ip = lario_address_ip(address);

    return lario_trust_has_ip(trust, &ip);
}
