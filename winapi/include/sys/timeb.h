/* SPDX-License-Identifier: MIT
 *
 * sys/timeb.h - the time with milliseconds, by Microsoft's names.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/sys/timeb.h>
#elif defined(_MSC_VER)
#include_next <sys/timeb.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#if defined(_WIN32)
#include_next <sys/timeb.h>
#elif !defined(UMSSHIM_SYS_TIMEB_H)
#define UMSSHIM_SYS_TIMEB_H

#include <time.h>

#include "../umsshim_crt.h"

#ifndef __cplusplus
/* libc hides these with -std=c11. */
struct tm *localtime_r(const time_t *time, struct tm *result);
void tzset(void);
extern long timezone;
#endif

struct _timeb {
    time_t time;
    unsigned short millitm;
    short timezone; /* minutes west of Greenwich, without summer time */
    short dstflag;
};
#define __timeb32 _timeb
#define __timeb64 _timeb

static inline errno_t _ftime_s(struct _timeb *to)
{
    struct timespec now;
    struct tm local;

    umsshim_require(to, "_ftime_s", EINVAL, EINVAL);
    timespec_get(&now, TIME_UTC);
    tzset();
    localtime_r(&now.tv_sec, &local);
    to->time = now.tv_sec;
    to->millitm = (unsigned short)(now.tv_nsec / 1000000);
    to->timezone = (short)(timezone / 60);
    to->dstflag = (short)(local.tm_isdst > 0);
    return 0;
}

static inline void _ftime(struct _timeb *to)
{
    (void)_ftime_s(to);
}
#define _ftime32 _ftime
#define _ftime64 _ftime
#define _ftime32_s _ftime_s
#define _ftime64_s _ftime_s

#endif
#endif /* _MSC_VER */
