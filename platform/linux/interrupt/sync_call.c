/* SPDX-License-Identifier: MIT
 *
 * sync_call.c - see sync_call.h.
 */
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>

#include "platform/linux/dispatch/address.h"
#include "platform/linux/interrupt/sync_call.h"

void sync_call_wake(struct plat_thread *thread)
{
    uintptr_t address = atomic_load_explicit(&thread->stopping.sync_at, memory_order_relaxed);
    if (address)
        address_wake((const volatile void *)address, UINT_MAX, NULL, NULL);
}

/* The system calls in which functions of winapi/linux wait, and which leave nothing half done. */
static bool may_end(greg_t number)
{
    switch (number) {
    case SYS_read:
    case SYS_write:
    case SYS_pread64:
    case SYS_pwrite64:
    case SYS_recvfrom:
    case SYS_sendto:
    case SYS_recvmsg:
    case SYS_sendmsg:
    case SYS_accept4:
    case SYS_connect:
    case SYS_fcntl:
    case SYS_openat:
    case SYS_open:
    case SYS_sendfile:
        return true;
    default:
        return false;
    }
}

void sync_call_leave(const struct plat_thread *thread, ucontext_t *interrupted)
{
    static const unsigned char syscall_code[] = {0x0f, 0x05};
    greg_t *registers = interrupted->uc_mcontext.gregs;
    if (!thread ||
        atomic_load_explicit(&thread->stopping.sync_call, memory_order_relaxed) != SYNC_ASKED ||
        !may_end(registers[REG_RAX]) ||
        memcmp((const void *)registers[REG_RIP], syscall_code, sizeof syscall_code) != 0)
        return;
    registers[REG_RIP] += (greg_t)sizeof syscall_code;
    registers[REG_RAX] = -EINTR;
}
