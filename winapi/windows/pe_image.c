/* SPDX-License-Identifier: MIT
 *
 * pe_image.c - see pe_image.h. It adds 32-bit values of the image in 64 bits, so that no sum
 * overflows.
 */
#include "winapi/windows/pe_image.h"

#include <string.h>

enum {
    DOS_MAGIC = 0x5a4d,
    DOS_BYTES = 64,
    NT_SIGNATURE = 0x4550,
    MACHINE_I386 = 0x14c,
    MACHINE_AMD64 = 0x8664,
    OPTIONAL_MAGIC_64 = 0x20b,
    SECTOR = 512 /* loaders round a section's place in the file down to it */
};

/* ---- Headers --------------------------------------------------------------------------------- */

static const char *read_fixed_part(struct pe_image *image)
{
    if (image->size < DOS_BYTES || pe_get(image->bytes, 2) != DOS_MAGIC)
        return "is not a Windows program";
    image->nt = pe_get(image->bytes + PE_LFANEW, 4);
    if (image->nt > image->size || image->size - image->nt < PE_OPTIONAL + 2)
        return "is not a Windows program, or is cut off";
    const uint8_t *nt = image->bytes + image->nt;
    if (pe_get(nt, 4) != NT_SIGNATURE)
        return "is not a Windows program";
    if (pe_get(nt + 4, 2) == MACHINE_I386)
        return "is a 32-bit program: UMS was for 64-bit ones only";
    if (pe_get(nt + 4, 2) != MACHINE_AMD64 || pe_get(nt + PE_OPTIONAL, 2) != OPTIONAL_MAGIC_64)
        return "is not a program for x86-64";
    image->section_count = (uint16_t)pe_get(nt + PE_SECTION_COUNT, 2);
    image->symbols = pe_get(nt + 12, 4);
    image->symbol_count = pe_get(nt + 16, 4);
    image->characteristics = (uint16_t)pe_get(nt + 22, 2);
    return NULL;
}

static const char *read_optional_part(struct pe_image *image)
{
    const uint8_t *nt = image->bytes + image->nt, *optional = nt + PE_OPTIONAL;
    size_t left = image->size - image->nt - PE_OPTIONAL;
    uint32_t bytes = pe_get(nt + 20, 2);
    if (bytes > left || bytes < PE_DIRECTORY_TABLE)
        return "is cut off";
    uint64_t table = (uint64_t)image->nt + PE_OPTIONAL + bytes;
    if (table + (uint64_t)image->section_count * PE_SECTION_BYTES > image->size)
        return "is cut off";
    image->section_table = (uint32_t)table;
    image->section_alignment = pe_get(optional + 32, 4);
    image->file_alignment = pe_get(optional + 36, 4);
    image->image_size = pe_get(optional + PE_IMAGE_SIZE, 4);
    image->header_size = pe_get(optional + 60, 4);
    image->subsystem = (uint16_t)pe_get(optional + 68, 2);
    image->dll_characteristics = (uint16_t)pe_get(optional + 70, 2);
    uint32_t room = (bytes - PE_DIRECTORY_TABLE) / 8;
    image->directory_count = pe_get(optional + 108, 4);
    for (uint32_t i = 0; i < PE_DIRECTORIES && i < image->directory_count && i < room; i++) {
        const uint8_t *entry = optional + PE_DIRECTORY_TABLE + 8 * i;
        image->directories[i] = (struct pe_directory){pe_get(entry, 4), pe_get(entry + 4, 4)};
    }
    return NULL;
}

const char *pe_read(struct pe_image *image, const void *bytes, size_t size, bool mapped)
{
    memset(image, 0, sizeof *image);
    image->bytes = bytes;
    image->size = size < UINT32_MAX ? size : UINT32_MAX; /* its offsets reach no further */
    image->mapped = mapped;
    const char *why = read_fixed_part(image);
    return why ? why : read_optional_part(image);
}

struct pe_section pe_section(const struct pe_image *image, unsigned number)
{
    struct pe_section section = {.name = ""};
    if (number >= image->section_count)
        return section;
    const uint8_t *from = image->bytes + image->section_table + (size_t)number * PE_SECTION_BYTES;
    memcpy(section.name, from, 8);
    section.virtual_size = pe_get(from + 8, 4);
    section.at = pe_get(from + 12, 4);
    section.file_size = pe_get(from + 16, 4);
    section.file_at = pe_get(from + 20, 4);
    section.flags = pe_get(from + 36, 4);
    return section;
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* Consecutive bytes of the image: some of the given bytes, then some that are 0. */
struct run {
    const uint8_t *bytes;
    uint64_t there, zero;
};

static struct run run_in_file(const struct pe_image *image, uint64_t at, uint64_t length)
{
    uint64_t left = at < image->size ? image->size - at : 0;
    uint64_t there = length < left ? length : left;
    return (struct run){there ? image->bytes + at : NULL, there, 0};
}

static struct run run_at(const struct pe_image *image, uint32_t rva)
{
    if (image->mapped)
        return run_in_file(image, rva, image->size);
    for (unsigned i = 0; i < image->section_count; i++) {
        struct pe_section section = pe_section(image, i);
        uint32_t bytes = section.virtual_size ? section.virtual_size : section.file_size;
        if (rva < section.at || rva - section.at >= bytes)
            continue;
        uint32_t inside = rva - section.at;
        uint32_t filled = section.file_size < bytes ? section.file_size : bytes;
        uint64_t file_at = section.file_at & ~(uint32_t)(SECTOR - 1);
        struct run run = {NULL, 0, bytes - inside};
        if (inside < filled) {
            run = run_in_file(image, file_at + inside, filled - inside);
            /* No zeros follow in a file that ends too early. */
            run.zero = run.there == filled - inside ? bytes - filled : 0;
        }
        return run;
    }
    return rva < image->header_size ? run_in_file(image, rva, image->header_size - rva)
                                    : (struct run){NULL, 0, 0};
}

const void *pe_at(const struct pe_image *image, uint32_t rva, size_t length)
{
    struct run run = run_at(image, rva);
    return length <= run.there ? run.bytes : NULL;
}

bool pe_copy(const struct pe_image *image, uint32_t rva, void *to, size_t length)
{
    struct run run = run_at(image, rva);
    size_t there = length < run.there ? length : (size_t)run.there;
    if (length - there > run.zero)
        return false;
    if (there)
        memcpy(to, run.bytes, there);
    memset((uint8_t *)to + there, 0, length - there);
    return true;
}

bool pe_text(const struct pe_image *image, uint32_t rva, char *to, size_t room)
{
    struct run run = run_at(image, rva);
    size_t length = 0;
    while (length + 1 < room && length < run.there && run.bytes[length]) {
        to[length] = (char)run.bytes[length];
        length++;
    }
    to[length] = 0;
    return length + 1 == room || length < run.there || run.zero;
}
