/* SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Looks at brackets outside of strings only; whether they match is for the parser to judge. */
static bool too_deep(const char *text, size_t len)
{
    bool in_string = false;
    size_t depth = 0;

    for (size_t i = 0; i < len; i++) {
        if (in_string && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            in_string = !in_string;
        else if (!in_string && (text[i] == '[' || text[i] == '{') && ++depth > JSON_DEPTH_MAX)
            return true;
        else if (!in_string && (text[i] == ']' || text[i] == '}') && depth > 0)
            depth--;
    }
    return false;
}

json_t *json_parse(const char *text, size_t len, char ret_error[JSON_ERROR_BYTES])
{
    json_error_t error;
    json_t *value;

    if (too_deep(text, len)) {
        snprintf(ret_error, JSON_ERROR_BYTES, "not acceptable JSON: nested deeper than %d",
                 JSON_DEPTH_MAX);
        return NULL;
    }
    value =
        json_loadb(text, len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!value)
        snprintf(ret_error, JSON_ERROR_BYTES, "not acceptable JSON: line %d: %s", error.line,
                 error.text);
    return value;
}

const char *json_member(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    const char *text = json_string_value(value);

    return text && strlen(text) == json_string_length(value) ? text : NULL;
}
