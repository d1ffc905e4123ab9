/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_DATE_H
#define LARIO_CODEC_DATE_H

#include <stdbool.h>
#include <stdint.h>

/* An IMF-fixdate, "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 5.6.7), without its NUL. */
#define LARIO_DATE_BYTES 29

/*
 * Writes the date of `seconds` since 1970, with a NUL, in English whatever the program's locale.
 * False, with an empty text, for times that the form cannot say: before 1970 or after 9999.
 */
bool lario_date_format(int64_t seconds, char text[LARIO_DATE_BYTES + 1]);

#endif
