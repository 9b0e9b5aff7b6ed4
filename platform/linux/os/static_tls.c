/* SPDX-License-Identifier: MIT
 *
 * static_tls.c - how much of a thread's stack libc takes for itself.
 *
 * glibc lays the thread's control block and its static TLS (the thread-local data of the program
 * and of all that was loaded with it, and a surplus for what is loaded later) into the upper end of
 * the stack. A size that is given to pthread_attr_setstacksize includes them. The amount is fixed
 * when the program starts: data of modules that dlopen loads later lies in the surplus or on the
 * heap. So the library asks for a stack with this amount more than its user needs.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <link.h>
#include <pthread.h>
#pragma GCC visibility pop

#include "platform/check.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/libc_thread.h"
#include "platform/linux/os/libc_trial.h"
#include "platform/linux/os/module_symbol.h"
#include "platform/linux/os/static_tls.h"
#include "platform/platform.h"

/* ---- Measuring it, on a thread that is made for this ----------------------------------------- */

static void *look(void *taken)
{
    pthread_attr_t attr;
    void *lowest;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attr))
        return NULL;
    pthread_attr_getstack(&attr, &lowest, &bytes);
    pthread_attr_destroy(&attr);
    *(size_t *)taken = (size_t)((char *)lowest + bytes - (char *)__builtin_frame_address(0));
    return NULL;
}

/* Tries larger and larger stacks: libc refuses (EINVAL) one that its own part would fill. */
static size_t measured(void)
{
    size_t taken = 0;
    int error = EINVAL;
    for (size_t bytes = 1 << 20; error == EINVAL && bytes < (size_t)1 << 40; bytes *= 4) {
        pthread_attr_t attr;
        pthread_t thread;
        pthread_attr_init(&attr);
        pthread_attr_setstacksize(&attr, bytes);
        error = LIBC(pthread_create)(&thread, &attr, look, &taken);
        pthread_attr_destroy(&attr);
        if (!error)
            libc_thread_join(thread, NULL);
    }
    return taken;
}

/* ---- Asking the dynamic linker
 * ---------------------------------------------------------------- */

/* A function of glibc's that is not documented; sanitizers use it as well. The library looks for it
 * when it is loaded: later a thread may hold the linker's lock that waits for the one that asks. */
static void (*tls_info)(size_t *, size_t *);

static __attribute__((constructor)) void look_for_it(void)
{
    for (const struct link_map *map = _r_debug.r_map; map && !tls_info; map = map->l_next)
        tls_info =
            (void (*)(size_t *, size_t *))module_symbol(map, "_dl_get_tls_static_info", NULL);
}

static size_t told(void)
{
    size_t bytes = 0, align = 0;
    if (!tls_info)
        return 0;
    tls_info(&bytes, &align);
    if (trial_misled("tls"))
        align += 1 << 20;
    return bytes + align; /* the start of the area is rounded */
}

size_t static_tls_told(void)
{
    size_t bytes = 0, align = 0;
    look_for_it(); /* other files' constructors may run first */
    if (tls_info)
        tls_info(&bytes, &align);
    return bytes;
}

size_t static_tls_bytes(void)
{
    static _Atomic size_t known;
    size_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (UMS_UNLIKELY(!bytes)) {
        size_t other = measured();
        bytes = told();
        if (bytes && other && (other > bytes + 4096 || bytes > other + 4096)) {
            plat_log(
                "this C library tells how large thread-local data is in a way that is not known "
                "here: it is measured");
            bytes = other;
        }
        if (!bytes)
            bytes = other;
        if (!bytes)
            bytes = 1; /* no thread could be made to measure: the next creation fails as well */
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
    }
    return bytes;
}
