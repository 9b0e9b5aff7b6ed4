/* SPDX-License-Identifier: MIT
 *
 * Programs' files that import one DLL more (winapi/windows/umsrun/pe_link.c): what is written,
 * field by field; undone, bit by bit; and files of every kind that is damaged, each an answer and
 * never a crash. The bytes of a file lie at the end of a page that is followed by none, so that a
 * byte too many is a fault.
 */
#include "winapi/windows/umsrun/pe_link.h"

#include "gtest_c.h"
#include "winapi/windows/umsrun/pe_objection.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096, ROOM = 16 * PAGE_BYTES, ALIGN = 0x200, PAGES = 0x1000 };
enum { NT = 0x80, TABLE = NT + 24 + 240, HEADERS = 0x400 };
enum { TEXT = PAGES, DATA = 2 * PAGES, DIRECTORY = DATA + 0x40, NAMES = DATA + 0x100 };

/* ---- A program ------------------------------------------------------------------------------- */

static uint8_t file[ROOM];
static size_t file_size;

static void put16(size_t at, unsigned value)
{
    pe_put(file + at, 2, value);
}

static void put32(size_t at, uint32_t value)
{
    pe_put(file + at, 4, value);
}

static void directory(int number, uint32_t at, uint32_t size)
{
    put32(NT + 24 + 112 + 8 * (size_t)number, at);
    put32(NT + 24 + 112 + 8 * (size_t)number + 4, size);
}

static void section(int number, const char *name, uint32_t at, uint32_t file_at, uint32_t flags)
{
    size_t entry = TABLE + 40 * (size_t)number;
    strncpy((char *)file + entry, name, 8);
    put32(entry + 8, 0x180);
    put32(entry + 12, at);
    put32(entry + 16, ALIGN);
    put32(entry + 20, file_at);
    put32(entry + 36, flags);
}

/* The place in the file of what is at an RVA of the data section. */
static size_t in_data(uint32_t rva)
{
    return HEADERS + ALIGN + (rva - DATA);
}

static void import(int number, const char *dll, uint32_t lookups)
{
    size_t entry = in_data(DIRECTORY + 20 * (uint32_t)number);
    uint32_t name = NAMES + 0x20 * (uint32_t)number;
    put32(entry, lookups);
    put32(entry + 12, name);
    put32(entry + 16, DATA);
    strcpy((char *)file + in_data(name), dll);
}

/* Headers, .text and .data, in which kernel32 is imported. */
static void make_program(void)
{
    memset(file, 0, sizeof file);
    file_size = HEADERS + 2 * ALIGN;
    memcpy(file, "MZ", 2);
    memset(file + 64, 0xcc, NT - 64); /* the program for DOS */
    put32(0x3c, NT);
    memcpy(file + NT, "PE", 2);
    put16(NT + 4, 0x8664);
    put16(NT + 6, 2);
    put16(NT + 20, 240);
    put16(NT + 22, 0x22);
    put16(NT + 24, 0x20b);
    put32(NT + 24 + 8, ALIGN);
    put32(NT + 24 + 32, PAGES);
    put32(NT + 24 + 36, ALIGN);
    put32(NT + 24 + 56, 3 * PAGES);
    put32(NT + 24 + 60, HEADERS);
    put16(NT + 24 + 68, 3);
    put32(NT + 24 + 108, 16);
    section(0, ".text", TEXT, HEADERS, 0x60000020);
    section(1, ".data", DATA, HEADERS + ALIGN, 0xc0000040);
    directory(PE_IMPORTS, DIRECTORY, 40);
    directory(PE_ADDRESSES, DATA, 0x20);
    import(0, "KERNEL32.dll", DATA + 0x20);
    for (uint32_t i = 0; i < 0x80; i++)
        file[HEADERS + i] = (uint8_t)(i * 7);
}

/* ---- Pages with nothing behind --------------------------------------------------------------- */

static uint8_t *guarded;

static const uint8_t *at_the_end(const uint8_t *bytes, size_t size)
{
    size_t room = 64 * PAGE_BYTES;
    if (!guarded) {
        guarded = mmap(NULL, room + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                       -1, 0);
        EXPECT_EQ(mprotect(guarded + room, PAGE_BYTES, PROT_NONE), 0);
    }
    return memcpy(guarded + room - size, bytes, size);
}

static const char *link_file(struct pe_linked *linked)
{
    const uint8_t *bytes = at_the_end(file, file_size);
    const char *why = pe_link(bytes, file_size, "umsshim.dll", "ExecuteUmsThread", linked);
    EXPECT_THAT(memcmp(bytes, file, file_size) == 0, "the input was changed");
    return why;
}

/* Linked, and undone: the same bytes. The linked file stays. */
static bool link_and_back(struct pe_linked *linked)
{
    struct pe_linked back = {0};
    const char *why = link_file(linked);
    EXPECT_THAT(!why, "a good file %s", why);
    if (why)
        return false;
    why = pe_unlink(at_the_end(linked->bytes, linked->size), linked->size, &back);
    EXPECT_THAT(!why, "a linked file %s", why);
    EXPECT_THAT(!why && back.size == file_size && memcmp(back.bytes, file, file_size) == 0,
                "what it was made of is not the same");
    free(back.bytes);
    return true;
}

static void expect_refused(const char *wanted)
{
    struct pe_linked linked = {0};
    const char *why = link_file(&linked);
    EXPECT_THAT(why && strstr(why, wanted), "wanted \"%s\", saw \"%s\"", wanted,
                why ? why : "a file");
    free(linked.bytes);
}

static unsigned notes_of(void)
{
    struct pe_linked linked = {0};
    bool ok = link_and_back(&linked);
    free(linked.bytes);
    return ok ? linked.notes : ~0u;
}

/* ---- What is written ------------------------------------------------------------------------- */

static void expect_import(const struct pe_image *image, uint32_t number, const char *dll)
{
    uint8_t entry[20];
    char name[64] = "";
    EXPECT_OK(pe_copy(image, image->directories[PE_IMPORTS].at + 20 * number, entry, sizeof entry));
    if (dll) {
        EXPECT_OK(pe_text(image, pe_get(entry + 12, 4), name, sizeof name));
        EXPECT_STREQ(name, dll);
    } else {
        EXPECT_EQ(pe_get(entry + 12, 4), 0);
    }
}

static uint64_t get64(const uint8_t *from)
{
    return pe_get(from, 4) | (uint64_t)pe_get(from + 4, 4) << 32;
}

/* Our entry leads to one name, in memory that is writable. */
static void expect_our_entry(const struct pe_image *image)
{
    uint8_t entry[20], tables[32];
    char name[64] = "";
    struct pe_section last = pe_section(image, image->section_count - 1u);
    EXPECT_OK(pe_copy(image, image->directories[PE_IMPORTS].at, entry, sizeof entry));
    EXPECT_OK(pe_copy(image, pe_get(entry, 4), tables, sizeof tables));
    EXPECT_EQ(pe_get(entry + 16, 4), pe_get(entry, 4) + 16);
    EXPECT_EQ(get64(tables), get64(tables + 16));
    EXPECT_EQ(get64(tables + 8), 0);
    EXPECT_EQ(get64(tables + 24), 0);
    EXPECT_OK(pe_text(image, pe_get(tables, 4) + 2, name, sizeof name));
    EXPECT_STREQ(name, "ExecuteUmsThread");
    EXPECT_GE(pe_get(entry + 16, 4), last.at);
    EXPECT_EQ(last.flags, 0xc0000040);
}

/* As the public description of the format has it, word by word. */
static uint32_t checksum_of(const uint8_t *bytes, size_t size, size_t field)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i += 2) {
        if (i != field && i != field + 2)
            sum += bytes[i] | (i + 1 < size ? bytes[i + 1] << 8 : 0);
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return ((sum & 0xffff) + (sum >> 16)) + (uint32_t)size;
}

TEST(PeLink, what_is_written)
{
    struct pe_linked linked = {0};
    struct pe_image image;
    make_program();
    directory(PE_BOUND_IMPORTS, TABLE + 80, 16);
    memset(file + TABLE + 80, 0x11, 16);
    if (!link_and_back(&linked))
        return;
    EXPECT_EQ(pe_read(&image, linked.bytes, linked.size, false), NULL);
    EXPECT_EQ(image.section_count, 3);
    EXPECT_EQ(image.nt, NT);
    struct pe_section last = pe_section(&image, 2);
    EXPECT_STREQ(last.name, ".umsshim");
    EXPECT_EQ(last.at, 3 * PAGES);
    EXPECT_EQ(last.file_at, file_size);
    EXPECT_EQ(last.file_at + last.file_size, linked.size);
    EXPECT_EQ(image.image_size, 4 * PAGES);
    EXPECT_EQ(pe_get(linked.bytes + NT + 24 + 8, 4), ALIGN + last.file_size);
    expect_our_entry(&image);
    expect_import(&image, 0, "umsshim.dll");
    expect_import(&image, 1, "KERNEL32.dll");
    expect_import(&image, 2, NULL);
    EXPECT_EQ(image.directories[PE_IMPORTS].size, 60);
    EXPECT_EQ(image.directories[PE_ADDRESSES].at, DATA);
    EXPECT_EQ(image.directories[PE_BOUND_IMPORTS].at, 0);
    EXPECT_EQ(linked.notes, PE_LINK_UNBOUND);
    size_t field = NT + 24 + 64;
    EXPECT_EQ(pe_get(linked.bytes + field, 4), checksum_of(linked.bytes, linked.size, field));
    EXPECT_EQ(memcmp(linked.bytes + HEADERS, file + HEADERS, file_size - HEADERS), 0);
    free(linked.bytes);
}

TEST(PeLink, api_set_becomes_ours)
{
    struct pe_linked linked = {0};
    struct pe_image image;
    make_program();
    import(1, "Api-MS-win-core-UMS-l1-1-0.dll", DATA + 0x20);
    import(2, "USER32.dll", DATA + 0x20);
    if (!link_and_back(&linked))
        return;
    EXPECT_EQ(pe_read(&image, linked.bytes, linked.size, false), NULL);
    expect_import(&image, 1, "KERNEL32.dll");
    expect_import(&image, 2, "umsshim.dll");
    expect_import(&image, 3, "USER32.dll");
    expect_import(&image, 4, NULL);
    free(linked.bytes);
}

/* The loader would make the section of the import directory writable; that is a new one now. */
TEST(PeLink, addresses_are_named)
{
    struct pe_linked linked = {0};
    struct pe_image image;
    make_program();
    directory(PE_ADDRESSES, 0, 0);
    if (!link_and_back(&linked))
        return;
    EXPECT_EQ(pe_read(&image, linked.bytes, linked.size, false), NULL);
    EXPECT_EQ(image.directories[PE_ADDRESSES].at, DATA);
    EXPECT_EQ(image.directories[PE_ADDRESSES].size, 0x180);
    free(linked.bytes);
    directory(PE_IMPORTS, 0, 0);
    if (!link_and_back(&linked))
        return;
    EXPECT_EQ(pe_read(&image, linked.bytes, linked.size, false), NULL);
    EXPECT_GT(image.directories[PE_ADDRESSES].at, 3 * PAGES);
    expect_our_entry(&image);
    expect_import(&image, 1, NULL);
    free(linked.bytes);
}

/* An entry that was bound is looked up again, by its names. */
TEST(PeLink, bound_entry)
{
    struct pe_linked linked = {0};
    struct pe_image image;
    uint8_t entry[20];
    make_program();
    put32(in_data(DIRECTORY) + 4, 0xffffffff);
    put32(in_data(DIRECTORY) + 8, 0xffffffff);
    if (!link_and_back(&linked))
        return;
    EXPECT_EQ(linked.notes, PE_LINK_UNBOUND);
    EXPECT_EQ(pe_read(&image, linked.bytes, linked.size, false), NULL);
    EXPECT_OK(pe_copy(&image, image.directories[PE_IMPORTS].at + 20, entry, sizeof entry));
    EXPECT_EQ(pe_get(entry + 4, 4), 0);
    EXPECT_EQ(pe_get(entry + 8, 4), 0);
    free(linked.bytes);
    put32(in_data(DIRECTORY), 0);
    expect_refused("no names");
}

/* Something lies behind the section table: the headers move over the program for DOS. */
TEST(PeLink, headers_move)
{
    struct pe_linked linked = {0};
    struct pe_image image;
    make_program();
    file[TABLE + 2 * 40 + 39] = 1;
    if (!link_and_back(&linked))
        return;
    EXPECT_EQ(pe_read(&image, linked.bytes, linked.size, false), NULL);
    EXPECT_EQ(image.nt, 64);
    EXPECT_EQ(image.section_count, 3);
    expect_our_entry(&image);
    expect_import(&image, 1, "KERNEL32.dll");
    EXPECT_EQ(linked.bytes[TABLE + 2 * 40 + 39], 1);
    free(linked.bytes);
}

TEST(PeLink, no_room)
{
    make_program();
    memmove(file + 64, file + NT, HEADERS - NT);
    memset(file + HEADERS - (NT - 64), 0, NT - 64);
    put32(0x3c, 64);
    file[TABLE - (NT - 64) + 2 * 40] = 1;
    expect_refused("without room for one more section");
}

TEST(PeLink, what_lies_behind)
{
    make_program();
    EXPECT_EQ(notes_of(), 0);
    memset(file + file_size, 0x55, 100);
    file_size += 100;
    EXPECT_EQ(notes_of(), PE_LINK_DATA_BEHIND);
    directory(PE_CERTIFICATES, (uint32_t)file_size - 100, 100);
    EXPECT_EQ(notes_of(), PE_LINK_UNSIGNED);
    make_program();
    put32(NT + 12, (uint32_t)file_size); /* two symbols of 18 bytes, and the table of texts */
    put32(NT + 16, 2);
    put32(file_size + 36, 10);
    file_size += 46;
    EXPECT_EQ(notes_of(), 0);
    file_size += 2000;
    EXPECT_EQ(notes_of(), PE_LINK_DATA_BEHIND);
}

TEST(PeLink, delayed_api_set)
{
    make_program();
    directory(PE_DELAYED_IMPORTS, DATA + 0x80, 64);
    put32(in_data(DATA + 0x80), 1);
    put32(in_data(DATA + 0x80) + 4, NAMES + 0x40);
    strcpy((char *)file + in_data(NAMES + 0x40), "api-ms-win-core-ums-l1-1-0.dll");
    EXPECT_EQ(notes_of(), PE_LINK_DELAYED_SET);
}

/* ---- Refused, by name ------------------------------------------------------------------------ */

#define REFUSED(suffix, text, ...)                                                                 \
    TEST(PeLinkRefuses, suffix)                                                                    \
    {                                                                                              \
        make_program();                                                                            \
        __VA_ARGS__;                                                                               \
        expect_refused(text);                                                                      \
    }

REFUSED(text, "not a Windows program", file[0] = 'm')
REFUSED(program_for_x86, "32-bit", put16(NT + 4, 0x14c))
REFUSED(program_for_arm, "not a program for x86-64", put16(NT + 4, 0xaa64))
REFUSED(dll, "is a DLL", put16(NT + 22, 0x2022))
REFUSED(driver, "driver", put16(NT + 24 + 68, 1))
REFUSED(dotnet, ".NET", directory(PE_DOTNET, DATA, 72))
REFUSED(checked_signature, "force integrity", put16(NT + 24 + 70, 0x80))
REFUSED(packed, "UPX", section(0, "UPX0", TEXT, HEADERS, 0xe0000080))
REFUSED(linked_already, "imports umsshim.dll already", import(1, "UmsShim.dll", DATA + 0x20))
REFUSED(low_alignment, "not aligned to pages", put32(NT + 24 + 32, 32); put32(NT + 24 + 36, 32))
REFUSED(headers_in_dos_header, "contradict", memmove(file + 8, file + NT, 600); put32(0x3c, 8))
REFUSED(overlapping_sections, "contradict", section(1, ".data", TEXT, HEADERS + ALIGN, 0))
REFUSED(wrong_image_size, "contradict", put32(NT + 24 + 56, 9 * PAGES))
REFUSED(section_outside, "cut off", put32(TABLE + 40 + 20, 0xfffffe00))
REFUSED(imports_outside, "leads out", directory(PE_IMPORTS, 0xfffffff0, 40))
REFUSED(name_outside, "leads out", put32(in_data(DIRECTORY) + 12, 0x7fffffff))
REFUSED(few_directories, "fewer directories", put32(NT + 24 + 108, 2))

TEST(PeLinkRefuses, twice)
{
    struct pe_linked linked = {0};
    make_program();
    if (!link_and_back(&linked))
        return;
    memcpy(file, linked.bytes, linked.size);
    file_size = linked.size;
    expect_refused("imports umsshim.dll already");
    free(linked.bytes);
}

TEST(PeLinkRefuses, to_undo_what_was_not_linked)
{
    struct pe_linked back = {0};
    make_program();
    EXPECT_STREQ(pe_unlink(file, file_size, &back), "was not made by umsrun --link");
}

/* Signed after it was linked: the original all the same. With another byte in a section: none. */
TEST(PeLinkRefuses, to_undo_what_was_changed_since)
{
    struct pe_linked linked = {0}, back = {0};
    make_program();
    if (!link_and_back(&linked))
        return;
    uint8_t *longer = calloc(linked.size + 64, 1);
    memcpy(longer, linked.bytes, linked.size);
    pe_put(longer + NT + 24 + 112 + 8 * PE_CERTIFICATES, 4, linked.size);
    pe_put(longer + NT + 24 + 112 + 8 * PE_CERTIFICATES + 4, 4, 64);
    EXPECT_EQ(pe_unlink(longer, linked.size + 64, &back), NULL);
    EXPECT_EQ(back.size, file_size);
    EXPECT_EQ(memcmp(back.bytes, file, file_size), 0);
    free(back.bytes);
    longer[HEADERS + 5] ^= 1;
    const char *why = pe_unlink(longer, linked.size + 64, &back);
    EXPECT_THAT(why && strstr(why, "was changed after"), "saw \"%s\"", why ? why : "a file");
    free(longer);
    free(linked.bytes);
}

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
