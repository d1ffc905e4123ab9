/* SPDX-License-Identifier: BSD-3-Clause */
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* A rename beside the path makes the kernel's check of ".." fail with EAGAIN (openat2(2)). */
#define RACE_TRIES 8

int lario_file_open_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd >= 0 ? fd : -errno;
}

/* Opens the segment that `segment` starts with, below `folder`. */
static int open_segment(int folder, const char *segment, size_t len, int flags)
{
    char name[NAME_MAX + 1];
    int fd;

    if (len > NAME_MAX)
        return -ENAMETOOLONG;
    if (len == 2 && memcmp(segment, "..", len) == 0)
        return -EXDEV;
    memcpy(name, segment, len);
    name[len] = '\0';
    fd = openat(folder, name, flags | O_NOFOLLOW);
    return fd >= 0 ? fd : -errno;
}

int lario_file_walk_below(int folder, const char *path)
{
    int at = folder, next;
    const char *segment = path;

    if (*segment == '/')
        return -EXDEV;
    for (;;) {
        size_t len = strcspn(segment, "/");
        const char *rest = segment + len + strspn(segment + len, "/");

        if (segment[len] && *rest)
            next = open_segment(at, segment, len, O_PATH | O_DIRECTORY | O_CLOEXEC);
        else
            next = open_segment(at, len > 0 ? segment : ".", len > 0 ? len : 1,
                                segment[len] ? OPEN_FLAGS | O_DIRECTORY : OPEN_FLAGS);
        if (at != folder)
            (void)close(at);
        if (next < 0 || !segment[len] || !*rest)
            return next;
        at = next;
        segment = rest;
    }
}

int lario_file_open_below(int folder, const char *path)
{
    struct open_how how = {
        .flags = OPEN_FLAGS,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    long fd = -1;

    for (int tries = 0; tries < RACE_TRIES; tries++) {
        fd = syscall(SYS_openat2, folder, *path ? path : ".", &how, sizeof(how));
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    if (fd >= 0)
        return (int)fd;
    /* Containers may refuse a call that their filter does not know with EPERM. */
    if (errno == ENOSYS || errno == EPERM)
        return lario_file_walk_below(folder, path);
    return -errno;
}

int lario_file_stat(int fd, lario_file_info *ret_info)
{
    struct stat info;

    if (fstat(fd, &info) < 0)
        return -errno;
    *ret_info = (lario_file_info){
        .is_regular = S_ISREG(info.st_mode),
        .is_folder = S_ISDIR(info.st_mode),
        .bytes = (uint64_t)info.st_size,
        .modified_s = info.st_mtim.tv_sec,
        .modified_ns = info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec,
    };
    return 0;
}

/* Reads from `offset` on; -1: from where the descriptor stands. */
static int read_until(int fd, char *buffer, size_t size, off_t offset)
{
    size_t got = 0;

    if (size > INT_MAX)
        size = INT_MAX;
    while (got < size) {
        ssize_t n = offset < 0 ? read(fd, buffer + got, size - got)
                               : pread(fd, buffer + got, size - got, offset + (off_t)got);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    return (int)got;
}

int lario_file_read(int fd, void *buffer, size_t size)
{
    return read_until(fd, buffer, size, -1);
}

int lario_file_read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
    return offset > INT64_MAX - INT_MAX ? -EINVAL : read_until(fd, buffer, size, (off_t)offset);
}

int lario_file_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

int lario_file_open_append(const char *path)
{
    int fd = strcmp(path, "-") == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                                    : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);

    return fd < 0 ? -errno : fd;
}

int lario_file_write(int fd, const void *data, size_t len)
{
    const char *at = data;

    while (len > 0) {
        ssize_t written = write(fd, at, len);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -errno;
        at += written;
        len -= (size_t)written;
    }
    return 0;
}

int lario_file_create(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    return fd < 0 ? -errno : fd;
}

int lario_file_close(int fd)
{
    return close(fd) < 0 ? -errno : 0;
}

int lario_file_remove(const char *path)
{
    return unlink(path) < 0 ? -errno : 0;
}
