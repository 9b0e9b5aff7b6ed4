/* SPDX-License-Identifier: MIT
 *
 * bare_thread.c - threads that libc knows nothing of: made without its locks and its heap.
 *
 * libc makes a thread under locks of its own, for stacks and for the heap. A worker may hold such a
 * lock, or have got the wake-up for it. And that worker may wait for a carrier, or, where there is
 * no ring, for a helper to see its wait through. So the library makes carriers and helpers itself,
 * by system calls alone.
 *
 * A thread's memory, from below: a page that nobody may touch, its stack, its thread-local data,
 * its control block. It runs only this library's code. It has libc's own thread-local data and the
 * first words of a control block, as in a new thread of libc's. So it may use functions of libc
 * that need no more (plat_log and abort work). It has no thread-local data of other modules, and
 * may not call pthread functions.
 *
 * It starts with its creator's signal mask.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#pragma GCC visibility pop

#include "platform/chain.h"
#include "platform/check.h"
#include "platform/linux/current.h"
#include "platform/linux/os/bare_thread.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/libc_trial.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/sanitizer.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

long bare_clone(unsigned long flags, void *stack, uintptr_t fs, void (*main)(void *), void *arg);
_Noreturn void bare_exit(void *memory, size_t bytes);

enum { PAGE = 4096, CONTROL_BLOCK = PAGE, HEADER_WORDS = 8 };
enum {
    SELF = 0,
    SELF_TOO = 2
}; /* words of the header that hold the thread pointer; 1 is libc's vector */

/* Lies at the end of the memory, after the control block's first words. */
struct bare {
    struct bare *next, *previous;
    char *memory;
    size_t bytes;
    void *(*main)(void *);
    void *arg;
};

static struct {
    size_t below;      /* bytes of thread-local data below the thread pointer */
    const void *image; /* the initial contents of libc's thread-local data, */
    size_t bytes, at;  /* their size, and how far below the thread pointer they lie */
} shape;

static bool unknown; /* this libc's layout is unknown, so libc makes the threads */
static PLAT_LOCK(BARE) lock;
static CHAIN_OF(struct bare) all;

/* ---- What a thread begins with --------------------------------------------------------------- */

static bool holds(const struct dl_phdr_info *module, const void *address)
{
    for (unsigned i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        if (part->p_type == PT_LOAD &&
            (uintptr_t)address - (module->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}

static int look_at(struct dl_phdr_info *module, size_t size, void *unused)
{
    bool ours = holds(module, &shape), libcs = holds(module, (void *)gnu_get_libc_version);
    (void)size, (void)unused;
    if (!ours && !libcs)
        return 0;
    for (unsigned i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        if (part->p_type != PT_TLS)
            continue;
        uintptr_t own = (uintptr_t)&plat_tls;
        /* Without this gcc 14 subtracts the address's entry in the GOT, by an instruction that
         * binutils 2.44 refuses. */
        __asm__("" : "+r"(own));
        uintptr_t data = libcs ? (uintptr_t)module->dlpi_tls_data : own - part->p_memsz;
        size_t distance = thread_pointer() - data;
        if (distance > shape.below)
            shape.below = distance;
        if (libcs) {
            shape.image = (const void *)(module->dlpi_addr + part->p_vaddr);
            shape.bytes = part->p_filesz;
            shape.at = distance;
        }
    }
    return 0;
}

/* Whether the calling thread, which libc made, has the layout that this file gives a thread: the
 * same first words, and libc's data and ours in the same places. */
static bool shape_fits(void)
{
    uintptr_t own = thread_pointer(),
              error = (uintptr_t)&errno - trial_misled("thread") * shape.below;
    const uintptr_t *header = (const uintptr_t *)own;
    return header[SELF] == own && header[SELF_TOO] == own && shape.image &&
           shape.bytes <= shape.at && error >= own - shape.at && error < own &&
           (uintptr_t)&plat_tls >= own - shape.below;
}

void bare_thread_init(void)
{
    if (shape.below)
        return;
    dl_iterate_phdr(look_at, NULL);
    shape.below = (shape.below + PAGE - 1) & ~(size_t)(PAGE - 1);
    unknown = !shape_fits();
    if (unknown)
        plat_log(
            "this C library lays a thread's data out in a way that is not known here: it makes the "
            "engine's threads itself, which may wait for a lock of its own that a worker holds");
}

/* ---- A thread's life ------------------------------------------------------------------------- */

static void enlist(struct bare *bare)
{
    plat_lock(&lock);
    CHAIN_PREPEND(&all, bare, next, previous);
    plat_unlock(&lock);
}

static void strike_off(struct bare *bare)
{
    plat_lock(&lock);
    CHAIN_REMOVE(&all, bare, next, previous);
    plat_unlock(&lock);
}

static void run(void *box)
{
    struct bare *bare = box;
    static const uint64_t every_signal = ~0ull;
    bare->main(bare->arg);
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &every_signal, 0, 8);
    strike_off(bare);
    bare_exit(bare->memory, bare->bytes);
}

static struct bare *lay_out(size_t stack_bytes, uintptr_t *fs)
{
    stack_bytes = (stack_bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
    size_t bytes = PAGE + stack_bytes + shape.below + CONTROL_BLOCK;
    char *memory = plat_reserve(bytes);
    if (!memory)
        return NULL;
    RAW3(SYS_mprotect, memory, PAGE, PROT_NONE);
    char *pointer = memory + bytes - CONTROL_BLOCK;
    uintptr_t *header = (uintptr_t *)pointer;
    memcpy(header, (const void *)thread_pointer(), HEADER_WORDS * sizeof *header);
    header[SELF] = header[SELF_TOO] = (uintptr_t)pointer;
    memcpy(pointer - shape.at, shape.image, shape.bytes);
    struct bare *bare = (struct bare *)(memory + bytes) - 1;
    bare->memory = memory;
    bare->bytes = bytes;
    *fs = (uintptr_t)pointer;
    return bare;
}

struct libcs {
    void *(*main)(void *);
    void *arg;
};

static void *run_libcs(void *box)
{
    struct libcs own = *(struct libcs *)box;
    free(box);
    signals_block(NULL); /* libc unblocks the signal for cancellation in each new thread */
    rseq_leave();
    plat_tls.counting.counted = true;
    return own.main(own.arg);
}

static int libcs_thread(size_t stack_bytes, void *(*main)(void *), void *arg)
{
    pthread_t thread;
    struct libcs *box = malloc(sizeof *box);
    if (!box)
        return EAGAIN;
    *box = (struct libcs){main, arg};
    int error = kthread_create(&thread, stack_bytes, run_libcs, box);
    if (error)
        free(box);
    return error;
}

int bare_thread_create(size_t stack_bytes, void *(*main)(void *), void *arg)
{
    const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                                CLONE_SYSVSEM | CLONE_SETTLS;
    uintptr_t fs;
    if (UMS_UNLIKELY(unknown))
        return libcs_thread(stack_bytes, main, arg);
    struct bare *bare = lay_out(stack_bytes, &fs);
    if (!bare)
        return EAGAIN;
    bare->main = main;
    bare->arg = arg;
    enlist(bare);
    long r = bare_clone(flags, (char *)fs - shape.below, fs, run, bare);
    if (r >= 0)
        return 0;
    strike_off(bare);
    RAW2(SYS_munmap, bare->memory, bare->bytes);
    /* A sandbox may allow libc's clone3, but not this call. */
    return r == -EAGAIN ? EAGAIN : libcs_thread(stack_bytes, main, arg);
}

/* In a child after fork, on a stack of libc's: the threads are not there, but their memory is. */
void bare_threads_forget(void)
{
    plat_lock_forget(&lock);
    struct bare *next;
    for (struct bare *bare = all.first; bare; bare = next) {
        next = bare->next;
        SANITIZER_FRESH(bare->memory, bare->bytes); /* for the next mapping there */
        RAW2(SYS_munmap, bare->memory, bare->bytes);
    }
    all.first = all.last = NULL;
}
