/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/range.h"

#include <stdbool.h>
#include <string.h>

#include "codec/char_class.h"
#include "codec/token.h"

/* Reads digits; false when there are none. What does not fit 64 bits is the largest number. */
static bool read_number(const char **at, const char *end, uint64_t *ret_number)
{
    const char *first = *at;
    uint64_t number = 0;

    for (; *at < end && lario_char_is_digit(**at); (*at)++) {
        uint64_t digit = (uint64_t)(**at - '0');

        number = number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : number * 10 + digit;
    }
    *ret_number = number;
    return *at > first;
}

enum spec_result {
    SPEC_INVALID,
    SPEC_EMPTY, /* beyond the end */
    SPEC_WHOLE_OF_NOTHING,
    SPEC_RANGE,
};

/* "-count" (the last bytes), "first-" or "first-last". */
static enum spec_result read_spec(const char *at, size_t len, uint64_t total, lario_range *ret)
{
    const char *end = at + len;
    uint64_t first, last;
    bool has_first = read_number(&at, end, &first);

    if (at == end || *at++ != '-')
        return SPEC_INVALID;
    bool has_last = read_number(&at, end, &last);

    if (at != end || (!has_first && !has_last))
        return SPEC_INVALID;
    if (!has_first) {
        if (last == 0)
            return SPEC_EMPTY;
        if (total == 0)
            return SPEC_WHOLE_OF_NOTHING;
        *ret = (lario_range){.first = last < total ? total - last : 0, .last = total - 1};
        return SPEC_RANGE;
    }
    if (has_last && last < first)
        return SPEC_INVALID;
    if (first >= total)
        return SPEC_EMPTY;
    *ret = (lario_range){.first = first, .last = has_last && last < total ? last : total - 1};
    return SPEC_RANGE;
}

/* Whether the two overlap or touch; a range ends before the largest number. */
static bool is_near(const lario_range *a, const lario_range *b)
{
    return a->first <= b->last + 1 && b->first <= a->last + 1;
}

/* Adds a range, joined with those that it is near to; each of those is taken out at most once. */
static unsigned add(lario_range *ranges, unsigned count, lario_range range)
{
    unsigned place = count;

    for (unsigned i = 0; i < count;) {
        if (!is_near(&ranges[i], &range)) {
            i++;
            continue;
        }
        if (ranges[i].first < range.first)
            range.first = ranges[i].first;
        if (ranges[i].last > range.last)
            range.last = ranges[i].last;
        if (i < place)
            place = i;
        count--;
        memmove(&ranges[i], &ranges[i + 1], (count - i) * sizeof *ranges);
        i = 0; /* larger now, it may be near to one that it was not near to before */
    }
    if (place > count)
        place = count;
    memmove(&ranges[place + 1], &ranges[place], (count - place) * sizeof *ranges);
    ranges[place] = range;
    return count + 1;
}

int lario_range_parse(const char *value, size_t len, uint64_t total, lario_range *ranges,
                      unsigned ranges_max)
{
    static const char unit[] = "bytes=";
    const char *end = value + len, *spec;
    size_t spec_len;
    unsigned specs = 0, count = 0;
    bool ends_nothing = false;

    if (len < sizeof unit - 1 || !lario_ascii_equal_nocase(value, unit, sizeof unit - 1))
        return 0;
    value += sizeof unit - 1;
    while (lario_token_list_next(&value, end, &spec, &spec_len)) {
        lario_range range;
        enum spec_result result = read_spec(spec, spec_len, total, &range);

        if (result == SPEC_INVALID || ++specs > ranges_max)
            return 0;
        if (result == SPEC_RANGE)
            count = add(ranges, count, range);
        ends_nothing = ends_nothing || result == SPEC_WHOLE_OF_NOTHING;
    }
    if (specs == 0 || ends_nothing)
        return 0;
    return count > 0 ? (int)count : LARIO_RANGE_UNSATISFIABLE;
}
