/* SPDX-License-Identifier: MIT
 *
 * Programs' files that are damaged, in every field and at random: linking and undoing (pe_link.h)
 * give an answer, and never crash or change what they were given.
 */
#include "gtest_c.h"
#include "pe_scene.h"
#include "winapi/windows/umsrun/pe_objection.h"

#include <stdlib.h>
#include <string.h>

/* ---- Damaged files --------------------------------------------------------------------------- */

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % below);
}

/* What is not refused can be undone, and is read like any other program; either way nothing
 * crashes. */
static bool survives(void)
{
    struct pe_linked linked = {0}, back = {0};
    struct pe_image image;
    if (link_file(&linked))
        return false;
    EXPECT_EQ(pe_read(&image, at_the_end(linked.bytes, linked.size), linked.size, false), NULL);
    EXPECT_EQ(pe_objection(&image), NULL);
    EXPECT_EQ(pe_unlink(linked.bytes, linked.size, &back), NULL);
    EXPECT_THAT(back.size == file_size && memcmp(back.bytes, file, file_size) == 0,
                "what it was made of is not the same");
    free(linked.bytes);
    free(back.bytes);
    return true;
}

static void expect_some(unsigned taken, unsigned cases)
{
    EXPECT_GT(taken, 0); /* else the damage is so great that nothing is tried */
    EXPECT_LT(taken, cases);
}

TEST(PeLinkDamage, cut_off_at_every_byte)
{
    make_program();
    size_t whole = file_size;
    for (file_size = 0; file_size < whole; file_size++)
        expect_refused("");
}

/* Each field of the headers and of the import directory, each with each of the values at which sums
 * overflow. */
TEST(PeLinkDamage, every_field)
{
    static const uint32_t odd[] = {0,          1,          2,          3,          7,
                                   0x3f,       0x40,       0x1ff,      0x200,      0xfff,
                                   0x1000,     0x1001,     0x2000,     0x3000,     0x7fff,
                                   0x8000,     0xffff,     0x10000,    0x1000000,  0x7ffffe00,
                                   0x7fffffff, 0x80000000, 0xfffffe00, 0xfffffff0, 0xffffffff};
    enum { VALUES = sizeof odd / sizeof odd[0] };
    unsigned taken = 0, cases = 0;
    for (size_t at = 0; at < TABLE + 120; at += 2)
        for (int i = 0; i < VALUES; i++)
            for (int width = 2; width <= 4; width += 2, cases++) {
                make_program();
                pe_put(file + at, width, odd[i]);
                taken += survives();
            }
    for (size_t at = in_data(DIRECTORY); at < in_data(DIRECTORY + 60); at += 4)
        for (int i = 0; i < VALUES; i++, cases++) {
            make_program();
            put32(at, odd[i]);
            taken += survives();
        }
    EXPECT_GE(cases, 10000);
    expect_some(taken, cases);
}

/* Up to six changes at random places, and a random end, of programs with and without extras. */
TEST(PeLinkDamage, ten_thousand_at_random)
{
    enum { CASES = 10000 };
    unsigned taken = 0;
    seed = 1;
    for (int i = 0; i < CASES; i++) {
        make_program();
        if (draw(2))
            import(1, "api-ms-win-core-ums-l1-1-0.dll", DATA + 0x20);
        if (draw(2))
            directory(PE_DELAYED_IMPORTS, DATA + draw(0x200), 64);
        if (draw(2))
            directory(PE_BOUND_IMPORTS, draw(HEADERS), draw(0x100));
        for (uint32_t changes = draw(6); changes; changes--) {
            size_t at = draw(4) ? draw(TABLE + 120) : draw((uint32_t)file_size);
            file[at] = (uint8_t)(draw(2) ? draw(256) : 0xff * draw(2));
        }
        if (!draw(8))
            file_size = draw((uint32_t)file_size);
        taken += survives();
    }
    expect_some(taken, CASES);
}

/* The same for linked files that are undone. */
TEST(PeLinkDamage, linked_files)
{
    enum { CASES = 5000 };
    struct pe_linked linked = {0};
    unsigned taken = 0;
    make_program();
    if (!link_and_back(&linked))
        return;
    seed = 2;
    uint8_t *damaged = malloc(linked.size);
    for (int i = 0; i < CASES; i++) {
        struct pe_linked back = {0};
        size_t size = draw(4) ? linked.size : draw((uint32_t)linked.size);
        memcpy(damaged, linked.bytes, linked.size);
        for (uint32_t changes = 1 + draw(4); changes; changes--)
            damaged[draw(2) ? file_size + draw(64) : draw(TABLE + 120)] = (uint8_t)draw(256);
        if (pe_unlink(at_the_end(damaged, size), size, &back))
            continue;
        taken++;
        EXPECT_EQ(back.size, file_size);
        EXPECT_THAT(memcmp(back.bytes, file, file_size) == 0, "another file than the original");
        free(back.bytes);
    }
    expect_some(taken, CASES);
    free(damaged);
    free(linked.bytes);
}

/* A module as it is mapped: an RVA is an offset, and what leads out is not there. */
TEST(PeImage, mapped)
{
    struct pe_image image;
    char text[8];
    make_program();
    EXPECT_EQ(pe_read(&image, at_the_end(file, file_size), file_size, true), NULL);
    EXPECT_EQ((const uint8_t *)pe_at(&image, HEADERS, 4) - image.bytes, HEADERS);
    EXPECT_NE(pe_at(&image, (uint32_t)file_size - 1, 1), NULL);
    EXPECT_EQ(pe_at(&image, (uint32_t)file_size - 1, 2), NULL);
    EXPECT_EQ(pe_at(&image, 0xffffffff, 1), NULL);
    EXPECT_EQ(pe_at(&image, 4, SIZE_MAX), NULL);
    EXPECT_EQ(pe_text(&image, (uint32_t)file_size, text, sizeof text), false);
}
