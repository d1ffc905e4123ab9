/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_VERSION_H
#define LARIO_VERSION_H

#include "lario/export.h"

LARIO_BEGIN_DECLS

/* Semantic version. While MAJOR is 0, a new MINOR may change the interface. */
#define LARIO_VERSION_MAJOR 0
#define LARIO_VERSION_MINOR 1
#define LARIO_VERSION_PATCH 0

/* The version of the library at run time, as "0.1.0". Any thread. */
LARIO_API const char *lario_version(void);

LARIO_END_DECLS

#endif
