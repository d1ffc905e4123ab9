/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/ws_extension.h"

#include <string.h>

#include "codec/char_class.h"

/*
 *     list       extension *( "," extension )
 *     extension  token *( ";" parameter )
 *     parameter  token [ "=" ( token | quoted-string ) ]
 *
 * with optional white space around each part (RFC 6455 9.1, RFC 9110 5.6). What a quoted string
 * holds must be a token, too, and the only values that are allowed here are one or two digits.
 */

typedef struct input {
    const char *at;
    const char *end;
} input;

/* The parameters of one offer, as far as they were seen. */
enum parameter {
    SERVER_NO_CONTEXT = 1u << 0,
    CLIENT_NO_CONTEXT = 1u << 1,
    SERVER_BITS = 1u << 2,
    CLIENT_BITS = 1u << 3,
};

typedef struct offer {
    unsigned seen;
    uint8_t server_bits;
    uint8_t client_bits;
} offer;

/* A value, its quotes and escapes undone; longer than any that is allowed: not kept. */
typedef struct short_value {
    bool is_there;
    size_t len;
    char bytes[2];
} short_value;

static void skip_blanks(input *in)
{
    while (in->at < in->end && lario_char_is_blank(*in->at))
        in->at++;
}

static bool take_char(input *in, char wanted)
{
    if (in->at == in->end || *in->at != wanted)
        return false;
    in->at++;
    return true;
}

/* A token and the blanks behind it; its length, 0 when there is none. */
static size_t take_token(input *in, const char **ret_token)
{
    *ret_token = in->at;
    while (in->at < in->end && lario_char_is_tchar(*in->at))
        in->at++;
    size_t len = (size_t)(in->at - *ret_token);

    skip_blanks(in);
    return len;
}

static void keep_char(short_value *value, char c)
{
    if (value->len < sizeof value->bytes)
        value->bytes[value->len] = c;
    value->len++;
}

/* The rest of a quoted string, whose first quote was taken. */
static bool take_quoted(input *in, short_value *value)
{
    while (in->at < in->end) {
        char c = *in->at++;

        if (c == '"') {
            skip_blanks(in);
            return value->len > 0;
        }
        if (c == '\\') {
            if (in->at == in->end)
                return false;
            c = *in->at++;
        }
        if (!lario_char_is_tchar(c))
            return false;
        keep_char(value, c);
    }
    return false;
}

/* Behind a parameter's name; false when the grammar is broken. */
static bool take_value(input *in, short_value *value)
{
    const char *token;

    *value = (short_value){0};
    if (!take_char(in, '='))
        return true;
    value->is_there = true;
    skip_blanks(in);
    if (take_char(in, '"'))
        return take_quoted(in, value);
    size_t len = take_token(in, &token);

    for (size_t i = 0; i < len; i++)
        keep_char(value, token[i]);
    return len > 0;
}

/* A decimal number from 8 to 15 without leading zeros (RFC 7692 7.1.2), or 0. */
static uint8_t window_bits(const short_value *value)
{
    const char *bytes = value->bytes;

    if (value->len == 1 && (bytes[0] == '8' || bytes[0] == '9'))
        return (uint8_t)(bytes[0] - '0');
    if (value->len == 2 && bytes[0] == '1' && bytes[1] >= '0' && bytes[1] <= '5')
        return (uint8_t)(10 + bytes[1] - '0');
    return 0;
}

static bool equals(const char *name, size_t len, const char *wanted)
{
    return len == strlen(wanted) && memcmp(name, wanted, len) == 0;
}

static unsigned parameter_of(const char *name, size_t len)
{
    if (equals(name, len, "server_no_context_takeover"))
        return SERVER_NO_CONTEXT;
    if (equals(name, len, "client_no_context_takeover"))
        return CLIENT_NO_CONTEXT;
    if (equals(name, len, "server_max_window_bits"))
        return SERVER_BITS;
    if (equals(name, len, "client_max_window_bits"))
        return CLIENT_BITS;
    return 0;
}

/* Notes one parameter; false when the offer has to be declined for it. */
static bool note_parameter(offer *to, const char *name, size_t len, const short_value *value)
{
    unsigned parameter = parameter_of(name, len);
    uint8_t bits = window_bits(value);

    if (parameter == 0 || (to->seen & parameter))
        return false;
    to->seen |= parameter;
    switch (parameter) {
    case SERVER_BITS:
        to->server_bits = bits;
        return bits != 0;
    case CLIENT_BITS:
        /* Without a value it says only that the client can do what the server asks for. */
        to->client_bits = value->is_there ? bits : LARIO_WS_WINDOW_BITS_MAX;
        return to->client_bits != 0;
    default:
        return !value->is_there;
    }
}

/* Reads the parameters behind the extension's name, up to the end of the element. */
static bool take_parameters(input *in, offer *to)
{
    while (take_char(in, ';')) {
        const char *name;
        short_value value;

        skip_blanks(in);
        size_t len = take_token(in, &name);

        if (len == 0 || !take_value(in, &value) || !note_parameter(to, name, len, &value))
            return false;
    }
    return in->at == in->end || *in->at == ',';
}

/* Goes to the comma behind an element that was not read to its end. */
static void skip_element(input *in)
{
    bool quoted = false;

    for (; in->at < in->end && (quoted || *in->at != ','); in->at++) {
        if (*in->at == '"')
            quoted = !quoted;
        else if (quoted && *in->at == '\\' && in->at + 1 < in->end)
            in->at++;
    }
}

static uint8_t smaller(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static bool accept(const offer *from, const lario_ws_deflate_terms *terms,
                   lario_ws_deflate_agreed *ret_agreed)
{
    lario_ws_deflate_agreed agreed = {
        .server_bits = terms->server_bits_max,
        .client_bits = LARIO_WS_WINDOW_BITS_MAX,
        .server_keeps = terms->server_keeps && !(from->seen & SERVER_NO_CONTEXT),
        .client_keeps = terms->client_keeps && !(from->seen & CLIENT_NO_CONTEXT),
    };

    if (from->seen & SERVER_BITS)
        agreed.server_bits = smaller(agreed.server_bits, from->server_bits);
    agreed.tells_server_bits =
        (from->seen & SERVER_BITS) || agreed.server_bits < LARIO_WS_WINDOW_BITS_MAX;
    /* Only a client that says that it can may be told a window (7.1.2.2). */
    if (from->seen & CLIENT_BITS)
        agreed.client_bits = smaller(terms->client_bits_max, from->client_bits);
    else if (terms->client_bits_max < LARIO_WS_WINDOW_BITS_MAX)
        return false;
    agreed.tells_client_bits = agreed.client_bits < LARIO_WS_WINDOW_BITS_MAX;
    *ret_agreed = agreed;
    return true;
}

bool lario_ws_extension_choose(const char *value, size_t len, const lario_ws_deflate_terms *terms,
                               lario_ws_deflate_agreed *ret_agreed)
{
    input in = {value, value + len};

    while (in.at < in.end) {
        const char *name;
        offer found = {0};

        skip_blanks(&in);
        const char *element = in.at;
        size_t name_len = take_token(&in, &name);

        if (equals(name, name_len, "permessage-deflate") && take_parameters(&in, &found) &&
            accept(&found, terms, ret_agreed))
            return true;
        /* Again from its start, so that a quoted comma is one wherever the reading ended. */
        in.at = element;
        skip_element(&in);
        (void)take_char(&in, ',');
    }
    return false;
}

static char *write_bits(char *at, const char *name, uint8_t bits)
{
    at = stpcpy(at, name);
    if (bits >= 10)
        *at++ = '1';
    *at++ = (char)('0' + bits % 10);
    *at = '\0';
    return at;
}

size_t lario_ws_extension_write(const lario_ws_deflate_agreed *agreed,
                                char text[LARIO_WS_EXTENSION_BYTES])
{
    char *at = stpcpy(text, "permessage-deflate");

    if (!agreed->server_keeps)
        at = stpcpy(at, "; server_no_context_takeover");
    if (!agreed->client_keeps)
        at = stpcpy(at, "; client_no_context_takeover");
    if (agreed->tells_server_bits)
        at = write_bits(at, "; server_max_window_bits=", agreed->server_bits);
    if (agreed->tells_client_bits)
        at = write_bits(at, "; client_max_window_bits=", agreed->client_bits);
    return (size_t)(at - text);
}
