/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_LIMITS_H
#define LARIO_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include "lario/export.h"

LARIO_BEGIN_DECLS

/*
 * Every limit that a peer can reach, in one place. Fill it with lario_limits_init() and change
 * what you need before the server starts; it is copied then. The comment behind each field gives
 * the default and what happens beyond it.
 */
typedef struct lario_limits {
    /* Request heads (RFC 9112 2 to 5). */
    uint32_t request_line_bytes_max; /* 8,000 (RFC 9112 3 recommends it as the least); 414 */
    uint32_t head_fields_max;        /* 100: browsers send 15 to 30; 431; at most 250 */
    uint32_t field_name_bytes_max;   /* 64: the longest registered names have 40; 431 */
    uint32_t field_value_bytes_max;  /* 8,192: cookies reach 4,096; 431 */
    uint32_t head_bytes_max;         /* 32,768: the whole head; 431; at most 65,535 */
    uint32_t head_ms;                /* 5,000 from the first byte of a request; 408 and close */

    /* Request bodies (RFC 9112 6 and 7). */
    uint64_t body_bytes_max;       /* 1 MiB read by lario_body(); 413 */
    uint32_t body_ms;              /* 30,000 without the body being complete; 408 and close */
    uint32_t body_rate_bytes;      /* 1,024 bytes a second, averaged ... */
    uint32_t body_rate_window_ms;  /* ... over 10,000; slower: 408 and close */
    uint64_t body_skip_bytes_max;  /* 1,000,000 of an unread body skipped for keep-alive; close */
    uint32_t chunk_line_bytes_max; /* 256 with its extensions; 400 */
    uint32_t tiny_chunks_max;      /* 1,000 chunks below 16 bytes in a row; 400 */
    uint32_t inflate_ratio_max;    /* 100 bytes out of one of a compressed body; 413 */

    /* Forms, cookies and ranges. */
    uint32_t form_fields_max;     /* 1,000 of a query-encoded form or a multipart body; 413 */
    uint32_t parts_max;           /* 100 parts of a multipart body; 413 */
    uint32_t part_head_bytes_max; /* 2,048: a file name and a type; 400 */
    uint32_t cookies_max;         /* 100: browsers keep 50 to 180 a site; 400 */
    uint32_t ranges_max;          /* 16 of a Range field; beyond, the whole is sent (200) */

    /* Connections. */
    uint32_t idle_ms;                /* 60,000 of an idle keep-alive connection; close */
    uint32_t tls_handshake_ms;       /* 10,000 from the begin of the connection; close */
    uint32_t proxy_header_ms;        /* 5,000 for the PROXY header, where one is expected; close */
    uint32_t write_stall_ms;         /* 30,000 without progress while output waits; reset */
    uint32_t linger_ms;              /* 1,000 to let the last answer arrive; close */
    uint32_t drain_wait_ms;          /* 5,000 that a drain lets lario_receive() wait on */
    uint32_t half_close_ms;          /* 30,000 that a handler may go on after the peer's FIN */
    uint32_t connections_a_loop_max; /* 100,000; 503 and close */
    uint32_t connections_a_peer_max; /* 0: no limit; of one address, on all loops; 503 and close */
    uint32_t requests_a_conn_max;    /* 0: no limit; the last one's answer says close */
    uint32_t pipelined_a_turn_max;   /* 64 requests of one connection in one loop turn; they wait */
    size_t output_bytes_max; /* 1 MiB of memory that queued output holds; the writer parks */

    /* WebSocket (RFC 6455). */
    uint64_t ws_message_bytes_max; /* 1 MiB, reassembled; close code 1009 */
    uint32_t ws_ping_ms;           /* 30,000 of silence until a ping is sent; 0: never */
    uint32_t ws_pong_ms;           /* 20,000 for the answer; close */
    uint32_t ws_close_ms;          /* 5,000 for the peer's closing frame; close */

    /* Raw TCP. */
    uint32_t tcp_line_bytes_max; /* 8,192 of lario_tcp_read_line(); LARIO_ETOOBIG */
} lario_limits;

/* Sets every limit to its default. `limits` is the caller's. Any thread; does not park. */
LARIO_API void lario_limits_init(lario_limits *limits);

LARIO_END_DECLS

#endif
