/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/ws_extension.h"

#include <string.h>

#include "fuzz_target.h"

/*
 * The input's first byte gives what the server is ready for, the rest is the value of
 * Sec-WebSocket-Extensions. What is agreed on keeps within that, and the answer, read as an offer,
 * is agreed on again.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lario_ws_deflate_agreed agreed = {0}, again = {0};
    char text[LARIO_WS_EXTENSION_BYTES];

    if (size < 1)
        return 0;
    const lario_ws_deflate_terms terms = {
        .server_bits_max = 8 + (data[0] & 7),
        .client_bits_max = 8 + (data[0] >> 3 & 7),
        .server_keeps = data[0] & 0x40,
        .client_keeps = data[0] & 0x80,
    };
    char *value = malloc(size);

    FUZZ_CHECK(value);
    memcpy(value, data + 1, size - 1);
    if (lario_ws_extension_choose(value, size - 1, &terms, &agreed)) {
        FUZZ_CHECK(agreed.server_bits >= 8 && agreed.server_bits <= terms.server_bits_max);
        FUZZ_CHECK(agreed.client_bits >= 8 && agreed.client_bits <= terms.client_bits_max);
        FUZZ_CHECK(!agreed.server_keeps || terms.server_keeps);
        size_t len = lario_ws_extension_write(&agreed, text);

        FUZZ_CHECK(len < sizeof text && strlen(text) == len);
        if (agreed.tells_client_bits || terms.client_bits_max == 15)
            FUZZ_CHECK(lario_ws_extension_choose(text, len, &terms, &again) &&
                       again.server_bits == agreed.server_bits);
    }
    free(value);
    return 0;
}
