/* SPDX-License-Identifier: MIT
 *
 * pe_unlink.c - see pe_link.h.
 */
#include <stdlib.h>
#include <string.h>

#include "winapi/windows/pe_image.h"
#include "winapi/windows/umsrun/pe_link.h"
#include "winapi/windows/umsrun/pe_record.h"

static uint64_t get64(const uint8_t *from)
{
    return pe_get(from, 4) | (uint64_t)pe_get(from + 4, 4) << 32;
}

static const uint8_t *find_record(const struct pe_image *image, struct pe_record *record)
{
    for (unsigned i = 0; i < image->section_count; i++) {
        struct pe_section section = pe_section(image, i);
        if (memcmp(section.name, PE_RECORD_SECTION, 8) != 0 || section.file_at > image->size ||
            image->size - section.file_at < sizeof *record)
            continue;
        const uint8_t *at = image->bytes + section.file_at;
        memcpy(record, at, sizeof *record);
        if (memcmp(record->magic, PE_RECORD_MAGIC, sizeof record->magic) == 0)
            return at + sizeof *record;
    }
    return NULL;
}

const char *pe_unlink(const uint8_t *bytes, size_t size, struct pe_linked *original)
{
    static const char changed[] =
        "was changed after it was linked: what it was made of cannot be had from it";
    struct pe_image image;
    struct pe_record record;
    const char *why = pe_read(&image, bytes, size, false);
    if (why)
        return why;
    const uint8_t *headers = find_record(&image, &record);
    if (!headers)
        return "was not made by umsrun --link";
    uint64_t old_size = get64(record.size);
    uint32_t header_bytes = pe_get(record.header_bytes, 4);
    uint64_t left = size - (size_t)(headers - bytes);
    if (!old_size || header_bytes > left || header_bytes > old_size ||
        old_size > (uint64_t)(headers - bytes))
        return changed;
    uint8_t *to = malloc((size_t)old_size);
    if (!to)
        return "takes more memory than there is";
    memcpy(to, bytes, (size_t)old_size);
    memcpy(to, headers, header_bytes);
    if (pe_record_hash(to, (size_t)old_size) != get64(record.hash)) {
        free(to);
        return changed;
    }
    *original = (struct pe_linked){to, (size_t)old_size, 0};
    return NULL;
}
