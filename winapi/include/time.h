/* SPDX-License-Identifier: MIT
 *
 * time.h - libc's, plus Microsoft's secure functions: the result comes first, the return is
 * errno_t.
 */
#if defined(_MSC_VER) && !defined(__clang__) /* see umsshim_sdk.h */
#include <../ucrt/time.h>
#elif defined(_MSC_VER)
#include_next <time.h>
#else
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#include_next <time.h>

#if !defined(_WIN32) && !defined(UMSSHIM_TIME_H)
#define UMSSHIM_TIME_H

#include "umsshim_crt.h"

#ifndef __cplusplus
/* libc hides these with -std=c11. */
struct tm *localtime_r(const time_t *time, struct tm *result);
struct tm *gmtime_r(const time_t *time, struct tm *result);
char *ctime_r(const time_t *time, char *to);
char *asctime_r(const struct tm *time, char *to);
time_t timegm(struct tm *time);
void tzset(void);
int nanosleep(const struct timespec *time, struct timespec *rest);
#endif

#define _time64 time
#define _localtime64 localtime
#define _gmtime64 gmtime
#define _mktime64 mktime
#define _ctime64 ctime
#define _difftime64 difftime
#define _mkgmtime timegm
#define _mkgmtime64 timegm
#define _tzset tzset
#define _localtime64_s localtime_s
#define _gmtime64_s gmtime_s
#define _ctime64_s ctime_s
typedef time_t __time64_t;

static inline errno_t localtime_s(struct tm *result, const time_t *time)
{
    umsshim_require(result && time, "localtime_s", EINVAL, EINVAL);
    return localtime_r(time, result) ? 0 : EINVAL;
}

static inline errno_t gmtime_s(struct tm *result, const time_t *time)
{
    umsshim_require(result && time, "gmtime_s", EINVAL, EINVAL);
    return gmtime_r(time, result) ? 0 : EINVAL;
}

static inline errno_t ctime_s(char *to, size_t size, const time_t *time)
{
    umsshim_require(to && size >= 26 && time, "ctime_s", EINVAL, EINVAL);
    return ctime_r(time, to) ? 0 : EINVAL;
}

static inline errno_t asctime_s(char *to, size_t size, const struct tm *time)
{
    umsshim_require(to && size >= 26 && time, "asctime_s", EINVAL, EINVAL);
    return asctime_r(time, to) ? 0 : EINVAL;
}

#endif
#endif /* _MSC_VER */
