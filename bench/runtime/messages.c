/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures of messages, between processes of one loop and between two loops. */
#include "lario/process.h"
#include "runtime/measures.h"
#include "runtime/report.h"

enum kind {
    KIND_WORK = LARIO_USER,
    KIND_CREDIT,
    KIND_DONE,
};

#define MESSAGE_BYTES 16
#define MAILBOX_MAX 1000000
/* Local messages sent before the receiver runs. */
#define BATCH 1000
/* Messages between loops for which the receiver gives credit at once; two such are under way. */
#define CREDIT 10000
/* No measure is silent for that long unless something is wrong. */
#define TIMEOUT_MS 60000

static const char payload[MESSAGE_BYTES] = "0123456789abcde";

/* What a consumer is told when it starts; lives on the director's stack. */
typedef struct consumer {
    lario_pid director;
    uint64_t count;
    uint64_t credit; /* tells the director after so many; 0: never */
} consumer;

static int spawn_on(int loop, lario_process_fn fn, void *arg, lario_pid *ret_pid)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;

    opts.mailbox_max = MAILBOX_MAX;
    opts.mailbox_bytes_max = (size_t)MAILBOX_MAX * 256;
    opts.loop = loop;
    return lario_spawn_opts(fn, arg, &opts, ret_pid);
}

static int wait_for(int kind)
{
    lario_msg msg;
    int rc = lario_receive_kind(kind, &msg, TIMEOUT_MS);

    return rc < 0 ? rc : 0;
}

static int consume(void *arg)
{
    consumer c = *(const consumer *)arg;
    lario_msg msg;

    for (uint64_t i = 1; i <= c.count; i++) {
        int rc = lario_receive(&msg, TIMEOUT_MS);

        if (rc >= 0 && c.credit && i % c.credit == 0)
            rc = lario_send(c.director, KIND_CREDIT, NULL, 0);
        if (rc < 0)
            return rc;
    }
    return lario_send(c.director, KIND_DONE, NULL, 0);
}

int measure_send_receive(const bench *b)
{
    consumer c = {lario_self(), bench_count(b, 5000000), 0};
    lario_pid to;
    int rc = spawn_on(-1, consume, &c, &to);

    if (rc >= 0)
        rc = lario_yield();
    stopwatch start = stopwatch_start();
    for (uint64_t i = 1; rc >= 0 && i <= c.count; i++) {
        rc = lario_send(to, KIND_WORK, payload, sizeof payload);
        if (rc >= 0 && i % BATCH == 0)
            rc = lario_yield();
    }
    if (rc >= 0)
        rc = wait_for(KIND_DONE);
    if (rc < 0)
        return rc;
    report_time(b->csv, "send and receive", c.count, start);
    return 0;
}

int measure_flood_loops(const bench *b)
{
    consumer c = {lario_self(), bench_count(b, 2000000), CREDIT};
    lario_pid to;
    int rc = spawn_on(1, consume, &c, &to);
    stopwatch start = stopwatch_start();

    for (uint64_t i = 1; rc >= 0 && i <= c.count; i++) {
        rc = lario_send(to, KIND_WORK, payload, sizeof payload);
        if (rc >= 0 && i % CREDIT == 0 && i >= 2 * CREDIT)
            rc = wait_for(KIND_CREDIT);
    }
    if (rc >= 0)
        rc = wait_for(KIND_DONE);
    if (rc < 0)
        return rc;
    report_time(b->csv, "flood between loops", c.count, start);
    return 0;
}

/* Sends each message back until it is killed or asked nothing more. */
static int pong(void *arg)
{
    lario_msg msg;
    int rc;

    (void)arg;
    do {
        rc = lario_receive(&msg, TIMEOUT_MS);
        if (rc >= 0)
            rc = lario_send(msg.from, KIND_WORK, msg.data, msg.len);
    } while (rc >= 0);
    return 0;
}

static int ping_pong(const bench *b, const char *name, int loop, uint64_t count)
{
    lario_msg msg;
    lario_pid to;
    int rc = spawn_on(loop, pong, NULL, &to);
    stopwatch start = stopwatch_start();

    for (uint64_t i = 0; rc >= 0 && i < count; i++) {
        rc = lario_send(to, KIND_WORK, payload, sizeof payload);
        if (rc >= 0)
            rc = lario_receive(&msg, TIMEOUT_MS);
    }
    if (rc < 0)
        return rc;
    report_time(b->csv, name, count, start);
    return lario_kill(to, LARIO_ECANCELED);
}

int measure_ping_pong(const bench *b)
{
    return ping_pong(b, "ping-pong", -1, bench_count(b, 1000000));
}

int measure_ping_pong_loops(const bench *b)
{
    return ping_pong(b, "ping-pong between loops", 1, bench_count(b, 200000));
}

static int answer_calls(void *arg)
{
    lario_msg msg;
    int rc;

    (void)arg;
    do {
        rc = lario_receive(&msg, TIMEOUT_MS);
        if (rc >= 0)
            rc = lario_answer(&msg, msg.data, msg.len);
    } while (rc >= 0);
    return 0;
}

static int call(const bench *b, const char *name, int loop, uint64_t count)
{
    lario_msg reply;
    lario_pid to;
    int rc = spawn_on(loop, answer_calls, NULL, &to);
    stopwatch start = stopwatch_start();

    for (uint64_t i = 0; rc >= 0 && i < count; i++)
        rc = lario_call(to, KIND_WORK, payload, sizeof payload, &reply, TIMEOUT_MS);
    if (rc < 0)
        return rc;
    report_time(b->csv, name, count, start);
    return lario_kill(to, LARIO_ECANCELED);
}

int measure_call(const bench *b)
{
    return call(b, "call", -1, bench_count(b, 1000000));
}

int measure_call_loops(const bench *b)
{
    return call(b, "call between loops", 1, bench_count(b, 200000));
}
