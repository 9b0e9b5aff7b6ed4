/* SPDX-License-Identifier: MIT
 *
 * interrupt.c - makes a hosted worker stop.
 *
 * Its thread is its scheduler's, which must go on. So this code does not stop the thread for good.
 * It suspends the thread for a moment, sets its instruction pointer to interrupt_entry and resumes
 * it. There the worker leaves its scheduler by itself, as in a yield. When it is executed again it
 * returns to the interrupted instruction.
 *
 * A worker may be interrupted anywhere in the code of the program and of other modules, and in a
 * system call that these make themselves. Elsewhere in ntdll it may hold a lock, so it is
 * interrupted there only after many tries. It is never interrupted in the engine, nor below ntdll
 * (Wine has code there, on the way into a system call and back, that belongs to the kernel thread).
 * In a system call the thread comes to interrupt_entry when the call returns, with the result in
 * its register.
 *
 * A thread that stands still may hold any lock. So between a suspend and its resume the code, here
 * and in stop.c, only makes system calls and touches the engine's memory. It uses no loader, no
 * heap and no lock, and does nothing for the worker (it calls worker_due, not worker_nudge).
 */
#include "platform/windows/switch/interrupt.h"

#include <string.h>

#include "platform/windows/engine.h"
#include "platform/windows/os/looking.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/system_images.h"
#include "platform/windows/os/trampolines.h"
#include "platform/windows/switch/inplace.h"
#include "platform/windows/switch/registers.h"
#include "platform/windows/switch/teb_access.h"
#include "platform/windows/worker.h"

void interrupt_entry(void); /* interrupt.S */

extern const char __ImageBase[]; /* of this DLL, by the linker */

static bool in_image(const void *image, const void *code)
{
    const IMAGE_DOS_HEADER *dos = image;
    const IMAGE_NT_HEADERS *headers = (const void *)((const char *)image + dos->e_lfanew);
    return (uintptr_t)code - (uintptr_t)image < headers->OptionalHeader.SizeOfImage;
}

static bool in_ntdll(const void *code)
{
    return in_image(system_images.ntdll, code);
}

bool interrupt_in_engine(const void *code)
{
    return in_image(__ImageBase, code);
}

static bool after_system_call(const uint8_t *code)
{
    static const uint8_t direct[] = {0x0F, 0x05};
    static const uint8_t of_wine[] = {0xFF, 0x14, 0x25, 0x00, 0x10, 0xFE, 0x7F};
    return code[0] == 0xC3 && (memcmp(code - sizeof direct, direct, sizeof direct) == 0 ||
                               memcmp(code - sizeof of_wine, of_wine, sizeof of_wine) == 0);
}

/* The caller of the system call of ntdll in which the thread stands; NULL: it stands in none. */
static const void *caller_of_ntdll(const CONTEXT *at)
{
    const void *code = (const void *)at->Rip;
    return in_ntdll(code) && after_system_call(code) ? *(const void *const *)at->Rsp : NULL;
}

/* A thread that makes one system call after the other is hardly ever found outside them. It holds
 * no lock of ntdll meanwhile, unless ntdll makes the call. */
bool interrupt_in_ntdll(const CONTEXT *at)
{
    const void *caller = caller_of_ntdll(at);
    return in_ntdll((const void *)at->Rip) && (!caller || in_ntdll(caller));
}

/* Whether the thread stands in a system call that a handler makes for the program: in the stub, or
 * in another product's hook over it. */
static bool in_handlers_call(const CONTEXT *at)
{
    return interrupt_in_engine(caller_of_ntdll(at));
}

bool interrupt_in_system(const void *code)
{
    return !ntapi_is_mapped(code);
}

static bool good_place(const CONTEXT *at, bool patient)
{
    const void *code = (const void *)at->Rip;
    if (interrupt_in_engine(code) || interrupt_in_system(code))
        return false;
    if (trampolines_hold(code))
        return patient && after_system_call(code);
    return patient || !(interrupt_in_ntdll(at) || in_handlers_call(at));
}

static bool redirect(struct plat_context *worker, HANDLE carrier, enum interrupt action,
                     bool patient)
{
    static const DWORD request = 0x40000000, reports = 0x80000000, in_exception = 0x08000000;
    CONTEXT context = {.ContextFlags = CONTEXT_CONTROL | request};
    if (worker->inside || worker->locks || worker->interrupt ||
        !thread_registers(carrier, &context) || !good_place(&context, patient))
        return false;
    /* The thread is on its way into an exception, or out of one: then the new instruction pointer
     * may be lost. */
    if (context.ContextFlags & reports && context.ContextFlags & in_exception)
        return false;
    worker->interrupted_at = context.Rip;
    worker->interrupt = (uint8_t)action;
    context.ContextFlags = CONTEXT_CONTROL;
    context.Rip = (uintptr_t)interrupt_entry;
    if (thread_set_registers(carrier, &context))
        return true;
    worker->interrupt = INTERRUPT_NONE;
    return false;
}

bool interrupt_hosted(struct plat_context *worker, struct plat_context *host, enum interrupt action,
                      enum plat_nudge wanted, bool patient, bool *held)
{
    CONTEXT stopped = {.ContextFlags = CONTEXT_CONTROL};
    HANDLE carrier = OpenThread(THREAD_ALL_ACCESS, FALSE, host->thread_id);
    bool done = false;
    uint32_t before = 0;
    looking *look = looking_begin(teb_kernel_id(), host->thread_id);
    if (carrier && ntapi_suspend_counted(carrier, &before)) {
        /* Asking for the registers waits until the thread has really stopped. */
        done = thread_registers(carrier, &stopped) &&
               __atomic_load_n(&worker->host, __ATOMIC_ACQUIRE) == host &&
               engine_core->worker_due(worker) == wanted &&
               redirect(worker, carrier, action, patient);
        ntapi_resume(carrier);
    }
    looking_end(look);
    *held = before > 0;
    if (carrier)
        CloseHandle(carrier);
    return done;
}
