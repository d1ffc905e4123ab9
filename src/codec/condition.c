/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/condition.h"

#include <string.h>

#include "codec/date.h"
#include "codec/etag.h"

/* Whether the list has the tag, or 1 for "*" if there is a representation; negative: malformed. */
static int has_tag(const char *list, const lario_validators *of, enum lario_etag_comparison how)
{
    int rc = lario_etag_list_has(list, strlen(list), of->is_missing ? NULL : of->etag, how);

    return rc == 1 && of->is_missing ? 0 : rc;
}

/* Whether it was modified after the date; `otherwise` when that is not a date, or not known. */
static bool is_newer(const char *value, const lario_validators *of, int64_t now_s, bool otherwise)
{
    int64_t date;

    if (of->is_missing || of->modified_s == LARIO_MODIFIED_UNKNOWN ||
        !lario_date_parse(value, strlen(value), now_s, &date))
        return otherwise;
    return of->modified_s > date;
}

enum lario_condition_result lario_condition_check(const lario_conditions *conditions,
                                                  const lario_validators *of, bool is_get,
                                                  int64_t now_s)
{
    if (conditions->if_match) {
        if (has_tag(conditions->if_match, of, LARIO_ETAG_STRONG) == 0)
            return LARIO_CONDITION_FAILED;
    } else if (conditions->if_unmodified_since) {
        if (is_newer(conditions->if_unmodified_since, of, now_s, false))
            return LARIO_CONDITION_FAILED;
    }
    if (conditions->if_none_match) {
        if (has_tag(conditions->if_none_match, of, LARIO_ETAG_WEAK) == 1)
            return is_get ? LARIO_CONDITION_NOT_MODIFIED : LARIO_CONDITION_FAILED;
    } else if (conditions->if_modified_since && is_get) {
        if (!is_newer(conditions->if_modified_since, of, now_s, true))
            return LARIO_CONDITION_NOT_MODIFIED;
    }
    return LARIO_CONDITION_MET;
}

bool lario_condition_allows_range(const lario_conditions *conditions, const lario_validators *of,
                                  int64_t now_s)
{
    const char *value = conditions->if_range;
    int64_t date;

    if (!value)
        return true;
    size_t len = strlen(value);

    if (lario_etag_is_valid(value, len))
        return of->etag &&
               lario_etag_is_equal(value, len, of->etag, strlen(of->etag), LARIO_ETAG_STRONG);
    return lario_date_parse(value, len, now_s, &date) && date == of->modified_s && date < now_s;
}
