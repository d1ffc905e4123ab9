/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lario/lario.h"

/* lario_app_main() is the life of a program, so each case is a program of its own. */

static int exit_code_of(int (*setup)(lario_app *app, void *arg))
{
    char *argv[] = {"test", "--listen", "127.0.0.1:0", "--loops", "2", NULL};
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        lario_app *app = lario_app_new();

        alarm(20);
        lario_app_setup(app, setup, NULL);
        _exit(lario_app_main(app, 5, argv));
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* To the whole program, whose main thread may not wait for it yet: it stays pending. */
static int ends_the_program(void *arg)
{
    (void)arg;
    return kill(getpid(), SIGTERM);
}

static int starts_a_process(lario_app *app, void *arg)
{
    lario_scope *scope = lario_scope_open(lario_app_runtime(app), "test");
    (void)arg;

    if (!scope || lario_runtime_loops(lario_app_runtime(app)) != 2)
        return LARIO_ENOMEM;
    return lario_runtime_spawn(lario_app_runtime(app), ends_the_program, NULL, NULL, NULL);
}

static int fails(lario_app *app, void *arg)
{
    (void)app;
    (void)arg;
    return LARIO_ENOTFOUND;
}

static void set_up_can_start_processes(void **state)
{
    (void)state;
    assert_int_equal(exit_code_of(starts_a_process), 0);
}

static void set_up_that_fails_ends_the_program(void **state)
{
    (void)state;
    assert_int_equal(exit_code_of(fails), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_up_can_start_processes),
        cmocka_unit_test(set_up_that_fails_ends_the_program),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
