/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/session.h"

#include <stdlib.h>
#include <string.h>

#include "codec/token.h"
#include "http/request.h"
#include "web/session_store.h"

/* Sessions, as a request sees them. */

#define PATIENCE_MS 5000
#define ID_CHARS 32

/* What this request knows of its session. */
typedef struct session_state {
    bool has_id; /* the browser sent one, or it was begun */
    lario_session_id id;
    bool is_loaded;
    const char *values; /* key NUL value NUL ..., once loaded */
    size_t values_len;
} session_state;

/* ---- Ids as text ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_id(const char *text, lario_session_id *ret_id)
{
    if (!text || strlen(text) != ID_CHARS)
        return false;
    for (size_t i = 0; i < sizeof ret_id->bytes; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        ret_id->bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static void format_id(const lario_session_id *id, char text[ID_CHARS + 1])
{
    static const char hex[] = "0123456789abcdef";

    for (size_t i = 0; i < sizeof id->bytes; i++) {
        text[2 * i] = hex[id->bytes[i] >> 4];
        text[2 * i + 1] = hex[id->bytes[i] & 15];
    }
    text[ID_CHARS] = '\0';
}

/* ---- Asking the store ---- */

static session_state *state_of(const lario_sessions *sessions, lario_req *req)
{
    void **slot = lario_req_slot(req, LARIO_REQ_SLOT_SESSION);
    session_state *state = *slot;

    if (state)
        return state;
    state = lario_alloc(req, sizeof *state);
    if (!state)
        return NULL;
    memset(state, 0, sizeof *state);
    state->has_id = parse_id(lario_cookie(req, sessions->cookie), &state->id);
    *slot = state;
    return state;
}

/* The answer's rc; its head and, with LOAD, its values are taken over. */
static int ask(const lario_sessions *sessions, lario_req *req, session_state *state,
               enum lario_session_op op, const char *key, const char *value)
{
    size_t key_len = key ? strlen(key) + 1 : 0, value_len = value ? strlen(value) + 1 : 0;
    lario_session_question question = {.op = op, .id = state->id};
    lario_session_answer answer;
    lario_msg reply;
    char *bytes = lario_alloc(req, sizeof question + key_len + value_len);

    if (!bytes)
        return LARIO_ENOMEM;
    memcpy(bytes, &question, sizeof question);
    if (key)
        memcpy(bytes + sizeof question, key, key_len);
    if (value)
        memcpy(bytes + sizeof question + key_len, value, value_len);
    int rc = lario_call(sessions->store, LARIO_SESSION_KIND, bytes,
                        sizeof question + key_len + value_len, &reply, PATIENCE_MS);

    if (rc < 0)
        return rc;
    memcpy(&answer, reply.data, sizeof answer);
    state->id = answer.id;
    if (answer.rc < 0 || op != LARIO_SESSION_LOAD)
        return answer.rc;
    state->values_len = reply.len - sizeof answer;
    char *values = lario_alloc(req, state->values_len);

    if (!values)
        return LARIO_ENOMEM;
    memcpy(values, (const char *)reply.data + sizeof answer, state->values_len);
    state->values = values;
    return 0;
}

static int load(const lario_sessions *sessions, lario_req *req, session_state *state)
{
    int rc = state->has_id && !state->is_loaded
                 ? ask(sessions, req, state, LARIO_SESSION_LOAD, NULL, NULL)
                 : 0;

    if (rc == LARIO_ENOTFOUND) {
        /* It has ended; its id may not be used for the next one. */
        state->has_id = false;
        memset(&state->id, 0, sizeof state->id);
        rc = 0;
    }
    if (rc == 0)
        state->is_loaded = true;
    return rc;
}

/* ---- The calls ---- */

static int send_cookie(const lario_sessions *sessions, lario_req *req, const session_state *state)
{
    char text[ID_CHARS + 1];

    format_id(&state->id, text);
    return lario_set_cookie(req, sessions->cookie, text, NULL);
}

int lario_session_get(const lario_sessions *sessions, lario_req *req, const char *key,
                      const char **ret_value)
{
    session_state *state = state_of(sessions, req);
    int rc = state ? load(sessions, req, state) : LARIO_ENOMEM;

    if (rc < 0)
        return rc;
    const char *at = state->values, *end = at + state->values_len;

    while (at < end) {
        const char *value = at + strlen(at) + 1;

        if (strcmp(at, key) == 0) {
            *ret_value = value;
            return 0;
        }
        at = value + strlen(value) + 1;
    }
    return LARIO_ENOTFOUND;
}

int lario_session_set(const lario_sessions *sessions, lario_req *req, const char *key,
                      const char *value)
{
    session_state *state = state_of(sessions, req);
    int rc = state ? load(sessions, req, state) : LARIO_ENOMEM;

    if (rc < 0)
        return rc;
    if (!*key)
        return LARIO_EINVAL;
    lario_session_id before = state->id;

    rc = value           ? ask(sessions, req, state, LARIO_SESSION_SET, key, value)
         : state->has_id ? ask(sessions, req, state, LARIO_SESSION_REMOVE, key, NULL)
                         : 0;
    if (rc < 0)
        return rc;
    state->is_loaded = false;
    if (!value || memcmp(&before, &state->id, sizeof before) == 0)
        return 0;
    state->has_id = true;
    return send_cookie(sessions, req, state);
}

int lario_session_renew(const lario_sessions *sessions, lario_req *req)
{
    session_state *state = state_of(sessions, req);
    int rc = state ? load(sessions, req, state) : LARIO_ENOMEM;

    if (rc < 0 || !state->has_id)
        return rc;
    rc = ask(sessions, req, state, LARIO_SESSION_RENEW, NULL, NULL);
    return rc < 0 ? rc : send_cookie(sessions, req, state);
}

int lario_session_end(const lario_sessions *sessions, lario_req *req)
{
    session_state *state = state_of(sessions, req);
    int rc = state ? load(sessions, req, state) : LARIO_ENOMEM;

    if (rc < 0 || !state->has_id)
        return rc;
    rc = ask(sessions, req, state, LARIO_SESSION_END, NULL, NULL);
    if (rc < 0)
        return rc;
    *state = (session_state){.is_loaded = true};
    return lario_delete_cookie(req, sessions->cookie, NULL);
}

/* ---- Set-up ---- */

int lario_sessions_start(lario_runtime *runtime, const lario_sessions_options *options,
                         lario_sessions *ret_sessions)
{
    static const lario_sessions_options by_default = LARIO_SESSIONS_OPTIONS_INIT;
    static const lario_spawn_options spawn = {.label = "sessions", .loop = 0};
    lario_sessions_options *copy;
    lario_pid store;

    if (!options)
        options = &by_default;
    if (!options->cookie || !lario_token_is_valid(options->cookie, strlen(options->cookie)) ||
        options->idle_s == 0 || options->sessions_max == 0 || options->session_bytes_max == 0)
        return LARIO_EINVAL;
    copy = malloc(sizeof *copy);
    if (!copy)
        return LARIO_ENOMEM;
    *copy = *options;
    int rc = lario_runtime_spawn(runtime, lario_session_store_run, copy, &spawn, &store);

    if (rc < 0) {
        free(copy);
        return rc;
    }
    *ret_sessions =
        (lario_sessions){.store = store, .cookie = options->cookie, .idle_s = options->idle_s};
    return 0;
}
