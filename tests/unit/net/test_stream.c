/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/stream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "lario/error.h"
#include "net/block.h"
#include "sys/socket.h"

/*
 * Output of all kinds of blocks, on a loop that the test runs itself until the stream has ended,
 * while a thread reads the other end of a TCP connection.
 */

#define FILE_BYTES ((size_t)6 << 20)

static lario_loop loop;
static lario_limits limits;
static lario_stream stream;
static int closed_rc;
static bool has_closed;
static int cut_files; /* records of the log */

static int peer_fd;
static pthread_t reader;
static char *received;
static size_t received_len;
static int read_error;

static char *content; /* of the file */
static int file_fd;
static lario_block_file *file;

/* ---- Faults ---- */

static int sendfile_errno, sendfile_faults, malloc_fails_at;

ssize_t __real_sendfile(int out, int in, off_t *offset, size_t count);
ssize_t __wrap_sendfile(int out, int in, off_t *offset, size_t count);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

ssize_t __wrap_sendfile(int out, int in, off_t *offset, size_t count)
{
    if (sendfile_faults <= 0)
        return __real_sendfile(out, in, offset, count);
    sendfile_faults--;
    errno = sendfile_errno;
    return -1;
}

void *__wrap_malloc(size_t size)
{
    if (malloc_fails_at > 0 && --malloc_fails_at == 0)
        return NULL;
    return __real_malloc(size);
}

/* ---- The loop and the connection ---- */

static void run_nothing(lario_loop *at)
{
    at->has_ready = false;
}

static void count_record(void *arg, lario_log_level level, const char *event, const char *text)
{
    (void)arg, (void)level, (void)text;
    cut_files += strcmp(event, "file_cut") == 0;
}

static void ignore(lario_stream *of)
{
    (void)of;
}

static void on_closed(lario_stream *of, int rc)
{
    closed_rc = rc;
    has_closed = true;
    lario_loop_stop(of->loop);
}

static const lario_stream_ops ops = {
    .on_input = ignore,
    .on_eof = ignore,
    .on_room = ignore,
    .on_deadline = ignore,
    .on_closed = on_closed,
};

/* A connected pair of TCP sockets with small buffers, so that large output must wait. */
static int connect_pair(int *ret_peer)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), bytes = 65536;
    int peer = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    assert_int_equal(setsockopt(peer, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes), 0);
    assert_int_equal(connect(peer, (struct sockaddr *)&address, len), 0);
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes), 0);
    close(listener);
    *ret_peer = peer;
    return fd;
}

static void *read_all(void *arg)
{
    (void)arg;
    for (;;) {
        ssize_t got = recv(peer_fd, received + received_len, 2 * FILE_BYTES - received_len, 0);

        if (got <= 0) {
            read_error = got < 0 ? -errno : 0;
            return NULL;
        }
        received_len += (size_t)got;
    }
}

static int set_up(void **state)
{
    static lario_log_target log = {.fn = count_record};
    char path[] = "/tmp/lario-stream-XXXXXX";
    (void)state;

    has_closed = false;
    cut_files = sendfile_faults = malloc_fails_at = 0;
    received_len = 0;
    lario_limits_init(&limits);
    received = malloc(2 * FILE_BYTES);
    content = malloc(FILE_BYTES);
    for (size_t i = 0; i < FILE_BYTES; i++)
        content[i] = (char)(i * 31 >> 3);
    file_fd = mkstemp(path);
    if (file_fd < 0 || unlink(path) < 0 || write(file_fd, content, FILE_BYTES) != (int)FILE_BYTES)
        return -1;
    file = lario_block_file_new(file_fd);
    if (lario_loop_init(&loop, 0, NULL, &log) < 0 || lario_stream_loop_init(&loop) < 0)
        return -1;
    loop.is_stopped = false;
    loop.run_ready = run_nothing;
    return lario_stream_open(&stream, &loop, connect_pair(&peer_fd), &ops, &limits);
}

static int tear_down(void **state)
{
    (void)state;
    lario_block_file_unref(file);
    lario_stream_abort(&stream, 0);
    lario_stream_done(&stream);
    lario_stream_loop_done(&loop);
    lario_loop_done(&loop);
    close(peer_fd);
    free(received);
    free(content);
    return 0;
}

static void start_reading(void)
{
    assert_int_equal(pthread_create(&reader, NULL, read_all, NULL), 0);
}

static void run_to_the_end(void)
{
    lario_loop_run(&loop);
    assert_true(has_closed);
    assert_int_equal(pthread_join(reader, NULL), 0);
}

/* Lets what is queued leave, and takes it all. */
static void send_all(void)
{
    start_reading();
    lario_stream_finish(&stream, false);
    run_to_the_end();
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* ---- Tests ---- */

static void blocks_of_all_kinds_leave_in_their_order(void **state)
{
    lario_shared *shared = lario_shared_new("0123456789", 10);
    (void)state;

    assert_int_equal(lario_stream_write(&stream, "head ", 5), 0);
    assert_int_equal(lario_stream_write_shared(&stream, shared, 2, 5), 0);
    assert_int_equal(lario_stream_write(&stream, " then ", 6), 0);
    assert_int_equal(lario_stream_write_file(&stream, file, 100, 50), 0);
    assert_int_equal(lario_stream_write_file(&stream, file, 7, 3), 0);
    assert_int_equal(lario_stream_write_shared(&stream, shared, 0, 1), 0);
    assert_int_equal(lario_stream_write(&stream, " tail", 5), 0);
    lario_shared_unref(shared);
    send_all();
    assert_int_equal(closed_rc, 0);
    assert_int_equal(received_len, 5 + 5 + 6 + 50 + 3 + 1 + 5);
    assert_memory_equal(received, "head 23456 then ", 16);
    assert_memory_equal(received + 16, content + 100, 50);
    assert_memory_equal(received + 66, content + 7, 3);
    assert_memory_equal(received + 69, "0 tail", 6);
    assert_int_equal(stream.out_bytes, 0);
}

static void large_file_leaves_in_many_steps(void **state)
{
    (void)state;
    assert_int_equal(lario_stream_write(&stream, "x", 1), 0);
    assert_int_equal(lario_stream_write_file(&stream, file, 1, FILE_BYTES - 1), 0);
    assert_int_equal(lario_stream_write(&stream, "y", 1), 0);
    send_all();
    assert_int_equal(closed_rc, 0);
    assert_int_equal(received_len, FILE_BYTES + 1);
    assert_int_equal(received[0], 'x');
    assert_memory_equal(received + 1, content + 1, FILE_BYTES - 1);
    assert_int_equal(received[FILE_BYTES], 'y');
}

static void shared_bytes_outlive_their_maker_and_are_sent_in_parts(void **state)
{
    lario_shared *shared = lario_shared_new(content, FILE_BYTES);
    (void)state;

    assert_int_equal(lario_stream_write_shared(&stream, shared, 0, FILE_BYTES), 0);
    assert_int_equal(atomic_load(&shared->refs), 2);
    lario_shared_unref(shared);
    send_all();
    assert_int_equal(received_len, FILE_BYTES);
    assert_memory_equal(received, content, FILE_BYTES);
}

static void file_weighs_the_same_whatever_its_length(void **state)
{
    lario_shared *shared = lario_shared_new("12345", 5);
    (void)state;

    assert_int_equal(lario_stream_write_file(&stream, file, 0, FILE_BYTES), 0);
    assert_int_equal(stream.out_bytes, LARIO_STREAM_FILE_BYTES);
    assert_int_equal(lario_stream_write_shared(&stream, shared, 0, 5), 0);
    assert_int_equal(stream.out_bytes, LARIO_STREAM_FILE_BYTES + sizeof(lario_block) + 5);
    assert_false(lario_stream_check_full(&stream));
    for (size_t i = 0; i < limits.output_bytes_max / LARIO_STREAM_FILE_BYTES; i++)
        assert_int_equal(lario_stream_write_file(&stream, file, 0, 1), 0);
    assert_true(lario_stream_check_full(&stream));
    lario_shared_unref(shared);
    send_all();
    assert_int_equal(stream.out_bytes, 0);
}

/* What is queued counts as the memory that it holds, however few bytes that are. */
static void block_weighs_its_room(void **state)
{
    const size_t block = sizeof(lario_block) + LARIO_BLOCK_ROOM;
    lario_shared *shared = lario_shared_new("12345", 5);
    (void)state;

    assert_int_equal(lario_stream_write(&stream, "1", 1), 0);
    assert_int_equal(stream.out_bytes, block);
    assert_int_equal(lario_stream_write(&stream, content, LARIO_BLOCK_ROOM - 1), 0);
    assert_int_equal(stream.out_bytes, block);
    assert_int_equal(lario_stream_write(&stream, "2", 1), 0);
    assert_int_equal(stream.out_bytes, 2 * block);
    /* A piece that does not fit leaves room unused, and is charged for it. */
    assert_non_null(lario_stream_reserve(&stream, LARIO_BLOCK_ROOM));
    lario_stream_commit(&stream, 3);
    assert_int_equal(stream.out_bytes, 3 * block);
    assert_int_equal(lario_stream_write_shared(&stream, shared, 0, 5), 0);
    assert_int_equal(stream.out_bytes, 3 * block + sizeof(lario_block) + 5);
    limits.output_bytes_max = stream.out_bytes;
    assert_false(lario_stream_check_full(&stream));
    assert_int_equal(lario_stream_write(&stream, "3", 1), 0);
    assert_true(lario_stream_check_full(&stream));
    lario_shared_unref(shared);
    send_all();
    assert_int_equal(stream.out_bytes, 0);
    assert_int_equal(received_len, 1 + LARIO_BLOCK_ROOM - 1 + 1 + 3 + 5 + 1);
}

static void nothing_is_queued_for_no_bytes(void **state)
{
    lario_shared *shared = lario_shared_new(NULL, 0);
    (void)state;

    assert_int_equal(lario_stream_write_file(&stream, file, 5, 0), 0);
    assert_int_equal(lario_stream_write_shared(&stream, shared, 0, 0), 0);
    assert_int_equal(lario_stream_write_file(&stream, file, UINT64_MAX - 1, 5), LARIO_EINVAL);
    assert_int_equal(lario_stream_write_file(&stream, file, 1, INT64_MAX), LARIO_EINVAL);
    assert_null(stream.out_first);
    assert_int_equal(atomic_load(&shared->refs), 1);
    assert_int_equal(file->refs, 1);
    lario_shared_unref(shared);
}

static void file_is_closed_once_it_has_left(void **state)
{
    (void)state;
    assert_int_equal(lario_stream_write_file(&stream, file, 0, 10), 0);
    assert_int_equal(lario_stream_write_file(&stream, file, 20, 10), 0);
    lario_block_file_unref(file);
    file = NULL;
    assert_true(is_open(file_fd));
    send_all();
    assert_int_equal(received_len, 20);
    assert_false(is_open(file_fd));
}

static void file_is_closed_when_the_stream_is_aborted(void **state)
{
    (void)state;
    assert_int_equal(lario_stream_write_file(&stream, file, 0, FILE_BYTES), 0);
    lario_block_file_unref(file);
    file = NULL;
    lario_stream_abort(&stream, LARIO_ECLOSED);
    start_reading();
    run_to_the_end();
    lario_stream_done(&stream);
    assert_false(is_open(file_fd));
    assert_int_equal(read_error, -ECONNRESET);
}

static void file_that_shrinks_cuts_the_connection(void **state)
{
    (void)state;
    assert_int_equal(lario_stream_write_file(&stream, file, 0, FILE_BYTES), 0);
    assert_int_equal(ftruncate(file_fd, 100), 0);
    send_all();
    assert_int_equal(closed_rc, 0); /* as asked, as far as the finishing owner is concerned */
    assert_int_equal(read_error, -ECONNRESET);
    assert_true(received_len <= 100);
    assert_int_equal(cut_files, 1);
}

static void open_stream_tells_that_the_file_shrank(void **state)
{
    (void)state;
    assert_int_equal(lario_stream_write_file(&stream, file, 0, FILE_BYTES), 0);
    assert_int_equal(ftruncate(file_fd, 0), 0);
    start_reading();
    run_to_the_end();
    assert_int_equal(closed_rc, -ENODATA);
    assert_int_equal(cut_files, 1);
}

static void check_with_faults(int error, int count)
{
    sendfile_errno = error;
    sendfile_faults = count;
    assert_int_equal(lario_stream_write_file(&stream, file, 3, FILE_BYTES - 3), 0);
    send_all();
    assert_int_equal(closed_rc, 0);
    assert_int_equal(received_len, FILE_BYTES - 3);
    assert_memory_equal(received, content + 3, FILE_BYTES - 3);
    assert_true(sendfile_faults < count);
}

static void file_system_without_sendfile_is_read(void **state)
{
    (void)state;
    check_with_faults(EINVAL, 1 << 30);
}

static void file_that_shrinks_is_cut_without_sendfile_too(void **state)
{
    (void)state;
    sendfile_errno = ESPIPE;
    sendfile_faults = 1 << 30;
    assert_int_equal(lario_stream_write_file(&stream, file, 0, FILE_BYTES), 0);
    assert_int_equal(ftruncate(file_fd, 100), 0);
    send_all();
    assert_int_equal(read_error, -ECONNRESET);
    assert_int_equal(cut_files, 1);
}

static void interrupted_sendfile_goes_on(void **state)
{
    (void)state;
    check_with_faults(EINTR, 3);
}

static void file_that_cannot_be_read_cuts_the_connection(void **state)
{
    (void)state;
    sendfile_errno = EIO;
    sendfile_faults = 1;
    assert_int_equal(lario_stream_write_file(&stream, file, 0, 10), 0);
    start_reading();
    run_to_the_end();
    assert_int_equal(closed_rc, -EIO);
    assert_int_equal(cut_files, 1);
}

static void peer_that_resets_ends_a_file_without_a_record(void **state)
{
    struct linger now = {.l_onoff = 1};
    (void)state;

    assert_int_equal(lario_stream_write_file(&stream, file, 0, FILE_BYTES), 0);
    assert_int_equal(setsockopt(peer_fd, SOL_SOCKET, SO_LINGER, &now, sizeof now), 0);
    close(peer_fd);
    peer_fd = -1;
    lario_loop_run(&loop);
    assert_int_equal(closed_rc, LARIO_ECLOSED);
    assert_int_equal(cut_files, 0);
}

static void memory_that_is_out_leaves_nothing_behind(void **state)
{
    lario_shared *shared = lario_shared_new("x", 1);
    (void)state;

    malloc_fails_at = 1;
    assert_int_equal(lario_stream_write_file(&stream, file, 0, 1), LARIO_ENOMEM);
    malloc_fails_at = 1;
    assert_int_equal(lario_stream_write_shared(&stream, shared, 0, 1), LARIO_ENOMEM);
    malloc_fails_at = 1;
    assert_null(lario_block_file_new(0));
    malloc_fails_at = 1;
    assert_null(lario_shared_new("x", 1));
    assert_null(lario_shared_new(NULL, SIZE_MAX));
    assert_int_equal(stream.out_bytes, 0);
    assert_null(stream.out_first);
    assert_int_equal(file->refs, 1);
    assert_int_equal(atomic_load(&shared->refs), 1);
    lario_shared_unref(shared);
}

static void stream_that_has_ended_takes_nothing(void **state)
{
    lario_shared *shared = lario_shared_new("x", 1);
    (void)state;

    lario_stream_abort(&stream, 0);
    assert_int_equal(lario_stream_write_file(&stream, file, 0, 1), LARIO_ECLOSED);
    assert_int_equal(lario_stream_write_shared(&stream, shared, 0, 1), LARIO_ECLOSED);
    assert_int_equal(file->refs, 1);
    assert_int_equal(atomic_load(&shared->refs), 1);
    lario_shared_unref(shared);
}

static void view_shows_the_next_bytes_of_each_kind(void **state)
{
    lario_shared *shared = lario_shared_new("0123456789", 10);
    lario_block_pool pool = {0};
    const char *data = NULL;
    char buffer[16];
    (void)state;

    lario_block *bytes = lario_block_get(&pool, 5);
    memcpy(bytes->bytes, "hello", 5);
    bytes->end = 5;
    bytes->at = 1;
    assert_int_equal(lario_block_view(bytes, buffer, sizeof buffer, &data), 4);
    assert_ptr_equal(data, bytes->bytes + 1);

    lario_block *part = lario_block_get_shared(&pool, shared, 3, 6);
    assert_int_equal(lario_block_left(part), 0);
    assert_int_equal(lario_block_view(part, buffer, 4, &data), 4);
    assert_ptr_equal(data, shared->bytes + 3);

    lario_block *piece = lario_block_get_file(&pool, file, 1000, 20);
    assert_int_equal(lario_block_view(piece, buffer, sizeof buffer, &data), 16);
    assert_ptr_equal(data, buffer);
    assert_memory_equal(buffer, content + 1000, 16);
    piece->at += 16;
    assert_int_equal(lario_block_view(piece, buffer, sizeof buffer, &data), 4);
    assert_memory_equal(buffer, content + 1016, 4);
    assert_int_equal(ftruncate(file_fd, 1000), 0);
    assert_int_equal(lario_block_view(piece, buffer, sizeof buffer, &data), -ENODATA);

    lario_block_put(&pool, bytes);
    lario_block_put(&pool, part);
    lario_block_put(&pool, piece);
    assert_int_equal(pool.small_count, 2);
    assert_int_equal(pool.count, 1);
    assert_int_equal(atomic_load(&shared->refs), 1);
    assert_int_equal(file->refs, 1);
    /* A small one is used again, of whatever kind. */
    part = lario_block_get_file(&pool, file, 0, 1);
    assert_int_equal(pool.small_count, 1);
    lario_block_put(&pool, part);
    lario_block_pool_done(&pool);
    lario_shared_unref(shared);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(blocks_of_all_kinds_leave_in_their_order),
        TEST(large_file_leaves_in_many_steps),
        TEST(shared_bytes_outlive_their_maker_and_are_sent_in_parts),
        TEST(file_weighs_the_same_whatever_its_length),
        TEST(block_weighs_its_room),
        TEST(nothing_is_queued_for_no_bytes),
        TEST(file_is_closed_once_it_has_left),
        TEST(file_is_closed_when_the_stream_is_aborted),
        TEST(file_that_shrinks_cuts_the_connection),
        TEST(open_stream_tells_that_the_file_shrank),
        TEST(file_system_without_sendfile_is_read),
        TEST(file_that_shrinks_is_cut_without_sendfile_too),
        TEST(interrupted_sendfile_goes_on),
        TEST(file_that_cannot_be_read_cuts_the_connection),
        TEST(peer_that_resets_ends_a_file_without_a_record),
        TEST(memory_that_is_out_leaves_nothing_behind),
        TEST(stream_that_has_ended_takes_nothing),
        TEST(view_shows_the_next_bytes_of_each_kind),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
