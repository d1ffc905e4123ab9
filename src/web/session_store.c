/* SPDX-License-Identifier: BSD-3-Clause */
#include "web/session_store.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "sys/clock.h"
#include "sys/random.h"

/*
 * Sessions in a tree by their ids, and in a ring by their last use: the one that was not used for
 * longest is always the first. All of it belongs to one process.
 */
typedef struct session {
    lario_session_id id; /* first: the tree compares it */
    lario_list_link link;
    uint64_t used_ms;
    char *values; /* key NUL value NUL ... */
    size_t values_len;
} session;

typedef struct session_store {
    lario_sessions_options options;
    void *tree;
    lario_list_link by_use;
    uint32_t count;
} session_store;

static int compare_ids(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(lario_session_id));
}

static uint64_t now_ms(void)
{
    return lario_clock_ns() / LARIO_NS_PER_MS;
}

static void free_session(session_store *store, session *ended)
{
    tdelete(ended, &store->tree, compare_ids);
    lario_list_remove(&ended->link);
    store->count--;
    free(ended->values);
    free(ended);
}

static session *first_of(const session_store *store)
{
    return lario_container_of(store->by_use.next, session, link);
}

static void expire(session_store *store, uint64_t now)
{
    uint64_t idle_ms = (uint64_t)store->options.idle_s * 1000;

    while (store->count > 0 && now - first_of(store)->used_ms >= idle_ms)
        free_session(store, first_of(store));
}

static session *find(session_store *store, const lario_session_id *id, uint64_t now)
{
    session **node = tfind(id, &store->tree, compare_ids);

    if (!node)
        return NULL;
    (*node)->used_ms = now;
    lario_list_remove(&(*node)->link);
    lario_list_push_back(&store->by_use, &(*node)->link);
    return *node;
}

/* An id that nobody has and nobody can guess. -errno when there is no randomness. */
static int choose_id(session_store *store, lario_session_id *ret_id)
{
    int rc;

    do
        rc = lario_random_bytes(ret_id, sizeof *ret_id);
    while (rc == 0 && tfind(ret_id, &store->tree, compare_ids));
    return rc;
}

static int begin(session_store *store, uint64_t now, session **ret_session)
{
    session *begun = calloc(1, sizeof *begun);
    int rc = begun ? choose_id(store, &begun->id) : LARIO_ENOMEM;

    if (rc == 0 && !tsearch(begun, &store->tree, compare_ids))
        rc = LARIO_ENOMEM;
    if (rc < 0) {
        free(begun);
        return rc;
    }
    begun->used_ms = now;
    lario_list_push_back(&store->by_use, &begun->link);
    store->count++;
    if (store->count > store->options.sessions_max)
        free_session(store, first_of(store));
    *ret_session = begun;
    return 0;
}

/* ---- Values ---- */

/* Where the pair of `key` begins, and its length with both NULs; NULL when there is none. */
static char *find_pair(const session *in, const char *key, size_t *ret_len)
{
    char *at = in->values, *end = in->values + in->values_len;

    while (at < end) {
        size_t key_len = strlen(at) + 1, len = key_len + strlen(at + key_len) + 1;

        if (strcmp(at, key) == 0) {
            *ret_len = len;
            return at;
        }
        at += len;
    }
    return NULL;
}

static void remove_key(session *in, const char *key)
{
    size_t len = 0;
    char *pair = find_pair(in, key, &len);

    if (!pair)
        return;
    memmove(pair, pair + len, (size_t)(in->values + in->values_len - (pair + len)));
    in->values_len -= len;
}

/* `pair` is key NUL value NUL. */
static int set_pair(const session_store *store, session *in, const char *pair, size_t len)
{
    size_t old_len = 0;

    (void)find_pair(in, pair, &old_len);
    size_t new_len = in->values_len - old_len + len;

    if (new_len > store->options.session_bytes_max)
        return LARIO_ETOOBIG;
    char *values = realloc(in->values, in->values_len + len);

    if (!values)
        return LARIO_ENOMEM;
    in->values = values;
    remove_key(in, pair);
    memcpy(in->values + in->values_len, pair, len);
    in->values_len += len;
    return 0;
}

/* ---- Questions ---- */

static int set(session_store *store, session *found, const char *pair, size_t len, uint64_t now,
               lario_session_id *ret_id)
{
    bool is_new = !found;
    int rc = is_new ? begin(store, now, &found) : 0;

    if (rc < 0)
        return rc;
    rc = set_pair(store, found, pair, len);
    *ret_id = found->id;
    if (rc < 0 && is_new)
        free_session(store, found);
    return rc;
}

static int renew(session_store *store, session *found, lario_session_id *ret_id)
{
    lario_session_id id;
    int rc = choose_id(store, &id);

    if (rc < 0)
        return rc;
    tdelete(found, &store->tree, compare_ids);
    found->id = id;
    if (!tsearch(found, &store->tree, compare_ids)) {
        /* It cannot be found any more: it ends. */
        lario_list_remove(&found->link);
        store->count--;
        free(found->values);
        free(found);
        return LARIO_ENOMEM;
    }
    *ret_id = id;
    return 0;
}

static int act(session_store *store, const lario_session_question *question, session *found,
               const char *texts, size_t len, lario_session_id *ret_id)
{
    if (question->op == LARIO_SESSION_SET)
        return set(store, found, texts, len, now_ms(), ret_id);
    if (!found)
        return LARIO_ENOTFOUND;
    switch (question->op) {
    case LARIO_SESSION_REMOVE:
        remove_key(found, texts);
        return 0;
    case LARIO_SESSION_RENEW:
        return renew(store, found, ret_id);
    case LARIO_SESSION_END:
        free_session(store, found);
        return 0;
    default:
        return 0;
    }
}

static void serve(session_store *store, const lario_msg *msg)
{
    lario_session_question question;
    uint64_t now = now_ms();

    if (msg->len < sizeof question)
        return;
    memcpy(&question, msg->data, sizeof question);
    expire(store, now);
    session *found = find(store, &question.id, now);
    lario_session_answer answer = {.id = question.id};

    answer.rc = act(store, &question, found, (const char *)msg->data + sizeof question,
                    msg->len - sizeof question, &answer.id);
    bool has_values = question.op == LARIO_SESSION_LOAD && found;
    size_t len = sizeof answer + (has_values ? found->values_len : 0);
    char *bytes = malloc(len);

    if (!bytes) {
        answer.rc = LARIO_ENOMEM;
        (void)lario_answer(msg, &answer, sizeof answer);
        return;
    }
    memcpy(bytes, &answer, sizeof answer);
    if (has_values && found->values_len > 0)
        memcpy(bytes + sizeof answer, found->values, found->values_len);
    /* Who asked and is gone, or finds no memory, has its own error. */
    (void)lario_answer(msg, bytes, len);
    free(bytes);
}

int lario_session_store_run(void *arg)
{
    session_store store = {.options = *(lario_sessions_options *)arg};
    lario_msg msg;
    int rc;

    free(arg);
    lario_list_init(&store.by_use);
    do {
        /* Now and then, so that nothing is kept for longer than it should be. */
        rc = lario_receive(&msg, 60 * 1000);
        if (rc == LARIO_SESSION_KIND)
            serve(&store, &msg);
        expire(&store, now_ms());
    } while (rc >= 0 || rc == LARIO_ETIMEDOUT);
    while (store.count > 0)
        free_session(&store, first_of(&store));
    return 0;
}
