/* SPDX-License-Identifier: MIT
 *
 * pe_link.c - see pe_link.h. The section, all offsets from its start:
 *
 *   0             struct pe_record, and behind it the old headers as they were
 *   directory     the import directory: the new entry, the old ones, an empty one
 *   lookups       the new entry's two tables of two, the function's name, the DLL's name
 *
 * It is writable, as the loader writes the function's address into it.
 */
#include "winapi/windows/umsrun/pe_link.h"

#include <stdlib.h>
#include <string.h>

#include "winapi/windows/pe_image.h"
#include "winapi/windows/umsrun/pe_objection.h"
#include "winapi/windows/umsrun/pe_record.h"

enum { MOST_BYTES = INT32_MAX - (1 << 24), MOST_IMPORTS = 4096, DIRECTORY_ALIGN = 16 };
enum { INITIALIZED_DATA = 0x40, READABLE = 0x40000000 };
static const uint32_t writable = 0x80000000u;

struct plan {
    struct pe_image image;
    const char *dll, *function;
    uint32_t section_at, file_at;      /* the new section's place in memory and in the file */
    uint32_t directory, lookups, name; /* their places in the section */
    uint32_t section_bytes, file_bytes;
    uint32_t import_count; /* of the old entries */
    uint8_t *imports;      /* with room for the new entry and the empty one */
    unsigned notes;
};

static uint64_t up(uint64_t value, uint32_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

static bool is_dll(const char *name, const char *wanted, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]) != wanted[i])
            return false;
    return true;
}

static bool is_ums_api_set(const char *name)
{
    static const char set[] = "api-ms-win-core-ums-";
    return is_dll(name, set, sizeof set - 1);
}

/* ---- Imports --------------------------------------------------------------------------------- */

/* Takes over an old entry. If it was bound ahead to addresses of some system, the loader looks it
 * up anew by its names, which it must have. */
static const char *take_import(struct plan *plan, uint8_t *entry)
{
    enum { LOOKUPS = 0, TIME = 4, CHAIN = 8, NAME = 12 };
    char name[64];
    if (!pe_text(&plan->image, pe_get(entry + NAME, 4), name, sizeof name))
        return "has an import directory that leads out of its file";
    if (is_dll(name, plan->dll, strlen(plan->dll) + 1))
        return "imports umsshim.dll already";
    if (pe_get(entry + TIME, 4)) {
        if (!pe_get(entry + LOOKUPS, 4))
            return "is bound to addresses of one system, and has no names of what it imports";
        plan->notes |= PE_LINK_UNBOUND;
        memset(entry + TIME, 0, 8);
    }
    if (is_ums_api_set(name))
        pe_put(entry + NAME, 4, plan->section_at + plan->name);
    return NULL;
}

/* Reads the old entries, the first of them to place 1. Ends where a loader stops. */
static const char *read_imports(struct plan *plan)
{
    enum { NAME = 12, ADDRESSES = 16 };
    uint32_t at = plan->image.directories[PE_IMPORTS].at;
    while (at) {
        uint8_t *entry = plan->imports + (size_t)(1 + plan->import_count) * PE_IMPORT_BYTES;
        uint64_t place = at + (uint64_t)plan->import_count * PE_IMPORT_BYTES;
        if (place > UINT32_MAX || !pe_copy(&plan->image, (uint32_t)place, entry, PE_IMPORT_BYTES))
            return "has an import directory that leads out of its file";
        if (!pe_get(entry + NAME, 4) || !pe_get(entry + ADDRESSES, 4)) {
            memset(entry, 0, PE_IMPORT_BYTES);
            break;
        }
        if (++plan->import_count == MOST_IMPORTS)
            return "has an import directory without an end";
    }
    return NULL;
}

/* Takes over the old entries. NULL, or the problem. */
static const char *take_imports(struct plan *plan)
{
    for (uint32_t i = 1; i <= plan->import_count; i++) {
        const char *why = take_import(plan, plan->imports + (size_t)i * PE_IMPORT_BYTES);
        if (why)
            return why;
    }
    return NULL;
}

static void look_at_delayed(struct plan *plan)
{
    enum { ENTRY_BYTES = 32, NAME = 4 };
    uint8_t entry[ENTRY_BYTES];
    char name[64];
    uint64_t at = plan->image.directories[PE_DELAYED_IMPORTS].at;
    for (int i = 0; at && i < MOST_IMPORTS; i++, at += ENTRY_BYTES)
        if (at > UINT32_MAX || !pe_copy(&plan->image, (uint32_t)at, entry, sizeof entry) ||
            !pe_get(entry + NAME, 4))
            return;
        else if (pe_text(&plan->image, pe_get(entry + NAME, 4), name, sizeof name) &&
                 is_ums_api_set(name))
            plan->notes |= PE_LINK_DELAYED_SET;
}

/* ---- The plan -------------------------------------------------------------------------------- */

/* Looks at the data behind the sections. The linker's symbols and a signature are known; other data
 * are the program's own. */
static void look_behind(struct plan *plan, uint64_t sections_end)
{
    const struct pe_image *image = &plan->image;
    struct pe_directory signature = image->directories[PE_CERTIFICATES];
    uint64_t known = sections_end;
    uint64_t symbols_end = (uint64_t)image->symbols + (uint64_t)image->symbol_count * 18;
    if (image->symbols && image->symbols <= up(known, image->file_alignment) &&
        symbols_end + 4 <= image->size) {
        uint64_t texts = pe_get(image->bytes + symbols_end, 4);
        known = symbols_end + (texts < 4 ? 4 : texts);
    }
    bool is_signed = signature.at && signature.size;
    uint64_t end = is_signed && signature.at >= known && signature.at < image->size ? signature.at
                                                                                    : image->size;
    if (is_signed)
        plan->notes |= PE_LINK_UNSIGNED;
    if (end > up(known, image->file_alignment))
        plan->notes |= PE_LINK_DATA_BEHIND;
}

static const char *check_sections(struct plan *plan)
{
    static const char contradiction[] =
        "has sections that contradict each other or its size: it is damaged, or protected";
    const struct pe_image *image = &plan->image;
    uint64_t end = image->header_size, file_end = image->header_size;
    for (unsigned i = 0; i < image->section_count; i++) {
        struct pe_section section = pe_section(image, i);
        uint32_t bytes = section.virtual_size ? section.virtual_size : section.file_size;
        if (section.at < end || section.at % image->section_alignment)
            return contradiction;
        end = up((uint64_t)section.at + bytes, image->section_alignment);
        if (!section.file_size)
            continue;
        uint64_t section_end = (uint64_t)section.file_at + section.file_size;
        if (section_end > image->size)
            return "is cut off";
        file_end = section_end > file_end ? section_end : file_end;
    }
    if (up(image->image_size, image->section_alignment) != up(end, image->section_alignment))
        return contradiction;
    plan->section_at = (uint32_t)up(end, image->section_alignment);
    look_behind(plan, file_end);
    return up(end, image->section_alignment) > MOST_BYTES ? "is too large" : NULL;
}

static void place_all(struct plan *plan)
{
    uint32_t headers = plan->image.header_size;
    plan->directory = (uint32_t)up(sizeof(struct pe_record) + headers, DIRECTORY_ALIGN);
    plan->lookups = (uint32_t)up(
        plan->directory + (uint64_t)(plan->import_count + 2) * PE_IMPORT_BYTES, DIRECTORY_ALIGN);
    uint32_t function = plan->lookups + 4 * 8;
    plan->name = function + (uint32_t)up(2 + strlen(plan->function) + 1, 8);
    plan->section_bytes = plan->name + (uint32_t)strlen(plan->dll) + 1;
    plan->file_bytes = (uint32_t)up(plan->section_bytes, plan->image.file_alignment);
    plan->file_at = (uint32_t)up(plan->image.size, plan->image.file_alignment);
}

static const char *make_plan(struct plan *plan, const uint8_t *bytes, size_t size)
{
    const char *why =
        size > MOST_BYTES ? "is too large" : pe_read(&plan->image, bytes, size, false);
    if (!why)
        why = pe_objection(&plan->image);
    if (!why)
        why = check_sections(plan);
    if (why)
        return why;
    plan->imports = calloc(MOST_IMPORTS + 2, PE_IMPORT_BYTES);
    if (!plan->imports)
        return "takes more memory than there is";
    why = read_imports(plan);
    if (why)
        return why;
    if (plan->image.directories[PE_BOUND_IMPORTS].at)
        plan->notes |= PE_LINK_UNBOUND;
    place_all(plan);
    look_at_delayed(plan);
    return take_imports(plan);
}

/* ---- The headers ----------------------------------------------------------------------------- */

static bool is_empty(const uint8_t *bytes, uint32_t from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (bytes[from + i])
            return false;
    return true;
}

/* Returns the place for the new section's header, behind the others. If there is no room, moves all
 * headers to the front, over the code that says that the program cannot run in DOS mode. */
static uint32_t make_room(const struct pe_image *image, uint8_t *to, uint32_t *nt)
{
    enum { FIRST = 64 };
    uint32_t end = image->section_table + image->section_count * PE_SECTION_BYTES;
    struct pe_directory bound = image->directories[PE_BOUND_IMPORTS];
    /* The list of bound imports is often there; the new file does not have it. */
    if (bound.at >= end && (uint64_t)bound.at + bound.size <= image->header_size)
        memset(to + bound.at, 0, bound.size);
    if (end + PE_SECTION_BYTES <= image->header_size && is_empty(to, end, PE_SECTION_BYTES))
        return end;
    if (image->nt < FIRST + PE_SECTION_BYTES)
        return 0;
    memmove(to + FIRST, image->bytes + image->nt, end - image->nt);
    memset(to + FIRST + end - image->nt, 0, image->nt - FIRST);
    *nt = FIRST;
    pe_put(to + PE_LFANEW, 4, FIRST);
    return FIRST + end - image->nt;
}

static void put_directory(uint8_t *optional, int number, uint32_t at, uint32_t size)
{
    pe_put(optional + PE_DIRECTORY_TABLE + 8 * number, 4, at);
    pe_put(optional + PE_DIRECTORY_TABLE + 8 * number + 4, 4, size);
}

/* The loader makes the import addresses of a program writable. It takes their place from the
 * directory of addresses, or else the section that has the import directory. The new import
 * directory is in a new section, so the directory of addresses names the old section. */
static void name_addresses(const struct plan *plan, uint8_t *optional)
{
    const struct pe_image *image = &plan->image;
    uint32_t imports = image->directories[PE_IMPORTS].at;
    if (image->directories[PE_ADDRESSES].at)
        return;
    uint32_t ours = plan->section_at + plan->lookups;
    put_directory(optional, PE_ADDRESSES, ours, 4 * 8);
    for (unsigned i = 0; imports && i < image->section_count; i++) {
        struct pe_section section = pe_section(image, i);
        uint32_t bytes = section.virtual_size ? section.virtual_size : section.file_size;
        if (imports >= section.at && imports - section.at < bytes)
            put_directory(optional, PE_ADDRESSES, section.at, bytes);
    }
}

static bool put_headers(const struct plan *plan, uint8_t *to)
{
    const struct pe_image *image = &plan->image;
    uint32_t nt = image->nt, place = make_room(image, to, &nt);
    if (!place)
        return false;
    uint8_t *optional = to + nt + PE_OPTIONAL, *section = to + place;
    memcpy(section, PE_RECORD_SECTION, 8);
    pe_put(section + 8, 4, plan->section_bytes);
    pe_put(section + 12, 4, plan->section_at);
    pe_put(section + 16, 4, plan->file_bytes);
    pe_put(section + 20, 4, plan->file_at);
    pe_put(section + 36, 4, INITIALIZED_DATA | READABLE | writable);
    pe_put(to + nt + PE_SECTION_COUNT, 2, image->section_count + 1u);
    pe_put(optional + PE_DATA_SIZE, 4, pe_get(optional + PE_DATA_SIZE, 4) + plan->file_bytes);
    pe_put(optional + PE_IMAGE_SIZE, 4,
           up((uint64_t)plan->section_at + plan->section_bytes, image->section_alignment));
    put_directory(optional, PE_IMPORTS, plan->section_at + plan->directory,
                  (plan->import_count + 2) * PE_IMPORT_BYTES);
    put_directory(optional, PE_CERTIFICATES, 0, 0);
    put_directory(optional, PE_BOUND_IMPORTS, 0, 0);
    name_addresses(plan, optional);
    return true;
}

/* ---- The section ----------------------------------------------------------------------------- */

static void put_section(const struct plan *plan, uint8_t *to)
{
    const struct pe_image *image = &plan->image;
    struct pe_record record = {0};
    memcpy(record.magic, PE_RECORD_MAGIC, sizeof record.magic);
    pe_put(record.hash, 8, pe_record_hash(image->bytes, image->size));
    pe_put(record.size, 8, image->size);
    pe_put(record.header_bytes, 4, image->header_size);
    memcpy(to, &record, sizeof record);
    memcpy(to + sizeof record, image->bytes, image->header_size);

    uint8_t *ours = plan->imports, *lookups = to + plan->lookups;
    uint32_t lookups_at = plan->section_at + plan->lookups;
    pe_put(ours, 4, lookups_at);
    pe_put(ours + 12, 4, plan->section_at + plan->name);
    pe_put(ours + 16, 4, lookups_at + 2 * 8);
    memcpy(to + plan->directory, plan->imports, (size_t)(plan->import_count + 2) * PE_IMPORT_BYTES);
    pe_put(lookups, 8, lookups_at + 4 * 8);
    pe_put(lookups + 2 * 8, 8, lookups_at + 4 * 8);
    strcpy((char *)lookups + 4 * 8 + 2, plan->function);
    strcpy((char *)to + plan->name, plan->dll);
}

/* The checksum of a PE file: the sum of its 16-bit words, with each carry added again, plus the
 * file's size. The field of the checksum counts as 0. */
static void put_checksum(uint8_t *bytes, size_t size)
{
    uint8_t *field = bytes + pe_get(bytes + PE_LFANEW, 4) + PE_OPTIONAL + PE_CHECKSUM;
    uint64_t sum = 0;
    pe_put(field, 4, 0);
    for (size_t i = 0; i + 1 < size; i += 2)
        sum += pe_get(bytes + i, 2);
    if (size % 2)
        sum += bytes[size - 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    pe_put(field, 4, sum + size);
}

const char *pe_link(const uint8_t *bytes, size_t size, const char *dll, const char *function,
                    struct pe_linked *linked)
{
    struct plan plan = {.dll = dll, .function = function};
    const char *why = make_plan(&plan, bytes, size);
    uint8_t *to = NULL;
    if (!why) {
        linked->size = (size_t)plan.file_at + plan.file_bytes;
        to = calloc(linked->size, 1);
        why = to ? NULL : "takes more memory than there is";
    }
    if (!why) {
        memcpy(to, bytes, size);
        if (!put_headers(&plan, to))
            why = "has headers without room for one more section: start it by umsrun";
    }
    if (!why) {
        put_section(&plan, to + plan.file_at);
        put_checksum(to, linked->size);
        linked->bytes = to;
        linked->notes = plan.notes;
    } else {
        free(to);
    }
    free(plan.imports);
    return why;
}
