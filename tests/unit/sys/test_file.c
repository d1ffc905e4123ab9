/* SPDX-License-Identifier: BSD-3-Clause */
#include "sys/file.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Both ways to open run through the same cases: root/a.txt, root/sub/b.txt, links and a FIFO. */

typedef int (*open_fn)(int folder, const char *path);

static char base[] = "/tmp/lario-file-XXXXXX";
static int root = -1;

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make_all(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(base));
    assert_int_equal(chdir(base), 0);
    assert_int_equal(mkdir("root", 0700), 0);
    assert_int_equal(mkdir("root/sub", 0700), 0);
    write_file("secret", "secret");
    write_file("root/a.txt", "first");
    write_file("root/sub/b.txt", "second");
    assert_int_equal(symlink("../secret", "root/out"), 0);
    assert_int_equal(symlink("..", "root/up"), 0);
    assert_int_equal(symlink("a.txt", "root/in"), 0);
    assert_int_equal(symlink("sub", "root/sub-link"), 0);
    assert_int_equal(mkfifo("root/pipe", 0600), 0);
    root = lario_file_open_folder("root");
    assert_true(root >= 0);
    return 0;
}

static int remove_all(void **state)
{
    char command[100];

    (void)state;
    lario_fd_close(root);
    snprintf(command, sizeof(command), "rm -r %s", base);
    return system(command);
}

static void check_content(open_fn open_below, const char *path, const char *text)
{
    char buffer[100] = "";
    int fd = open_below(root, path);

    assert_true(fd >= 0);
    assert_int_equal(lario_file_read(fd, buffer, sizeof(buffer)), strlen(text));
    assert_string_equal(buffer, text);
    lario_fd_close(fd);
}

static void check_folder(open_fn open_below, const char *path)
{
    lario_file_info info;
    int fd = open_below(root, path);

    assert_true(fd >= 0);
    assert_int_equal(lario_file_stat(fd, &info), 0);
    assert_true(info.is_folder && !info.is_regular);
    lario_fd_close(fd);
}

static void check_both(open_fn open_below)
{
    int fd;

    check_content(open_below, "a.txt", "first");
    check_content(open_below, "sub/b.txt", "second");
    check_content(open_below, "sub//b.txt", "second");
    check_folder(open_below, "");
    check_folder(open_below, "sub");
    check_folder(open_below, "sub/");
    assert_int_equal(open_below(root, "none"), -ENOENT);
    assert_int_equal(open_below(root, "none/a"), -ENOENT);
    assert_int_equal(open_below(root, "a.txt/"), -ENOTDIR);
    assert_int_equal(open_below(root, "a.txt/b"), -ENOTDIR);
    assert_int_equal(open_below(root, "../secret"), -EXDEV);
    assert_int_equal(open_below(root, "sub/../../secret"), -EXDEV);
    assert_int_equal(open_below(root, "/etc/passwd"), -EXDEV);
    assert_true(open_below(root, "out") < 0);
    assert_true(open_below(root, "up/secret") < 0);
    assert_true(open_below(root, "up") < 0);
    fd = open_below(root, "pipe");
    assert_true(fd >= 0);
    lario_fd_close(fd);
}

static void kernel_keeps_paths_below_the_folder(void **state)
{
    (void)state;
    check_both(lario_file_open_below);
    check_content(lario_file_open_below, "in", "first");
    check_content(lario_file_open_below, "sub-link/b.txt", "second");
}

static void walk_keeps_paths_below_the_folder_without_links(void **state)
{
    char name[400];

    (void)state;
    check_both(lario_file_walk_below);
    assert_int_equal(lario_file_walk_below(root, "in"), -ELOOP);
    assert_true(lario_file_walk_below(root, "sub-link/b.txt") < 0);
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_int_equal(lario_file_walk_below(root, name), -ENAMETOOLONG);
}

static void walk_leaves_no_descriptor_open(void **state)
{
    int before = dup(0), after;

    (void)state;
    close(before);
    check_content(lario_file_walk_below, "sub/b.txt", "second");
    assert_true(lario_file_walk_below(root, "sub/none/x") < 0);
    after = dup(0);
    close(after);
    assert_int_equal(before, after);
}

static void file_that_is_no_folder_is_no_root(void **state)
{
    (void)state;
    assert_int_equal(lario_file_open_folder("secret"), -ENOTDIR);
    assert_int_equal(lario_file_open_folder("none"), -ENOENT);
}

static void stat_tells_kind_and_size(void **state)
{
    lario_file_info info;
    int fd = lario_file_open_below(root, "a.txt");

    (void)state;
    assert_int_equal(lario_file_stat(fd, &info), 0);
    assert_true(info.is_regular && !info.is_folder);
    assert_int_equal(info.bytes, 5);
    assert_true(info.modified_s > 0);
    lario_fd_close(fd);
    fd = lario_file_open_below(root, "pipe");
    assert_int_equal(lario_file_stat(fd, &info), 0);
    assert_false(info.is_regular || info.is_folder);
    lario_fd_close(fd);
    assert_int_equal(lario_file_stat(-1, &info), -EBADF);
}

static void read_goes_on_where_it_stopped(void **state)
{
    char buffer[4] = "";
    int fd = lario_file_open_below(root, "a.txt");

    (void)state;
    assert_int_equal(lario_file_read(fd, buffer, 3), 3);
    assert_string_equal(buffer, "fir");
    assert_int_equal(lario_file_read(fd, buffer, 3), 2);
    assert_int_equal(lario_file_read(fd, buffer, 3), 0);
    lario_fd_close(fd);
    assert_int_equal(lario_file_read(-1, buffer, 3), -EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_keeps_paths_below_the_folder),
        cmocka_unit_test(walk_keeps_paths_below_the_folder_without_links),
        cmocka_unit_test(walk_leaves_no_descriptor_open),
        cmocka_unit_test(file_that_is_no_folder_is_no_root),
        cmocka_unit_test(stat_tells_kind_and_size),
        cmocka_unit_test(read_goes_on_where_it_stopped),
    };

    return cmocka_run_group_tests(tests, make_all, remove_all);
}
