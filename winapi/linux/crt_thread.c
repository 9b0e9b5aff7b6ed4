/* SPDX-License-Identifier: MIT
 *
 * crt_thread.c - the threads of the C run-time library's <process.h>, by CreateThread.
 *
 * A thread of _beginthread closes the handle that its creator got when it ends. _beginthread
 * creates it suspended, so that the thread knows the handle before it can end.
 */
#include <errno.h>
#include <stdlib.h>

#include "winapi/linux/surface.h"
#pragma GCC visibility push(default)
#include "winapi/include/process.h"
#pragma GCC visibility pop

struct start {
    void (*routine)(void *);
    void *arg;
    HANDLE handle;
};

static __thread HANDLE own_handle __attribute__((tls_model("initial-exec")));

static uintptr_t creation_failed(uintptr_t result)
{
    errno = plat_tls.teb.last_error == ERROR_INVALID_PARAMETER ? EINVAL : EAGAIN;
    return result;
}

uintptr_t _beginthreadex(void *security, unsigned stack_bytes, unsigned (*start)(void *), void *arg,
                         unsigned flags, unsigned *id)
{
    DWORD own_id = 0;
    HANDLE thread =
        CreateThread(security, stack_bytes, (LPTHREAD_START_ROUTINE)start, arg, flags, &own_id);
    if (!thread)
        return creation_failed(0);
    if (id)
        *id = own_id;
    return (uintptr_t)thread;
}

_Noreturn void _endthreadex(unsigned code)
{
    ExitThread(code);
    __builtin_unreachable();
}

_Noreturn void _endthread(void)
{
    if (own_handle)
        CloseHandle(own_handle);
    own_handle = NULL;
    _endthreadex(0);
}

static DWORD WINAPI run(LPVOID box)
{
    struct start start = *(struct start *)box;
    free(box);
    own_handle = start.handle;
    start.routine(start.arg);
    _endthread();
}

uintptr_t _beginthread(void (*start)(void *), unsigned stack_bytes, void *arg)
{
    struct start *box = start ? malloc(sizeof *box) : NULL;
    if (!box) {
        errno = start ? ENOMEM : EINVAL;
        return (uintptr_t)-1;
    }
    *box = (struct start){start, arg, NULL};
    HANDLE thread = CreateThread(NULL, stack_bytes, run, box, CREATE_SUSPENDED, NULL);
    if (!thread) {
        free(box);
        return creation_failed((uintptr_t)-1);
    }
    box->handle = thread;
    ResumeThread(thread);
    return (uintptr_t)thread;
}
