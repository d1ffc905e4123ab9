/* SPDX-License-Identifier: BSD-3-Clause */
#include "in_runtime.h"

#include <semaphore.h>

typedef struct body_run {
    int (*body)(void);
    int result;
    sem_t done;
} body_run;

static int run_body(void *arg)
{
    body_run *run = arg;

    run->result = run->body();
    sem_post(&run->done);
    return 0;
}

int run_in_runtime(int (*body)(void))
{
    lario_runtime_opts opts = {.loops = 2, .workers = 2, .log = lario_log_stderr};
    lario_spawn_options spawn = LARIO_SPAWN_OPTIONS_INIT;
    lario_runtime *runtime = lario_runtime_new(&opts);
    body_run run = {.body = body, .result = -1};

    if (!runtime)
        return -1;
    sem_init(&run.done, 0, 0);
    spawn.label = "test";
    int rc = lario_runtime_start(runtime);

    if (rc == 0) {
        rc = lario_runtime_spawn(runtime, run_body, &run, &spawn, NULL);
        if (rc == 0)
            sem_wait(&run.done);
        int stopped = lario_runtime_stop(runtime, 10000);

        rc = rc < 0 ? rc : stopped;
    }
    lario_runtime_free(runtime);
    sem_destroy(&run.done);
    return rc < 0 ? rc : run.result;
}
