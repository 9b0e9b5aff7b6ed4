/* SPDX-License-Identifier: MIT
 *
 * Which call sites may be redirected (platform/linux/libc/site_scan.c): libc's cancellable call, which looks whether
 * its thread is cancelled and then makes the call, is redirected at its first instruction or not at all.
 */
#include "platform/linux/libc/site_scan.c"

#include "doubles.h"
#include "gtest_c.h"

/* Its code from glibc 2.41 on, with what an indirect jump wants before it, and filling behind. */
static const unsigned char code[] = {
    0xf3, 0x0f, 0x1e, 0xfa,                   /* endbr64 */
    0x8b, 0x07,                               /* mov (%rdi), %eax */
    0xf6, 0x07, 0x08,                         /* testb $8, (%rdi) */
    0x0f, 0x85, 0x23, 0x00, 0x00, 0x00,       /* jne, out of the function */
    0x49, 0x89, 0xfb, 0x48, 0x89, 0xf0,       /* mov %rdi, %r11; mov %rsi, %rax */
    0x48, 0x89, 0xd7, 0x48, 0x89, 0xce,       /* the arguments */
    0x4c, 0x89, 0xc2, 0x4d, 0x89, 0xca,       /* */
    0x4c, 0x8b, 0x44, 0x24, 0x08,             /* */
    0x4c, 0x8b, 0x4c, 0x24, 0x10,             /* */
    0x4c, 0x89, 0x5c, 0x24, 0x08,             /* mov %r11, 8(%rsp) */
    0x0f, 0x05, 0xc3,                         /* syscall; ret */
    0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, /* */
};
enum { ENDBR = 4, TO_RAX = 18, SYSCALL = 48, RET = 50, END = 51 };

static size_t function_begins; /* in `code` */

static uintptr_t at(size_t offset)
{
    return (uintptr_t)code + offset;
}

bool site_function(const struct site_code *where, uintptr_t address, uintptr_t *start,
                   uintptr_t *end)
{
    if (address < at(function_begins) || address >= at(END))
        return false;
    *start = at(function_begins);
    *end = at(END);
    return true;
}

bool site_decode(const void *address, size_t bytes, struct site_instruction *instruction)
{
    static const uint8_t lengths[] = {4, 2, 3, 6, 3, 3, 3, 3, 3, 3, 5, 5, 5, 2, 1};
    size_t offset = 0, wanted = (uintptr_t)address - at(0);

    *instruction = (struct site_instruction){.length = 1, .flags = SITE_FILLS};
    for (size_t i = 0; i < sizeof lengths; offset += lengths[i++])
        if (offset == wanted)
            *instruction = (struct site_instruction){.length = lengths[i]};
    if (wanted == SYSCALL)
        instruction->flags = SITE_TURNS | SITE_SYSCALL;
    if (wanted == RET)
        instruction->flags = SITE_TURNS | SITE_ENDS;
    if (wanted == ENDBR + 5) {
        instruction->flags = SITE_TURNS | SITE_RELATIVE | SITE_JUMPS;
        instruction->target = at(sizeof code) + 64;
    }
    return instruction->length <= bytes;
}

bool site_decode_effect(const void *address, size_t bytes, struct site_effect *effect)
{
    *effect = (struct site_effect){.rax = (uintptr_t)address == at(TO_RAX) ? RAX_COPIED : RAX_KEPT};
    return true;
}

bool site_wanted(long number)
{
    return true;
}

static bool scan_one(size_t begins, bool libcs, struct site *site, struct site_report *report)
{
    struct site_code where = {
        .start = at(begins), .end = at(sizeof code), .any_number = libcs ? at(sizeof code) + 1 : 0};

    function_begins = begins;
    *report = (struct site_report){0};
    *site = (struct site){0};
    return site_scan_one(&where, at(SYSCALL), site, report);
}

TEST(SiteScan, libcs_cancellable_call_is_led_at_its_first_instruction)
{
    struct site site;
    struct site_report report;

    EXPECT_EQ(scan_one(ENDBR, true, &site, &report), true);
    EXPECT_EQ(site.shared, true);
    EXPECT_EQ(site.lead, at(ENDBR));
    EXPECT_EQ(site.pad, at(END));
}

/* Its lead would lie between the look and the call, where libc's handler does not expect a thread. */
TEST(SiteScan, one_of_another_shape_is_left_in_libc)
{
    struct site site;
    struct site_report report;

    EXPECT_EQ(scan_one(0, true, &site, &report), false);
    EXPECT_EQ(report.left[SITE_NUMBER], 1);
}

TEST(SiteScan, a_copied_number_does_in_other_modules)
{
    struct site site;
    struct site_report report;

    EXPECT_EQ(scan_one(0, false, &site, &report), true);
    EXPECT_EQ(site.shared, false);
    EXPECT_EQ(site.lead, at(SYSCALL - 5));
}
