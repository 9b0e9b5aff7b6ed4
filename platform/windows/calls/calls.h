/* SPDX-License-Identifier: MIT
 *
 * calls.h - the table of calls that are hooked because they may wait, or ask who calls.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_CALLS_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_CALLS_H

#include "platform/windows/os/hooks.h"
#include "platform/windows/switch/call.h"

struct call_row {
    enum call_class class;
    enum call_completion completion;
    enum call_place place;
    enum call_without without;
    struct hook hook;
};

extern struct call_row call_rows[];
extern const size_t call_row_count;

/* Hooks the stubs, once; those of class IDENTITY only if wanted. Returns how many were refused. */
int calls_install(bool identity);
/* The first call that could not be hooked and without which workers cannot be switched in place;
 * NULL if there is none. */
const char *calls_lacking(void);
void calls_remove(void);

#endif
