/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_FORM_H
#define LARIO_FORM_H

#include <stddef.h>
#include <stdint.h>

#include "lario/error.h"
#include "lario/export.h"
#include "lario/http.h"

LARIO_BEGIN_DECLS

/*
 * Bodies that browsers send for forms. A short form comes as name=value pairs and is read whole;
 * one with files comes in parts, which the handler takes one after the other as they arrive:
 *
 *     lario_part part;
 *     int rc;
 *
 *     while ((rc = lario_part_next(req, &part)) > 0)
 *         if (part.file_name)
 *             rc = lario_part_save(req, path_for(&part), 10 << 20, NULL);
 *
 * All calls are made from the request's process; the strings belong to the request. A handler that
 * returns one of their errors gives the client the status that is named here.
 */

/*
 * Reads a body of the type application/x-www-form-urlencoded (WHATWG URL 5.1), of at most
 * body_bytes_max bytes and form_fields_max fields. Parks. A second call does nothing.
 * Errors: LARIO_EMEDIA (another type; 415), LARIO_ETOOBIG (413), LARIO_EPROTO (a bad escape or a
 * NUL; 400), and those of lario_body().
 */
LARIO_API LARIO_MUST_USE int lario_form_read(lario_req *req);

/* After lario_form_read(): the first field of this name, decoded; NULL when there is none. */
LARIO_API const char *lario_form(lario_req *req, const char *name);

/* Field number `index`, from 0, in the order sent. LARIO_ENOTFOUND past the last. */
LARIO_API LARIO_MUST_USE int lario_form_at(lario_req *req, size_t index, const char **ret_name,
                                           const char **ret_value);

/* A part of a body of the type multipart/form-data (RFC 7578); valid until the next part. */
typedef struct lario_part {
    const char *name;      /* of the form's field */
    const char *file_name; /* without folders; NULL: no file; "" when the user chose none */
    const char *type;      /* as the client says; "text/plain" when it does not */
} lario_part;

/*
 * Goes to the next part; what was not read of the last one is dropped. Returns 1, or 0 behind the
 * last. Parks; while the handler does not ask, the socket is not read. `file_name` is the client's
 * word: never open a file by it. There is no limit on the whole.
 * Errors: LARIO_EMEDIA (another type; 415), LARIO_ETOOBIG (parts_max, form_fields_max; 413),
 * LARIO_EPROTO (malformed, part_head_bytes_max, the closing boundary is missing; 400), those of
 * lario_body_read().
 */
LARIO_API LARIO_MUST_USE int lario_part_next(lario_req *req, lario_part *ret_part);

/*
 * Reads from 1 to `size` bytes of the part into `buffer`; 0 at its end. Parks. Errors: LARIO_ESTATE
 * (no part is open), LARIO_EINVAL (size 0), those of lario_part_next().
 */
LARIO_API LARIO_MUST_USE int lario_part_read(lario_req *req, void *buffer, size_t size);

/*
 * Reads the whole part, of at most `max` bytes, as a C string. Errors: LARIO_ETOOBIG (longer; 413),
 * LARIO_ENOMEM, those of lario_part_read().
 */
LARIO_API LARIO_MUST_USE int lario_part_text(lario_req *req, size_t max, const char **ret_text,
                                             size_t *ret_len);

/*
 * Writes the rest of the part, of at most `max` bytes, to a new file (mode 0600); *ret_bytes (may
 * be NULL) is its length. A worker writes, so no loop waits for the disk. After a failure the file
 * is removed. Parks. Errors: -EEXIST when something is there already, other errors of open and
 * write (-ENOSPC, -EDQUOT and -EFBIG are answered with 507), LARIO_ETOOBIG (longer than `max`;
 * 413), those of lario_part_read().
 */
LARIO_API LARIO_MUST_USE int lario_part_save(lario_req *req, const char *path, uint64_t max,
                                             uint64_t *ret_bytes);

LARIO_END_DECLS

#endif
