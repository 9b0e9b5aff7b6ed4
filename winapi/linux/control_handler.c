/* SPDX-License-Identifier: MIT
 *
 * control_handler.c - SetConsoleCtrlHandler: Ctrl-C, told to the program on a thread of its own.
 *
 * The signal handler of SIGINT only posts a semaphore. One thread, made with the first handler of
 * the program, calls the program's handlers, the newest first, until one returns TRUE. If none
 * does, the process ends by SIGINT as if it had never caught it, so that a shell knows the
 * reason.
 */
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include "winapi/linux/control_handler.h"

enum { MAX_HANDLERS = 32 };

static PHANDLER_ROUTINE handlers[MAX_HANDLERS];
static int handler_count;
static PLAT_LOCK(CONTROL) lock;
static sem_t pressed;
static _Atomic bool ignored;
static _Atomic int thread_state; /* 0 none, 1 being made, 2 there */

/* The handler before *index, the newest first; NULL: there are no more. */
static PHANDLER_ROUTINE handler_before(int *index)
{
    plat_lock(&lock);
    if (*index > handler_count)
        *index = handler_count;
    PHANDLER_ROUTINE handler = *index > 0 ? handlers[--*index] : NULL;
    plat_unlock(&lock);
    return handler;
}

static DWORD WINAPI tell_program(LPVOID unused)
{
    (void)unused;
    for (;;) {
        while (sem_wait(&pressed))
            ;
        int index = MAX_HANDLERS;
        bool done = ignored;
        while (!done) {
            PHANDLER_ROUTINE handler = handler_before(&index);
            if (!handler)
                break;
            done = handler(CTRL_C_EVENT);
        }
        if (!done) {
            signal(SIGINT, SIG_DFL);
            kill(getpid(), SIGINT);
        }
    }
    return 0;
}

static void on_interrupt(int sig)
{
    (void)sig;
    sem_post(&pressed);
}

static BOOL start(void)
{
    int none = 0;
    if (!atomic_compare_exchange_strong(&thread_state, &none, 1))
        return TRUE;
    sem_init(&pressed, 0, 0);
    HANDLE thread = CreateThread(NULL, 0, tell_program, NULL, 0, NULL);
    if (!thread) {
        thread_state = 0;
        return FALSE;
    }
    CloseHandle(thread);
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    thread_state = 2;
    return TRUE;
}

static bool remove_newest(PHANDLER_ROUTINE handler)
{
    int at = handler_count - 1;
    while (at >= 0 && handlers[at] != handler)
        at--;
    if (at < 0)
        return false;
    for (handler_count--; at < handler_count; at++)
        handlers[at] = handlers[at + 1];
    return true;
}

BOOL WINAPI SetConsoleCtrlHandler(PHANDLER_ROUTINE HandlerRoutine, BOOL Add)
{
    if (Add && !start())
        return FALSE;
    if (!HandlerRoutine) {
        ignored = Add != FALSE;
        return TRUE;
    }
    bool done;
    plat_lock(&lock);
    if (Add) {
        done = handler_count < MAX_HANDLERS;
        if (done)
            handlers[handler_count++] = HandlerRoutine;
    } else {
        done = remove_newest(HandlerRoutine);
    }
    plat_unlock(&lock);
    return done ? TRUE : win__fail(Add ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_PARAMETER);
}

void control_handlers_forget(void)
{
    plat_lock_forget(&lock);
    handler_count = 0;
    ignored = false;
    if (atomic_exchange(&thread_state, 0))
        signal(SIGINT, SIG_DFL);
}
