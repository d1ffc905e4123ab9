/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_MULTIPART_HEAD_H
#define LARIO_CODEC_MULTIPART_HEAD_H

#include <stddef.h>

/* What the head of a part of multipart/form-data says. */
typedef struct lario_multipart_head {
    const char *name;      /* of the form's field */
    const char *file_name; /* NULL: no file; "" when the user chose none */
    const char *type;      /* "text/plain" when the part has none (RFC 7578 4.4) */
    const char *reason;    /* after a failure, for the log (static storage) */
} lario_multipart_head;

/*
 * Reads the `len` bytes of a part's head, its last empty line included. The strings are made in
 * place, in `head`.
 *
 * Names are decoded as browsers encode them: %22, %0D and %0A are '"', CR and LF; older clients
 * write \" and \\ instead. Of a file name only what follows the last '/' or '\' counts, and "." and
 * ".." are ""  (RFC 7578 4.2). filename* (RFC 8187, UTF-8) wins over filename. The names are not
 * NULL and hold no NUL, but any other byte of the client's.
 *
 * LARIO_EPROTO: lines that are no fields; not exactly one Content-Disposition of form-data with one
 * name (RFC 7578 4.2); parameters that are there twice; a nested multipart; a
 * Content-Transfer-Encoding that changes the bytes (RFC 7578 4.7); a bad filename*.
 */
int lario_multipart_head_read(char *head, size_t len, lario_multipart_head *ret_head);

#endif
