/* SPDX-License-Identifier: MIT
 *
 * disk_seen.c - see disk_seen.h.
 *
 * A name has one word in the table, which any thread reads and writes. Several names share a pair
 * of words. Most bits of the word tell the names apart. Two names with the same bits lead to a
 * wrong guess, too.
 */
#include "platform/linux/traps/disk_seen.h"

#include <stdatomic.h>
#include <stddef.h>

#include "platform/platform.h"

/* A word: 40 bits tell which name, one bit is set for SEEN_MUTE, 23 bits tell when. 0: no name. */
enum { PAIRS = 512, NAME_AT = 24, MUTE_AT = 23, MOMENTS = (1 << MUTE_AT) - 1 };
enum { UNIT_NS = 1 << 20, HOLDS_UNITS = 1000 };

static _Atomic uint64_t seen[PAIRS][2];

uint64_t disk_name(const struct stat *file)
{
    return disk_name_mixed((uint64_t)file->st_ino ^ (uint64_t)file->st_dev << 40 ^
                           (uint64_t)file->st_size * 0x9e3779b97f4a7c15u);
}

static uint64_t moment(void)
{
    return plat_now() / UNIT_NS & MOMENTS;
}

/* The upper bits choose the pair. They are not all in the word. */
static _Atomic uint64_t *pair_of(uint64_t name)
{
    return seen[name >> 55];
}

static bool is_of(uint64_t word, uint64_t name)
{
    return word && !((word ^ name << NAME_AT) >> NAME_AT);
}

static uint64_t word_of(uint64_t name)
{
    const _Atomic uint64_t *pair = pair_of(name);
    for (int i = 0; i < 2; i++) {
        uint64_t word = atomic_load_explicit(&pair[i], memory_order_relaxed);
        if (is_of(word, name))
            return word;
    }
    return 0;
}

enum disk_seen disk_seen(uint64_t name)
{
    uint64_t word = word_of(name);
    if (!word || ((moment() - word) & MOMENTS) > HOLDS_UNITS)
        return SEEN_NOT;
    return word >> MUTE_AT & 1 ? SEEN_MUTE : SEEN_WHOLE;
}

/* The first of a pair is the newer one. */
static void put(uint64_t name, uint64_t how)
{
    _Atomic uint64_t *pair = pair_of(name);
    uint64_t first = atomic_load_explicit(&pair[0], memory_order_relaxed);
    if (!is_of(first, name))
        atomic_store_explicit(&pair[1], first, memory_order_relaxed);
    atomic_store_explicit(&pair[0], name << NAME_AT | how, memory_order_relaxed);
}

void disk_see(uint64_t name, enum disk_seen how)
{
    put(name, (uint64_t)(how == SEEN_MUTE) << MUTE_AT | moment());
}

void disk_see_alike(uint64_t name, uint64_t other)
{
    uint64_t word = word_of(other);
    if (word)
        put(name, word & ((UINT64_C(1) << NAME_AT) - 1));
}

void disk_see_no_more(uint64_t name)
{
    _Atomic uint64_t *pair = pair_of(name);
    for (int i = 0; i < 2; i++)
        if (is_of(atomic_load_explicit(&pair[i], memory_order_relaxed), name))
            atomic_store_explicit(&pair[i], 0, memory_order_relaxed);
}
