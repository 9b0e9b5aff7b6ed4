/* SPDX-License-Identifier: MIT
 *
 * pe_scene.c - see pe_scene.h.
 */
#include "pe_scene.h"

#include "gtest_c.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- A program ------------------------------------------------------------------------------- */

uint8_t file[ROOM];
size_t file_size;

void put16(size_t at, unsigned value)
{
    pe_put(file + at, 2, value);
}

void put32(size_t at, uint32_t value)
{
    pe_put(file + at, 4, value);
}

void directory(int number, uint32_t at, uint32_t size)
{
    put32(NT + 24 + 112 + 8 * (size_t)number, at);
    put32(NT + 24 + 112 + 8 * (size_t)number + 4, size);
}

void section(int number, const char *name, uint32_t at, uint32_t file_at, uint32_t flags)
{
    size_t entry = TABLE + 40 * (size_t)number;
    strncpy((char *)file + entry, name, 8);
    put32(entry + 8, 0x180);
    put32(entry + 12, at);
    put32(entry + 16, ALIGN);
    put32(entry + 20, file_at);
    put32(entry + 36, flags);
}

size_t in_data(uint32_t rva)
{
    return HEADERS + ALIGN + (rva - DATA);
}

void import(int number, const char *dll, uint32_t lookups)
{
    size_t entry = in_data(DIRECTORY + 20 * (uint32_t)number);
    uint32_t name = NAMES + 0x20 * (uint32_t)number;
    put32(entry, lookups);
    put32(entry + 12, name);
    put32(entry + 16, DATA);
    strcpy((char *)file + in_data(name), dll);
}

/* Headers, .text and .data, in which kernel32 is imported. */
void make_program(void)
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

const uint8_t *at_the_end(const uint8_t *bytes, size_t size)
{
    size_t room = 64 * PAGE_BYTES;
    if (!guarded) {
        guarded = mmap(NULL, room + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                       -1, 0);
        EXPECT_EQ(mprotect(guarded + room, PAGE_BYTES, PROT_NONE), 0);
    }
    return memcpy(guarded + room - size, bytes, size);
}

const char *link_file(struct pe_linked *linked)
{
    const uint8_t *bytes = at_the_end(file, file_size);
    const char *why = pe_link(bytes, file_size, "umsshim.dll", "ExecuteUmsThread", linked);
    EXPECT_THAT(memcmp(bytes, file, file_size) == 0, "the input was changed");
    return why;
}

bool link_and_back(struct pe_linked *linked)
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

void expect_refused(const char *wanted)
{
    struct pe_linked linked = {0};
    const char *why = link_file(&linked);
    EXPECT_THAT(why && strstr(why, wanted), "wanted \"%s\", saw \"%s\"", wanted,
                why ? why : "a file");
    free(linked.bytes);
}

unsigned notes_of(void)
{
    struct pe_linked linked = {0};
    bool ok = link_and_back(&linked);
    free(linked.bytes);
    return ok ? linked.notes : ~0u;
}
