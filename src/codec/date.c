/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/date.h"

#include <string.h>

#include "codec/char_class.h"

/*
 * Days are counted in eras of 400 years, which all have the same number of days, and years from
 * March on, so that the leap day is the last one: then all is plain division.
 */

#define DAY_S 86400
#define ERA_DAYS 146097
#define DAYS_TO_1970 719468 /* from the first of March of the year 0 */
#define YEAR_9999_END_S INT64_C(253402300800)

static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static const char *const long_days[7] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                         "Thursday", "Friday", "Saturday"};
static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

typedef struct date {
    int year;
    int month; /* from 0 */
    int day;   /* from 1 */
    int hour;
    int minute;
    int second;
} date;

/* ---- Days ---- */

/* Years from 0 on. */
static int64_t days_since_1970(int year, int month, int day)
{
    int march_year = month < 2 ? year - 1 : year;
    int march_month = (month + 10) % 12;
    /* The year before 0 belongs to an era before. */
    int era = march_year < 0 ? -1 : march_year / 400;
    int of_era = march_year - era * 400;
    int of_year = (153 * march_month + 2) / 5 + day - 1;

    return (int64_t)era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
           DAYS_TO_1970;
}

/* Days from 1970 on. */
static void split_days(int since_1970, date *ret_date)
{
    int all = since_1970 + DAYS_TO_1970;
    int era = all / ERA_DAYS, of_era = all % ERA_DAYS;
    int year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int of_year = of_era - (365 * year + year / 4 - year / 100);
    int month = (5 * of_year + 2) / 153;

    ret_date->day = of_year - (153 * month + 2) / 5 + 1;
    ret_date->month = (month + 2) % 12;
    ret_date->year = era * 400 + year + (ret_date->month < 2);
}

static int days_of_month(int year, int month)
{
    static const char lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return month == 1 && is_leap ? 29 : lengths[month];
}

/* ---- Writing ---- */

static char *put_digits(char *at, int number, int count)
{
    for (int i = count; i-- > 0; number /= 10)
        at[i] = (char)('0' + number % 10);
    return at + count;
}

static char *put_name(char *at, const char name[4])
{
    memcpy(at, name, 3);
    at[3] = ' ';
    return at + 4;
}

bool lario_date_format(int64_t seconds, char text[LARIO_DATE_BYTES + 1])
{
    date when;
    char *at = text;

    text[0] = '\0';
    if (seconds < 0 || seconds >= YEAR_9999_END_S)
        return false;
    int day = (int)(seconds / DAY_S), of_day = (int)(seconds % DAY_S);

    split_days(day, &when);
    at = put_name(at, days[(day + 4) % 7]);
    at[-1] = ',';
    *at++ = ' ';
    at = put_digits(at, when.day, 2);
    *at++ = ' ';
    at = put_name(at, months[when.month]);
    at = put_digits(at, when.year, 4);
    *at++ = ' ';
    at = put_digits(at, of_day / 3600, 2);
    *at++ = ':';
    at = put_digits(at, of_day / 60 % 60, 2);
    *at++ = ':';
    at = put_digits(at, of_day % 60, 2);
    memcpy(at, " GMT", 5);
    return true;
}

/* ---- Reading ---- */

/* What is left of the text; a step that does not fit makes it `failed`, and all further ones. */
typedef struct reader {
    const char *at;
    const char *end;
    bool failed;
} reader;

static void read_text(reader *from, const char *text)
{
    size_t len = strlen(text);

    if (from->failed || (size_t)(from->end - from->at) < len || memcmp(from->at, text, len) != 0)
        from->failed = true;
    else
        from->at += len;
}

/* Exactly `count` digits. */
static int read_digits(reader *from, int count)
{
    int number = 0;

    if (from->failed || from->end - from->at < count)
        from->failed = true;
    for (int i = 0; i < count && !from->failed; i++) {
        if (lario_char_is_digit(*from->at))
            number = number * 10 + (*from->at++ - '0');
        else
            from->failed = true;
    }
    return number;
}

/* Which of `count` names of three letters is next. */
static int read_name(reader *from, const char (*names)[4], int count)
{
    for (int i = 0; i < count && !from->failed && from->end - from->at >= 3; i++) {
        if (memcmp(from->at, names[i], 3) == 0) {
            from->at += 3;
            return i;
        }
    }
    from->failed = true;
    return 0;
}

static void read_time(reader *from, date *when)
{
    when->hour = read_digits(from, 2);
    read_text(from, ":");
    when->minute = read_digits(from, 2);
    read_text(from, ":");
    when->second = read_digits(from, 2);
}

static date read_fixdate(reader *from)
{
    date when = {0};

    read_text(from, ", ");
    when.day = read_digits(from, 2);
    read_text(from, " ");
    when.month = read_name(from, months, 12);
    read_text(from, " ");
    when.year = read_digits(from, 4);
    read_text(from, " ");
    read_time(from, &when);
    read_text(from, " GMT");
    return when;
}

static date read_asctime(reader *from)
{
    date when = {0};

    read_text(from, " ");
    when.month = read_name(from, months, 12);
    read_text(from, " ");
    if (!from->failed && from->at < from->end && *from->at == ' ') {
        from->at++;
        when.day = read_digits(from, 1);
    } else {
        when.day = read_digits(from, 2);
    }
    read_text(from, " ");
    read_time(from, &when);
    read_text(from, " ");
    when.year = read_digits(from, 4);
    return when;
}

/* Behind the first three letters of the day, `day`. */
static date read_rfc850(reader *from, int day, int now_year)
{
    date when = {0};

    read_text(from, long_days[day] + 3);
    read_text(from, ", ");
    when.day = read_digits(from, 2);
    read_text(from, "-");
    when.month = read_name(from, months, 12);
    read_text(from, "-");
    when.year = read_digits(from, 2);
    when.year += (now_year + 50 - when.year) / 100 * 100;
    read_text(from, " ");
    read_time(from, &when);
    read_text(from, " GMT");
    return when;
}

static int year_of(int64_t seconds)
{
    date when;

    if (seconds < 0 || seconds >= YEAR_9999_END_S)
        return 1970;
    split_days((int)(seconds / DAY_S), &when);
    return when.year;
}

bool lario_date_parse(const char *text, size_t len, int64_t now_s, int64_t *ret_seconds)
{
    reader from = {.at = text, .end = text + len};
    int day = read_name(&from, days, 7);
    char next = from.at < from.end ? *from.at : '\0';
    date when = next == ','   ? read_fixdate(&from)
                : next == ' ' ? read_asctime(&from)
                              : read_rfc850(&from, day, year_of(now_s));

    /* A leap second is the first one of the next minute. */
    if (from.failed || from.at != from.end || when.day < 1 || when.hour > 23 || when.minute > 59 ||
        when.second > 60 || when.day > days_of_month(when.year, when.month))
        return false;
    *ret_seconds = days_since_1970(when.year, when.month, when.day) * DAY_S + when.hour * 3600 +
                   when.minute * 60 + when.second;
    return true;
}
