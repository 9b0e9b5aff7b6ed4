/* SPDX-License-Identifier: MIT
 *
 * win32_locales.c - locales by number: the user's, the system's, a thread's own.
 *
 * modes: win32
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

TEST_IN_EACH_KIND(Win32Locales, defaults)
{
    EXPECT_EQ(LANGIDFROMLCID(GetUserDefaultLCID()), GetUserDefaultLangID());
    EXPECT_EQ(LANGIDFROMLCID(GetSystemDefaultLCID()), GetSystemDefaultLangID());
    EXPECT_EQ(ConvertDefaultLocale(LOCALE_USER_DEFAULT), GetUserDefaultLCID());
    EXPECT_EQ(ConvertDefaultLocale(LOCALE_SYSTEM_DEFAULT), GetSystemDefaultLCID());
    EXPECT_EQ(ConvertDefaultLocale(LOCALE_NEUTRAL), GetUserDefaultLCID());
    EXPECT_EQ(ConvertDefaultLocale(0x0009), 0x0409);
    EXPECT_EQ(ConvertDefaultLocale(LOCALE_INVARIANT), LOCALE_INVARIANT);
#ifndef _WIN32 /* on Windows it is what the user has chosen */
    EXPECT_EQ(GetUserDefaultLCID(), 0x0409);
    EXPECT_EQ(GetSystemDefaultLCID(), 0x0409);
#endif
}

TEST_IN_EACH_KIND(Win32Locales, which_are_there)
{
    EXPECT_NE(IsValidLocale(0x0409, LCID_SUPPORTED), FALSE);
    EXPECT_NE(IsValidLocale(0x0409, LCID_INSTALLED), FALSE);
    EXPECT_NE(IsValidLocale(LOCALE_INVARIANT, LCID_INSTALLED), FALSE);
    EXPECT_EQ(IsValidLocale(LOCALE_USER_DEFAULT, LCID_SUPPORTED), FALSE);
    EXPECT_EQ(IsValidLocale(0xfff0, LCID_SUPPORTED), FALSE);
#ifndef _WIN32
    EXPECT_EQ(IsValidLocale(0x0407, LCID_SUPPORTED), FALSE);
#endif
}

/* The next thread of the kind begins with the user's again. */
TEST_IN_EACH_KIND(Win32Locales, of_a_thread)
{
    EXPECT_EQ(GetThreadLocale(), GetUserDefaultLCID());
    EXPECT_OK(SetThreadLocale(LOCALE_INVARIANT));
    EXPECT_EQ(GetThreadLocale(), LOCALE_INVARIANT);
    EXPECT_FAILS(SetThreadLocale(0xfff0), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(GetThreadLocale(), LOCALE_INVARIANT);
    EXPECT_OK(SetThreadLocale(LOCALE_USER_DEFAULT));
    EXPECT_EQ(GetThreadLocale(), GetUserDefaultLCID());
}

static void take_the_invariant(void *unused)
{
    EXPECT_EQ(GetThreadLocale(), GetUserDefaultLCID());
    EXPECT_OK(SetThreadLocale(LOCALE_INVARIANT));
    EXPECT_EQ(GetThreadLocale(), LOCALE_INVARIANT);
}

TEST_IN_EACH_KIND(Win32Locales, each_thread_has_its_own)
{
    struct kind_thread thread;

    ASSERT_THAT(kind_start(&thread, KIND_PLAIN, take_the_invariant, NULL), "a thread");
    EXPECT_THAT(kind_join(&thread), "it ends");
    EXPECT_EQ(GetThreadLocale(), GetUserDefaultLCID());
}
