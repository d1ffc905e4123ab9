/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/form.h"

#include <string.h>

#include "codec/form.h"
#include "codec/params.h"
#include "http/request.h"

/* Forms that are read whole. */

typedef struct form_fields {
    lario_form_pair *pairs;
    size_t count;
} form_fields;

static bool is_form(lario_req *req)
{
    const char *type = lario_header(req, "Content-Type");

    return type && lario_media_type_is(type, strlen(type), "application/x-www-form-urlencoded");
}

static int decode(lario_req *req, const char *data, size_t len, form_fields *fields)
{
    uint32_t max = lario_req_limits(req)->form_fields_max;
    size_t count = lario_form_count(data, len, max);

    if (count > max)
        return LARIO_ETOOBIG;
    fields->pairs = lario_alloc(req, count * sizeof fields->pairs[0]);
    char *text = lario_alloc(req, len + 1);

    if (!fields->pairs || !text)
        return LARIO_ENOMEM;
    int rc = lario_form_decode(data, len, fields->pairs, text);

    fields->count = rc < 0 ? 0 : (size_t)rc;
    return rc < 0 ? rc : 0;
}

int lario_form_read(lario_req *req)
{
    void **slot = lario_req_slot(req, LARIO_REQ_SLOT_FORM);
    const char *data;
    size_t len;

    if (*slot)
        return 0;
    if (!is_form(req))
        return LARIO_EMEDIA;
    int rc = lario_body(req, &data, &len);
    form_fields *fields = rc < 0 ? NULL : lario_alloc(req, sizeof *fields);

    if (rc < 0)
        return rc;
    if (!fields)
        return LARIO_ENOMEM;
    rc = decode(req, data, len, fields);
    if (rc == 0)
        *slot = fields;
    return rc;
}

const char *lario_form(lario_req *req, const char *name)
{
    const form_fields *fields = *lario_req_slot(req, LARIO_REQ_SLOT_FORM);

    for (size_t i = 0; fields && i < fields->count; i++)
        if (strcmp(fields->pairs[i].name, name) == 0)
            return fields->pairs[i].value;
    return NULL;
}

int lario_form_at(lario_req *req, size_t index, const char **ret_name, const char **ret_value)
{
    const form_fields *fields = *lario_req_slot(req, LARIO_REQ_SLOT_FORM);

    if (!fields || index >= fields->count)
        return LARIO_ENOTFOUND;
    *ret_name = fields->pairs[index].name;
    *ret_value = fields->pairs[index].value;
    return 0;
}
