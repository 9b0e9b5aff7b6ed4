/* SPDX-License-Identifier: MIT
 *
 * site_scan.c - which system calls of a module can be redirected to the library. Reads, and changes
 * nothing.
 *
 * The scan looks for the bytes of `syscall`. It finds the function around them in the unwind table,
 * and decodes it from its first byte: so what it takes for an instruction is one. The lead is the
 * nearest instruction before the `syscall` that has room for a jump (five bytes). From the lead to
 * the `syscall` there is no jump and no call, and nothing jumps into the lead. That stretch has to
 * mean the same elsewhere, and leave the stack pointer alone.
 *
 *     mov  $202, %eax        <- the lead: a jump to the slot
 *     xor  %r10d, %r10d      stays: for a thread that is here just now, or jumps here
 *     syscall                stays: plain threads make their calls here
 *
 * Where no instruction is long enough, the nearest of two bytes or more takes a short jump to a
 * pad: bytes between a jump and the next label, which only align that label.
 *
 * A thread that is in the stretch while the lead is replaced sees nothing of it, for its next
 * instruction is there as before. Only one instruction is replaced, and no thread is inside of one.
 *
 * A number that is known decides. Where it is not (it was set ahead of a jump), the slot asks at
 * each call. Two functions of libc get the number as a parameter. `syscall` is a site like any
 * other. The other is what all cancellable calls share since glibc 2.41; the scan knows it by its
 * every byte. It looks whether its thread is cancelled and makes the call, and libc's handler for
 * cancellation looks whether it interrupted the function between the two. So no jump may lead out
 * in between: the function's first instruction is the lead, and a plain thread goes on from there.
 * In another module, where a site has made calls that the library takes, any number will do.
 */
#include <string.h>

#include "platform/linux/os/raw.h"
#include "platform/linux/libc/site_slots.h"
#include "platform/linux/libc/site_call.h"
#include "platform/linux/libc/sites.h"
#include "platform/platform.h"

enum { JUMP = 5, MOST_INSTRUCTIONS = 16384, MOST_TARGETS = 4096, MOST_BYTES = 1 << 18 };

struct line {
    uint32_t at; /* from the function's start */
    uint8_t length, flags;
};

struct scan {
    const struct site_code *code;
    struct site *sites;
    size_t count, room;
    struct site_report *report;
    bool one;             /* only one site is asked for */
    bool overlaps;        /* something jumps into an instruction of the function */
    uintptr_t start, end; /* the function */
    unsigned lines, targets;
    struct line line[MOST_INSTRUCTIONS];
    uintptr_t target[MOST_TARGETS];
    uint64_t begins[MOST_BYTES / 64]; /* a bit for each byte: an instruction begins there */
};

/* ---- Functions ------------------------------------------------------------------------------- */

/* The instruction there; -1: none begins there. */
static int line_at(const struct scan *scan, uintptr_t address)
{
    int low = 0, high = (int)scan->lines - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        uintptr_t at = scan->start + scan->line[middle].at;
        if (at == address)
            return middle;
        if (at < address)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

static bool begins_at(const struct scan *scan, uintptr_t address)
{
    size_t at = address - scan->start;
    return scan->begins[at / 64] >> at % 64 & 1;
}

/* Whether each jump's target is the beginning of a decoded instruction; a lock prefix may be jumped
 * over. If not, instructions overlap, or the code was changed, and the bytes behind the change are
 * taken for other instructions than they are. */
static bool targets_are_lines(const struct scan *scan)
{
    enum { LOCK = 0xf0 };
    for (unsigned i = 0; i < scan->targets; i++) {
        uintptr_t target = scan->target[i];
        if (target <= scan->start || target >= scan->end || begins_at(scan, target))
            continue;
        if (*(const unsigned char *)(target - 1) != LOCK || !begins_at(scan, target - 1))
            return false;
    }
    return true;
}

static bool decode_function(struct scan *scan)
{
    size_t bytes = scan->end - scan->start;
    scan->lines = scan->targets = 0;
    if (bytes > MOST_BYTES)
        return false;
    memset(scan->begins, 0, (bytes + 63) / 64 * sizeof *scan->begins);
    for (uintptr_t at = scan->start; at < scan->end;) {
        struct site_instruction instruction;
        if (scan->lines == MOST_INSTRUCTIONS ||
            !site_decode((const void *)at, scan->end - at, &instruction))
            return false;
        scan->line[scan->lines++] =
            (struct line){(uint32_t)(at - scan->start), instruction.length, instruction.flags};
        scan->begins[(at - scan->start) / 64] |= (uint64_t)1 << (at - scan->start) % 64;
        bool to_slot = instruction.flags & SITE_JUMPS && (instruction.target < scan->code->start ||
                                                          instruction.target >= scan->code->end);
        if (to_slot) /* another site's lead: a thread that is behind it just now goes on there */
            scan->line[scan->lines - 1].flags &= (uint8_t)~SITE_ENDS;
        if (instruction.flags & SITE_JUMPS) {
            if (scan->targets == MOST_TARGETS)
                return false;
            scan->target[scan->targets++] = instruction.target;
        }
        at += instruction.length;
    }
    scan->overlaps = !targets_are_lines(scan);
    return true;
}

/* ---- One site -------------------------------------------------------------------------------- */

static bool effect_of(const struct scan *scan, int line, struct site_effect *effect)
{
    return site_decode_effect((const void *)(scan->start + scan->line[line].at),
                              scan->line[line].length, effect);
}

static bool enters(const struct scan *scan, uintptr_t start, uintptr_t end)
{
    for (unsigned i = 0; i < scan->targets; i++)
        if (scan->target[i] > start && scan->target[i] < end)
            return true;
    return false;
}

/* Finds a pad: bytes that no code reaches, with room for a jump, in the lead's page and within a
 * short jump of it. 0: none. *rest: how many bytes behind that jump are to be filled. */
static uintptr_t take_pad(struct scan *scan, uintptr_t lead, unsigned *rest)
{
    enum { SHORT = 2, FAR = 120, PAGE = 4096 };
    for (unsigned i = 1; i < scan->lines; i++) {
        uintptr_t pad = scan->start + scan->line[i].at, end = pad;
        if (!(scan->line[i - 1].flags & SITE_ENDS) || pad + FAR < lead || pad > lead + FAR)
            continue;
        unsigned next = i;
        while (next < scan->lines && scan->line[next].flags == SITE_FILLS)
            end += scan->line[next++].length;
        if (end - pad < JUMP || pad / PAGE != (end - 1) / PAGE || pad / PAGE != lead / PAGE ||
            lead / PAGE != (lead + SHORT - 1) / PAGE || enters(scan, pad - 1, end))
            continue;
        *rest = (unsigned)(end - pad) - JUMP;
        scan->line[i].flags |= SITE_TAKEN;
        return pad;
    }
    return 0;
}

static void leave(struct scan *scan, enum site_left why)
{
    scan->report->left[why]++;
}

/* Whether a slot can take over the instruction. */
static bool moves(const struct scan *scan, int line, uintptr_t call)
{
    struct site_effect effect;
    return line >= 0 && !(scan->line[line].flags & (SITE_TURNS | SITE_RELATIVE)) &&
           call - (scan->start + scan->line[line].at) <= SITE_COPY &&
           effect_of(scan, line, &effect) && !effect.stack;
}

/* Whether it is glibc's __syscall_cancel_arch. The distance of its jump may be any. */
static bool is_shared(const struct scan *scan)
{
    static const unsigned char looks[] = {0x8b, 0x07, 0xf6, 0x07, SITE_CANCELLED, 0x0f, 0x85};
    static const unsigned char calls[] = {0x49, 0x89, 0xfb, 0x48, 0x89, 0xf0, 0x48, 0x89, 0xd7,
                                          0x48, 0x89, 0xce, 0x4c, 0x89, 0xc2, 0x4d, 0x89, 0xca,
                                          0x4c, 0x8b, 0x44, 0x24, 0x08, 0x4c, 0x8b, 0x4c, 0x24,
                                          0x10, 0x4c, 0x89, 0x5c, 0x24, 0x08, 0x0f, 0x05, 0xc3};
    const unsigned char *code = (const unsigned char *)scan->start;
    return scan->end - scan->start == sizeof looks + 4 + sizeof calls &&
           memcmp(code, looks, sizeof looks) == 0 &&
           memcmp(code + sizeof looks + 4, calls, sizeof calls) == 0;
}

/* Where the bytes end that only align what follows. */
static uintptr_t end_of_filling(const struct site_code *code, uintptr_t at)
{
    struct site_instruction instruction;
    while (at < code->end && site_decode((const void *)at, code->end - at, &instruction) &&
           instruction.flags == SITE_FILLS)
        at += instruction.length;
    return at;
}

/* A pad behind the function's own end or, for `further`, behind the end of one of the next
 * functions, as near as take_pad wants it: bytes that align the function after. 0: none. */
static uintptr_t pad_behind(const struct scan *scan, uintptr_t lead, bool further)
{
    enum { SHORT = 2, FAR = 120, PAGE = 4096 };
    uintptr_t pad = scan->end, start, end;
    while (scan->line[scan->lines - 1].flags & SITE_ENDS && pad <= lead + FAR &&
           lead / PAGE == (pad + JUMP - 1) / PAGE && lead / PAGE == (lead + SHORT - 1) / PAGE) {
        uintptr_t next = end_of_filling(scan->code, pad);
        if (next >= pad + JUMP)
            return pad;
        if (!further || !site_function(scan->code, next, &start, &end) || start != next)
            break;
        pad = end;
    }
    return 0;
}

/* The site of libc's cancellable call. Its pad may lie behind another function: no other site in a
 * scan of a whole module takes such bytes. */
static void judge_shared(struct scan *scan, uintptr_t call)
{
    uintptr_t pad = pad_behind(scan, scan->start, true);
    if (pad)
        scan->sites[scan->count++] = (struct site){.lead = scan->start,
                                                   .call = call,
                                                   .pad = pad,
                                                   .bytes = scan->line[0].length,
                                                   .shared = true};
    else
        leave(scan, SITE_NO_LEAD);
}

static void set_lead(const struct scan *scan, int line, struct site *site)
{
    site->lead = scan->start + scan->line[line].at;
    site->bytes = scan->line[line].length;
}

static void judge(struct scan *scan, int syscall)
{
    struct site_effect effect = {.rax = RAX_KEPT};
    for (int i = syscall - 1; i >= 0 && !(scan->line[i].flags & SITE_TURNS); i--)
        if (!effect_of(scan, i, &effect) || effect.rax != RAX_KEPT)
            break;
    if (effect.rax == RAX_NUMBER && !site_wanted(effect.number))
        return;
    bool shared = effect.rax == RAX_COPIED && is_shared(scan);
    /* A number from outside will do, but not within libc, which looks for cancellations there. */
    bool any = scan->one && !scan->code->any_number;
    if (effect.rax == RAX_COPIED && !shared && !any && scan->start != scan->code->any_number) {
        leave(scan, SITE_NUMBER);
        return;
    }
    if (scan->overlaps) {
        leave(scan, SITE_ENTERED);
        return;
    }
    if (scan->count == scan->room) {
        leave(scan, SITE_NO_SLOT);
        return;
    }
    struct site site = {.call = scan->start + scan->line[syscall].at};
    if (shared) {
        judge_shared(scan, site.call);
        return;
    }
    for (int i = syscall - 1; !site.lead && moves(scan, i, site.call); i--)
        if (scan->line[i].length >= JUMP)
            set_lead(scan, i, &site);
    if (site.lead && enters(scan, site.lead, site.lead + JUMP)) {
        leave(scan, SITE_ENTERED);
        return;
    }
    for (int i = syscall - 1; !site.lead && moves(scan, i, site.call); i--) {
        uintptr_t lead = scan->start + scan->line[i].at;
        if (scan->line[i].length < 2)
            continue;
        site.pad = take_pad(scan, lead, &site.pad_rest);
        if (!site.pad && scan->one)
            site.pad = pad_behind(scan, lead, false);
        if (site.pad)
            set_lead(scan, i, &site);
    }
    if (site.lead)
        scan->sites[scan->count++] = site;
    else
        leave(scan, SITE_NO_LEAD);
}

/* A cheap look, right for most: a site that it does not want is looked at no further. */
static bool may_be_wanted(const struct site_code *code, uintptr_t call)
{
    enum { MOV_EAX = 0xb8 };
    const unsigned char *before = (const unsigned char *)call - JUMP;
    uint32_t number;
    if (call < code->start + JUMP || *before != MOV_EAX)
        return true;
    memcpy(&number, before + 1, sizeof number);
    return site_wanted(number);
}

static bool is_too_long(const struct scan *scan)
{
    return scan->code->longest && scan->end - scan->start > scan->code->longest;
}

static void look_at(struct scan *scan, uintptr_t call)
{
    if (!may_be_wanted(scan->code, call))
        return;
    if (call < scan->start || call >= scan->end) {
        uintptr_t start, end;
        scan->start = scan->end = 0;
        if (site_function(scan->code, call, &start, &end)) {
            scan->start = start;
            scan->end = end;
            if (is_too_long(scan) || !decode_function(scan))
                scan->lines = 0;
        }
    }
    if (is_too_long(scan))
        return;
    if (!scan->start || !scan->lines) {
        leave(scan, SITE_UNDECODED);
        return;
    }
    int line = line_at(scan, call); /* these bytes may be parts of other instructions */
    if (line >= 0 && scan->line[line].flags & SITE_SYSCALL)
        judge(scan, line);
}

/* The next `syscall` from here on, or the end. Few bytes are one, so 64 are compared at once. */
static uintptr_t next_syscall(uintptr_t at, uintptr_t end)
{
    typedef unsigned char bytes __attribute__((vector_size(16), aligned(1)));
    typedef long long words __attribute__((vector_size(16)));
    const bytes first = (bytes){0} + 0x0f, second = (bytes){0} + 0x05;
    enum { STEP = 4 * sizeof(bytes) };
    for (; at + STEP + 1 <= end; at += STEP) {
        words both = {0};
        for (unsigned i = 0; i < STEP; i += sizeof(bytes))
            both |= (words)((*(const bytes *)(at + i) == first) &
                            (*(const bytes *)(at + i + 1) == second));
        if (both[0] | both[1])
            break;
    }
    for (; at + 2 <= end; at++)
        if (((const unsigned char *)at)[0] == 0x0f && ((const unsigned char *)at)[1] == 0x05)
            return at;
    return end;
}

static struct scan *scan_for(const struct site_code *code, struct site *sites, size_t room,
                             struct site_report *report)
{
    struct scan *scan = plat_reserve(sizeof *scan);
    if (!scan)
        return NULL;
    scan->code = code;
    scan->sites = sites;
    scan->room = room;
    scan->report = report;
    return scan;
}

size_t site_scan(const struct site_code *code, struct site *sites, size_t room,
                 struct site_report *report)
{
    struct scan *scan = scan_for(code, sites, room, report);
    if (!scan)
        return 0;
    for (uintptr_t at = code->start; (at = next_syscall(at, code->end)) < code->end; at++)
        look_at(scan, at);
    size_t count = scan->count;
    RAW2(SYS_munmap, scan, sizeof *scan);
    return count;
}

bool site_scan_one(const struct site_code *code, uintptr_t call, struct site *site,
                   struct site_report *report)
{
    struct scan *scan = scan_for(code, site, 1, report);
    if (!scan)
        return false;
    scan->one = true;
    look_at(scan, call);
    bool found = scan->count;
    RAW2(SYS_munmap, scan, sizeof *scan);
    return found;
}
