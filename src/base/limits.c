/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/limits.h"

void lario_limits_init(lario_limits *limits)
{
    *limits = (lario_limits){
        .request_line_bytes_max = 8000,
        .head_fields_max = 100,
        .field_name_bytes_max = 64,
        .field_value_bytes_max = 8192,
        .head_bytes_max = 32768,
        .head_ms = 5000,

        .body_bytes_max = 1u << 20,
        .body_ms = 30000,
        .body_rate_bytes = 1024,
        .body_rate_window_ms = 10000,
        .body_skip_bytes_max = 1000000,
        .chunk_line_bytes_max = 256,
        .tiny_chunks_max = 1000,
        .inflate_ratio_max = 100,

        .form_fields_max = 1000,
        .parts_max = 100,
        .part_head_bytes_max = 2048,
        .cookies_max = 100,
        .ranges_max = 16,

        .idle_ms = 60000,
        .tls_handshake_ms = 10000,
        .proxy_header_ms = 5000,
        .write_stall_ms = 30000,
        .linger_ms = 1000,
        .drain_wait_ms = 5000,
        .half_close_ms = 30000,
        .connections_a_loop_max = 100000,
        .pipelined_a_turn_max = 64,
        .output_bytes_max = 1u << 20,

        .ws_message_bytes_max = 1u << 20,
        .ws_ping_ms = 30000,
        .ws_pong_ms = 20000,
        .ws_close_ms = 5000,

        .tcp_line_bytes_max = 8192,
    };
}
