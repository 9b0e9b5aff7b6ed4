/* SPDX-License-Identifier: MIT
 *
 * lanes_windows.c - see lanes_system.h.
 */
#include "lanes_system.h"

#include "bench.h"

#include <windows.h>

void lanes_pipe_make(struct lanes_pipe *made)
{
    HANDLE ends[2];

    if (!CreatePipe(&ends[0], &ends[1], NULL, 0))
        bench_fail("CreatePipe", 0);
    *made = (struct lanes_pipe){.read = (intptr_t)ends[0], .write = (intptr_t)ends[1]};
}

void lanes_pipe_put(const struct lanes_pipe *to)
{
    DWORD moved;

    if (!WriteFile((HANDLE)to->write, "x", 1, &moved, NULL) || moved != 1)
        bench_fail("writing into a pipe", 0);
}

void lanes_pipe_take(const struct lanes_pipe *from)
{
    DWORD moved;
    char byte;

    if (!ReadFile((HANDLE)from->read, &byte, 1, &moved, NULL) || moved != 1)
        bench_fail("reading from a pipe", 0);
}

static DWORD WINAPI born(LPVOID unused)
{
    return 0;
}

void lanes_thread_is_born(void)
{
    HANDLE thread = CreateThread(NULL, 65536, born, NULL, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);

    if (!thread || WaitForSingleObject(thread, INFINITE) != WAIT_OBJECT_0)
        bench_fail("creating and waiting for a thread", 0);
    CloseHandle(thread);
}
