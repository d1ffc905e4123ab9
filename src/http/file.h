/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HTTP_FILE_H
#define LARIO_HTTP_FILE_H

#include "lario/file.h"
#include "sys/file.h"

/*
 * Answers with an open file, which it owns from now on. `name` says the type when the options do
 * not; `encoding` is the file's Content-Encoding, or NULL.
 */
int lario_reply_open_file(lario_req *req, int fd, const lario_file_info *info, const char *name,
                          const char *encoding, const lario_file_options *options);

#endif
