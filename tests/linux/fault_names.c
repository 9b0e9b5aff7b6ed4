/* SPDX-License-Identifier: MIT
 *
 * fault_names.c - see fault_scenarios.h: objects that processes share by their names.
 */
#include "fault_scenarios.h"

#include <windows.h>

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* 5: the child has set it. */
static int set_in_child(HANDLE event)
{
    int status = -1;
    pid_t child = fork();

    if (child < 0) {
        if (errno != EAGAIN && errno != ENOMEM)
            wrong("fork", child, errno);
        return 6;
    }
    if (child == 0)
        _exit(MADE(SetEvent(event)) ? 5 : 6);
    RIGHT(waitpid(child, &status, 0), child);
    RIGHT(WIFEXITED(status) && (WEXITSTATUS(status) == 5 || WEXITSTATUS(status) == 6), 1);
    return WEXITSTATUS(status);
}

bool names(void)
{
    char name[64];
    HANDLE event, mutex, again;
    bool all, shared;

    snprintf(name, sizeof name, "fault points' mutex %d", (int)getpid());
    mutex = CreateMutexA(NULL, TRUE, name); /* the first that wants an object of this thread */
    all = MADE(mutex != NULL);
    snprintf(name, sizeof name, "fault points %d", (int)getpid());
    event = CreateEventA(NULL, FALSE, FALSE, name);
    if (!MADE(event != NULL))
        return false;
    all &= MADE((again = OpenEventA(EVENT_ALL_ACCESS, FALSE, name)) != NULL);
    if (again) {
        RIGHT(SetEvent(again), TRUE);
        RIGHT(WaitForSingleObject(event, LIMIT_MS), WAIT_OBJECT_0);
        RIGHT(CloseHandle(again), TRUE);
    }
    shared = set_in_child(event) == 5;
    if (shared)
        RIGHT(WaitForSingleObject(event, LIMIT_MS), WAIT_OBJECT_0);
    if (mutex)
        RIGHT(ReleaseMutex(mutex) && CloseHandle(mutex), TRUE);
    RIGHT(WaitForSingleObject(event, 0), WAIT_TIMEOUT);
    RIGHT(CloseHandle(event), TRUE);
    return all && shared;
}
