/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HTTP_REQ_H
#define LARIO_HTTP_REQ_H

#include "base/arena.h"
#include "http/coder.h"
#include "http/conn.h"
#include "http/request.h"

/*
 * A request, as the files of http/ see it. It lies on the stack of its process, with the first
 * piece of its arena, so that an ordinary request allocates nothing.
 */

/* The arena's first piece: a small head with its fields; larger heads take one piece of the heap.
 */
#define LARIO_REQ_SPACE_BYTES 768

/* Cap of the arena's heap pieces. */
#define LARIO_REQ_ARENA_BYTES_MAX (4u << 20)

typedef struct lario_inflater lario_inflater;
typedef struct lario_compression lario_compression;

enum lario_answer_state {
    LARIO_ANSWER_NONE,
    LARIO_ANSWER_STARTED, /* the head is queued, the body comes in parts */
    LARIO_ANSWER_DONE,
};

typedef struct lario_query_var {
    const char *name;
    const char *value;
} lario_query_var;

struct lario_req {
    lario_http_conn *conn;
    lario_proc *proc;
    lario_source source;
    lario_arena arena;

    /* The head, copied, with a NUL behind each name and value. */
    char *head;
    lario_http1_field *fields;
    uint16_t fields_count;
    uint8_t minor;
    bool keep_asked; /* the client lets the connection go on */
    bool keep_told;  /* and says so: it is told how long */
    bool upgrade_asked;
    bool has_body;
    bool is_handled; /* the handler was called: the request itself was in order */
    const char *method;
    const char *target;
    const char *raw_path;
    size_t raw_path_len;
    const char *raw_query;
    size_t raw_query_len;
    const char *host;
    const char *path; /* decoded */
    const char *peer;
    const char *local;
    const char *client;
    uint64_t started_ns; /* when somebody wants to know how long it took */

    lario_query_var *query;
    size_t query_count;
    bool query_parsed;

    const lario_req_param *params;
    size_t params_count;

    /* The body, once it was read whole. */
    char *body_data;
    size_t body_len;
    bool body_read_whole;
    bool body_read_in_parts;
    uint64_t body_bytes_max;
    uint32_t body_ms;
    uint32_t body_waited_ms;  /* of the current window of the rate limit */
    uint64_t body_window_len; /* bytes that came in it */
    uint64_t body_in;         /* bytes read so far */
    lario_inflater *inflater; /* of a compressed body, or NULL */

    /* The answer. */
    uint8_t answer;
    uint16_t status;                      /* once the answer began */
    uint64_t body_out;                    /* bytes of its body so far */
    const lario_compression *compression; /* it may be compressed; or NULL */
    lario_encoder *encoder;               /* of an answer in parts that is, or NULL */
    bool head_only;                       /* HEAD, 204 or 304: no body goes out */
    bool chunked;
    bool sized;
    uint64_t size_left;
    char *extra; /* fields that the handler added, as they go out */
    uint32_t extra_len;
    uint32_t extra_room;
    uint32_t extra_count;
    uint32_t kept_len; /* of them, those that go out with an error page too */
    uint32_t kept_count;

    lario_ws *ws;

    void *slots[LARIO_REQ_SLOTS]; /* of the layers above */
    lario_req_cleanup *cleanups;
};

/* Copies the head that conn->starting points to. LARIO_ENOMEM, LARIO_EPROTO (bad path: 400). */
int lario_req_init(lario_req *req, lario_http_conn *conn, void *space, size_t space_size);
void lario_req_done(lario_req *req);

/* The first field of this name; `len` is the name's length. NULL when there is none. */
const char *lario_req_field(const lario_req *req, const char *name, size_t len);

/* All lines of a field as one list; NULL when there is none, or memory is out. */
const char *lario_req_joined(lario_req *req, const char *name);

/* Completes the answer after the handler returned `rc`, or answers in its place. */
int lario_req_finish(lario_req *req, int rc);

/* Parks until the connection says something, `timeout_ms` at most; 0, or why not to go on. */
int lario_req_wait(lario_req *req, int timeout_ms);

/* Parks while the connection's output is over its limit. */
int lario_req_wait_for_room(lario_req *req);

/* lario_body_read() of the bytes as they come. */
int lario_body_read_raw(lario_req *req, void *buffer, size_t size);

void lario_inflater_done(lario_inflater *inflater);

/* Room for `len` more bytes of added fields. LARIO_ENOMEM. */
int lario_req_make_extra_room(lario_req *req, size_t len);

/* Sends 100 Continue if the client waits for it. */
int lario_req_continue(lario_req *req);

/* A status line, fields of ours and of the handler, without a body: for 101. */
int lario_req_switch_protocols(lario_req *req, const char *fields);

/* The reason phrase of a status, "Unknown" for one that has none (RFC 9110 15). */
const char *lario_status_text(int status);

/* Appends an answer of a server's own: for a request that never became one. */
void lario_http_reject(lario_http_conn *conn, int status, const char *reason);

/* ---- hooks.c ---- */

/* The longest page for an error, with its NUL. */
#define LARIO_ERROR_PAGE_BYTES_MAX 4096

/*
 * Writes the page for an error, by the program's hook or the plain one, and returns its length.
 * `req` is NULL for a request that never became one, `detail` may be NULL.
 */
size_t lario_http_error_page(const lario_http_handler *handler, lario_req *req, int status,
                             const char *detail, char page[LARIO_ERROR_PAGE_BYTES_MAX],
                             const char **ret_type);

/* Writes the inside of a JSON string, unless `out` is NULL, and returns its length. */
size_t lario_http_put_json(char *out, const char *text, size_t len);

/* Before the handler, when there is an access hook: what it will want to know. */
void lario_req_note_start(lario_req *req);

/* Tells the access hook of a request that has ended; of one that never became one. */
void lario_req_tell_access(lario_req *req);
void lario_http_tell_rejected(lario_http_conn *conn, int status);

#endif
