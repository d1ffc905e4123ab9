/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/req.h"

/* Reason phrases (RFC 9110 15, RFC 4918, RFC 6585, RFC 7725), by status less 100. */
static const char *const texts[] = {
    [0] = "Continue",
    [1] = "Switching Protocols",
    [100] = "OK",
    [101] = "Created",
    [102] = "Accepted",
    [103] = "Non-Authoritative Information",
    [104] = "No Content",
    [105] = "Reset Content",
    [106] = "Partial Content",
    [200] = "Multiple Choices",
    [201] = "Moved Permanently",
    [202] = "Found",
    [203] = "See Other",
    [204] = "Not Modified",
    [207] = "Temporary Redirect",
    [208] = "Permanent Redirect",
    [300] = "Bad Request",
    [301] = "Unauthorized",
    [302] = "Payment Required",
    [303] = "Forbidden",
    [304] = "Not Found",
    [305] = "Method Not Allowed",
    [306] = "Not Acceptable",
    [307] = "Proxy Authentication Required",
    [308] = "Request Timeout",
    [309] = "Conflict",
    [310] = "Gone",
    [311] = "Length Required",
    [312] = "Precondition Failed",
    [313] = "Content Too Large",
    [314] = "URI Too Long",
    [315] = "Unsupported Media Type",
    [316] = "Range Not Satisfiable",
    [317] = "Expectation Failed",
    [321] = "Misdirected Request",
    [322] = "Unprocessable Content",
    [326] = "Upgrade Required",
    [328] = "Precondition Required",
    [329] = "Too Many Requests",
    [331] = "Request Header Fields Too Large",
    [351] = "Unavailable For Legal Reasons",
    [400] = "Internal Server Error",
    [401] = "Not Implemented",
    [402] = "Bad Gateway",
    [403] = "Service Unavailable",
    [404] = "Gateway Timeout",
    [405] = "HTTP Version Not Supported",
    [407] = "Insufficient Storage",
    [411] = "Network Authentication Required",
};

const char *lario_status_text(int status)
{
    size_t index = (size_t)(status - 100);

    return index < sizeof texts / sizeof texts[0] && texts[index] ? texts[index] : "Unknown";
}
