/* SPDX-License-Identifier: MIT
 *
 * site_pool.c - the slots that there are, and the sites that have them.
 *
 * A jump reaches two gigabytes. The library's own slots (site_slots.S) are near libc and near most
 * libraries that are opened later. A program's code is further away. For it the broker maps an
 * *island*, 64 KiB of slots in a gap below the module. An island's first slot is a jump to
 * site_stub, which is out of reach there, too. The broker tells the unwinder of an island before
 * any slot of it is used, with the rules of site_slots.S.
 *
 * The parts:
 *   an island       is made by the broker thread: telling the unwinder takes its lock, and the
 *                   heap. It is never unmapped
 *   a slot          is written by the worker that rewrites the site, with the lock of
 *                   site_module.c; so is all that is noted here
 *   the broker      publishes an island by the count of pools (release), which the others read
 *                   (acquire)
 *
 * A program may close a module, and another one be mapped in its place. The slots of the closed
 * module stay: no jump leads there any more, and no thread is in one, since its next instruction
 * would be the closed module's. They are used again when the pool is full, or when a site is
 * noticed at the same place. A site is gone when its jump is: when the bytes of the jump's distance
 * have changed. The first byte does not count, since a debugger may have its breakpoint there.
 */
#pragma GCC visibility push(default)
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#pragma GCC visibility pop

#include "platform/linux/calls/broker.h"
#include "platform/linux/libc/site_slots.h"
#include "platform/linux/libc/sites.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/process_map.h"
#include "platform/linux/os/raw.h"
#include "platform/platform.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { PAGE = 4096, ISLAND = 65536, ISLAND_SLOTS = ISLAND / SITE_SLOT, MOST_ISLANDS = 8 };

struct pool {
    uintptr_t start; /* of the first slot */
    uintptr_t stub;  /* site_stub, or a jump there */
    unsigned slots;
    _Atomic unsigned used;
    struct site *sites; /* the site of each slot that was used; without a lead: free again */
};

static struct pool pools[1 + MOST_ISLANDS];
static _Atomic unsigned pool_count;

uintptr_t site_slot_at(size_t nth)
{
    return (uintptr_t)site_slots + (SITE_STUB_SLOTS + nth) * SITE_SLOT;
}

bool site_pools_start(void)
{
    struct pool *own = &pools[0];
    enum { SLOTS = SITE_SLOTS - SITE_STUB_SLOTS };
    own->sites = plat_reserve(SLOTS * sizeof *own->sites);
    if (!own->sites)
        return false;
    own->start = site_slot_at(0);
    own->stub = (uintptr_t)site_stub;
    own->slots = SLOTS;
    atomic_store_explicit(&pool_count, 1, memory_order_release);
    return true;
}

size_t site_slots_left(void)
{
    return pools[0].slots - pools[0].used;
}

size_t site_slots_take(const struct site *sites, size_t count)
{
    struct pool *own = &pools[0];
    size_t first = own->used;
    if (count)
        memcpy(own->sites + first, sites, count * sizeof *sites);
    own->used += (unsigned)count;
    return first;
}

/* ---- Sites that have slots ------------------------------------------------------------------- */

static uintptr_t slot_of(const struct pool *pool, unsigned index)
{
    return pool->start + (uintptr_t)index * SITE_SLOT;
}

/* Whether the site's jump is there still. Its module may be gone, and no memory be there. */
static bool stands(const struct site *site, uintptr_t slot)
{
    uintptr_t jump = site->pad ? site->pad : site->lead;
    uint32_t way;
    return copy_in(&way, (const void *)(jump + 1), sizeof way) == 0 &&
           way == (uint32_t)(slot - (jump + 1 + sizeof way));
}

bool site_pool_stands(uintptr_t call)
{
    unsigned count = atomic_load_explicit(&pool_count, memory_order_acquire);
    for (unsigned p = 0; p < count; p++)
        for (unsigned i = 0; i < pools[p].used; i++) {
            struct site *site = &pools[p].sites[i];
            if (!site->lead || site->call != call)
                continue;
            if (stands(site, slot_of(&pools[p], i)))
                return true;
            site->lead = 0;
        }
    return false;
}

bool site_pool_changed(uintptr_t page)
{
    unsigned count = atomic_load_explicit(&pool_count, memory_order_acquire);
    for (unsigned p = 0; p < count; p++)
        for (unsigned i = 0; i < pools[p].used; i++) {
            const struct site *site = &pools[p].sites[i];
            if (site->lead &&
                (site->lead / PAGE == page / PAGE || site_last(site) / PAGE == page / PAGE))
                return true;
        }
    return false;
}

/* ---- Taking a slot --------------------------------------------------------------------------- */

static bool find_free(struct pool *pool, unsigned *index)
{
    for (unsigned i = 0; i < pool->used; i++)
        if (!pool->sites[i].lead) {
            *index = i;
            return true;
        }
    *index = pool->used;
    return pool->used < pool->slots;
}

static void free_gone(struct pool *pool)
{
    for (unsigned i = 0; i < pool->used; i++)
        if (!stands(&pool->sites[i], slot_of(pool, i)))
            pool->sites[i].lead = 0;
}

struct writing {
    const struct site *site;
    const struct pool *pool;
    uintptr_t slot;
};

static void write_slot(unsigned char *copy, uintptr_t start, void *arg)
{
    const struct writing *writing = arg;
    site_write_slot(copy + (writing->slot - start), (intptr_t)(start - (uintptr_t)copy),
                    writing->site, writing->pool->stub);
}

static uintptr_t take_in(struct pool *pool, const struct site *site, bool *refused)
{
    static const struct site_file none = {.fd = -1};
    unsigned index;
    if (!find_free(pool, &index)) {
        free_gone(pool);
        if (!find_free(pool, &index))
            return 0;
    }
    struct writing writing = {site, pool, slot_of(pool, index)};
    uintptr_t page = writing.slot & ~(uintptr_t)(PAGE - 1);
    if (!site_exchange(&none, page, PAGE, write_slot, &writing)) {
        *refused = true;
        return 0;
    }
    pool->sites[index] = *site;
    if (index == pool->used)
        pool->used++;
    return writing.slot;
}

uintptr_t site_slot_take(const struct site *site, bool *refused)
{
    unsigned count = atomic_load_explicit(&pool_count, memory_order_acquire);
    uintptr_t slot = 0;
    for (unsigned p = 0; p < count && !slot && !*refused; p++) {
        struct pool *pool = &pools[p];
        if (site_reaches(pool->start, site->lead) &&
            site_reaches(slot_of(pool, pool->slots), site->lead))
            slot = take_in(pool, site, refused);
    }
    return slot;
}

void site_slot_give(uintptr_t slot)
{
    unsigned count = atomic_load_explicit(&pool_count, memory_order_acquire);
    for (unsigned p = 0; p < count; p++)
        if (slot - pools[p].start < (uintptr_t)pools[p].slots * SITE_SLOT)
            pools[p].sites[(slot - pools[p].start) / SITE_SLOT].lead = 0;
}

/* ---- Islands: on the broker thread ----------------------------------------------------------- */

extern void __register_frame(void *table);

/* What the assembler makes of the directives in site_slots.S, with addresses of eight bytes. */
static struct __attribute__((packed, aligned(8))) unwinding {
    struct __attribute__((packed)) {
        uint32_t length, none;
        unsigned char version, letters, code_unit, data_unit, address_register, frame[3];
    } common;
    struct __attribute__((packed)) function {
        uint32_t length, back;
        uintptr_t start, bytes;
        unsigned char rule[16];
    } first, others;
    uint32_t end;
} unwinding[MOST_ISLANDS];
static unsigned
    described; /* how many are used; a child of fork reuses none that the unwinder may know */

static void describe(struct unwinding *table, uintptr_t island)
{
    enum { LENGTH = sizeof table->common.length, RSP = 7, RIP = 16, RCX = 2, MINUS_8 = 0x78 };
    static const unsigned char in_rcx[] = {0x09, RIP, RCX}, /* DW_CFA_register */
        in_slot[] = {0x16, RIP, 8, 0x80, 0, 0x09, 0xc0, 0x1a, 0x23, 56, 0x06};
    *table = (struct unwinding){
        .common = {sizeof table->common - LENGTH, 0, 1, 0, 1, MINUS_8, RIP, {0x0c, RSP, 0}},
        .first = {sizeof table->first - LENGTH, 0, island, SITE_SLOT, {0}},
        .others = {sizeof table->others - LENGTH, 0, island + SITE_SLOT, ISLAND - SITE_SLOT, {0}}};
    table->first.back = offsetof(struct unwinding, first.back);
    table->others.back = offsetof(struct unwinding, others.back);
    memcpy(table->first.rule, in_rcx, sizeof in_rcx);
    memcpy(table->others.rule, in_slot, sizeof in_slot);
    __register_frame(table);
}

struct gap {
    uintptr_t near, last_end; /* the end of the line before */
    uintptr_t place;          /* 0: none yet */
};

/* Finds the nearest gap below the module: the heap of a program grows above it. */
static bool look_for_gap(const struct map_line *line, void *arg)
{
    struct gap *gap = arg;
    if (gap->last_end && line->start >= gap->last_end + ISLAND + 2 * PAGE)
        gap->place = line->start - PAGE - ISLAND;
    else if (!gap->last_end && line->start > (1 << 20) + ISLAND + PAGE)
        gap->place = line->start - PAGE - ISLAND;
    gap->last_end = line->end;
    return line->end <= gap->near;
}

/* Whether the place is inside of a module: closing that would unmap all from its beginning to its
 * end. */
static bool in_a_module(uintptr_t place)
{
    struct dl_find_object module;
    return _dl_find_object((void *)place, &module) == 0 ||
           _dl_find_object((void *)(place + ISLAND - 1), &module) == 0;
}

static void write_first(unsigned char *island)
{
    static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* to the address that follows */
    const uintptr_t stub = (uintptr_t)site_stub;
    memcpy(island, jump, sizeof jump);
    memcpy(island + sizeof jump, &stub, sizeof stub);
}

static bool map_island(uintptr_t place)
{
    long got = RAW6(SYS_mmap, place, ISLAND, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != (long)place) { /* before Linux 4.17 the place is a wish only */
        if (got > 0)
            RAW2(SYS_munmap, got, ISLAND);
        return false;
    }
    write_first((unsigned char *)place);
    if (RAW3(SYS_mprotect, place, ISLAND, PROT_READ | PROT_EXEC) == 0)
        return true;
    RAW2(SYS_munmap, place, ISLAND);
    return false;
}

enum { MOST_ASKED = 64 }; /* a module that cannot be helped is not asked for for ever */

static _Atomic uintptr_t wanted_near;
static _Atomic unsigned asked;

static bool reached_from(uintptr_t near, unsigned count)
{
    for (unsigned p = 0; p < count; p++)
        if (site_reaches(pools[p].start, near) && pools[p].used < pools[p].slots)
            return true;
    return false;
}

static void make_near(uintptr_t near)
{
    unsigned count = atomic_load_explicit(&pool_count, memory_order_relaxed);
    struct gap gap = {.near = near};
    if (reached_from(near, count))
        return;
    if (count > MOST_ISLANDS || described == MOST_ISLANDS ||
        !process_map_read(look_for_gap, &gap) || !gap.place || in_a_module(gap.place) ||
        !site_reaches(gap.place, near))
        return;
    struct site *sites = plat_reserve(ISLAND_SLOTS * sizeof *sites);
    if (!sites || !map_island(gap.place)) {
        if (sites)
            RAW2(SYS_munmap, sites, ISLAND_SLOTS * sizeof *sites);
        return;
    }
    describe(&unwinding[described++], gap.place);
    pools[count] = (struct pool){.start = gap.place + SITE_SLOT,
                                 .stub = gap.place,
                                 .slots = ISLAND_SLOTS - 1,
                                 .sites = sites};
    atomic_store_explicit(&pool_count, count + 1, memory_order_release);
}

/* A fork's child must not find the unwinder's lock held: no thread would release it there. So a
 * fork waits until the broker is done, and the broker does not begin while a fork is under way. */
static _Atomic uint32_t forks;
static _Atomic bool making;

static bool make_island(void)
{
    atomic_store(&making, true);
    bool may = !atomic_load(&forks);
    uintptr_t near = may ? atomic_exchange(&wanted_near, 0) : 0;
    if (near)
        make_near(near);
    atomic_store(&making, false);
    return may;
}

static void nothing(void *unused)
{
    (void)unused;
}

void site_pools_fork(void)
{
    atomic_fetch_add(&forks, 1);
    if (atomic_load(&making))
        broker_run(nothing, NULL); /* the broker is done when this has its turn */
}

void site_pools_forked(void)
{
    atomic_fetch_sub(&forks, 1);
}

void site_pools_forget(void)
{
    atomic_store(&forks, 0);
    atomic_store(&making, false);
    atomic_store(&wanted_near, 0);
}

bool site_slots_wanted(uintptr_t module)
{
    if (atomic_load_explicit(&wanted_near, memory_order_relaxed) == module)
        return true;
    if (atomic_fetch_add_explicit(&asked, 1, memory_order_relaxed) >= MOST_ASKED)
        return false;
    atomic_store(&wanted_near, module);
    broker_post(POST_SITES, make_island);
    return true;
}
