/* SPDX-License-Identifier: MIT
 *
 * sites.c - calls from within libc: led to the library at the instruction, whichever function makes them.
 *
 * libc's functions call each other's insides, so what stands before a few of them (front.def) sees only a part.
 * Behind all of them is a `syscall`. Where its number is one of calls.def that may wait, or asks for the caller's
 * identity, it is led here: a worker's is tried, and if it has to wait the worker leaves its scheduler in user mode.
 *
 * Writers, and when
 *   the slots, then libc's and ld.so's code   sites_start, once, with the first scheduler; other threads may run
 *                                             in that code meanwhile (site_text.c)
 *   nobody, ever again: libc and ld.so are never unloaded. A child after fork has what its parent has, and there
 *   its thread is a plain one; a program that is executed begins anew.
 *
 * Never led here: calls that act on the calling stack or thread of the kernel's (clone, fork, vfork, execve,
 * rt_sigreturn, exit). `syscall` takes them to the kernel with nothing of ours on the stack.
 *
 * A handler that interrupts a call here runs as anywhere in the library: what is sent to a worker waits until it
 * looks (signal_run.c), which it does before it waits and after. What a fault raises does not happen here, since
 * no pointer of the program's is followed (calls.h).
 *
 * UMSSHIM_SITES=0 leaves all as it was. What cannot be rewritten is seen by the filter, as ever.
 */
#pragma GCC visibility push(default)
#include <gnu/libc-version.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#pragma GCC visibility pop

#include "platform/linux/traps/calls.h"
#include "platform/linux/libc/front.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/libc/site_call.h"
#include "platform/linux/libc/site_slots.h"
#include "platform/linux/libc/sites.h"

enum { SITE_SHARED_LEAD = 2 };
enum { PAGE = 4096, MOST_SITES = SITE_SLOTS - SITE_STUB_SLOTS };
_Static_assert(SITE_SLOTS *SITE_SLOT % PAGE == 0, "the slots are whole pages");

/* site_slots.S */
extern unsigned char site_slots[], site_stub[], site_stub_low[], site_stub_high[];
extern unsigned char site_shared_stub[], site_shared_low[], site_shared_high[];

/* ---- The slots ---------------------------------------------------------------------------------------------- */

struct batch {
    struct site sites[MOST_SITES];
    unsigned slots[MOST_SITES];
    size_t count;
};

static unsigned char *slot_at(unsigned slot)
{
    return site_slots + (size_t)(SITE_STUB_SLOTS + slot) * SITE_SLOT;
}

static unsigned char *put_word(unsigned char *to, uint32_t word)
{
    memcpy(to, &word, sizeof word);
    return to + sizeof word;
}

static unsigned char *put(unsigned char *to, const char *bytes, size_t count)
{
    memcpy(to, bytes, count);
    return to + count;
}

/* From the end of the instruction, which ends with this word. */
static uint32_t distance(const unsigned char *copied_to, intptr_t moved, uintptr_t target)
{
    return (uint32_t)(target - ((uintptr_t)copied_to + 4 + (uintptr_t)moved));
}

static bool reaches(uintptr_t from, uintptr_t to)
{
    intptr_t way = (intptr_t)(to - from);
    return way > -INT32_MAX + PAGE && way < INT32_MAX - PAGE;
}

static uint32_t offset_of(const void *thread_local)
{
    return (uint32_t)((uintptr_t) thread_local - thread_pointer());
}

static void write_site(unsigned char *at, intptr_t moved, const struct site *site)
{
    uintptr_t behind = site->call + 2;
    at = put(at, (const char *)site->lead, site->call - site->lead);
    at = put(at, "\x64\x48\x8b\x0c\x25", 5);
    at = put_word(at, offset_of(&plat_tls.current));
    at = put(at, "\xe3\x0c\x48\x8d\x0d", 5);
    at = put_word(at, distance(at, moved, behind));
    *at++ = 0xe9;
    at = put_word(at, distance(at, moved, (uintptr_t)site_stub));
    *at++ = 0xe9;
    put_word(at, distance(at, moved, site->call));
}

static void write_shared(unsigned char *at, intptr_t moved, uintptr_t lead)
{
    uintptr_t behind = lead + SITE_SHARED_LEAD;
    at = put(at, (const char *)lead, SITE_SHARED_LEAD);
    at = put(at, "\x64\x48\x83\x3c\x25", 5);
    at = put_word(at, offset_of(&plat_tls.current));
    at = put(at, "\x00\x75\x05\xe9", 4);
    at = put_word(at, distance(at, moved, behind));
    at = put(at, "\x4c\x8d\x1d", 3);
    at = put_word(at, distance(at, moved, behind));
    *at++ = 0xe9;
    put_word(at, distance(at, moved, (uintptr_t)site_shared_stub));
}

static void write_slots(unsigned char *copy, uintptr_t start, void *arg)
{
    const struct batch *batch = arg;
    intptr_t moved = (intptr_t)(start - (uintptr_t)copy);
    put_word(site_stub_low - moved, offset_of(&plat_tls.door_low));
    put_word(site_stub_high - moved, offset_of(&plat_tls.door_high));
    put_word(site_shared_low - moved, offset_of(&plat_tls.door_low));
    put_word(site_shared_high - moved, offset_of(&plat_tls.door_high));
    for (size_t i = 0; i < batch->count; i++) {
        const struct site *site = &batch->sites[i];
        unsigned char *slot = slot_at(batch->slots[i]) - moved;
        uintptr_t behind = site->shared ? site->lead + SITE_SHARED_LEAD : site->call + 2;
        if (site->shared)
            write_shared(slot, moved, site->lead);
        else
            write_site(slot, moved, site);
        memcpy(slot + SITE_SLOT - sizeof behind, &behind, sizeof behind);
    }
}

/* ---- A module --------------------------------------------------------------------------------------------------- */

struct module {
    struct site_code code;
    struct site_file file;
};

struct plan {
    const struct batch *batch;
    size_t first, end; /* of the batch's sites: those of a run of pages */
};

static void write_jumps(unsigned char *copy, uintptr_t start, void *arg)
{
    const struct plan *plan = arg;
    for (size_t i = plan->first; i < plan->end; i++) {
        const struct site *site = &plan->batch->sites[i];
        unsigned char *at = copy + ((site->pad ? site->pad : site->lead) - start);
        if (site->pad) { /* in the same page */
            copy[site->lead - start] = 0xeb;
            copy[site->lead - start + 1] = (unsigned char)(site->pad - site->lead - 2);
        }
        *at++ = 0xe9;
        put_word(at, distance(at, (intptr_t)(start - (uintptr_t)copy),
                              (uintptr_t)slot_at(plan->batch->slots[i])));
    }
}

/* Pages next to each other are exchanged together: an instruction may lie in two of them. */
static void rewrite(struct module *module, const struct batch *batch, size_t first, size_t end,
                    struct site_report *report)
{
    while (first < end) {
        uintptr_t start = batch->sites[first].lead & ~(uintptr_t)(PAGE - 1), stop = start;
        size_t next = first;
        while (next < end && (next == first || batch->sites[next].lead < stop + PAGE)) {
            uintptr_t last = batch->sites[next++].lead + 4;
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

enum { MOST_MODULES = 2 };

struct search {
    struct module modules[MOST_MODULES];
    unsigned count;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *search = arg;
    struct module module = {.file.fd = -1};
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
                offset = (off_t)part->p_offset;
            }
    }
    if (!wanted || search->count == MOST_MODULES)
        return 0;
    site_file_open(&module.file, info->dlpi_name, module.code.start & ~(uintptr_t)(PAGE - 1),
                   offset & ~(off_t)(PAGE - 1));
    module.code.any_number = (uintptr_t)front_named_in_libc("syscall");
    search->modules[search->count++] = module;
    return 0;
}

static void tell(const struct site_report *report)
{
    const unsigned *left = report->left;
    plat_log(
        "found: calls led here from within libc: %u; left as they are: %u of unknown shape, %u without room "
        "for a jump, %u jumped into, %u with a number from outside, %u out of reach, %u refused by the system",
        report->rewritten, left[SITE_UNDECODED], left[SITE_NO_LEAD], left[SITE_ENTERED],
        left[SITE_NUMBER], left[SITE_NO_SLOT], left[SITE_REFUSED]);
}

static void rewrite_all(struct batch *batch, struct site_report *report)
{
    struct search search = {.count = 0};
    size_t first[MOST_MODULES + 1] = {0};
    struct site_file none = {.fd = -1};
    dl_iterate_phdr(look_at, &search);
    for (unsigned m = 0; m < search.count; m++) {
        struct module *module = &search.modules[m];
        bool near = reaches((uintptr_t)site_slots, module->code.start) &&
                    reaches((uintptr_t)site_slots, module->code.end);
        batch->count += site_scan(&module->code, batch->sites + batch->count,
                                  near ? MOST_SITES - batch->count : 0, report);
        first[m + 1] = batch->count;
    }
    for (unsigned i = 0; i < batch->count; i++)
        batch->slots[i] = i;
    size_t used = ((SITE_STUB_SLOTS + batch->count) * SITE_SLOT + PAGE - 1) & ~(size_t)(PAGE - 1);
    bool ready = site_exchange(&none, (uintptr_t)site_slots, used, write_slots, batch);
    for (unsigned m = 0; m < search.count; m++) {
        if (ready)
            rewrite(&search.modules[m], batch, first[m], first[m + 1], report);
        else
            report->left[SITE_REFUSED] += (unsigned)(first[m + 1] - first[m]);
        site_file_close(&search.modules[m].file);
    }
}

/* The second to come does not wait: it may have the dynamic linker's lock. Nothing depends on it. */
void sites_start(void)
{
    static atomic_flag begun = ATOMIC_FLAG_INIT;
    struct site_report report = {0};
    if (!engine_caps.sites || atomic_flag_test_and_set(&begun))
        return;
    struct batch *batch = plat_reserve(sizeof *batch);
    site_call_init();
    bool able = batch && site_decoder();
    if (able)
        rewrite_all(batch, &report);
    if (caps_wanted() && able)
        tell(&report);
    else if (caps_wanted())
        plat_log(
            "found: calls within libc stay as they are: the decoder (libzydis) is not installed");
    if (batch)
        RAW2(SYS_munmap, batch, sizeof *batch);
}
