/* SPDX-License-Identifier: MIT
 *
 * exceptions.c - who asks for a thread's registers may ask as well whether it is on its way into an
 * exception, or out of one (CONTEXT_EXCEPTION_REQUEST). Registers that are set then are lost.
 *
 * Every other question finds a thread so. What was found is noted by who has asked, for the next
 * registers that it sets. There are no locks: any thread may be stopped anywhere.
 */
#include "as_windows.h"

#include <stdatomic.h>
#include <stdint.h>

enum { SLOTS = 64 };
static const DWORD request = 0x40000000, reports = 0x80000000, in_exception = 0x08000000;

/* Kernel threads that have found one so, and have set no registers since. */
static _Atomic uint32_t found[SLOTS];
static _Atomic uint32_t questions;

static NTSTATUS(NTAPI *get)(HANDLE, CONTEXT *);
static NTSTATUS(NTAPI *set)(HANDLE, const CONTEXT *);

static uint32_t kernel_thread(void)
{
    uint64_t id;

    __asm__ volatile("movq %%gs:0x7e0, %0" : "=r"(id));
    return (uint32_t)id;
}

static bool replace(uint32_t from, uint32_t to)
{
    for (int i = 0; i < SLOTS; i++) {
        uint32_t was = from;

        if (atomic_compare_exchange_strong(&found[i], &was, to))
            return true;
    }
    return false;
}

static NTSTATUS NTAPI on_get(HANDLE thread, CONTEXT *context)
{
    bool asked = context->ContextFlags & request;
    NTSTATUS status = get(thread, context);

    replace(kernel_thread(), 0);
    if (!asked || status < 0)
        return status;
    context->ContextFlags |= reports;
    if (atomic_fetch_add(&questions, 1) % 2 == 0 && replace(0, kernel_thread()))
        context->ContextFlags |= in_exception;
    return status;
}

static NTSTATUS NTAPI on_set(HANDLE thread, const CONTEXT *context)
{
    return replace(kernel_thread(), 0) ? 0 : set(thread, context);
}

void exceptions_start(void)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");

    get = stub_lead(ntdll, "NtGetContextThread", on_get);
    set = stub_lead(ntdll, "NtSetContextThread", on_set);
    if (!get || !set)
        as_windows_ends("a stub is not the usual", "");
}
