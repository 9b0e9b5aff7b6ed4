/* SPDX-License-Identifier: MIT
 *
 * pe_image.h - reads an untrusted 64-bit PE image in memory: a file's bytes, or a module that a
 * loader has mapped.
 *
 * These functions call no system, so they run on any. Offsets, RVAs and sizes in the image may be
 * wrong: no function reads outside of the bytes that pe_read was given. Layouts are those of the
 * public PE/COFF specification. The bytes need no alignment.
 *
 * umsrun --link uses them for files. For a module of the process `mapped` is true: then an RVA is
 * an offset from the module, and `size` is the number of bytes that the caller knows to be
 * readable.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_PE_IMAGE_H
#define UMSSHIM_WINAPI_WINDOWS_PE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pe_directory_number {
    PE_EXPORTS,
    PE_IMPORTS,
    PE_CERTIFICATES = 4, /* the only directory whose place is an offset in the file */
    PE_BOUND_IMPORTS = 11,
    PE_ADDRESSES,
    PE_DELAYED_IMPORTS,
    PE_DOTNET,
    PE_DIRECTORIES = 16
};

struct pe_directory {
    uint32_t at, size;
};

struct pe_section {
    char name[9];
    uint32_t virtual_size, at, file_size, file_at, flags;
};

/* Places of fields, for functions that change them: in the NT headers for the first three, in the
 * optional header for the others. */
enum {
    PE_LFANEW = 0x3c,
    PE_SECTION_COUNT = 6,
    PE_OPTIONAL = 24,
    PE_DATA_SIZE = 8,
    PE_IMAGE_SIZE = 56,
    PE_CHECKSUM = 64,
    PE_DIRECTORY_TABLE = 112,
    PE_SECTION_BYTES = 40,
    PE_IMPORT_BYTES = 20
};

struct pe_image {
    const uint8_t *bytes;
    size_t size;
    bool mapped;
    uint32_t nt;            /* the place of the NT headers */
    uint32_t section_table; /* the first section's header; the whole table is in the bytes */
    uint16_t section_count;
    uint16_t characteristics, subsystem, dll_characteristics;
    uint32_t directory_count; /* as the image says; some loaders know more */
    uint32_t section_alignment, file_alignment, image_size, header_size;
    uint32_t symbols, symbol_count;                  /* in the file */
    struct pe_directory directories[PE_DIRECTORIES]; /* 0 for those that the image lacks */
};

/* NULL, or why this is no 64-bit image for x86-64: the end of a sentence about the program. */
const char *pe_read(struct pe_image *image, const void *bytes, size_t size, bool mapped);
struct pe_section pe_section(const struct pe_image *image, unsigned number);

/* The bytes at an RVA. NULL unless all of them are in the image. */
const void *pe_at(const struct pe_image *image, uint32_t rva, size_t length);
/* Copies bytes, where the part of a section that is in memory but not in its file is 0. */
bool pe_copy(const struct pe_image *image, uint32_t rva, void *to, size_t length);
/* Copies a text, cut to the room. False: it leads out of the image. */
bool pe_text(const struct pe_image *image, uint32_t rva, char *to, size_t room);

/* Little-endian numbers at any address. */
static inline uint32_t pe_get(const void *from, int count)
{
    const uint8_t *at = from;
    uint32_t value = 0;
    for (int i = 0; i < count; i++)
        value |= (uint32_t)at[i] << 8 * i;
    return value;
}

static inline void pe_put(void *to, int count, uint64_t value)
{
    uint8_t *at = to;
    for (int i = 0; i < count; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

#endif
