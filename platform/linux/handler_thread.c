/* SPDX-License-Identifier: MIT
 *
 * handler_thread.c - the thread on which handlers of the program's run, for signals that no thread of the
 * program's takes.
 *
 * A handler may do to its thread what it likes: wait for long, or end it, by pthread_exit or ExitThread.
 * So nothing of the engine's runs here, and when the thread ends the service thread makes a new one.
 * What is sent meanwhile stays pending with the process. The end of this thread is never the end of the
 * program's last one.
 *
 * A process that is forked in a handler has only this thread, and no engine. When the handler returns
 * there, the thread ends, and the process with it, as after a return from a start routine.
 *
 * A handler must not leave by longjmp: the place it would go to is on another thread's stack.
 */
#include "platform/linux/engine.h"

enum { HANDLER_STACK = 1 << 20 };

static void (*body)(unsigned generation);
static _Atomic unsigned generation; /* another one in each process */

static bool create(void);

/* Also on the way out of a handler that unwinds. */
static void ended(unsigned *mine)
{
    if (!handler_thread_orphaned(*mine))
        service_poke(POKE_HANDLERS, create);
}

static void *handler_main(void *unused)
{
    __attribute__((cleanup(ended))) unsigned mine =
        atomic_load_explicit(&generation, memory_order_relaxed);
    (void)unused;
    plat_tls.auxiliary = true;
    body(mine);
    return NULL;
}

static bool create(void)
{
    pthread_t thread;
    return kthread_create(&thread, HANDLER_STACK, handler_main, NULL) == 0;
}

bool handler_thread_orphaned(unsigned mine)
{
    return atomic_load_explicit(&generation, memory_order_relaxed) != mine;
}

int handler_thread_start(void (*wait_and_handle)(unsigned generation))
{
    pthread_t thread;
    body = wait_and_handle;
    return kthread_create(&thread, HANDLER_STACK, handler_main, NULL);
}

/* In a child after fork. */
void handler_thread_forget(void)
{
    atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
}
