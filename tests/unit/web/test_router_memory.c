/* SPDX-License-Identifier: BSD-3-Clause */
#include "web/router.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_req.h"

/*
 * The set-up of a router again and again, with each allocation failing in turn. The linker leads
 * the calls of the router's allocations here.
 */

static unsigned allocations_left;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);

static int may_allocate(void)
{
    return allocations_left > 0 && allocations_left-- > 0;
}

void *__wrap_malloc(size_t size)
{
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    return may_allocate() ? __real_realloc(old, size) : NULL;
}

char *__wrap_strdup(const char *text)
{
    return may_allocate() ? __real_strdup(text) : NULL;
}

static int say(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", "ok");
}

static void add_routes(lario_router *router)
{
    lario_get(router, "/users", say);
    lario_get(router, "/us/:x", say);
    lario_post(router, "/users/:id/posts/:post", say);
    lario_any(router, "/up/*rest", say);
    lario_static(router, "/files", "/");
}

/* The router that is left must answer, whatever of it was made. */
static void check_usable(lario_router *router)
{
    static const char *const paths[] = {"/users", "/us/1", "/users/1/posts/2", "/up/x", "/files/"};

    allocations_left = 1000;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        lario_req req;

        fake_req_init(&req, "GET", paths[i]);
        assert_int_equal(lario_router_handle(router, &req), 0);
        assert_true(req.status == 200 || req.status == 404 || req.status == 405);
        fake_req_done(&req);
    }
}

static void each_allocation_may_fail(void **state)
{
    unsigned failures = 0;
    lario_router router;

    (void)state;
    for (unsigned allowed = 0;; allowed++) {
        int error;

        lario_router_init(&router);
        allocations_left = allowed;
        add_routes(&router);
        error = router.error;
        if (error) {
            assert_int_equal(error, LARIO_ENOMEM);
            assert_non_null(strstr(router.error_text, "out of memory"));
            failures++;
        }
        check_usable(&router);
        lario_router_done(&router);
        if (!error)
            break;
    }
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
