/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/date.h"

#include <stdio.h>
#include <time.h>

bool lario_date_format(int64_t seconds, char text[LARIO_DATE_BYTES + 1])
{
    static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t time = (time_t)seconds;
    struct tm utc;

    text[0] = '\0';
    if (seconds < 0 || !gmtime_r(&time, &utc) || utc.tm_year > 9999 - 1900)
        return false;
    /* The remainders change nothing; they tell the compiler that the text fits. */
    snprintf(text, LARIO_DATE_BYTES + 1, "%s, %02u %s %04u %02u:%02u:%02u GMT", days[utc.tm_wday],
             (unsigned)utc.tm_mday % 100, months[utc.tm_mon],
             (unsigned)(utc.tm_year + 1900) % 10000, (unsigned)utc.tm_hour % 100,
             (unsigned)utc.tm_min % 100, (unsigned)utc.tm_sec % 100);
    return true;
}
