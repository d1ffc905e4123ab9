/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/error.h"

#include <string.h>

const char *lario_strerror(int code)
{
    switch (code) {
#define CASE_TEXT(name, value, text)                                                               \
    case (value):                                                                                  \
        return text;
        LARIO_ERROR_LIST(CASE_TEXT)
#undef CASE_TEXT
    }
    /* strerrordesc_np() is the only form that is thread-safe and needs no buffer. */
    const char *text = code < 0 ? strerrordesc_np(-code) : NULL;

    return text ? text : code >= 0 ? "success" : "unknown error";
}

const char *lario_errname(int code)
{
    switch (code) {
#define CASE_NAME(name, value, text)                                                               \
    case (value):                                                                                  \
        return #name;
        LARIO_ERROR_LIST(CASE_NAME)
#undef CASE_NAME
    }
    const char *name = code < 0 ? strerrorname_np(-code) : NULL;

    return name ? name : code >= 0 ? "OK" : "UNKNOWN";
}
