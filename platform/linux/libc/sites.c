/* SPDX-License-Identifier: MIT
 *
 * sites.c - redirects calls from within libc to the library at the `syscall` instruction, whichever
 * function makes them.
 *
 * libc's functions call each other inside libc, so fronts of a few of them (front.def) see only a
 * part of the calls. But each call is a `syscall` in the end. A site is redirected here if its
 * number is one of calls.def that may wait, or asks for the caller's identity. The library attempts
 * a worker's call, and if it has to wait the worker leaves its scheduler in user mode.
 *
 * Writers, and when
 *   the stubs                       sites_start, with the first scheduler
 *   sites that the filter notices   a worker, one by one: site_module.c
 *   all of libc's and ld.so's       sites_start, with the first scheduler that needs calls which
 *                                   the filter does not see: all where its workers have no filter,
 *                                   lent ones (lent_call.h) where faults are watched for. Other
 *                                   threads may run in that code meanwhile (site_text.c), workers
 *                                   that the filter sees among them
 * libc and ld.so are never unloaded. A child after fork has its parent's sites, and its thread is a
 * plain one; a program that is executed begins anew.
 *
 * Never redirected: calls that act on the calling stack or kernel thread (clone, fork, vfork,
 * execve, rt_sigreturn, exit). Their `syscall` takes them to the kernel with nothing of the
 * library's on the stack.
 *
 * A signal that interrupts a call here acts as anywhere in the library: a signal for a worker waits
 * until the worker looks (signal_run.c), which it does before it waits and after. No fault happens
 * here, since the library follows no pointer of the program's (calls.h).
 *
 * With UMSSHIM_FRONT=functions no site is rewritten. The filter sees the calls of sites that cannot
 * be rewritten.
 */
#pragma GCC visibility push(default)
#include <gnu/libc-version.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#pragma GCC visibility pop

#include "platform/linux/os/caps.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/under_tool.h"
#include "platform/linux/libc/site_call.h"
#include "platform/linux/libc/site_slots.h"
#include "platform/linux/libc/sites.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

enum { PAGE = 4096, MOST_SITES = SITE_SLOTS - SITE_STUB_SLOTS };

/* ---- The slots ------------------------------------------------------------------------------- */

static const struct site_file no_file = {.fd = -1};

static void write_stubs(unsigned char *copy, uintptr_t start, void *arg)
{
    (void)arg;
    site_write_stubs((intptr_t)(start - (uintptr_t)copy));
}

static bool stubs_written(void)
{
    _Static_assert(SITE_STUB_SLOTS * (int)SITE_SLOT <= (int)PAGE, "the stubs lie in one page");
    return site_exchange(&no_file, (uintptr_t)site_slots, PAGE, write_stubs, NULL);
}

struct batch {
    struct site sites[MOST_SITES];
    size_t count;
    size_t first_slot; /* the slots of all of them follow each other */
};

static void write_slots(unsigned char *copy, uintptr_t start, void *arg)
{
    const struct batch *batch = arg;
    intptr_t moved = (intptr_t)(start - (uintptr_t)copy);
    for (size_t i = 0; i < batch->count; i++)
        site_write_slot((unsigned char *)site_slot_at(batch->first_slot + i) - moved, moved,
                        &batch->sites[i], (uintptr_t)site_stub);
}

static bool slots_written(struct batch *batch)
{
    if (!batch->count)
        return true;
    uintptr_t start = site_slot_at(batch->first_slot) & ~(uintptr_t)(PAGE - 1);
    uintptr_t end = site_slot_at(batch->first_slot + batch->count);
    size_t bytes = (end - start + PAGE - 1) & ~(size_t)(PAGE - 1);
    return site_exchange(&no_file, start, bytes, write_slots, batch);
}

/* ---- A module -------------------------------------------------------------------------------- */

struct plan {
    const struct batch *batch;
    size_t first, end; /* of the batch's sites: those of a run of pages */
};

static void write_jumps(unsigned char *copy, uintptr_t start, void *arg)
{
    const struct plan *plan = arg;
    for (size_t i = plan->first; i < plan->end; i++)
        site_write_jump(copy, start, &plan->batch->sites[i],
                        site_slot_at(plan->batch->first_slot + i));
}

/* Pages next to each other are exchanged together: an instruction may lie in two of them. */
static void rewrite(struct site_module *module, const struct batch *batch, size_t first, size_t end,
                    struct site_report *report)
{
    while (first < end) {
        uintptr_t start = batch->sites[first].lead & ~(uintptr_t)(PAGE - 1), stop = start;
        size_t next = first;
        while (next < end && (next == first || batch->sites[next].lead < stop + PAGE)) {
            uintptr_t last = site_last(&batch->sites[next++]);
            stop = (last & ~(uintptr_t)(PAGE - 1)) + PAGE;
        }
        struct plan plan = {batch, first, next};
        if (site_exchange(&module->file, start, stop - start, write_jumps, &plan))
            report->rewritten += (unsigned)(next - first);
        else
            report->left[SITE_REFUSED] += (unsigned)(next - first);
        first = next;
    }
}

enum { MOST_MODULES = SITE_KNOWN };

struct search {
    struct site_module modules[MOST_MODULES];
    unsigned count;
    uintptr_t any_number; /* libc's syscall() */
};

/* The dynamic linker's longest function by far, of some 15 KiB, began the program and does not run
 * again: to decode it would take a sixth of the time.
 *
 * No call into the dynamic linker here: it holds the lock of its list, and another thread that
 * opens a library takes that lock with the linker's two others held. */
static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *search = arg;
    struct site_module module = {.file.fd = -1};
    enum { LINKER = 1, LINKER_LONGEST = 8192 };
    const uintptr_t marks[] = {(uintptr_t)gnu_get_libc_version, (uintptr_t)_r_debug.r_brk};
    bool wanted = false;
    off_t offset = 0;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
        if (part->p_type == PT_GNU_EH_FRAME)
            module.code.functions = (const unsigned char *)start;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        for (unsigned m = 0; m < sizeof marks / sizeof *marks; m++)
            if (marks[m] >= start && marks[m] < end) {
                wanted = true;
                module.code.start = start;
                module.code.end = end;
                module.code.longest = m == LINKER ? LINKER_LONGEST : 0;
                offset = (off_t)part->p_offset;
            }
    }
    if (!wanted || search->count == MOST_MODULES)
        return 0;
    site_file_open(&module.file, info->dlpi_name, module.code.start & ~(uintptr_t)(PAGE - 1),
                   offset & ~(off_t)(PAGE - 1));
    module.code.any_number = search->any_number;
    search->modules[search->count++] = module;
    return 0;
}

static void find_modules(struct search *search)
{
    *search = (struct search){.any_number = (uintptr_t)front_named_in_libc("syscall")};
    dl_iterate_phdr(look_at, search);
}

static void close_files(struct search *search)
{
    for (unsigned m = 0; m < search->count; m++)
        site_file_close(&search->modules[m].file);
}

static void tell(const struct site_report *report)
{
    const unsigned *left = report->left;
    plat_log(
        "found: calls led here from within libc: %u; left as they are: %u of unknown shape, %u "
        "without room for a jump, %u jumped into, %u with a number from outside, %u out of reach, "
        "%u refused by the system",
        report->rewritten, left[SITE_UNDECODED], left[SITE_NO_LEAD], left[SITE_ENTERED],
        left[SITE_NUMBER], left[SITE_NO_SLOT], left[SITE_REFUSED]);
}

static void rewrite_all(struct search *search, struct batch *batch, struct site_report *report)
{
    size_t end[MOST_MODULES], first = 0;
    size_t room = site_slots_left();
    for (unsigned m = 0; m < search->count; m++) {
        struct site_module *module = &search->modules[m];
        bool near = site_reaches((uintptr_t)site_slots, module->code.start) &&
                    site_reaches((uintptr_t)site_slots, module->code.end);
        batch->count += site_scan(&module->code, batch->sites + batch->count,
                                  near ? room - batch->count : 0, report);
        end[m] = batch->count;
    }
    batch->first_slot = site_slots_take(batch->sites, batch->count);
    bool ready = slots_written(batch);
    for (unsigned m = 0; m < search->count; first = end[m++])
        if (ready)
            rewrite(&search->modules[m], batch, first, end[m], report);
        else
            report->left[SITE_REFUSED] += (unsigned)(end[m] - first);
}

/* Sites that have been noticed and rewritten before are no sites any more for a scan. */
static void write_libc(void)
{
    struct site_report report = {0};
    struct search search;
    struct batch *batch = plat_reserve(sizeof *batch);
    if (!batch)
        return;
    find_modules(&search);
    site_modules_hold();
    rewrite_all(&search, batch, &report);
    site_modules_release();
    close_files(&search);
    if (caps_wanted())
        tell(&report);
    RAW2(SYS_munmap, batch, sizeof *batch);
}

/* A step that one thread takes, once. */
enum { NOT_BEGUN, BEING_TAKEN, TAKEN };
struct step {
    _Atomic uint32_t stage; /* futex */
};
static struct step noticing, whole;

static bool taken(const struct step *step)
{
    return atomic_load_explicit(&step->stage, memory_order_acquire) == TAKEN;
}

/* Takes the step, unless another thread has begun it. `waits`: returns only when it is done. */
static void take_step(struct step *step, void (*function)(void), bool waits)
{
    uint32_t seen = NOT_BEGUN;
    if (atomic_compare_exchange_strong_explicit(&step->stage, &seen, BEING_TAKEN,
                                                memory_order_acquire, memory_order_acquire)) {
        plat_tls.locks++; /* not to be stopped or ended while a thread waits for it */
        function();
        plat_tls.locks--;
        atomic_store_explicit(&step->stage, TAKEN, memory_order_release);
        futex_wake(&step->stage, INT_MAX);
    }
    while (waits && !taken(step))
        futex_wait(&step->stage, BEING_TAKEN);
}

static void start_noticing(void)
{
    struct search search;
    find_modules(&search);
    close_files(&search);
    site_call_init();
    if (stubs_written())
        site_modules_start(search.modules, search.count);
}

/* `seen`: the filter sees calls that are not redirected, and nothing depends on the sites. Else a
 * worker's call at a site that is not rewritten yet would stop its scheduler, and a signal for that
 * worker would not end the call. Under a debugger all sites are rewritten at once: it would stop at
 * the signal by which a noticed call comes. A thread that waits for a step may have the dynamic
 * linker's lock, which opening the decoder needs: so each thread opens it before. The list of
 * modules has a lock of its own. */
void sites_start(bool seen)
{
    if (!engine_caps.sites || taken(seen ? &noticing : &whole))
        return;
    seen = seen && !tracer_found();
    if (!site_decoder()) {
        if (caps_wanted())
            plat_log_once(
                "found: calls within libc stay as they are: the decoder (libzydis) is not "
                "installed");
        return;
    }
    take_step(&noticing, start_noticing, !seen);
    if (!seen)
        take_step(&whole, write_libc, true);
}

static void forget(struct step *step)
{
    uint32_t seen = BEING_TAKEN;
    atomic_compare_exchange_strong_explicit(&step->stage, &seen, TAKEN, memory_order_relaxed,
                                            memory_order_relaxed);
}

/* Only the parent has a thread that was taking a step: the child counts the step as taken. */
void sites_forget(void)
{
    forget(&noticing);
    forget(&whole);
}
