/* SPDX-License-Identifier: MIT
 *
 * stack_trace.c - RtlCaptureStackBackTrace, by the unwinder of C++ exceptions.
 */
#include <unwind.h>

#include "winapi/linux/surface.h"

struct walk {
    DWORD to_skip, to_take;
    WORD taken;
    void **frames;
    ULONG sum;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *frame, void *arg)
{
    struct walk *walk = arg;
    uintptr_t address = _Unwind_GetIP(frame);
    if (!address || !walk->to_take)
        return _URC_NORMAL_STOP;
    if (walk->to_skip) {
        walk->to_skip--;
        return _URC_NO_REASON;
    }
    walk->to_take--;
    walk->frames[walk->taken++] = (void *)address;
    walk->sum += (ULONG)address;
    return _URC_NO_REASON;
}

/* The first frame is that of the function which calls it. */
WORD WINAPI RtlCaptureStackBackTrace(DWORD FramesToSkip, DWORD FramesToCapture, PVOID *BackTrace,
                                     PDWORD BackTraceHash)
{
    struct walk walk = {.to_skip = FramesToSkip + 1,
                        .to_take = FramesToCapture > 0xFFFF ? 0xFFFF : FramesToCapture,
                        .frames = BackTrace};
    _Unwind_Backtrace(visit, &walk);
    if (BackTraceHash && walk.taken)
        *BackTraceHash = walk.sum;
    return walk.taken;
}
