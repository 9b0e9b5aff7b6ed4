/* SPDX-License-Identifier: MIT
 *
 * pe_objection.c - see pe_objection.h.
 *
 * A packed program loads its imports itself, and often checks whether its file was changed. It is
 * recognised by the names that its packer gives to sections.
 */
#include "winapi/windows/umsrun/pe_objection.h"

#include <string.h>

enum {
    IS_DLL = 0x2000,        /* Characteristics */
    FORCE_INTEGRITY = 0x80, /* DllCharacteristics */
    WINDOWS_GUI = 2,        /* Subsystem */
    WINDOWS_CUI = 3,
    DOS_BYTES = 64,
    PAGE = 4096,
    SECTOR = 512,
    MOST_ALIGNMENT = 1 << 16,
    MOST_SECTIONS = 96 /* with more, older loaders refuse the file */
};

static const struct {
    const char *section, *text; /* the section's name, or the beginning of it */
} packers[] = {
    {"UPX", "is packed (UPX): unpack it first (upx -d), or start it by umsrun"},
    {".MPRESS", "is packed (MPRESS): start it by umsrun"},
    {".aspack", "is packed (ASPack): start it by umsrun"},
    {".adata", "is packed (ASPack): start it by umsrun"},
    {".petite", "is packed (Petite): start it by umsrun"},
    {"PEC2", "is packed (PECompact): start it by umsrun"},
    {"pec1", "is packed (PECompact): start it by umsrun"},
    {".nsp", "is packed (NsPack): start it by umsrun"},
    {"nsp0", "is packed (NsPack): start it by umsrun"},
    {".vmp", "is protected (VMProtect): start it by umsrun"},
    {".themida", "is protected (Themida): start it by umsrun"},
    {".winlice", "is protected (WinLicense): start it by umsrun"},
    {".enigma", "is protected (Enigma): start it by umsrun"},
};

static const char *packer_objection(const struct pe_image *image)
{
    for (unsigned i = 0; i < image->section_count; i++) {
        struct pe_section section = pe_section(image, i);
        for (size_t k = 0; k < sizeof packers / sizeof packers[0]; k++)
            if (strncmp(section.name, packers[k].section, strlen(packers[k].section)) == 0)
                return packers[k].text;
    }
    return NULL;
}

static bool is_power_of_two(uint32_t value)
{
    return value && !(value & (value - 1));
}

static const char *layout_objection(const struct pe_image *image)
{
    uint32_t table_end = image->section_table + image->section_count * PE_SECTION_BYTES;
    if (!is_power_of_two(image->section_alignment) || !is_power_of_two(image->file_alignment) ||
        image->section_alignment < PAGE || image->section_alignment > 64 * MOST_ALIGNMENT ||
        image->file_alignment < SECTOR || image->file_alignment > MOST_ALIGNMENT ||
        image->file_alignment > image->section_alignment)
        return "has sections that are not aligned to pages: start it by umsrun";
    if (image->header_size > image->size)
        return "is cut off";
    if (image->nt < DOS_BYTES || !image->section_count || table_end > image->header_size)
        return "has headers that contradict each other: it is damaged, or protected";
    if (image->section_count >= MOST_SECTIONS)
        return "has as many sections as a program can have: start it by umsrun";
    if (image->directory_count < PE_DIRECTORIES ||
        image->section_table - image->nt < PE_OPTIONAL + PE_DIRECTORY_TABLE + 8 * PE_DIRECTORIES)
        return "has fewer directories in its headers than are wanted: start it by umsrun";
    return NULL;
}

const char *pe_objection(const struct pe_image *image)
{
    if (image->characteristics & IS_DLL)
        return "is a DLL, not a program";
    if (image->subsystem != WINDOWS_GUI && image->subsystem != WINDOWS_CUI)
        return "is not an ordinary program: it is a driver, or runs before Windows does";
    if (image->directories[PE_DOTNET].at)
        return "is a .NET program: they find no UMS functions";
    if (image->dll_characteristics & FORCE_INTEGRITY)
        return "makes Windows check its signature (force integrity): start it by umsrun";
    const char *why = layout_objection(image);
    return why ? why : packer_objection(image);
}
