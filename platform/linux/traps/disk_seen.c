/* SPDX-License-Identifier: MIT
 *
 * disk_seen.c - see disk_seen.h.
 *
 * A file has one word in the table, which any thread reads and writes. Several files share the
 * word's place. Most bits of the word tell the files apart, by device, number and size. Two files
 * with the same bits lead to a wrong guess, too.
 */
#include "platform/linux/traps/disk_seen.h"

#include <stdatomic.h>
#include <stdint.h>

#include "platform/platform.h"

/* A word: 40 bits tell which file, one bit is set for SEEN_MUTE, 23 bits tell when. */
enum { FILES = 512, WHO_AT = 24, MUTE_AT = 23, MOMENTS = (1 << MUTE_AT) - 1 };
enum { UNIT_NS = 1 << 20, HOLDS_UNITS = 1000 };

static _Atomic uint64_t seen[FILES];

static uint64_t mixed(const struct stat *file)
{
    uint64_t x = (uint64_t)file->st_ino ^ (uint64_t)file->st_dev << 40 ^
                 (uint64_t)file->st_size * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static uint64_t moment(void)
{
    return plat_now() / UNIT_NS & MOMENTS;
}

/* The upper bits choose the place. They are not all in the word. */
static _Atomic uint64_t *place_of(uint64_t who)
{
    return &seen[who >> 55];
}

enum disk_seen disk_seen(const struct stat *file)
{
    uint64_t who = mixed(file);
    uint64_t word = atomic_load_explicit(place_of(who), memory_order_relaxed);
    if (!word || (word ^ who << WHO_AT) >> WHO_AT || ((moment() - word) & MOMENTS) > HOLDS_UNITS)
        return SEEN_NOT;
    return word >> MUTE_AT & 1 ? SEEN_MUTE : SEEN_WHOLE;
}

void disk_see(const struct stat *file, enum disk_seen how)
{
    uint64_t who = mixed(file);
    uint64_t word = who << WHO_AT | (uint64_t)(how == SEEN_MUTE) << MUTE_AT | moment();
    atomic_store_explicit(place_of(who), word, memory_order_relaxed);
}
