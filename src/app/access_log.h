/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_APP_ACCESS_LOG_H
#define LARIO_APP_ACCESS_LOG_H

#include "lario/hooks.h"

/*
 * The file of lario_app_access_log(). Each loop gathers its lines in a buffer of its own. With the
 * first line a process is started there that has a worker write what has come, again and again
 * until nothing came for a second; so nothing runs while there are no requests.
 */
typedef struct lario_access_log lario_access_log;

/* Opens the file. 0, -errno or LARIO_ENOMEM. */
int lario_access_log_open(const char *path, lario_access_log **ret_log);

/* The hook; `arg` is the log. */
void lario_access_log_write(void *arg, const lario_access *access);

/* After the loops have ended; NULL is allowed. */
void lario_access_log_close(lario_access_log *log);

#endif
