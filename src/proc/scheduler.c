/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/scheduler.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proc/runtime.h"
#include "proc/signal.h"
#include "sys/clock.h"
#include "sys/stack_memory.h"

#ifdef LARIO_ASAN
#include <sanitizer/asan_interface.h>
#endif

#define STACK_BYTES_MIN 16384u
#define STACK_BYTES_MAX (64u << 20)
#define MAILBOX_MESSAGES_DEFAULT 16384u
#define MAILBOX_BYTES_DEFAULT (8u << 20)

/* A turn runs at most this many processes, or about this long, before it looks at I/O again. */
#define SWITCHES_A_TURN 1024
#define TURN_NS 1000000
#define SWITCHES_A_CLOCK_LOOK 64

static void run_ready(lario_loop *loop);

void lario_sched_init(lario_sched *sched, lario_loop *loop, uint32_t processes_max,
                      size_t stacks_kept)
{
    *sched = (lario_sched){.loop = loop, .processes_max = processes_max, .next_ref = 1};
    lario_list_init(&sched->ready);
    lario_stack_pool_init(&sched->stacks, LARIO_STACK_BYTES_DEFAULT, stacks_kept);
    loop->slots[LARIO_LOOP_SLOT_PROC] = sched;
    loop->run_ready = run_ready;
}

static void free_stack(lario_sched *sched, void *stack, size_t size)
{
    if (size == sched->stacks.stack_bytes)
        lario_stack_pool_put(&sched->stacks, stack);
    else
        lario_stack_memory_unmap(stack, size, 1);
}

void lario_sched_done(lario_sched *sched)
{
    for (uint32_t i = 0; i < sched->slots_used; i++) {
        lario_proc *proc = sched->slots[i].proc;

        if (!proc)
            continue;
        lario_signal_abandoned(proc);
        lario_mailbox_clear(&proc->mailbox);
        lario_message_free(proc->current);
        lario_message_free(proc->reply);
        lario_context_drop(&proc->context);
        free_stack(sched, proc->stack, proc->stack_bytes);
    }
    free(sched->slots);
    lario_monitor_table_done(&sched->monitors);
    lario_stack_pool_done(&sched->stacks);
}

/* ---- Slots and serials ---- */

static int take_slot(lario_sched *sched, uint32_t *ret_index)
{
    if (sched->first_free) {
        *ret_index = sched->first_free - 1;
        sched->first_free = sched->slots[*ret_index].next_free;
        return 0;
    }
    if (sched->slots_used == LARIO_SLOTS_MAX)
        return LARIO_EFULL;
    if (sched->slots_used == sched->slots_room) {
        uint32_t room = sched->slots_room ? sched->slots_room * 2 : 64;
        lario_slot *slots = realloc(sched->slots, room * sizeof *slots);

        if (!slots)
            return LARIO_ENOMEM;
        sched->slots = slots;
        sched->slots_room = room;
    }
    *ret_index = sched->slots_used++;
    sched->slots[*ret_index] = (lario_slot){0};
    return 0;
}

static void release_slot(lario_sched *sched, uint64_t serial)
{
    uint32_t index = (uint32_t)(serial >> 32 & LARIO_SLOTS_MAX) - 1;
    lario_slot *slot = &sched->slots[index];

    slot->proc = NULL;
    if (slot->generation == UINT32_MAX)
        return; /* retired: its next serial would be an old one */
    slot->next_free = sched->first_free;
    sched->first_free = index + 1;
}

lario_proc *lario_sched_find(lario_sched *sched, uint64_t serial)
{
    uint32_t index = (uint32_t)(serial >> 32 & LARIO_SLOTS_MAX) - 1;

    if (index >= sched->slots_used || sched->slots[index].generation != (uint32_t)serial)
        return NULL;
    return sched->slots[index].proc;
}

/* ---- The life of a process ---- */

/* Runs on the process' stack, from its first instruction to its last. */
static void run_process(void *arg)
{
    lario_proc *proc = arg;

    lario_context_entered(&proc->sched->context);
    int reason = proc->fn(proc->arg);

    if (!proc->is_killed)
        proc->reason = reason;
    proc->state = LARIO_PROC_DEAD;
    lario_context_leave(&proc->context, &proc->sched->context);
}

/* Back on the loop's stack: everybody who asked learns of the end, then the stack is free. */
static void bury(lario_sched *sched, lario_proc *proc)
{
    uint64_t serial = proc->serial;

    lario_timer_stop(&proc->timer);
    if (proc->source && proc->source_msg)
        proc->source->released(proc->source);
    /* Absent from here on: a hook or a notice finds no live process any more. */
    release_slot(sched, serial);
    for (lario_list_link *link; (link = lario_list_pop_front(&proc->hooks));) {
        lario_exit_hook *hook = lario_container_of(link, lario_exit_hook, link);

        hook->fn(hook, proc, proc->reason);
    }
    lario_signal_ended(proc);
    lario_mailbox_clear(&proc->mailbox);
    lario_message_free(proc->current);
    lario_message_free(proc->reply);
    lario_context_drop(&proc->context);
    sched->processes--;
    free_stack(sched, proc->stack, proc->stack_bytes);
}

/* Gives the loop to `proc` until it parks, yields or ends. From the loop's own stack. */
static void run(lario_sched *sched, lario_proc *proc)
{
    proc->state = LARIO_PROC_RUNNING;
    sched->current = proc;
    lario_loop_beat(sched->loop);
    lario_context_switch(&sched->context, &proc->context);
    sched->current = NULL;
    if (proc->state == LARIO_PROC_DEAD)
        bury(sched, proc);
}

static void run_ready(lario_loop *loop)
{
    lario_sched *sched = loop->slots[LARIO_LOOP_SLOT_PROC];

    for (unsigned switches = 1; switches <= SWITCHES_A_TURN; switches++) {
        lario_list_link *link = lario_list_pop_front(&sched->ready);

        if (!link)
            break;
        run(sched, lario_container_of(link, lario_proc, ready_link));
        if (switches % SWITCHES_A_CLOCK_LOOK == 0 && lario_clock_ns() - loop->now_ns > TURN_NS)
            break;
    }
    loop->has_ready = !lario_list_is_empty(&sched->ready);
}

static void make_ready(lario_proc *proc)
{
    lario_list_push_back(&proc->sched->ready, &proc->ready_link);
    proc->sched->loop->has_ready = true;
}

static int check_options(const lario_sched *sched, const lario_spawn_options *opts,
                         size_t *ret_stack_bytes)
{
    size_t page = sched->stacks.page_bytes;
    size_t size = opts->stack_bytes ? opts->stack_bytes : LARIO_STACK_BYTES_DEFAULT;

    if (size < STACK_BYTES_MIN || size > STACK_BYTES_MAX)
        return LARIO_EINVAL;
    *ret_stack_bytes = (size + page - 1) & ~(page - 1);
    return 0;
}

static void *new_stack(lario_sched *sched, size_t size)
{
    void *stack;

    if (size == sched->stacks.stack_bytes)
        return lario_stack_pool_get(&sched->stacks);
    stack = lario_stack_memory_map(size, 1);
    if (stack && !lario_stack_memory_guard(stack) && !lario_stack_memory_protect(stack)) {
        lario_stack_memory_unmap(stack, size, 1);
        return NULL;
    }
    return stack;
}

static void on_timer(lario_timer *timer)
{
    lario_proc_wake(lario_container_of(timer, lario_proc, timer), LARIO_ETIMEDOUT);
}

static lario_proc *init_process(lario_sched *sched, void *stack, size_t stack_bytes,
                                const lario_spawn_options *opts)
{
    size_t guard = sched->stacks.page_bytes;
    lario_proc *proc =
        (lario_proc *)((char *)stack + stack_bytes - ((sizeof(lario_proc) + 63) & ~(size_t)63));

#ifdef LARIO_ASAN
    /* The stack's last owner left its frames' marks. */
    __asan_unpoison_memory_region((char *)stack + guard, stack_bytes - guard);
#endif
    memset(proc, 0, sizeof *proc);
    proc->sched = sched;
    proc->stack = stack;
    proc->stack_bytes = stack_bytes;
    proc->label = opts->label ? opts->label : "process";
    proc->started_ms = lario_loop_now_ms(sched->loop);
    lario_list_init(&proc->ready_link);
    lario_list_init(&proc->notices);
    lario_list_init(&proc->monitors);
    lario_list_init(&proc->hooks);
    lario_timer_init(&proc->timer, on_timer);
    lario_mailbox_init(&proc->mailbox,
                       opts->mailbox_max ? opts->mailbox_max : MAILBOX_MESSAGES_DEFAULT,
                       opts->mailbox_bytes_max ? opts->mailbox_bytes_max : MAILBOX_BYTES_DEFAULT);
    lario_context_make(&proc->context, (char *)stack + guard,
                       (size_t)((char *)proc - (char *)stack) - guard, run_process, proc);
    return proc;
}

static int new_process(lario_sched *sched, lario_process_fn fn, void *arg,
                       const lario_spawn_options *opts, lario_exit_hook *hook,
                       lario_proc **ret_proc)
{
    size_t stack_bytes;
    uint32_t index;
    int rc = check_options(sched, opts, &stack_bytes);

    if (rc < 0)
        return rc;
    if (sched->is_stopping)
        return LARIO_ECANCELED;
    if (sched->processes >= sched->processes_max)
        return LARIO_EFULL;
    rc = take_slot(sched, &index);
    if (rc < 0)
        return rc;
    lario_slot *slot = &sched->slots[index];
    void *stack = new_stack(sched, stack_bytes);

    slot->generation++;
    uint64_t serial =
        (uint64_t)sched->loop->index << 56 | (uint64_t)(index + 1) << 32 | slot->generation;

    if (!stack) {
        release_slot(sched, serial);
        return LARIO_ENOMEM;
    }
    lario_proc *proc = init_process(sched, stack, stack_bytes, opts);

    proc->serial = serial;
    proc->fn = fn;
    proc->arg = arg;
    slot->proc = proc;
    sched->processes++;
    if (hook)
        lario_proc_add_hook(proc, hook);
    *ret_proc = proc;
    return 0;
}

int lario_sched_spawn(lario_sched *sched, lario_process_fn fn, void *arg,
                      const lario_spawn_options *opts, lario_exit_hook *hook, lario_proc **ret_proc)
{
    int rc = new_process(sched, fn, arg, opts, hook, ret_proc);

    if (rc == 0)
        make_ready(*ret_proc);
    return rc;
}

int lario_sched_start(lario_sched *sched, lario_process_fn fn, void *arg,
                      const lario_spawn_options *opts, lario_exit_hook *hook, lario_proc **ret_proc)
{
    int rc = new_process(sched, fn, arg, opts, hook, ret_proc);

    assert(!sched->current);
    if (rc == 0)
        run(sched, *ret_proc);
    return rc;
}

void lario_sched_hold(lario_proc *proc)
{
    lario_list_remove(&proc->ready_link);
    proc->wait = LARIO_WAIT_OTHER;
    proc->state = LARIO_PROC_PARKED;
}

void lario_sched_kill_all(lario_sched *sched, int reason)
{
    sched->is_stopping = true;
    for (uint32_t i = 0; i < sched->slots_used; i++)
        if (sched->slots[i].proc)
            lario_proc_kill(sched->slots[i].proc, reason);
}

/* ---- Parking and waking ---- */

int lario_proc_park(lario_proc *proc, enum lario_proc_wait wait, int timeout_ms)
{
    lario_sched *sched = proc->sched;

    if (proc->is_killed && wait != LARIO_WAIT_UNTIL_DONE)
        return lario_proc_canceled(proc);
    if (timeout_ms >= 0) {
        /* The turn may be long under way, and a wait must not be shorter than asked. */
        sched->loop->now_ns = lario_clock_ns();
        lario_loop_timer_start(sched->loop, &proc->timer, (uint64_t)timeout_ms);
    }
    proc->wait = (uint8_t)wait;
    proc->state = LARIO_PROC_PARKED;
    lario_context_switch(&proc->context, &sched->context);
    if (timeout_ms >= 0)
        lario_timer_stop(&proc->timer);
    /* It may have been killed after it was woken. */
    return proc->is_killed && wait != LARIO_WAIT_UNTIL_DONE ? LARIO_ECANCELED : proc->wake_rc;
}

void lario_proc_give_way(lario_proc *proc)
{
    /* Parked and woken at once: it goes behind all that are ready. */
    proc->wait = LARIO_WAIT_OTHER;
    proc->state = LARIO_PROC_PARKED;
    lario_proc_wake(proc, 0);
    lario_context_switch(&proc->context, &proc->sched->context);
}

int lario_proc_canceled(lario_proc *proc)
{
    lario_proc_give_way(proc);
    return LARIO_ECANCELED;
}

void lario_proc_wake(lario_proc *proc, int rc)
{
    if (proc->state != LARIO_PROC_PARKED)
        return;
    proc->wake_rc = rc;
    proc->state = LARIO_PROC_READY;
    make_ready(proc);
}

void lario_proc_resume(lario_proc *proc, int rc)
{
    assert(!proc->sched->current);
    if (proc->state != LARIO_PROC_PARKED)
        return;
    proc->wake_rc = rc;
    run(proc->sched, proc);
}

void lario_proc_kill(lario_proc *proc, int reason)
{
    if (proc->is_killed || proc->state == LARIO_PROC_DEAD)
        return;
    proc->is_killed = true;
    proc->reason = reason;
    if (proc->wait != LARIO_WAIT_UNTIL_DONE)
        lario_proc_wake(proc, LARIO_ECANCELED);
}

void lario_proc_add_hook(lario_proc *proc, lario_exit_hook *hook)
{
    lario_list_push_back(&proc->hooks, &hook->link);
}

/* ---- Across loops ---- */

static void on_message(lario_loop *loop, lario_handoff *handoff)
{
    lario_message *message = lario_container_of(handoff, lario_message, handoff);
    lario_sched *sched = loop->slots[LARIO_LOOP_SLOT_PROC];
    lario_pid to = lario_runtime_pid(loop->runtime, message->to);

    /* A full mailbox is counted there; the sender on another loop is long gone on. */
    (void)lario_signal_deliver(sched, to, lario_sched_find(sched, to.serial), message);
}

int lario_sched_route(lario_sched *sched, lario_pid to, lario_message *message)
{
    lario_runtime *runtime = sched->loop->runtime;
    lario_loop *loop = lario_runtime_loop_of(runtime, to);

    message->to = to.serial;
    if (!loop || loop == sched->loop)
        return lario_signal_deliver(sched, to, loop ? lario_sched_find(sched, to.serial) : NULL,
                                    message);
    message->handoff.run = on_message;
    lario_loop_hand(loop, &message->handoff);
    return 0;
}

int lario_sched_post(lario_runtime *runtime, lario_pid to, lario_message *message)
{
    lario_loop *loop = lario_runtime_loop_of(runtime, to);

    if (!loop) {
        lario_message_free(message);
        return 0;
    }
    message->to = to.serial;
    message->handoff.run = on_message;
    lario_loop_hand(loop, &message->handoff);
    return 0;
}

typedef struct call_on {
    lario_handoff handoff;
    lario_proc *caller;
    void (*fn)(lario_loop *loop, void *arg);
    void *arg;
    bool is_done;
} call_on;

static void call_returned(lario_loop *loop, lario_handoff *handoff)
{
    call_on *call = lario_container_of(handoff, call_on, handoff);
    (void)loop;

    call->is_done = true;
    lario_proc_wake(call->caller, 0);
}

static void call_arrived(lario_loop *loop, lario_handoff *handoff)
{
    call_on *call = lario_container_of(handoff, call_on, handoff);

    call->fn(loop, call->arg);
    call->handoff.run = call_returned;
    lario_loop_hand(call->caller->sched->loop, &call->handoff);
}

void lario_sched_call_on(lario_proc *self, unsigned index, void (*fn)(lario_loop *loop, void *arg),
                         void *arg)
{
    lario_loop *loop = lario_runtime_loop_at(self->sched->loop->runtime, index);
    call_on call = {.handoff.run = call_arrived, .caller = self, .fn = fn, .arg = arg};

    if (loop == self->sched->loop) {
        fn(loop, arg);
        return;
    }
    lario_loop_hand(loop, &call.handoff);
    while (!call.is_done)
        (void)lario_proc_park(self, LARIO_WAIT_UNTIL_DONE, -1);
}
