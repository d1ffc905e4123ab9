/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/cookie.h"

#include <string.h>

#include "codec/token.h"
#include "fuzz_target.h"
#include "lario/error.h"

/*
 * The input is a Cookie field, and then four strings for Set-Cookie behind a byte of flags. A
 * cookie that may be set is one line, has only the attributes that were asked for, and reads back.
 */

static void read_cookies(const char *data, size_t size)
{
    char *copy = malloc(size + 1);
    const char *at = copy, *name, *value;
    size_t name_len, value_len;

    FUZZ_CHECK(copy);
    memcpy(copy, data, size);
    const char *end = copy + size, *before = at;

    while (lario_cookie_next(&at, end, &name, &name_len, &value, &value_len)) {
        FUZZ_CHECK(lario_token_is_valid(name, name_len));
        FUZZ_CHECK(name >= before && value > name + name_len - 1 && value + value_len <= at);
        FUZZ_CHECK(!memchr(value, ';', value_len));
        before = at;
    }
    FUZZ_CHECK(at == end);
    free(copy);
}

static size_t count_char(const char *text, char c)
{
    size_t count = 0;

    while ((text = strchr(text, c))) {
        count++;
        text++;
    }
    return count;
}

static void write_cookie(const lario_set_cookie_text *cookie)
{
    size_t room = lario_set_cookie_room(cookie);
    char *text = malloc(room);
    const bool has[] = {cookie->path != NULL,
                        cookie->domain != NULL,
                        cookie->has_max_age,
                        cookie->has_expires,
                        cookie->secure,
                        cookie->http_only,
                        cookie->site != LARIO_SET_COOKIE_UNSET};
    size_t attributes = 0;
    const char *at = text, *name, *value;
    size_t name_len, value_len;

    for (size_t i = 0; i < sizeof has / sizeof has[0]; i++)
        attributes += has[i];
    FUZZ_CHECK(text);
    size_t len = lario_set_cookie_write(cookie, text);

    FUZZ_CHECK(len < room && strlen(text) == len);
    FUZZ_CHECK(lario_field_value_is_valid(text, len));
    FUZZ_CHECK(count_char(text, ';') == attributes);
    FUZZ_CHECK(lario_cookie_next(&at, text + len, &name, &name_len, &value, &value_len));
    FUZZ_CHECK(name_len == strlen(cookie->name) && memcmp(name, cookie->name, name_len) == 0);
    FUZZ_CHECK(value_len == strlen(cookie->value) && memcmp(value, cookie->value, value_len) == 0);
    free(text);
}

/* The next line of the input as a string; NULL when there is none. */
static const char *next_line(char **at)
{
    char *line = *at;

    if (!line)
        return NULL;
    char *feed = strchr(line, '\n');

    if (feed)
        *feed = '\0';
    *at = feed ? feed + 1 : NULL;
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *at = text;

    FUZZ_CHECK(text);
    memcpy(text, data, size);
    text[size] = '\0';
    read_cookies(text, size);
    if (size > 9) {
        uint8_t flags = data[0];
        int64_t time;

        memcpy(&time, data + 1, sizeof time);
        at += 9;
        lario_set_cookie_text cookie = {
            .has_max_age = flags & 1,
            .has_expires = flags & 2,
            .secure = flags & 4,
            .http_only = flags & 8,
            .site = (enum lario_set_cookie_site)(flags >> 4 & 3),
            .max_age_s = time,
            .expires_s = time >> (flags >> 2 & 31),
            .name = next_line(&at),
            .value = next_line(&at),
            .path = next_line(&at),
            .domain = next_line(&at),
        };
        if (cookie.value && lario_set_cookie_check(&cookie) == 0)
            write_cookie(&cookie);
    }
    free(text);
    return 0;
}
