/* SPDX-License-Identifier: MIT
 *
 * exception_of_signal.c - makes the exception record of a fault from the kernel's frame of the
 * signal: code, address and parameters.
 */
#include <string.h>

#include "platform/linux/os/teb.h"
#include "winapi/linux/exception.h"

/* The processor's traps, and bits in the error code of a page fault. */
enum { TRAP_PROTECTION = 13, TRAP_PAGE = 14 };
enum { FAULT_WRITES = 2, FAULT_FETCHES = 16 };
/* ExceptionInformation[0]: the kind of access. */
enum { READS, WRITES, EXECUTES = 8 };
/* ExceptionInformation[2] for a page that could not be read: STATUS_IO_DEVICE_ERROR. */
static const DWORD DEVICE_ERROR = 0xC0000185;

static void access_at(EXCEPTION_RECORD *record, DWORD code, uintptr_t address,
                      const ucontext_t *interrupted)
{
    const greg_t *registers = interrupted->uc_mcontext.gregs;
    bool page = registers[REG_TRAPNO] == TRAP_PAGE;
    greg_t error = registers[REG_ERR];
    record->ExceptionCode = code;
    record->NumberParameters = 2;
    record->ExceptionInformation[0] = page && error & FAULT_FETCHES  ? EXECUTES
                                      : page && error & FAULT_WRITES ? WRITES
                                                                     : READS;
    record->ExceptionInformation[1] = address;
}

/* Whether only a kernel may run the instruction. The processor has one trap for such instructions
 * and for non-canonical addresses. The code can be read here, as the processor has fetched it. */
static bool is_privileged(const unsigned char *code)
{
    static const unsigned char prefixes[] = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65,
                                             0x66, 0x67, 0xF0, 0xF2, 0xF3};
    while (memchr(prefixes, *code, sizeof prefixes) || (*code & 0xF0) == 0x40)
        code++;
    switch (*code) {
    case 0xF4: /* hlt */
    case 0xFA: /* cli */
    case 0xFB: /* sti */
    case 0xE4: /* in, out, ins, outs */
    case 0xE5:
    case 0xE6:
    case 0xE7:
    case 0xEC:
    case 0xED:
    case 0xEE:
    case 0xEF:
    case 0x6C:
    case 0x6D:
    case 0x6E:
    case 0x6F:
        return true;
    case 0x0F:
        code++;
        /* Descriptor tables, control registers, caches, model-specific registers. */
        return *code == 0x00 || *code == 0x01 || *code == 0x06 || *code == 0x08 || *code == 0x09 ||
               (*code >= 0x20 && *code <= 0x23) || *code == 0x30 || *code == 0x32 || *code == 0x33;
    default:
        return false;
    }
}

/* Whether the address is just below a thread's stack, or in the gap that the kernel keeps there. */
static bool is_below_the_stack(uintptr_t address, const ucontext_t *interrupted)
{
    enum { CLOSE_BY = 64 << 10 };
    uintptr_t low = teb_current()->stack_limit;
    uintptr_t here = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RSP];
    return address < low + 4096 && address + CLOSE_BY > low && here < low + CLOSE_BY &&
           here + CLOSE_BY > low;
}

static void of_segv(const siginfo_t *info, const ucontext_t *interrupted, EXCEPTION_RECORD *record)
{
    uintptr_t address = (uintptr_t)info->si_addr;
    if (interrupted->uc_mcontext.gregs[REG_TRAPNO] != TRAP_PROTECTION)
        access_at(record,
                  is_below_the_stack(address, interrupted) ? (DWORD)EXCEPTION_STACK_OVERFLOW
                                                           : (DWORD)EXCEPTION_ACCESS_VIOLATION,
                  address, interrupted);
    else if (is_privileged(record->ExceptionAddress))
        record->ExceptionCode = (DWORD)EXCEPTION_PRIV_INSTRUCTION;
    else /* the processor does not report the address */
        access_at(record, (DWORD)EXCEPTION_ACCESS_VIOLATION, UINTPTR_MAX, interrupted);
}

static void of_bus(const siginfo_t *info, const ucontext_t *interrupted, EXCEPTION_RECORD *record)
{
    if (info->si_code == BUS_ADRALN) {
        record->ExceptionCode = (DWORD)EXCEPTION_DATATYPE_MISALIGNMENT;
    } else if (interrupted->uc_mcontext.gregs[REG_TRAPNO] != TRAP_PAGE) { /* a bad stack address */
        access_at(record, (DWORD)EXCEPTION_ACCESS_VIOLATION, UINTPTR_MAX, interrupted);
    } else {
        access_at(record, (DWORD)EXCEPTION_IN_PAGE_ERROR, (uintptr_t)info->si_addr, interrupted);
        record->NumberParameters = 3;
        record->ExceptionInformation[2] = DEVICE_ERROR;
    }
}

static DWORD of_arithmetic(int code)
{
    switch (code) {
    case FPE_INTDIV:
        return (DWORD)EXCEPTION_INT_DIVIDE_BY_ZERO;
    case FPE_INTOVF:
        return (DWORD)EXCEPTION_INT_OVERFLOW;
    case FPE_FLTDIV:
        return (DWORD)EXCEPTION_FLT_DIVIDE_BY_ZERO;
    case FPE_FLTOVF:
        return (DWORD)EXCEPTION_FLT_OVERFLOW;
    case FPE_FLTUND:
        return (DWORD)EXCEPTION_FLT_UNDERFLOW;
    case FPE_FLTRES:
        return (DWORD)EXCEPTION_FLT_INEXACT_RESULT;
    case FPE_FLTSUB:
        return (DWORD)EXCEPTION_ARRAY_BOUNDS_EXCEEDED;
    default:
        return (DWORD)EXCEPTION_FLT_INVALID_OPERATION;
    }
}

static void of_trap(const siginfo_t *info, EXCEPTION_RECORD *record)
{
    if (info->si_code == TRAP_TRACE || info->si_code == TRAP_HWBKPT) {
        record->ExceptionCode = (DWORD)EXCEPTION_SINGLE_STEP;
        return;
    }
    record->ExceptionCode = (DWORD)EXCEPTION_BREAKPOINT;
    record->NumberParameters = 1;
    record->ExceptionAddress = (char *)record->ExceptionAddress - 1; /* int3 is one byte long */
}

bool win__exception_of_signal(int number, const siginfo_t *info, const ucontext_t *interrupted,
                              EXCEPTION_RECORD *record)
{
    memset(record, 0, sizeof *record);
    record->ExceptionAddress = (void *)interrupted->uc_mcontext.gregs[REG_RIP];
    if (info->si_code <= 0)
        return false;
    switch (number) {
    case SIGSEGV:
        of_segv(info, interrupted, record);
        return true;
    case SIGBUS:
        of_bus(info, interrupted, record);
        return true;
    case SIGFPE:
        record->ExceptionCode = of_arithmetic(info->si_code);
        return true;
    case SIGILL:
        record->ExceptionCode = info->si_code == ILL_PRVOPC ? (DWORD)EXCEPTION_PRIV_INSTRUCTION
                                                            : (DWORD)EXCEPTION_ILLEGAL_INSTRUCTION;
        return true;
    default:
        of_trap(info, record);
        return true;
    }
}
