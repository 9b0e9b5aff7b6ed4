/* SPDX-License-Identifier: MIT
 *
 * thread_values.c - the single values that the system keeps for each thread are the worker's: last
 * error and status, errno, error mode, locale, the pointer that programs may use as they like.
 *
 * The hazard: in place several workers take turns in one thread's block. A value that is not
 * exchanged is shared by all of them and by their scheduler, which makes calls that change it.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=all
 */
#include "gtest_c.h"
#include "moving.h"

#include <errno.h>

enum { ROUNDS = 30, WORKERS = 4 };

static LONG(NTAPI *last_status)(void);
static void(NTAPI *set_status)(LONG);

static bool look_up(void)
{
    HMODULE ntdll = GetModuleHandleA("ntdll.dll");

    last_status = (LONG(NTAPI *)(void))(void *)GetProcAddress(ntdll, "RtlGetLastNtStatus");
    set_status = (void(NTAPI *)(LONG))(void *)GetProcAddress(
        ntdll, "RtlSetLastWin32ErrorAndNtStatusFromNtStatus");
    return last_status && set_status;
}

static void keep_last_error(struct worker *self)
{
    static const LONG status[WORKERS] = {(LONG)0xC0000005, (LONG)0xC0000008, (LONG)0xC000000D,
                                         (LONG)0xC0000022};
    static const DWORD code[WORKERS] = {ERROR_NOACCESS, ERROR_INVALID_HANDLE,
                                        ERROR_INVALID_PARAMETER, ERROR_ACCESS_DENIED};
    int me = self->index;

    for (int i = 0; i < 4 * ROUNDS && !tc_failures(); i++) {
        set_status(status[me]);
        errno = 1000 + me;
        UmsThreadYield(NULL);
        EXPECT_EQ(GetLastError(), code[me]);
        EXPECT_EQ(last_status(), status[me]);
        EXPECT_EQ(errno, 1000 + me);
        SetLastError(5000u + (DWORD)i);
        errno = 2000 + me;
        UmsThreadYield(NULL);
        EXPECT_EQ(GetLastError(), 5000 + i);
        step_aside(self, i);
        EXPECT_EQ(errno, 2000 + me);
    }
}

static void spoil_last_error(const struct activation *activation, void *arg)
{
    set_status((LONG)0xC0000034);
    SetLastError(77777);
}

TEST(ThreadValues, last_error_and_status)
{
    ASSERT_OK(look_up());
    ASSERT_OK(run_moving(2, WORKERS, keep_last_error, NULL, spoil_last_error));
}

static void keep_modes(struct worker *self)
{
    static const DWORD modes[WORKERS] = {0, SEM_FAILCRITICALERRORS, SEM_NOOPENFILEERRORBOX,
                                         SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX};
    static const LCID locales[WORKERS] = {0x409, 0x407, 0x40C, 0x411};

    EXPECT_OK(SetThreadErrorMode(modes[self->index], NULL));
    EXPECT_OK(SetThreadLocale(locales[self->index]));
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        step_aside(self, i);
        EXPECT_EQ(GetThreadErrorMode(), modes[self->index]);
        EXPECT_EQ(GetThreadLocale(), locales[self->index]);
    }
}

static LCID locale_before;

static void schedulers_modes(const struct activation *activation, void *arg)
{
    EXPECT_EQ(GetThreadErrorMode(), 0);
    EXPECT_EQ(GetThreadLocale(), locale_before);
}

TEST(ThreadValues, error_mode_and_locale)
{
    locale_before = GetThreadLocale();
    ASSERT_OK(run_moving(2, WORKERS, keep_modes, NULL, schedulers_modes));
    EXPECT_EQ(GetThreadLocale(), locale_before);
}

static void **user_pointer(void)
{
    return &((NT_TIB *)NtCurrentTeb())->ArbitraryUserPointer;
}

static void keep_user_pointer(struct worker *self)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        *user_pointer() = self + i;
        step_aside(self, i);
        EXPECT_EQ(*user_pointer(), self + i);
    }
    *user_pointer() = NULL;
}

static void schedulers_pointer(const struct activation *activation, void *arg)
{
    void *own = (void *)(ULONG_PTR)GetCurrentThreadId();

    if (activation->reason != UmsSchedulerStartup)
        EXPECT_EQ(*user_pointer(), own);
    *user_pointer() = own;
}

TEST(ThreadValues, arbitrary_user_pointer)
{
    ASSERT_OK(run_moving(2, WORKERS, keep_user_pointer, NULL, schedulers_pointer));
    *user_pointer() = NULL;
}

/* ---- Notes of the kernel thread ---------------------------------------------------------------------- */

/* Windows notes of a process's first thread that it is the first and has run the initialisation. That stays
 * with the thread: a worker that took these notes along, or took them off, would make every switch one of
 * threads that have little in common. */
enum { FIRST = 0x0420, OTHERS = 0x0080 }; /* a note that goes along */

static USHORT notes(void)
{
    USHORT bits;

    __asm__ volatile("movw %%gs:0x17ee, %0" : "=r"(bits));
    return bits;
}

static void note(USHORT bits)
{
    __asm__ volatile("movw %0, %%gs:0x17ee" : : "r"(bits));
}

static DWORD first_thread;

static void look_at_notes(struct worker *self)
{
    USHORT own = self->index % 2 ? OTHERS : 0;

    note(notes() | own);
    for (int i = 0; i < 20 && !tc_failures(); i++) {
        ULONG64 kernel;

        __asm__ volatile("movq %%gs:0x7e0, %0" : "=r"(kernel));
        EXPECT_EQ(notes() & (FIRST | OTHERS), (kernel == first_thread ? FIRST : 0) | own);
        step_aside(self, i);
    }
}

static void schedulers_keep_theirs(const struct activation *activation, void *arg)
{
    EXPECT_EQ(notes() & (FIRST | OTHERS), GetCurrentThreadId() == first_thread ? FIRST : 0);
}

TEST(ThreadValues, of_the_first_thread_stay_with_it)
{
    first_thread = GetCurrentThreadId();
    note(notes() | FIRST);
    ASSERT_OK(run_moving(2, 4, look_at_notes, NULL, schedulers_keep_theirs));
}
