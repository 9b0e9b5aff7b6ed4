/* SPDX-License-Identifier: MIT
 *
 * wait_on_address.c - WaitOnAddress, and one-time initialisation, which waits at an address, too.
 */
#include "platform/layout.h"
#include "platform/linux/dispatch/address.h"
#include "platform/linux/interrupt/stop.h"
#include "winapi/linux/surface.h"

/* ---- WaitOnAddress ------------------------------------------------------------------------- */

struct comparison {
    volatile void *address;
    void *with;
    SIZE_T size;
};

static bool still_equal(void *arg)
{
    const struct comparison *c = arg;
    switch (c->size) {
    case 1:
        return __atomic_load_n((volatile uint8_t *)c->address, __ATOMIC_ACQUIRE) ==
               *(uint8_t *)c->with;
    case 2:
        return __atomic_load_n((volatile uint16_t *)c->address, __ATOMIC_ACQUIRE) ==
               *(uint16_t *)c->with;
    case 4:
        return __atomic_load_n((volatile uint32_t *)c->address, __ATOMIC_ACQUIRE) ==
               *(uint32_t *)c->with;
    default:
        return __atomic_load_n((volatile uint64_t *)c->address, __ATOMIC_ACQUIRE) ==
               *(uint64_t *)c->with;
    }
}
LAYOUT_WAIT("WaitOnAddress", still_equal);

STOP_LOOKS BOOL WINAPI WaitOnAddress(volatile VOID *Address, PVOID CompareAddress,
                                     SIZE_T AddressSize, DWORD dwMilliseconds)
{
    struct comparison comparison = {Address, CompareAddress, AddressSize};
    if (AddressSize != 1 && AddressSize != 2 && AddressSize != 4 && AddressSize != 8)
        return win__fail(ERROR_INVALID_PARAMETER);
    /* This reads the memory once before the wait: under the address's lock it must not fault. */
    stop_look();
    if (!still_equal(&comparison))
        return TRUE;
    uint32_t result =
        address_wait(Address, still_equal, NULL, &comparison, win__deadline(dwMilliseconds));
    return result == WAITED_TIMEOUT ? win__fail(ERROR_TIMEOUT) : TRUE;
}

STOP_LOOKS VOID WINAPI WakeByAddressSingle(PVOID Address)
{
    address_wake(Address, 1, NULL, NULL);
    stop_look();
}

STOP_LOOKS VOID WINAPI WakeByAddressAll(PVOID Address)
{
    address_wake(Address, ~0u, NULL, NULL);
    stop_look();
}

/* ---- One-time initialisation: the two low bits, and the context above them ----------------- */

enum { NOT_YET = 0, PENDING = 1, DONE = 2, PENDING_ASYNC = 3, STATE = 3 };

static ULONG_PTR *word_of(INIT_ONCE *once)
{
    return (ULONG_PTR *)&once->Ptr;
}

static bool pending(void *once)
{
    return (__atomic_load_n(word_of(once), __ATOMIC_ACQUIRE) & STATE) == PENDING;
}
LAYOUT_WAIT("InitOnceBeginInitialize", pending);

VOID WINAPI InitOnceInitialize(PINIT_ONCE InitOnce)
{
    InitOnce->Ptr = NULL;
}

BOOL WINAPI InitOnceBeginInitialize(LPINIT_ONCE lpInitOnce, DWORD dwFlags, PBOOL fPending,
                                    LPVOID *lpContext)
{
    bool check = dwFlags & INIT_ONCE_CHECK_ONLY, async = dwFlags & INIT_ONCE_ASYNC;
    if (dwFlags & ~(DWORD)(INIT_ONCE_CHECK_ONLY | INIT_ONCE_ASYNC) || (check && async))
        return win__fail(ERROR_INVALID_PARAMETER);
    for (;;) {
        ULONG_PTR word = __atomic_load_n(word_of(lpInitOnce), __ATOMIC_ACQUIRE);
        if ((word & STATE) == DONE) {
            *fPending = FALSE;
            if (lpContext)
                *lpContext = (LPVOID)(word & ~(ULONG_PTR)STATE);
            return TRUE;
        }
        if (check)
            return win__fail(ERROR_GEN_FAILURE);
        if ((word & STATE) == NOT_YET) {
            if (!__atomic_compare_exchange_n(word_of(lpInitOnce), &word,
                                             async ? PENDING_ASYNC : PENDING, false,
                                             __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
                continue;
            *fPending = TRUE;
            return TRUE;
        }
        if (((word & STATE) == PENDING_ASYNC) != async)
            return win__fail(ERROR_INVALID_PARAMETER);
        if (async) { /* each thread may try; the first to complete wins */
            *fPending = TRUE;
            return TRUE;
        }
        address_wait(lpInitOnce, pending, NULL, lpInitOnce, PLAT_FOREVER);
    }
}

BOOL WINAPI InitOnceComplete(LPINIT_ONCE lpInitOnce, DWORD dwFlags, LPVOID lpContext)
{
    bool failed = dwFlags & INIT_ONCE_INIT_FAILED, async = dwFlags & INIT_ONCE_ASYNC;
    ULONG_PTR context = (ULONG_PTR)lpContext;
    if (dwFlags & ~(DWORD)(INIT_ONCE_INIT_FAILED | INIT_ONCE_ASYNC) || (failed && async) ||
        context & STATE || (failed && context))
        return win__fail(ERROR_INVALID_PARAMETER);
    ULONG_PTR expected = async ? PENDING_ASYNC : PENDING;
    if (!__atomic_compare_exchange_n(word_of(lpInitOnce), &expected,
                                     failed ? NOT_YET : context | DONE, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return win__fail(ERROR_GEN_FAILURE);
    if (!async)
        address_wake(lpInitOnce, ~0u, NULL, NULL);
    return TRUE;
}

/* InitFn gets the caller's variable, or NULL. If InitFn succeeds, the variable's value becomes the
 * context. If the context has low bits set, Windows raises an exception; here that is a failure, so
 * that no thread waits for ever. */
BOOL WINAPI InitOnceExecuteOnce(PINIT_ONCE InitOnce, PINIT_ONCE_FN InitFn, PVOID Parameter,
                                LPVOID *Context)
{
    BOOL mine;
    if (!InitOnceBeginInitialize(InitOnce, 0, &mine, Context))
        return FALSE;
    if (!mine)
        return TRUE;
    if (!InitFn(InitOnce, Parameter, Context)) {
        InitOnceComplete(InitOnce, INIT_ONCE_INIT_FAILED, NULL);
        return FALSE;
    }
    if (InitOnceComplete(InitOnce, 0, Context ? *Context : NULL))
        return TRUE;
    DWORD error = GetLastError();
    InitOnceComplete(InitOnce, INIT_ONCE_INIT_FAILED, NULL);
    return win__fail(error);
}
