/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

#include "net/block.h"
#include "net/tls_set.h"
#include "sys/socket.h"

/* Plain bytes of one record, the most that there can be (RFC 8446 5.1). */
#define RECORD_BYTES 16384

/* Plain bytes that are encrypted for one write. */
#define BATCH_BYTES 65536

/* Decrypted bytes that are delivered at once; on the stack of the loop's thread. */
#define IN_BYTES 65536

/* Records that wait: a batch, and answers to a peer that sends handshake messages only. */
#define OUT_BYTES_MAX 131072

/* Parts of one write: a batch has 17 blocks. */
#define PARTS_MAX 32

enum tls_phase {
    TLS_HANDSHAKE,
    TLS_OPEN,
    TLS_FAILED, /* an alert leaves, input is dropped, then the stream breaks */
};

struct lario_tls {
    const lario_io_ops *below; /* the stream's own */
    lario_stream *stream;
    lario_tls_set *set;
    SSL *ssl;
    lario_timer timer; /* of the handshake; of the end when it failed */

    const char *in; /* what the poller delivers, and is not decrypted yet */
    size_t in_len;

    lario_block *out_first; /* records, and other messages */
    lario_block *out_last;
    size_t out_bytes;
    size_t batch; /* bytes of the stream's blocks that are in them, not told as written */

    uint8_t phase;
    bool has_ended;  /* the peer sent close_notify */
    bool has_closed; /* so did we */
    bool is_out_of_memory;
};

static lario_block_pool *pool_of(const lario_tls *tls)
{
    return tls->stream->loop->slots[LARIO_LOOP_SLOT_NET];
}

/* ---- What OpenSSL reads and writes ---- */

static int bio_read(BIO *bio, char *data, int size)
{
    lario_tls *tls = BIO_get_data(bio);
    size_t len = tls->in_len;

    BIO_clear_retry_flags(bio);
    if (len == 0 || size <= 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    if (len > (size_t)size)
        len = (size_t)size;
    memcpy(data, tls->in, len);
    tls->in += len;
    tls->in_len -= len;
    return (int)len;
}

static lario_block *block_with_room(lario_tls *tls)
{
    lario_block *block = tls->out_last;

    if (block && lario_block_left(block) > 0)
        return block;
    block = lario_block_get(pool_of(tls), LARIO_BLOCK_ROOM);
    if (!block)
        return NULL;
    if (tls->out_last)
        tls->out_last->next = block;
    else
        tls->out_first = block;
    tls->out_last = block;
    return block;
}

static int bio_write(BIO *bio, const char *data, int size)
{
    lario_tls *tls = BIO_get_data(bio);
    size_t left = size > 0 ? (size_t)size : 0;

    BIO_clear_retry_flags(bio);
    if (tls->out_bytes + left > OUT_BYTES_MAX)
        return -1;
    while (left > 0) {
        lario_block *block = block_with_room(tls);

        if (!block) {
            tls->is_out_of_memory = true;
            return -1;
        }
        size_t len = lario_block_left(block) < left ? lario_block_left(block) : left;

        memcpy(block->bytes + block->end, data, len);
        block->end += len;
        tls->out_bytes += len;
        data += len;
        left -= len;
    }
    return size;
}

static long bio_ctrl(BIO *bio, int command, long number, void *arg)
{
    (void)bio;
    (void)number;
    (void)arg;
    return command == BIO_CTRL_FLUSH; /* the stream's task does it */
}

BIO_METHOD *lario_tls_bio_method_new(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "lario");

    if (!method)
        return NULL;
    BIO_meth_set_read(method, bio_read);
    BIO_meth_set_write(method, bio_write);
    BIO_meth_set_ctrl(method, bio_ctrl);
    return method;
}

/* ---- The end by failure ---- */

/* The alert has left: the peer may read it before the connection goes. */
static void shut_down_when_sent(lario_tls *tls)
{
    lario_stream *stream = tls->stream;

    if (tls->out_bytes == 0 && lario_socket_shutdown_write(stream->io.fd) < 0)
        lario_stream_abort(stream, LARIO_ETLS);
}

static void fail(lario_tls *tls)
{
    lario_stream *stream = tls->stream;
    unsigned long code = ERR_peek_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;

    lario_log_to(stream->loop->log, LARIO_LOG_DEBUG, "tls_failed", "%s",
                 reason ? reason : "the peer broke TLS");
    if (ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE)
        tls->is_out_of_memory = true;
    ERR_clear_error();
    if (tls->is_out_of_memory) {
        lario_stream_abort(stream, LARIO_ENOMEM);
        return;
    }
    tls->phase = TLS_FAILED;
    lario_loop_timer_start(stream->loop, &tls->timer, stream->limits->linger_ms);
    if (lario_io_read_start(&stream->io) < 0) {
        lario_stream_abort(stream, LARIO_ETLS);
        return;
    }
    if (!stream->is_writing)
        shut_down_when_sent(tls);
}

static void on_timer(lario_timer *timer)
{
    lario_tls *tls = lario_container_of(timer, lario_tls, timer);

    lario_stream_abort(tls->stream, tls->phase == TLS_FAILED ? LARIO_ETLS : LARIO_ETIMEDOUT);
}

/* ---- Input ---- */

static void handshake_done(lario_tls *tls)
{
    tls->phase = TLS_OPEN;
    lario_timer_stop(&tls->timer);
    /* What was written meanwhile waits for this. */
    lario_loop_defer(tls->stream->loop, &tls->stream->task);
}

static void deliver(lario_tls *tls, char *plain, size_t len)
{
    lario_stream *stream = tls->stream;

    if (len == 0)
        return;
    tls->below->on_data(&stream->io, plain, len);
    /* An ended stream keeps nothing of the buffer, which is about to go. */
    if (stream->state != LARIO_STREAM_OPEN && !stream->in_buffer)
        stream->in_len = 0;
}

static void peer_ended(lario_tls *tls)
{
    tls->has_ended = true;
    lario_io_read_stop(&tls->stream->io);
    if (tls->stream->state != LARIO_STREAM_CLOSED)
        tls->below->on_eof(&tls->stream->io, true);
}

/* Decrypts up to `size` bytes; *ret_error is SSL_ERROR_NONE when there may be more. */
static size_t decrypt(lario_tls *tls, char *plain, size_t size, int *ret_error)
{
    size_t have = 0, got;
    int ok = 1;

    ERR_clear_error();
    while (ok == 1 && have < size) {
        ok = SSL_read_ex(tls->ssl, plain + have, size - have, &got);
        if (ok == 1)
            have += got;
        if (tls->phase == TLS_HANDSHAKE && SSL_is_init_finished(tls->ssl))
            handshake_done(tls);
    }
    *ret_error = ok == 1 ? SSL_ERROR_NONE : SSL_get_error(tls->ssl, ok);
    return have;
}

static void on_data(lario_io *io, char *data, size_t len)
{
    lario_stream *stream = lario_container_of(io, lario_stream, io);
    lario_tls *tls = stream->tls;
    char plain[IN_BYTES];
    int error = SSL_ERROR_NONE;

    if (tls->phase == TLS_FAILED || tls->has_ended || stream->state == LARIO_STREAM_LINGERING)
        return;
    tls->in = data;
    tls->in_len = len;
    while (error == SSL_ERROR_NONE && stream->state != LARIO_STREAM_CLOSED) {
        size_t have = decrypt(tls, plain, sizeof plain, &error);
        bool has_failed = error != SSL_ERROR_NONE && error != SSL_ERROR_WANT_READ &&
                          error != SSL_ERROR_ZERO_RETURN;

        deliver(tls, plain, have);
        if (stream->state == LARIO_STREAM_CLOSED)
            return;
        if (has_failed)
            fail(tls);
        else if (error == SSL_ERROR_ZERO_RETURN)
            peer_ended(tls);
    }
    tls->in_len = 0;
    if (tls->out_bytes > 0 && !stream->is_writing)
        lario_loop_defer(stream->loop, &stream->task);
}

static void on_eof(lario_io *io, bool drained)
{
    lario_stream *stream = lario_container_of(io, lario_stream, io);
    lario_tls *tls = stream->tls;

    if (tls->phase == TLS_FAILED)
        lario_stream_abort(stream, LARIO_ETLS);
    else if (stream->state != LARIO_STREAM_OPEN || (!drained && !tls->has_ended))
        tls->below->on_eof(io, drained);
    else if (!tls->has_ended)
        lario_stream_abort(stream, LARIO_ECLOSED); /* anybody may have cut it (RFC 8446 6.1) */
}

static void on_error(lario_io *io, int rc)
{
    lario_stream *stream = lario_container_of(io, lario_stream, io);

    stream->tls->below->on_error(io, rc);
}

/* ---- Output ---- */

/* Where the next bytes of a batch are: `done` bytes into the block. */
typedef struct batch_cursor {
    lario_block *block;
    size_t done;
} batch_cursor;

static int next_bytes(batch_cursor *cursor, char *buffer, size_t size, const char **ret_data)
{
    lario_block *block = cursor->block;
    size_t begin = block->at;

    block->at += cursor->done;
    int got = lario_block_view(block, buffer, size, ret_data);

    block->at = begin;
    if (got < 0)
        return got;
    cursor->done += (size_t)got;
    if (cursor->done == lario_block_len(block))
        *cursor = (batch_cursor){.block = block->next};
    return got;
}

/* The bytes of the next record: in place if it is filled by one block, or there is but one. */
static int next_record(batch_cursor *cursor, char *buffer, const char **ret_data)
{
    int got = next_bytes(cursor, buffer, RECORD_BYTES, ret_data);
    size_t have = (size_t)got;

    if (got < 0 || have == RECORD_BYTES || !cursor->block)
        return got;
    if (*ret_data != buffer)
        memcpy(buffer, *ret_data, have);
    *ret_data = buffer;
    while (have < RECORD_BYTES && cursor->block) {
        batch_cursor before = *cursor;
        const char *part;

        got = next_bytes(cursor, buffer + have, RECORD_BYTES - have, &part);
        if (got < 0) {
            *cursor = before; /* said when the bytes before have left */
            break;
        }
        if (part != buffer + have)
            memcpy(buffer + have, part, (size_t)got);
        have += (size_t)got;
    }
    return (int)have;
}

static void encrypt_batch(lario_tls *tls)
{
    lario_stream *stream = tls->stream;
    batch_cursor cursor = {.block = stream->out_first};
    char buffer[RECORD_BYTES];
    const char *data;
    size_t written;

    ERR_clear_error();
    while (cursor.block && lario_block_len(cursor.block) > 0 && tls->batch < BATCH_BYTES) {
        int len = next_record(&cursor, buffer, &data);

        if (len < 0) {
            if (tls->batch == 0)
                tls->below->on_error(&stream->io, len);
            return;
        }
        if (SSL_write_ex(tls->ssl, data, (size_t)len, &written) != 1) {
            fail(tls);
            return;
        }
        tls->batch += written;
    }
}

static void drop_output(lario_tls *tls, size_t count)
{
    tls->out_bytes -= count;
    while (tls->out_first && count >= lario_block_len(tls->out_first)) {
        lario_block *block = tls->out_first;

        count -= lario_block_len(block);
        tls->out_first = block->next;
        lario_block_put(pool_of(tls), block);
    }
    if (tls->out_first)
        tls->out_first->at += count;
    else
        tls->out_last = NULL;
}

bool lario_tls_has_output(const lario_stream *stream)
{
    const lario_tls *tls = stream->tls;

    return tls->out_bytes > 0 || (tls->phase == TLS_OPEN && stream->out_bytes > 0);
}

void lario_tls_submit(lario_stream *stream)
{
    lario_tls *tls = stream->tls;
    struct iovec parts[PARTS_MAX];
    int count = 0;

    if (tls->out_bytes == 0)
        encrypt_batch(tls);
    if (tls->out_bytes == 0 || stream->state == LARIO_STREAM_CLOSED)
        return;
    for (lario_block *block = tls->out_first; block && count < PARTS_MAX; block = block->next)
        parts[count++] = (struct iovec){lario_block_data(block), lario_block_len(block)};
    stream->is_writing = true;
    lario_io_write(&stream->io, parts, count, false);
}

static void on_written(lario_io *io, size_t count)
{
    lario_stream *stream = lario_container_of(io, lario_stream, io);
    lario_tls *tls = stream->tls;

    drop_output(tls, count);
    /* Records are longer than what is in them: this never tells of more than has left, but for the
     * last bytes of a batch, which are told with its end. */
    size_t told = tls->out_bytes == 0 || count > tls->batch ? tls->batch : count;

    tls->batch -= told;
    tls->below->on_written(io, told);
    if (stream->state == LARIO_STREAM_CLOSED)
        return;
    if (tls->phase == TLS_FAILED)
        shut_down_when_sent(tls);
    else if (tls->has_closed || stream->state == LARIO_STREAM_FINISHING)
        lario_loop_defer(stream->loop, &stream->task);
    if (tls->out_bytes > 0 && stream->state != LARIO_STREAM_CLOSED)
        lario_loop_defer(stream->loop, &stream->task);
}

bool lario_tls_close(lario_stream *stream)
{
    lario_tls *tls = stream->tls;

    if (tls->phase == TLS_HANDSHAKE)
        return stream->out_bytes == 0;
    if (tls->phase == TLS_FAILED || tls->has_closed)
        return true;
    tls->has_closed = true;
    ERR_clear_error();
    if (SSL_shutdown(tls->ssl) < 0)
        ERR_clear_error(); /* the connection closes all the same */
    if (tls->out_bytes == 0)
        return true;
    lario_loop_defer(stream->loop, &stream->task);
    return false;
}

/* ---- Begin and end ---- */

static const lario_io_ops io_ops = {
    .on_data = on_data,
    .on_eof = on_eof,
    .on_error = on_error,
    .on_written = on_written,
};

int lario_tls_attach(lario_stream *stream, lario_tls_set *set)
{
    lario_tls *tls = calloc(1, sizeof *tls);

    if (!tls)
        return LARIO_ENOMEM;
    tls->ssl = lario_tls_set_open(set);
    BIO *bio = tls->ssl ? lario_tls_set_bio(set) : NULL;

    if (!bio) {
        SSL_free(tls->ssl);
        free(tls);
        return LARIO_ENOMEM;
    }
    BIO_set_data(bio, tls);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls->ssl, bio, bio);
    SSL_set_accept_state(tls->ssl);
    tls->set = lario_tls_set_ref(set);
    tls->stream = stream;
    tls->below = stream->io.ops;
    stream->io.ops = &io_ops;
    stream->tls = tls;
    lario_timer_init(&tls->timer, on_timer);
    lario_loop_timer_start(stream->loop, &tls->timer, stream->limits->tls_handshake_ms);
    return 0;
}

void lario_tls_free(lario_stream *stream)
{
    lario_tls *tls = stream->tls;

    if (!tls)
        return;
    lario_timer_stop(&tls->timer);
    SSL_free(tls->ssl);
    lario_tls_set_unref(tls->set);
    while (tls->out_first) {
        lario_block *block = tls->out_first;

        tls->out_first = block->next;
        lario_block_put(pool_of(tls), block);
    }
    free(tls);
    stream->tls = NULL;
}

/* ---- What the handshake came to ---- */

const char *lario_tls_get_version(const lario_stream *stream)
{
    return SSL_get_version(stream->tls->ssl);
}

const char *lario_tls_get_cipher(const lario_stream *stream)
{
    return SSL_get_cipher_name(stream->tls->ssl);
}

const char *lario_tls_get_server_name(const lario_stream *stream)
{
    const char *name = SSL_get_servername(stream->tls->ssl, TLSEXT_NAMETYPE_host_name);

    return name ? name : "";
}

bool lario_tls_get_resumed(const lario_stream *stream)
{
    return SSL_session_reused(stream->tls->ssl) == 1;
}

const char *lario_tls_get_protocol(const lario_stream *stream, size_t *ret_len)
{
    const unsigned char *name;
    unsigned len;

    SSL_get0_alpn_selected(stream->tls->ssl, &name, &len);
    *ret_len = len;
    return (const char *)name;
}

/* Lets `print` write about the peer's certificate, and gives that to `put`. */
static const char *tell_peer(const lario_stream *stream, int (*print)(BIO *out, X509 *certificate),
                             lario_tls_put put, void *arg)
{
    X509 *certificate = SSL_get0_peer_certificate(stream->tls->ssl);
    const char *told = NULL;

    if (!certificate || SSL_get_verify_result(stream->tls->ssl) != X509_V_OK)
        return NULL;
    BIO *out = BIO_new(BIO_s_mem());
    char *text;

    if (out && print(out, certificate)) {
        long len = BIO_get_mem_data(out, &text);

        told = put(arg, text, (size_t)len);
    }
    BIO_free(out);
    ERR_clear_error();
    return told;
}

static int print_subject(BIO *out, X509 *certificate)
{
    return X509_NAME_print_ex(out, X509_get_subject_name(certificate), 0,
                              XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0;
}

static int print_pem(BIO *out, X509 *certificate)
{
    return PEM_write_bio_X509(out, certificate);
}

const char *lario_tls_get_peer_subject(const lario_stream *stream, lario_tls_put put, void *arg)
{
    return tell_peer(stream, print_subject, put, arg);
}

const char *lario_tls_get_peer_pem(const lario_stream *stream, lario_tls_put put, void *arg)
{
    return tell_peer(stream, print_pem, put, arg);
}
