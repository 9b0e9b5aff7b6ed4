/* SPDX-License-Identifier: MIT
 *
 * stub_jumps.h - recognises what is at the place of a system-call stub: the stub, or another
 * product's jump over it.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_STUB_JUMPS_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_STUB_JUMPS_H

#include <stdint.h>

enum stub_kind {
    STUB_USUAL,
    STUB_JUMPS,   /* another product's jump lies over its beginning, and its target is known */
    STUB_CHANGED, /* another product has changed its beginning */
    STUB_NONE     /* not recognised as a system-call stub */
};

struct stub {
    enum stub_kind kind;
    uint8_t at;         /* JUMPS: the offset of the jump in the stub */
    const void *target; /* JUMPS: where the jump leads */
};

/* `code`: the address that the module exports under a system call's name. */
struct stub stub_read(const uint8_t *code);

#endif
