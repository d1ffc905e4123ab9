/* SPDX-License-Identifier: BSD-3-Clause */
#include "roster.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"

/*
 * Lists are read from the scopes in steps, because a callback may not call the scope: first the
 * names of all groups, then the members of each. They are no snapshot of one instant; a device
 * that goes meanwhile may be missing in one list and be in the other.
 */

/* Appends to the array, or says that memory is out. Takes `value` over. */
static int append(json_t *array, json_t *value)
{
    return json_array_append_new(array, value) == 0 ? 0 : LARIO_ENOMEM;
}

static int add_group(void *arg, const char *name, lario_pid pid, const char *meta)
{
    (void)pid;
    (void)meta;
    return append(arg, json_pack("{s:s, s:[]}", "group", name, "members"));
}

/* The meta of a member is its serial. */
static int add_member(void *arg, const char *name, lario_pid pid, const char *meta)
{
    (void)name;
    (void)pid;
    return append(arg, json_string(meta));
}

static int add_device(void *arg, const char *name, lario_pid pid, const char *meta)
{
    (void)pid;
    return json_object_set_new(
               arg, name, json_pack("{s:s, s:s, s:[]}", "serial", name, "since", meta, "groups")) ==
                   0
               ? 0
               : LARIO_ENOMEM;
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(json_string_value(*(json_t *const *)a), json_string_value(*(json_t *const *)b));
}

static int compare_groups(const void *a, const void *b)
{
    return strcmp(json_member(*(json_t *const *)a, "group"),
                  json_member(*(json_t *const *)b, "group"));
}

static int compare_devices(const void *a, const void *b)
{
    return strcmp(json_member(*(json_t *const *)a, "serial"),
                  json_member(*(json_t *const *)b, "serial"));
}

/* A new array with the elements of `array`, which it takes over, in order. */
static json_t *sorted(json_t *array, int (*compare)(const void *, const void *))
{
    size_t count = json_array_size(array);
    json_t **values = calloc(count + 1, sizeof *values);
    json_t *result = values ? json_array() : NULL;

    for (size_t i = 0; result && i < count; i++)
        values[i] = json_array_get(array, i);
    if (result)
        qsort(values, count, sizeof *values, compare);
    for (size_t i = 0; result && i < count; i++) {
        if (json_array_append(result, values[i]) < 0) {
            json_decref(result);
            result = NULL;
        }
    }
    free(values);
    json_decref(array);
    return result;
}

json_t *roster_groups(struct board *board)
{
    json_t *groups = json_array();
    json_t *group;
    size_t i;
    int rc = groups ? lario_each_group(board->devices, add_group, groups) : LARIO_ENOMEM;

    if (rc >= 0)
        groups = sorted(groups, compare_groups);
    json_array_foreach(groups, i, group)
    {
        json_t *members = json_array();

        if (!members ||
            lario_each_member(board->devices, json_member(group, "group"), add_member, members) < 0)
            rc = LARIO_ENOMEM;
        members = sorted(members, compare_strings);
        if (json_object_set_new(group, "members", members) < 0)
            rc = LARIO_ENOMEM;
    }
    if (rc < 0) {
        json_decref(groups);
        return NULL;
    }
    return groups;
}

/* Notes each group in its members' entries of `devices`, an object by serial. */
static int note_groups(json_t *devices, json_t *groups)
{
    json_t *group;
    json_t *serial;
    size_t i;
    size_t j;

    json_array_foreach(groups, i, group)
    {
        json_array_foreach(json_object_get(group, "members"), j, serial)
        {
            json_t *device = json_object_get(devices, json_string_value(serial));

            if (device && json_array_append(json_object_get(device, "groups"),
                                            json_object_get(group, "group")) < 0)
                return LARIO_ENOMEM;
        }
    }
    return 0;
}

json_t *roster_devices(struct board *board)
{
    json_t *devices = json_object();
    json_t *groups = roster_groups(board);
    json_t *list = json_array();
    const char *serial;
    json_t *device;
    int rc = devices && groups && list ? 0 : LARIO_ENOMEM;

    if (rc >= 0)
        rc = lario_each(board->devices, "", add_device, devices);
    if (rc >= 0)
        rc = note_groups(devices, groups);
    json_object_foreach(devices, serial, device)
    {
        if (json_array_append(list, device) < 0)
            rc = LARIO_ENOMEM;
    }
    json_decref(groups);
    json_decref(devices);
    if (rc >= 0)
        return sorted(list, compare_devices);
    json_decref(list);
    return NULL;
}

json_t *roster_device(struct board *board, const char *serial, int *ret_rc)
{
    char since[LARIO_META_BYTES_MAX + 1];
    lario_pid pid;
    json_t *devices;
    json_t *device = NULL;
    json_t *groups;
    int rc = lario_lookup(board->devices, serial, &pid, since);

    if (rc < 0) {
        *ret_rc = rc;
        return NULL;
    }
    devices = json_object();
    groups = roster_groups(board);
    if (devices && groups && add_device(devices, serial, pid, since) >= 0 &&
        note_groups(devices, groups) >= 0)
        device = json_incref(json_object_get(devices, serial));
    json_decref(groups);
    json_decref(devices);
    *ret_rc = device ? 0 : LARIO_ENOMEM;
    return device;
}
