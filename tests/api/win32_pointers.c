/* SPDX-License-Identifier: MIT
 *
 * win32_pointers.c - pointers that are encoded, looked at, and taken from the stack; and the small
 * calls beside them.
 *
 * modes: win32
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <stdbool.h>
#include <string.h>

static HANDLE const garbage = (HANDLE)0x7777770;

TEST_IN_EACH_KIND(Win32Pointers, encoded)
{
    int variable;
    void *encoded = EncodePointer(&variable);

    EXPECT_NE(encoded, &variable);
    EXPECT_EQ(DecodePointer(encoded), &variable);
    EXPECT_EQ(DecodePointer(EncodePointer(NULL)), NULL);
    EXPECT_EQ(EncodePointer(&variable), encoded);
    encoded = EncodeSystemPointer(&variable);
    EXPECT_NE(encoded, &variable);
    EXPECT_EQ(DecodeSystemPointer(encoded), &variable);
}

/* Three pages: one to write, one to read, one that is not there. */
TEST_IN_EACH_KIND(Win32Pointers, bad_ones)
{
    char *pages = VirtualAlloc(NULL, 3 * 4096, MEM_RESERVE, PAGE_READWRITE);
    DWORD before;

    ASSERT_OK(pages != NULL);
    ASSERT_OK(VirtualAlloc(pages, 2 * 4096, MEM_COMMIT, PAGE_READWRITE) != NULL);
    memset(pages, 'x', 2 * 4096);
    EXPECT_OK(VirtualProtect(pages + 4096, 4096, PAGE_READONLY, &before));
    EXPECT_EQ(IsBadReadPtr(pages, 2 * 4096), FALSE);
    EXPECT_NE(IsBadReadPtr(pages + 1, 2 * 4096), FALSE);
    EXPECT_EQ(IsBadReadPtr(NULL, 0), FALSE);
    EXPECT_NE(IsBadReadPtr(NULL, 1), FALSE);
    EXPECT_NE(IsBadReadPtr((void *)~(UINT_PTR)0, 100), FALSE);
    EXPECT_EQ(IsBadWritePtr(pages, 4096), FALSE);
    EXPECT_NE(IsBadWritePtr(pages, 4097), FALSE);
    EXPECT_NE(IsBadWritePtr(pages + 4096, 1), FALSE);
    EXPECT_EQ(IsBadWritePtr(&before, sizeof before), FALSE);
    EXPECT_NE(IsBadStringPtrA(pages + 2 * 4096 - 3, 10), FALSE);
    EXPECT_EQ(IsBadStringPtrA(pages + 2 * 4096 - 3, 3), FALSE);
    EXPECT_EQ(IsBadStringPtrA("short", 1000000), FALSE);
    EXPECT_EQ(IsBadCodePtr((FARPROC)(void *)GetTickCount), FALSE);
    EXPECT_NE(IsBadCodePtr((FARPROC)(void *)(pages + 2 * 4096)), FALSE);
    EXPECT_EQ(pages[0], 'x');
    EXPECT_OK(VirtualFree(pages, 0, MEM_RELEASE));
}

static WORD captured;
static void *frames[32];
static DWORD sum;

static __attribute__((noinline)) void inner(void)
{
    captured = RtlCaptureStackBackTrace(0, 32, frames, &sum);
    __asm__ volatile("" ::: "memory"); /* no jump instead of the call */
}

static __attribute__((noinline)) void outer(void)
{
    inner();
    __asm__ volatile("" ::: "memory");
}

static bool within(const void *address, void (*function)(void))
{
    return (const char *)address > (const char *)function &&
           (const char *)address < (const char *)function + 200;
}

TEST_IN_EACH_KIND(Win32Pointers, stack_trace)
{
    void *one = NULL;

    outer();
    ASSERT_GE(captured, 3);
    EXPECT_LE(captured, 32);
    EXPECT_THAT(within(frames[0], inner), "the first frame is %p, not in %p", frames[0],
                (void *)inner);
    EXPECT_THAT(within(frames[1], outer), "the second frame is %p, not in %p", frames[1],
                (void *)outer);
    EXPECT_NE(sum, 0);
    EXPECT_EQ(RtlCaptureStackBackTrace(0, 1, &one, NULL), 1);
    EXPECT_EQ(RtlCaptureStackBackTrace(0, 0, NULL, NULL), 0);
    EXPECT_EQ(RtlCaptureStackBackTrace(1000, 32, frames, NULL), 0);
}

/* ---- Small calls ----------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32Pointers, mul_div)
{
    EXPECT_EQ(MulDiv(7, 3, 2), 11); /* 10.5 */
    EXPECT_EQ(MulDiv(-7, 3, 2), -11);
    EXPECT_EQ(MulDiv(7, 3, -2), -11);
    EXPECT_EQ(MulDiv(10, 1, 3), 3);
    EXPECT_EQ(MulDiv(0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF), 0x7FFFFFFF);
    EXPECT_EQ(MulDiv(1, 1, 0), -1);
    EXPECT_EQ(MulDiv(0x7FFFFFFF, 2, 1), -1);
}

TEST_IN_EACH_KIND(Win32Pointers, error_modes)
{
    UINT before = SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
    DWORD mode = 4711;

    EXPECT_EQ(GetErrorMode(), SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
    EXPECT_EQ(SetErrorMode(before), SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
    EXPECT_OK(SetThreadErrorMode(SEM_NOOPENFILEERRORBOX, &mode));
    EXPECT_EQ(mode, 0);
    EXPECT_EQ(GetThreadErrorMode(), SEM_NOOPENFILEERRORBOX);
    EXPECT_FAILS(SetThreadErrorMode(0x40, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_OK(SetThreadErrorMode(0, &mode));
    EXPECT_EQ(mode, SEM_NOOPENFILEERRORBOX);
}

TEST_IN_EACH_KIND(Win32Pointers, of_this_process)
{
    BOOL present = 2;
    BOOL old = 2;
    SYSTEM_POWER_STATUS power;

    EXPECT_OK(CheckRemoteDebuggerPresent(GetCurrentProcess(), &present));
    EXPECT_EQ(present, IsDebuggerPresent());
    EXPECT_FAILS(CheckRemoteDebuggerPresent(NULL, &present), ERROR_INVALID_PARAMETER);
    EXPECT_OK(IsWow64Process(GetCurrentProcess(), &old));
    EXPECT_EQ(old, FALSE);
    EXPECT_FAILS(IsWow64Process(garbage, &old), ERROR_INVALID_HANDLE);
    EXPECT_OK(FlushInstructionCache(GetCurrentProcess(), NULL, 0));
    EXPECT_OK(GetSystemPowerStatus(&power));
    EXPECT_THAT(power.ACLineStatus <= 1 || power.ACLineStatus == 255, "it is %u",
                power.ACLineStatus);
    EXPECT_THAT(power.BatteryLifePercent <= 100 || power.BatteryLifePercent == 255, "it is %u",
                power.BatteryLifePercent);
}
