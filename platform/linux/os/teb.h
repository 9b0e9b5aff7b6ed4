/* SPDX-License-Identifier: MIT
 *
 * teb.h - the part of a thread's environment block that programs read, at Windows' offsets for x64.
 *
 * Each thread has one in its thread-local block. So a worker's travels with it, and its address
 * stays the same. UmsThreadTeb and NtCurrentTeb give it. The GS register does not lead to it.
 *
 * The thread itself writes it, except a worker's at its birth, which its home writes.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_TEB_H
#define UMSSHIM_PLATFORM_LINUX_OS_TEB_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* FiberData of a thread that is no fiber: on Windows the version of an OS/2 block. */
#define TEB_NO_FIBER 0x1e00

struct plat_teb {
    void *exception_list;
    uintptr_t stack_base;  /* the upper end of the stack that the thread is on */
    uintptr_t stack_limit; /* the lowest address of it that may be used */
    void *sub_system;
    void *fiber_data; /* the fiber that runs, or TEB_NO_FIBER */
    void *user_pointer;
    struct plat_teb *self; /* NULL: the block is not filled in yet */
    void *environment;
    uintptr_t process_id, thread_id;
    void *rpc_handle, *tls_pointer, *peb;
    uint32_t last_error; /* valid from the start */
};
_Static_assert(offsetof(struct plat_teb, fiber_data) == 0x20 &&
                   offsetof(struct plat_teb, self) == 0x30 &&
                   offsetof(struct plat_teb, process_id) == 0x40 &&
                   offsetof(struct plat_teb, last_error) == 0x68,
               "programs have these offsets compiled in");

/* The calling thread's block, filled in. */
struct plat_teb *teb_current(void);
/* In a child after fork: the calling thread has other ids. */
void teb_forked(void);
/* Fills in the block of a worker that is being born. */
void teb_born(struct plat_teb *teb, pid_t tid, uintptr_t stack_limit, uintptr_t stack_base);

#endif
