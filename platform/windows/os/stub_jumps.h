/* SPDX-License-Identifier: MIT
 *
 * stub_jumps.h - what is at the place of a system-call stub: the stub, or somebody's jump over it.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_STUB_JUMPS_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_STUB_JUMPS_H

#include <stdint.h>

enum stub_kind {
    STUB_USUAL,
    STUB_JUMPS,   /* somebody else has put a jump over its beginning, whose target is known */
    STUB_CHANGED, /* somebody else has changed its beginning */
    STUB_NONE     /* it is not recognized as a system-call stub */
};

struct stub {
    enum stub_kind kind;
    uint8_t at;         /* JUMPS: after so many bytes */
    const void *target; /* JUMPS: where to */
};

/* code is what the module exports under a system call's name. */
struct stub stub_read(const uint8_t *code);

#endif
