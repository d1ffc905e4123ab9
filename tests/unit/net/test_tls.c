/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "in_runtime.h"
#include "lario/lario.h"
#include "net/block.h"
#include "net/server.h"
#include "serving.h"
#include "tls_client.h"

/* The filter under raw TCP and HTTP, with a client of OpenSSL in the test's own thread. */

static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

static tls_files files;

/* ---- Failing allocations: of the library and, by its hook, of OpenSSL ---- */

static atomic_int fails_at; /* how many allocations of a loop from now; 0 or less: none */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

static bool may_allocate(void)
{
    return atomic_load(&fails_at) <= 0 || !lario_runtime_here() ||
           atomic_fetch_sub(&fails_at, 1) != 1;
}

void *__wrap_malloc(size_t size)
{
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return may_allocate() ? __real_calloc(count, size) : NULL;
}

static void *openssl_malloc(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return size > 0 ? malloc(size) : NULL;
}

static void *openssl_realloc(void *old, size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return may_allocate() ? realloc(old, size) : NULL;
}

static void openssl_free(void *memory, const char *file, int line)
{
    (void)file;
    (void)line;
    free(memory);
}

/* ---- Handlers ---- */

static int greet(lario_tcp *tcp)
{
    return lario_tcp_puts(tcp, "welcome\n");
}

static int echo_lines(lario_tcp *tcp)
{
    char line[100];
    int rc;

    while ((rc = lario_tcp_read_line(tcp, line, sizeof line, -1)) >= 0) {
        rc = lario_tcp_puts(tcp, line);
        if (rc < 0)
            break;
    }
    note(rc);
    return rc;
}

/* After a LARIO_ECLOSED of the reading, whether the connection can still be written to. */
static int write_after_end(lario_tcp *tcp)
{
    char byte;
    int rc = lario_tcp_read(tcp, &byte, 1, -1);

    note(rc);
    rc = lario_tcp_puts(tcp, "goodbye");
    note(rc);
    return 0;
}

#define PATTERN_BYTES 200000

static void fill_pattern(char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)(i * 31 + i / 251);
}

/* Bytes, then shared bytes, then a part of a file, then bytes again. */
static int send_all_kinds(lario_tcp *tcp)
{
    lario_stream *stream = &((lario_conn *)tcp)->stream;
    lario_shared *shared = lario_shared_new(NULL, PATTERN_BYTES);
    char path[] = "/tmp/lario_tls_file_XXXXXX";
    int fd = mkstemp(path);

    if (!shared || fd < 0)
        return LARIO_ENOMEM;
    unlink(path);
    fill_pattern(shared->bytes, PATTERN_BYTES);
    if (write(fd, shared->bytes, PATTERN_BYTES) != PATTERN_BYTES)
        return -errno;
    lario_block_file *file = lario_block_file_new(fd);
    int rc = lario_stream_write(stream, "begin", 5);

    if (rc == 0)
        rc = lario_stream_write_shared(stream, shared, 1, PATTERN_BYTES - 1);
    if (rc == 0)
        rc = lario_stream_write_file(stream, file, 100, PATTERN_BYTES - 100);
    if (rc == 0)
        rc = lario_stream_write(stream, "end", 3);
    lario_shared_unref(shared);
    lario_block_file_unref(file);
    return rc;
}

/* ---- The server ---- */

static void prepare(serving *server, lario_tcp_handler handler)
{
    serving_init(server);
    lario_app_tls_certificate(server->app, files.cert, files.key);
    if (handler)
        lario_app_tcp(server->app, handler);
}

static void start(serving *server, lario_tcp_handler handler)
{
    prepare(server, handler);
    serving_start(server);
}

/* ---- Tests ---- */

static void handler_may_write_and_end_before_the_handshake(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        serving server;
        test_client client;
        char text[32];
        int error;

        start(&server, greet);
        SSL *ssl = tls_client_open(&client, server.address, versions[i]);

        assert_false(client_has_input(&client, 50));
        assert_int_equal(tls_client_read_all(ssl, text, sizeof text, &error), 8);
        assert_memory_equal(text, "welcome\n", 8);
        assert_int_equal(error, SSL_ERROR_ZERO_RETURN);
        tls_client_close(ssl, &client);
        serving_stop(&server);
    }
}

static void close_notify_is_an_end_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        serving server;
        test_client client;

        start(&server, write_after_end);
        SSL *ssl = tls_client_connect(&client, server.address, versions[i]);

        assert_int_equal(SSL_shutdown(ssl), 0);
        assert_int_equal(next_note(), LARIO_ECLOSED);
        assert_int_equal(next_note(), 0);
        tls_client_expect(ssl, "goodbye");
        tls_client_close(ssl, &client);
        serving_stop(&server);
    }
}

static void fin_without_close_notify_breaks_the_connection(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, write_after_end);
    SSL *ssl = tls_client_connect(&client, server.address, TLS1_3_VERSION);

    client_half_close(&client);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    assert_true(next_note() < 0);
    tls_client_close(ssl, &client);
    serving_stop(&server);
}

static void truncated_record_is_never_delivered(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, echo_lines);
    SSL *ssl = tls_client_connect(&client, server.address, TLS1_3_VERSION);
    char record[256];
    BIO *out = BIO_new(BIO_s_mem());

    SSL_set0_wbio(ssl, out);
    assert_int_equal(SSL_write(ssl, "a line\n", 7), 7);
    int len = BIO_read(out, record, sizeof record);

    client_send(&client, record, (size_t)len - 1);
    client_half_close(&client);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    tls_client_close(ssl, &client);
    serving_stop(&server);
}

static void forged_record_gets_an_alert_and_ends(void **state)
{
    serving server;
    test_client client;
    char text[8];
    int error;
    (void)state;

    prepare(&server, echo_lines);
    server.limits.linger_ms = 100;
    serving_start(&server);
    SSL *ssl = tls_client_connect(&client, server.address, TLS1_3_VERSION);

    client_send(&client,
                "\x17\x03\x03\x00\x14"
                "01234567890123456789",
                25);
    assert_int_equal(tls_client_read_all(ssl, text, sizeof text, &error), 0);
    assert_int_equal(error, SSL_ERROR_SSL); /* bad_record_mac */
    assert_int_equal(next_note(), LARIO_ECLOSED);
    tls_client_close(ssl, &client);
    serving_stop(&server);
}

static void handshake_has_a_deadline(void **state)
{
    serving server;
    test_client silent, slow;
    (void)state;

    prepare(&server, echo_lines);
    server.limits.tls_handshake_ms = 100;
    serving_start(&server);
    client_open(&silent, server.address);
    client_open(&slow, server.address);
    client_send(&slow, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 9);
    (void)client_read_end(&silent);
    (void)client_read_end(&slow);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    client_close(&silent);
    client_close(&slow);
    /* Who has shaken hands in time may take all of it. */
    SSL *ssl = tls_client_connect(&slow, server.address, TLS1_3_VERSION);

    assert_false(note_comes(300));
    assert_int_equal(SSL_write(ssl, "line\n", 5), 5);
    tls_client_expect(ssl, "line");
    tls_client_close(ssl, &slow);
    serving_end(&server);
}

static void every_kind_of_block_is_encrypted(void **state)
{
    static char expected[PATTERN_BYTES], got[2 * PATTERN_BYTES + 100];
    (void)state;

    fill_pattern(expected, sizeof expected);
    for (size_t i = 0; i < 2; i++) {
        serving server;
        test_client client;
        int error;

        start(&server, send_all_kinds);
        SSL *ssl = tls_client_connect(&client, server.address, versions[i]);

        usleep(50000); /* the socket fills: records leave in parts */
        assert_int_equal(tls_client_read_all(ssl, got, sizeof got, &error),
                         5 + PATTERN_BYTES - 1 + PATTERN_BYTES - 100 + 3);
        assert_int_equal(error, SSL_ERROR_ZERO_RETURN);
        assert_memory_equal(got, "begin", 5);
        assert_memory_equal(got + 5, expected + 1, PATTERN_BYTES - 1);
        assert_memory_equal(got + 4 + PATTERN_BYTES, expected + 100, PATTERN_BYTES - 100);
        assert_memory_equal(got + 4 + PATTERN_BYTES + PATTERN_BYTES - 100, "end", 3);
        tls_client_close(ssl, &client);
        serving_stop(&server);
    }
}

static void options_are_checked_and_used(void **state)
{
    lario_tls_options options = {.version_min = 13};
    serving server;
    test_client client;
    (void)state;

    prepare(&server, echo_lines);
    lario_app_tls_options(server.app, &options);
    serving_start(&server);
    SSL *ssl = tls_client_open(&client, server.address, TLS1_2_VERSION);

    assert_int_equal(SSL_connect(ssl), -1);
    tls_client_close(ssl, &client);
    assert_int_equal(lario_app_tls_reload(server.app), 0);
    assert_int_equal(logged("tls_reloaded"), 1);
    serving_end(&server);

    options = (lario_tls_options){.version_min = 11};
    prepare(&server, NULL);
    lario_app_tls_options(server.app, &options);
    assert_int_equal(lario_app_start(server.app), LARIO_EINVAL);
    lario_app_free(server.app);

    options = (lario_tls_options){.ciphers = "NONE-SUCH"};
    prepare(&server, NULL);
    lario_app_tls_options(server.app, &options);
    assert_int_equal(lario_app_start(server.app), LARIO_ECERT);
    assert_non_null(strstr(lario_app_error(server.app), "NONE-SUCH"));
    assert_int_equal(lario_app_tls_reload(server.app), LARIO_ESTATE);
    lario_app_free(server.app);
}

static int subject(lario_req *req)
{
    return lario_replyf(req, 200, "text/plain", "<%s %d>", lario_tls_peer_subject(req),
                        strncmp(lario_tls_peer_certificate(req), "-----BEGIN CERTIFICATE", 22) ==
                            0);
}

/* The CA is the certificate itself, which signed itself. */
static void optional_client_certificate_is_told_when_there_is_one(void **state)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
    (void)state;

    for (int shows = 0; shows < 2; shows++) {
        serving server;
        test_client client;
        char answer[1000];
        int error;

        prepare(&server, NULL);
        lario_app_tls_client_ca(server.app, files.cert, LARIO_TLS_CLIENT_OPTIONAL);
        lario_get(server.app, "/", subject);
        serving_start(&server);
        SSL *ssl = tls_client_open(&client, server.address, TLS1_3_VERSION);

        if (shows) {
            assert_int_equal(SSL_use_certificate_file(ssl, files.cert, SSL_FILETYPE_PEM), 1);
            assert_int_equal(SSL_use_PrivateKey_file(ssl, files.key, SSL_FILETYPE_PEM), 1);
        }
        assert_int_equal(SSL_connect(ssl), 1);
        assert_int_equal(SSL_write(ssl, request, sizeof request - 1), sizeof request - 1);
        size_t len = tls_client_read_all(ssl, answer, sizeof answer - 1, &error);

        answer[len] = '\0';
        assert_non_null(strstr(answer, shows ? "<CN=localhost 1>" : "< 0>"));
        tls_client_close(ssl, &client);
        serving_stop(&server);
    }
}

static int resumed(lario_req *req)
{
    note(lario_tls_is_resumed(req));
    return lario_reply(req, 200, "text/plain", "ok");
}

/* One request; the session that can be resumed after it. */
static SSL_SESSION *ask(serving *server, int version, SSL_SESSION *session)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
    test_client client;
    char answer[1000];
    int error;
    SSL *ssl = tls_client_open(&client, server->address, version);

    if (session)
        SSL_set_session(ssl, session);
    assert_int_equal(SSL_connect(ssl), 1);
    assert_int_equal(SSL_write(ssl, request, sizeof request - 1), sizeof request - 1);
    assert_true(tls_client_read_all(ssl, answer, sizeof answer, &error) > 0);
    assert_int_equal(error, SSL_ERROR_ZERO_RETURN);
    SSL_SESSION *next = SSL_get1_session(ssl);

    (void)SSL_shutdown(ssl); /* OpenSSL forgets sessions of connections that were cut */
    tls_client_close(ssl, &client);
    return next;
}

static void sessions_are_resumed_with_and_without_tickets(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        lario_tls_options options = {.no_tickets = i >= 2};
        serving server;

        prepare(&server, NULL);
        lario_app_tls_options(server.app, &options);
        lario_get(server.app, "/", resumed);
        serving_start(&server);
        SSL_SESSION *first = ask(&server, versions[i % 2], NULL);

        assert_int_equal(next_note(), 0);
        SSL_SESSION *second = ask(&server, versions[i % 2], first);

        assert_int_equal(next_note(), 1);
        assert_int_equal(lario_app_tls_reload(server.app), 0);
        SSL_SESSION *third = ask(&server, versions[i % 2], second);

        assert_int_equal(next_note(), 0);
        SSL_SESSION_free(first);
        SSL_SESSION_free(second);
        SSL_SESSION_free(third);
        serving_stop(&server);
    }
}

static int upload(lario_req *req)
{
    const char *body;
    size_t len;
    int rc = lario_body(req, &body, &len);

    return rc < 0 ? rc : lario_reply_bytes(req, 200, NULL, body, len);
}

/* Whatever fails, the connection ends, others are served, and nothing is left behind. */
static void each_failing_allocation_is_survived(void **state)
{
    static char request[30000], answer[40000];
    bool all_done = false;
    int failures = 0;
    (void)state;

    int head = sprintf(request, "POST / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
                                "Content-Length: 25000\r\n\r\n");
    for (int n = 1; !all_done; n++) {
        serving server;
        test_client client;
        size_t got;

        assert_true(n < 3000);
        prepare(&server, NULL);
        server.limits.linger_ms = 20;
        lario_post(server.app, "/", upload);
        lario_get(server.app, "/", resumed);
        serving_start(&server);
        SSL *ssl = tls_client_open(&client, server.address, TLS1_3_VERSION);

        atomic_store(&fails_at, n);
        if (SSL_connect(ssl) == 1 && SSL_write(ssl, request, head + 25000) > 0)
            while (SSL_read_ex(ssl, answer, sizeof answer, &got) == 1)
                continue;
        all_done = atomic_exchange(&fails_at, 0) > 0;
        failures += !all_done;
        tls_client_close(ssl, &client);
        SSL_SESSION_free(ask(&server, TLS1_3_VERSION, NULL));
        serving_stop(&server);
    }
    assert_true(failures > 50);
}

static int make_files(void **state)
{
    (void)state;
    tls_files_make(&files);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    tls_files_remove(&files);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handler_may_write_and_end_before_the_handshake),
        cmocka_unit_test(close_notify_is_an_end_in_order),
        cmocka_unit_test(fin_without_close_notify_breaks_the_connection),
        cmocka_unit_test(truncated_record_is_never_delivered),
        cmocka_unit_test(forged_record_gets_an_alert_and_ends),
        cmocka_unit_test(handshake_has_a_deadline),
        cmocka_unit_test(every_kind_of_block_is_encrypted),
        cmocka_unit_test(options_are_checked_and_used),
        cmocka_unit_test(optional_client_certificate_is_told_when_there_is_one),
        cmocka_unit_test(sessions_are_resumed_with_and_without_tickets),
        cmocka_unit_test(each_failing_allocation_is_survived),
    };

    /* Servers that cut are part of the tests. */
    signal(SIGPIPE, SIG_IGN);
    /* Before OpenSSL has allocated anything. */
    if (CRYPTO_set_mem_functions(openssl_malloc, openssl_realloc, openssl_free) != 1)
        return 1;
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
