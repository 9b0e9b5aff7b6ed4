/* SPDX-License-Identifier: MIT
 *
 * locale.c - locales by number: the user's, the system's, each thread's.
 *
 * There are two locales, English (United States) and the invariant one. Calls that compare and map
 * text do the same for every locale's number. So the user's locale is English whatever LANG says:
 * with another one a program would expect that language's order and letters.
 */
#include "winapi/linux/surface.h"

enum { ENGLISH = LANG_ENGLISH, ENGLISH_US = SUBLANG_ENGLISH_US << 10 | LANG_ENGLISH };

static __thread LCID of_thread __attribute__((tls_model("initial-exec"))); /* 0: as the user's */

LCID WINAPI GetUserDefaultLCID(void)
{
    return ENGLISH_US;
}

LCID WINAPI GetSystemDefaultLCID(void)
{
    return ENGLISH_US;
}

LANGID WINAPI GetUserDefaultLangID(void)
{
    return ENGLISH_US;
}

LANGID WINAPI GetSystemDefaultLangID(void)
{
    return ENGLISH_US;
}

/* Replaces the numbers that mean a default; other numbers stay. */
LCID WINAPI ConvertDefaultLocale(LCID Locale)
{
    switch (Locale) {
    case LOCALE_NEUTRAL:
    case LOCALE_USER_DEFAULT:
    case LOCALE_SYSTEM_DEFAULT:
    case ENGLISH:
        return ENGLISH_US;
    default:
        return Locale;
    }
}

/* Both locales are supported and installed, so the flags make no difference. */
BOOL WINAPI IsValidLocale(LCID Locale, DWORD dwFlags)
{
    (void)dwFlags;
    return Locale == ENGLISH_US || Locale == LOCALE_INVARIANT;
}

LCID WINAPI GetThreadLocale(void)
{
    return of_thread ? of_thread : ENGLISH_US;
}

BOOL WINAPI SetThreadLocale(LCID Locale)
{
    LCID locale = ConvertDefaultLocale(Locale);
    if (!IsValidLocale(locale, LCID_INSTALLED))
        return win__fail(ERROR_INVALID_PARAMETER);
    of_thread = locale;
    return TRUE;
}
