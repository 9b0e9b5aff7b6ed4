/* SPDX-License-Identifier: MIT
 *
 * Programs' files that import one DLL more (winapi/windows/umsrun/pe_link.c): what is written,
 * field by field; undone, bit by bit; and what is refused, by name.
 */
#include "gtest_c.h"
#include "pe_scene.h"

#include <stdlib.h>
#include <string.h>

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
