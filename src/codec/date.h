/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_DATE_H
#define LARIO_CODEC_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An IMF-fixdate, "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 5.6.7), without its NUL. */
#define LARIO_DATE_BYTES 29

/*
 * Writes the date of `seconds` since 1970, with a NUL, in English whatever the program's locale.
 * False, with an empty text, for times that the form cannot say: before 1970 or after 9999.
 */
bool lario_date_format(int64_t seconds, char text[LARIO_DATE_BYTES + 1]);

/*
 * Reads an HTTP-date in any of its three forms (RFC 9110 5.6.7):
 *
 *     Sun, 06 Nov 1994 08:49:37 GMT     IMF-fixdate
 *     Sunday, 06-Nov-94 08:49:37 GMT    RFC 850: of the years that end so, the latest that is at
 *                                       most 50 years after `now_s`
 *     Sun Nov  6 08:49:37 1994          asctime
 *
 * True and the seconds since 1970 (negative before), or false for anything else, also for a day
 * that its month does not have. That the day of the week is right is not checked.
 */
bool lario_date_parse(const char *text, size_t len, int64_t now_s, int64_t *ret_seconds);

#endif
