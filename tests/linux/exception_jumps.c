/* SPDX-License-Identifier: MIT
 *
 * exception_jumps.c - handlers of exceptions that jump out.
 *
 * modes: default, UMSSHIM_FSGSBASE=0, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=0
 */
#include "exception_child.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int *volatile nowhere = (volatile int *)16;

/* ---- jumps out, which take the place of __except ---- */

static __thread sigjmp_buf outside;

static LONG CALLBACK jump_out(EXCEPTION_POINTERS *exception)
{
    siglongjmp(outside, 1);
}

static void fault_and_jump(void *arg)
{
    volatile int jumped = 0;

    AddVectoredExceptionHandler(TRUE, jump_out);
    for (int i = 0; i < 50; i++) {
        if (sigsetjmp(outside, 1)) {
            jumped++;
            Sleep(0);
        } else if (i & 1) {
            RaiseException(0xE0000001, 0, 0, NULL);
        } else {
            *nowhere = 1;
        }
    }
    EXPECT_EQ(jumped, 50);
}

TEST(Exceptions, jumps_out_of_a_handler)
{
    ends_well(fault_and_jump);
}

/* ---- a view whose file has become shorter ---- */

static EXCEPTION_RECORD seen;

static LONG CALLBACK note_and_jump(EXCEPTION_POINTERS *exception)
{
    seen = *exception->ExceptionRecord;
    siglongjmp(outside, 1);
}

static void touch_shortened(void *arg)
{
    int file = memfd_create("shortened", MFD_CLOEXEC);
    char *view;

    EXPECT_EQ(ftruncate(file, 8192), 0);
    view = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    EXPECT_NE(view, MAP_FAILED);
    EXPECT_EQ(ftruncate(file, 4096), 0);
    AddVectoredExceptionHandler(TRUE, note_and_jump);
    if (!sigsetjmp(outside, 1))
        *(volatile char *)(view + 5000) = 1;
    EXPECT_EQ(seen.ExceptionCode, EXCEPTION_IN_PAGE_ERROR);
    EXPECT_EQ(seen.NumberParameters, 3);
    EXPECT_EQ(seen.ExceptionInformation[0], 1);
    EXPECT_EQ(seen.ExceptionInformation[1], view + 5000);
}

TEST(Exceptions, a_page_that_cannot_be_had)
{
    ends_well(touch_shortened);
}
