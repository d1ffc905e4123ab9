/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_PROCESS_H
#define LARIO_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lario/error.h"
#include "lario/export.h"

LARIO_BEGIN_DECLS

/*
 * A process is a lightweight process: a stack, a mailbox and an id, run by one loop for all its
 * life. It gives way only in the calls that are said to park it. When a process has been killed,
 * every call that parks returns LARIO_ECANCELED from then on, so that it leaves by its ordinary
 * error path. Unless said otherwise, calls are made from inside a process and answer
 * LARIO_ENOTPROC elsewhere. A call that could park gives way when it returns LARIO_ECANCELED, so
 * that a process that does not heed it does not hold its loop.
 */

/*
 * Names one process for all time: the node, the node's incarnation (it differs after each start)
 * and a serial number that is never used twice. A plain value: copy it, keep it, put it into
 * messages. All zeros names no process.
 */
typedef struct lario_pid {
    uint64_t node[2];
    uint64_t incarnation;
    uint64_t serial;
} lario_pid;

/* Room for lario_pid_format() with its final NUL. */
#define LARIO_PID_TEXT_BYTES 72

static inline bool lario_pid_equal(lario_pid a, lario_pid b)
{
    return a.serial == b.serial && a.incarnation == b.incarnation && a.node[0] == b.node[0] &&
           a.node[1] == b.node[1];
}

/* Whether `pid` names a process at all, dead or alive. */
static inline bool lario_pid_is_set(lario_pid pid)
{
    return pid.serial != 0;
}

/* Writes `pid` as "NODE.INCARNATION.SERIAL" in hexadecimal and returns `text`. Any thread. */
LARIO_API const char *lario_pid_format(lario_pid pid, char text[LARIO_PID_TEXT_BYTES]);

/*
 * What a message is. Values up to 15 are Lario's; programs number their own kinds LARIO_USER,
 * LARIO_USER + 1 and so on, up to INT_MAX.
 */
enum lario_kind {
    LARIO_DOWN = 1,    /* a monitored process ended: from = it, ref = the monitor, code = reason */
    LARIO_EXIT = 2,    /* a linked process ended, when exits are trapped: from, code */
    LARIO_WS_TEXT = 3, /* a whole text message of the process' WebSocket, valid UTF-8 */
    LARIO_WS_BINARY = 4, /* a whole binary message of the process' WebSocket */
    LARIO_TCP_DATA = 5,  /* bytes of the process' TCP connection, as they arrived */
    LARIO_USER = 16,
};

/*
 * A received message. `data` (aligned for any type when another process sent it; never NULL) is
 * valid until this process receives again or ends; copy what you keep.
 */
typedef struct lario_msg {
    int kind;
    int code;       /* LARIO_DOWN and LARIO_EXIT: the exit reason, else 0 */
    lario_pid from; /* the sender; unset for socket data and for senders outside a process */
    uint64_t ref;   /* LARIO_DOWN: the monitor. Else not 0 when the sender waits for an answer */
    const char *data;
    size_t len;
} lario_msg;

/*
 * A process runs this once. Its result is the exit reason: 0 or more is a normal end, a negative
 * code a failure that linked processes share.
 */
typedef int (*lario_process_fn)(void *arg);

typedef struct lario_spawn_options {
    const char *label;        /* shown in listings; static storage; NULL: "process" */
    size_t stack_bytes;       /* address space; 0: 65,536; from 16,384 to 64 MiB */
    uint32_t mailbox_max;     /* messages; 0: 16,384; beyond it messages are dropped, counted */
    size_t mailbox_bytes_max; /* 0: 8 MiB; the same */
    int loop;                 /* index of a loop, or -1: the caller's own */
    bool link;                /* link to the caller from the first instruction on */
    bool monitor;             /* the caller monitors it, as by lario_monitor() */
} lario_spawn_options;

/* Defaults; on the caller's own loop. */
#define LARIO_SPAWN_OPTIONS_INIT                                                                   \
    {                                                                                              \
        NULL, 0, 0, 0, -1, false, false                                                            \
    }

/*
 * Starts a process on the caller's loop; it runs when the caller next parks or yields. `arg` is
 * handed over as it is. `ret_pid` may be NULL. Does not park.
 * Errors: LARIO_ENOMEM, LARIO_EFULL (processes_max), LARIO_ECANCELED (the caller was killed, or the
 * runtime is stopping).
 */
LARIO_API LARIO_MUST_USE int lario_spawn(lario_process_fn fn, void *arg, lario_pid *ret_pid);

/*
 * The same with options (NULL: the defaults); parks only when opts->loop is another loop.
 * LARIO_EINVAL: bad options.
 */
LARIO_API LARIO_MUST_USE int lario_spawn_opts(lario_process_fn fn, void *arg,
                                              const lario_spawn_options *opts, lario_pid *ret_pid);

/* The calling process; the unset pid outside a process. Does not park. */
LARIO_API lario_pid lario_self(void);

/*
 * Whether `pid` is alive. Exact for a process of the caller's loop. One of another loop of this
 * runtime is taken for alive, since only its own loop knows at this instant; to learn of its end,
 * monitor it. Any other pid is not alive, nor is any when the caller is on no loop. Does not park.
 */
LARIO_API bool lario_is_alive(lario_pid pid);

/*
 * Sends a copy of `len` bytes (0 to 16 MiB; `data` may be NULL when 0) as message `kind`, at least
 * LARIO_USER. Messages from one process to another arrive in the order they were sent. Sending to
 * a process that has ended is harmless and succeeds. From any process, or from another thread of
 * a running runtime by lario_runtime_send(). Does not park. The result may be dropped: it tells
 * only what is known at once.
 * Errors: LARIO_EINVAL (kind), LARIO_ETOOBIG, LARIO_ENOMEM, LARIO_EFULL (the mailbox of a process
 * on this loop is full: nothing was sent), LARIO_ENOTPROC (not on a loop).
 */
LARIO_API int lario_send(lario_pid to, int kind, const void *data, size_t len);

/*
 * Takes the next message: of the mailbox, or of the process' own WebSocket or TCP connection, in
 * turn when both have some. Parks for at most `timeout_ms` (-1: for ever, 0: not at all).
 * Returns the kind (more than 0). Errors: LARIO_ETIMEDOUT, LARIO_ECANCELED; LARIO_ECLOSED when
 * the process' own connection is closed by its peer and all that came before is received;
 * LARIO_EDRAINING in a request's process when the server has been draining for
 * limits.drain_wait_ms: return it, and the client is answered with 503;
 * LARIO_EPROTO, LARIO_EUTF8, LARIO_ETOOBIG when the peer's message broke a rule: the connection
 * is then closing.
 */
LARIO_API LARIO_MUST_USE int lario_receive(lario_msg *ret_msg, int timeout_ms);

/* The same for messages of one kind, more than 0; others stay in their order. LARIO_EINVAL. */
LARIO_API LARIO_MUST_USE int lario_receive_kind(int kind, lario_msg *ret_msg, int timeout_ms);

/*
 * Sends and waits for the answer that the other process gives by lario_answer(). ret_reply->data
 * is valid until the next receive or call. Parks.
 * Errors: those of lario_send(); LARIO_ENOPROC when it has ended or ends before it answers;
 * LARIO_ETIMEDOUT (a late answer is dropped); LARIO_ECANCELED.
 */
LARIO_API LARIO_MUST_USE int lario_call(lario_pid to, int kind, const void *data, size_t len,
                                        lario_msg *ret_reply, int timeout_ms);

/* Answers a message whose ref is not 0. Errors: LARIO_EINVAL when it is, and lario_send()'s. */
LARIO_API int lario_answer(const lario_msg *call, const void *data, size_t len);

/* Parks for `ms` milliseconds. Returns 0, or LARIO_ECANCELED. */
LARIO_API int lario_sleep(int ms);

/* Lets all other processes that are ready run once. Returns 0, or LARIO_ECANCELED. */
LARIO_API int lario_yield(void);

/*
 * Links the caller and `pid`: when one ends with a failure, the other is killed with the same
 * reason, or receives LARIO_EXIT when it traps exits. A link to a dead process acts at once with
 * the reason LARIO_ENOPROC. Linking twice is linking once. Does not park. Errors: LARIO_ENOMEM.
 */
LARIO_API LARIO_MUST_USE int lario_link(lario_pid pid);
LARIO_API void lario_unlink(lario_pid pid);

/* From now on ends of linked processes, also normal ones, arrive as LARIO_EXIT. */
LARIO_API void lario_trap_exits(bool on);

/*
 * Watches `pid`: when it ends, a LARIO_DOWN message with this `ref` arrives, once; at once with
 * code LARIO_ENOPROC when it has ended before. Does not park. Errors: LARIO_ENOMEM.
 */
LARIO_API LARIO_MUST_USE int lario_monitor(lario_pid pid, uint64_t *ret_ref);

/* Ends a monitor; a LARIO_DOWN message of it that already arrived stays. */
LARIO_API void lario_demonitor(uint64_t ref);

/*
 * Kills `pid`: its parking calls return LARIO_ECANCELED from now on; it ends with `reason`
 * (negative) once it has unwound. Harmless when it has ended. Does not park.
 * Errors: LARIO_EINVAL (reason), LARIO_ENOMEM, LARIO_ENOTPROC (not on a loop).
 */
LARIO_API int lario_kill(lario_pid pid, int reason);

/*
 * Runs fn(arg) on a worker thread, for blocking calls and heavy computation, and parks until it
 * is done. Returns what `fn` returns; LARIO_EFULL when too many wait; LARIO_ECANCELED when the
 * caller was killed before `fn` began. Once begun it is always waited for, so `arg` may lie on
 * the caller's stack.
 */
LARIO_API LARIO_MUST_USE int lario_offload(int (*fn)(void *arg), void *arg);

/* One process in a listing. */
typedef struct lario_process_info {
    lario_pid pid;
    const char *label;
    const char *state; /* "running", "ready", "receiving", "waiting" */
    unsigned loop;
    uint32_t mailbox;       /* messages waiting */
    uint64_t mailbox_drops; /* messages dropped because it was full */
    uint64_t age_ms;
} lario_process_info;

/*
 * Lists the processes of all loops, at most `max` of them, into `ret_infos` (caller's). Each loop
 * is asked in turn, so the list is a snapshot of each loop, not of all at one instant. Parks.
 * Returns how many were written; LARIO_ECANCELED.
 */
LARIO_API LARIO_MUST_USE int lario_process_list(lario_process_info *ret_infos, size_t max);

LARIO_END_DECLS

#endif
