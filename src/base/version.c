/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/version.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *lario_version(void)
{
    return TEXT(LARIO_VERSION_MAJOR) "." TEXT(LARIO_VERSION_MINOR) "." TEXT(LARIO_VERSION_PATCH);
}
