/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_FILE_H
#define LARIO_SYS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/fd.h"

/*
 * Files below a folder. Any thread; the calls do not wait but for the disk. Descriptors are closed
 * by lario_fd_close().
 */

typedef struct lario_file_info {
    bool is_regular;
    bool is_folder;
    uint64_t bytes;
    int64_t modified_s;  /* since 1970 */
    int64_t modified_ns; /* the same, in nanoseconds */
} lario_file_info;

/* Opens a folder as the root of lario_file_open_below(). Returns a descriptor or -errno. */
int lario_file_open_folder(const char *path);

/*
 * Opens what the relative `path` names below `folder`, for reading; "" is the folder itself.
 * Neither ".." nor a symbolic link leads out of the folder; kernels before 5.6, which cannot check
 * that, follow no links at all. Does not wait for the writer of a FIFO. Returns a descriptor or
 * -errno, such as -EXDEV for a path that leads out.
 */
int lario_file_open_below(int folder, const char *path);

/*
 * What lario_file_open_below() does on kernels before 5.6: segment by segment, refusing links and
 * "..". Apart, so that it is tested on any kernel.
 */
int lario_file_walk_below(int folder, const char *path);

/* Opens any file for reading; does not wait for the writer of a FIFO. A descriptor or -errno. */
int lario_file_open(const char *path);

/* Returns 0 or -errno. */
int lario_file_stat(int fd, lario_file_info *ret_info);

/* Reads until `size` bytes are there or the file ends; returns how many (at most INT_MAX), or
   -errno. */
int lario_file_read(int fd, void *buffer, size_t size);

/* The same from `offset` on, wherever the descriptor stands. */
int lario_file_read_at(int fd, void *buffer, size_t size, uint64_t offset);

/*
 * Opens a file to append to, made with mode 0640 when it is not there; "-" is the standard output.
 * Returns a descriptor or -errno.
 */
int lario_file_open_append(const char *path);

/* Makes a new file for writing, with mode 0600. A descriptor, or -errno: -EEXIST when it is there.
 */
int lario_file_create(const char *path);

/* Closes it and says what could not be written: 0 or -errno. */
int lario_file_close(int fd);

/* 0 or -errno. */
int lario_file_remove(const char *path);

/* Writes all of it. 0 or -errno; then a part may have been written. */
int lario_file_write(int fd, const void *data, size_t len);

#endif
