/* SPDX-License-Identifier: MIT
 *
 * site_write.c - the bytes of slots and jumps (sites.h; site_slots.S has them as instructions).
 *
 * They are written into a copy of the pages. An address in the copy plus `moved` is the one in the
 * pages.
 */
#include <string.h>

#include "platform/linux/current.h"
#include "platform/linux/libc/site_slots.h"
#include "platform/linux/libc/sites.h"
#include "platform/linux/plat_types.h"

enum { PAGE = 4096, SHARED_LEAD = 2 };
_Static_assert(SITE_SLOTS *SITE_SLOT % PAGE == 0, "the slots are whole pages");

/* site_slots.S */
extern unsigned char site_stub_low[], site_stub_high[];
extern unsigned char site_shared_stub[], site_shared_low[], site_shared_high[];

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

/* The distance to `target` from the end of the instruction, which ends with this word. */
static uint32_t distance(const unsigned char *copied_to, intptr_t moved, uintptr_t target)
{
    return (uint32_t)(target - ((uintptr_t)copied_to + 4 + (uintptr_t)moved));
}

bool site_reaches(uintptr_t from, uintptr_t to)
{
    intptr_t way = (intptr_t)(to - from);
    return way > -INT32_MAX + PAGE && way < INT32_MAX - PAGE;
}

static uint32_t offset_of(const void *thread_local)
{
    uintptr_t address = (uintptr_t) thread_local;
    /* gcc would read 32 bits of the distance from the table of offsets, which binutils refuses
     * since 2.44. */
    __asm__("" : "+r"(address));
    return (uint32_t)(address - thread_pointer());
}

void site_write_stubs(intptr_t moved)
{
    put_word(site_stub_low - moved, offset_of(&plat_tls.room.low));
    put_word(site_stub_high - moved, offset_of(&plat_tls.room.high));
    put_word(site_shared_low - moved, offset_of(&plat_tls.room.low));
    put_word(site_shared_high - moved, offset_of(&plat_tls.room.high));
}

static void write_site(unsigned char *at, intptr_t moved, const struct site *site, uintptr_t stub)
{
    uintptr_t behind = site->call + 2;
    at = put(at, (const char *)site->lead, site->call - site->lead);
    at = put(at, "\x64\x48\x8b\x0c\x25", 5);
    at = put_word(at, offset_of(&plat_tls.current));
    at = put(at, "\xe3\x0c\x48\x8d\x0d", 5);
    at = put_word(at, distance(at, moved, behind));
    *at++ = 0xe9;
    at = put_word(at, distance(at, moved, stub));
    *at++ = 0xe9;
    put_word(at, distance(at, moved, site->call));
}

static void write_shared(unsigned char *at, intptr_t moved, uintptr_t lead)
{
    uintptr_t behind = lead + SHARED_LEAD;
    at = put(at, (const char *)lead, SHARED_LEAD);
    at = put(at, "\x64\x48\x83\x3c\x25", 5);
    at = put_word(at, offset_of(&plat_tls.current));
    at = put(at, "\x00\x75\x05\xe9", 4);
    at = put_word(at, distance(at, moved, behind));
    at = put(at, "\x4c\x8d\x1d", 3);
    at = put_word(at, distance(at, moved, behind));
    *at++ = 0xe9;
    put_word(at, distance(at, moved, (uintptr_t)site_shared_stub));
}

void site_write_slot(unsigned char *slot, intptr_t moved, const struct site *site, uintptr_t stub)
{
    uintptr_t behind = site->shared ? site->lead + SHARED_LEAD : site->call + 2;
    if (site->shared)
        write_shared(slot, moved, site->lead);
    else
        write_site(slot, moved, site, stub);
    memcpy(slot + SITE_SLOT - sizeof behind, &behind, sizeof behind);
}

void site_write_jump(unsigned char *copy, uintptr_t start, const struct site *site, uintptr_t slot)
{
    enum { JUMP = 5, SHORT = 0xeb, LONG = 0xe9, NOP = 0x90 };
    unsigned char *lead = copy + (site->lead - start), *at = lead;
    memset(lead, NOP, site->bytes);
    if (site->pad) { /* in the same page */
        at = copy + (site->pad - start);
        memset(at + JUMP, NOP, site->pad_rest);
        lead[0] = SHORT;
        lead[1] = (unsigned char)(site->pad - site->lead - 2);
    }
    *at++ = LONG;
    put_word(at, distance(at, (intptr_t)(start - (uintptr_t)copy), slot));
}
