/* SPDX-License-Identifier: BSD-3-Clause */
/* The example get_variable on GNU libmicrohttpd: its internal epoll loop on one thread. */
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "lib/args.h"

#define CONNECTIONS_MAX 15000

static enum MHD_Result reply(struct MHD_Connection *connection, const char *value)
{
    char body[512];
    int len = snprintf(body, sizeof body, "<http_test><value>%s</value></http_test>", value);

    if (len < 0 || (size_t)len >= sizeof body)
        return MHD_NO;
    struct MHD_Response *response =
        MHD_create_response_from_buffer((size_t)len, body, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/xml");
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_len, void **request)
{
    static char seen; /* only its address matters */

    (void)arg, (void)url, (void)version, (void)upload, (void)upload_len;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
        return MHD_NO;
    /* The first call is for the head alone: an answer that early would cost the keep-alive. */
    if (!*request) {
        *request = &seen;
        return MHD_YES;
    }
    const char *value = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "value");
    return reply(connection, value ? value : "");
}

int main(int argc, char **argv)
{
    long port = 8080;
    const args_option options[] = {{"port", 1, 65535, &port, NULL}, {0}};
    args_parse(argc, argv, options);

    /* The thread of the server inherits the mask, so that SIGTERM is taken here alone. */
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGINT);
    sigprocmask(SIG_BLOCK, &stop, NULL);

    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO, (uint16_t)port, NULL, NULL, on_request, NULL,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_END);
    if (!daemon) {
        fprintf(stderr, "peer_microhttpd: cannot listen on port %ld\n", port);
        return 1;
    }
    int signal_number;
    sigwait(&stop, &signal_number);
    MHD_stop_daemon(daemon);
    return 0;
}
