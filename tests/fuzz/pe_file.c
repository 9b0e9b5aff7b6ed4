/* SPDX-License-Identifier: MIT
 *
 * pe_file.c - programs' files and modules as a stranger makes them: pe_image.h, and the two that
 * rewrite a file for umsrun.
 */
#include "fuzz.h"
#include "winapi/windows/pe_image.h"
#include "winapi/windows/umsrun/pe_link.h"
#include "winapi/windows/umsrun/pe_objection.h"

static void look_at(const struct pe_image *image)
{
    char text[64];
    uint8_t copy[40];

    for (unsigned i = 0; i < image->section_count; i++) {
        struct pe_section section = pe_section(image, i);

        pe_at(image, section.at, section.virtual_size);
        pe_text(image, section.at, text, sizeof text);
    }
    for (unsigned i = 0; i < PE_DIRECTORIES; i++) {
        uint32_t at = image->directories[i].at, size = image->directories[i].size;
        const uint8_t *bytes = pe_at(image, at, size);

        MUST(!bytes || (bytes >= image->bytes && size <= image->size &&
                        bytes + size <= image->bytes + image->size));
        pe_copy(image, at, copy, size < sizeof copy ? size : sizeof copy);
        pe_text(image, at + size, text, 1 + size % sizeof text);
    }
}

unsigned long fuzz_accepted;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pe_image image;
    struct pe_linked linked = {0}, back = {0};

    if (!pe_read(&image, data, size, true))
        look_at(&image);
    if (!pe_read(&image, data, size, false)) {
        look_at(&image);
        pe_objection(&image);
    }
    if (!pe_unlink(data, size, &back)) {
        MUST(back.size < size);
        free(back.bytes);
        back = (struct pe_linked){0};
    }
    if (pe_link(data, size, "umsshim.dll", "ExecuteUmsThread", &linked))
        return 0;
    MUST(!pe_read(&image, linked.bytes, linked.size, false) && !pe_objection(&image));
    MUST(!pe_unlink(linked.bytes, linked.size, &back));
    MUST(back.size == size && memcmp(back.bytes, data, size) == 0);
    free(back.bytes);
    free(linked.bytes);
    fuzz_accepted++;
    return 0;
}
