/* SPDX-License-Identifier: MIT
 *
 * win32_vectored.c - the order of vectored handlers, and RtlCaptureContext.
 *
 * Wine 8 does not call the vectored continue handler.
 *
 * modes: win32
 * except: told_that_it_goes_on
 */
#include <windows.h>

#include <string.h>

#include "gtest_c.h"
#include "kinds.h"

static struct {
    int count;
    char names[16];
    PVOID removes;
} called;

static LONG note(char name)
{
    if (called.count < 15)
        called.names[called.count++] = name;
    return EXCEPTION_CONTINUE_SEARCH;
}

static LONG CALLBACK handler_a(EXCEPTION_POINTERS *exception)
{
    return note('a');
}

static LONG CALLBACK handler_b(EXCEPTION_POINTERS *exception)
{
    return note('b');
}

static LONG CALLBACK handler_last(EXCEPTION_POINTERS *exception)
{
    note('l');
    return exception->ExceptionRecord->ExceptionCode == 0xE0000001 ? EXCEPTION_CONTINUE_EXECUTION
                                                                   : EXCEPTION_CONTINUE_SEARCH;
}

static LONG CALLBACK handler_continue(EXCEPTION_POINTERS *exception)
{
    return note('c');
}

static LONG CALLBACK handler_that_removes(EXCEPTION_POINTERS *exception)
{
    EXPECT_NE(RemoveVectoredExceptionHandler(called.removes), 0);
    return note('r');
}

static void raise_one(const char *expected)
{
    memset(called.names, 0, sizeof called.names);
    called.count = 0;
    RaiseException(0xE0000001, 0, 0, NULL);
    EXPECT_STREQ(called.names, expected);
}

TEST_IN_EACH_KIND(Win32Vectored, in_their_order)
{
    PVOID last = AddVectoredExceptionHandler(FALSE, handler_last);
    PVOID a = AddVectoredExceptionHandler(TRUE, handler_a);
    PVOID b = AddVectoredExceptionHandler(TRUE, handler_b);
    PVOID again = AddVectoredExceptionHandler(TRUE, handler_a);

    raise_one("abal");
    EXPECT_NE(RemoveVectoredExceptionHandler(a), 0);
    raise_one("abl");
    EXPECT_NE(RemoveVectoredExceptionHandler(again), 0);
    EXPECT_EQ(RemoveVectoredExceptionHandler(again), 0);
    EXPECT_EQ(RemoveVectoredContinueHandler(b), 0);
    EXPECT_EQ(RemoveVectoredExceptionHandler(NULL), 0);
    raise_one("bl");
    called.removes = AddVectoredExceptionHandler(TRUE, handler_that_removes);
    raise_one("rbl");
    raise_one("bl");
    EXPECT_NE(RemoveVectoredExceptionHandler(b), 0);
    EXPECT_NE(RemoveVectoredExceptionHandler(last), 0);
}

TEST_IN_EACH_KIND(Win32Vectored, told_that_it_goes_on)
{
    PVOID last = AddVectoredExceptionHandler(FALSE, handler_last);
    PVOID then = AddVectoredContinueHandler(TRUE, handler_continue);

    raise_one("lc");
    EXPECT_NE(RemoveVectoredContinueHandler(then), 0);
    raise_one("l");
    EXPECT_NE(RemoveVectoredExceptionHandler(last), 0);
}

/* ---- RtlCaptureContext ---- */

static __attribute__((noinline)) DWORD_PTR stack_here(void)
{
    return (DWORD_PTR)__builtin_frame_address(0);
}

TEST_IN_EACH_KIND(Win32Vectored, captured_registers)
{
    CONTEXT context;
    DWORD_PTR here = stack_here();
    ULONGLONG kept;

    memset(&context, 0x55, sizeof context);
    __asm__ volatile("mov $0x1234567, %0" : "=r"(kept));
    RtlCaptureContext(&context);
    EXPECT_EQ(kept, 0x1234567);
    EXPECT_EQ(context.ContextFlags & CONTEXT_FULL, CONTEXT_FULL);
    EXPECT_LT(here - context.Rsp + 65536, 131072);
    EXPECT_NE(context.Rip, 0);
    EXPECT_EQ(context.MxCsr & 0x1F80, 0x1F80);
    EXPECT_EQ(context.FltSave.MxCsr, context.MxCsr);
}
