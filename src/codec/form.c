/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/form.h"

#include <string.h>

#include "codec/uri.h"
#include "lario/error.h"

size_t lario_form_count(const char *data, size_t len, size_t max)
{
    const char *end = data + len, *name, *value;
    size_t name_len, value_len, count = 0;

    while (count <= max && lario_uri_query_next(&data, end, &name, &name_len, &value, &value_len))
        count++;
    return count;
}

/* A decoded copy with its NUL at *text, which moves on behind it; NULL when it is malformed. */
static const char *decode(const char *raw, size_t len, char **text)
{
    char *first = *text;
    int decoded = memchr(raw, '\0', len) ? LARIO_EPROTO : lario_uri_decode_form(raw, len, first);

    if (decoded < 0)
        return NULL;
    first[decoded] = '\0';
    *text = first + decoded + 1;
    return first;
}

int lario_form_decode(const char *data, size_t len, lario_form_pair *pairs, char *text)
{
    const char *end = data + len, *name, *value;
    size_t name_len, value_len;
    int count = 0;

    /* Each NUL stands where '=' or '&' stood, or behind the last piece: an empty value needs none
     * of its own. */
    for (; lario_uri_query_next(&data, end, &name, &name_len, &value, &value_len); count++) {
        lario_form_pair *pair = &pairs[count];

        pair->name = decode(name, name_len, &text);
        pair->value = value_len > 0 ? decode(value, value_len, &text) : "";
        if (!pair->name || !pair->value)
            return LARIO_EPROTO;
    }
    return count;
}
