/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include <string.h>

#include "codec/condition.h"
#include "codec/date.h"
#include "codec/etag.h"
#include "codec/range.h"
#include "fuzz_target.h"
#include "lario/error.h"

/*
 * What clients say of parts and versions of a representation. The input's first byte gives the
 * length of the representation; the rest is read as ranges, as a list of entity tags and as a date.
 */

#define RANGES_MAX 8
#define NOW INT64_C(1700000000)

static uint64_t total_of(uint8_t byte)
{
    return byte < 200 ? byte : byte < 254 ? (uint64_t)byte << 31 : UINT64_MAX - (byte == 254);
}

/* What is sent is in the whole, and none of it twice. */
static void check_ranges(const char *value, size_t len, uint64_t total)
{
    lario_range ranges[RANGES_MAX];
    int count = lario_range_parse(value, len, total, ranges, RANGES_MAX);

    FUZZ_CHECK(count >= LARIO_RANGE_UNSATISFIABLE && count <= RANGES_MAX);
    for (int i = 0; i < count; i++) {
        FUZZ_CHECK(ranges[i].first <= ranges[i].last && ranges[i].last < total);
        for (int k = 0; k < i; k++)
            FUZZ_CHECK(ranges[i].last < ranges[k].first || ranges[k].last < ranges[i].first);
    }
    /* With fewer ranges allowed it is the same answer, or none. */
    lario_range again[RANGES_MAX];
    int fewer = lario_range_parse(value, len, total, again, RANGES_MAX / 2);

    FUZZ_CHECK(fewer == 0 || fewer == count);
}

static void check_tags(const char *list, size_t len)
{
    static const char tag[] = "\"a\"";
    int strong = lario_etag_list_has(list, len, tag, LARIO_ETAG_STRONG);
    int weak = lario_etag_list_has(list, len, tag, LARIO_ETAG_WEAK);

    FUZZ_CHECK((strong < 0) == (weak < 0));
    FUZZ_CHECK(strong == LARIO_EPROTO || (strong >= 0 && strong <= weak && weak <= 1));
    if (lario_etag_is_valid(list, len)) {
        FUZZ_CHECK(weak >= 0);
        FUZZ_CHECK(lario_etag_is_equal(list, len, list, len, LARIO_ETAG_WEAK));
    }
}

static void check_date(const char *text, size_t len)
{
    char written[LARIO_DATE_BYTES + 1];
    int64_t seconds = 0, again = 0;

    if (!lario_date_parse(text, len, NOW, &seconds))
        return;
    FUZZ_CHECK(seconds >= INT64_C(-62167219200) && seconds <= INT64_C(253402300800));
    if (!lario_date_format(seconds, written))
        return;
    FUZZ_CHECK(lario_date_parse(written, LARIO_DATE_BYTES, NOW, &again) && again == seconds);
}

static void check_conditions(const char *value)
{
    const lario_validators of = {.etag = "\"a\"", .modified_s = 784111777};
    const lario_conditions tags = {.if_match = value, .if_none_match = value, .if_range = value};
    const lario_conditions dates = {.if_unmodified_since = value, .if_modified_since = value};

    (void)lario_condition_check(&tags, &of, true, NOW);
    FUZZ_CHECK(lario_condition_check(&dates, &of, false, NOW) != LARIO_CONDITION_NOT_MODIFIED);
    if (lario_condition_allows_range(&tags, &of, NOW))
        FUZZ_CHECK(strcmp(value, of.etag) == 0 || strstr(value, "94"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t len = size - 1;
    char *text = malloc(len + 1); /* of its exact size, so that a read beyond it is seen */
    char *exact = malloc(len > 0 ? len : 1);

    FUZZ_CHECK(text && exact);
    memcpy(text, data + 1, len);
    text[len] = '\0';
    memcpy(exact, data + 1, len);
    check_ranges(exact, len, total_of(data[0]));
    check_tags(exact, len);
    check_date(exact, len);
    check_conditions(text);
    free(text);
    free(exact);
    return 0;
}
