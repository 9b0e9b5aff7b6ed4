/* SPDX-License-Identifier: MIT
 *
 * pe_writer.c - see pe_writer.h.
 */
#include "pe_writer.h"

#include <string.h>

enum { PAGE_OF_HEADERS = 0x1000, FILE_ALIGN = 0x200, SECTION_ALIGN = 0x1000 };

struct writer {
    uint8_t *file;
    DWORD next; /* free place in the section, as an offset from the image */
    struct {
        const char *name;
        DWORD slot;
    } slots[PE_MOST_IMPORTS];
    int slot_count;
};

static void *at(struct writer *writer, DWORD offset)
{
    return writer->file + PAGE_OF_HEADERS + (offset - PE_SECTION_AT);
}

static DWORD take(struct writer *writer, const void *bytes, DWORD count, DWORD align)
{
    DWORD place = (writer->next + align - 1) & ~(align - 1);

    if (bytes)
        memcpy(at(writer, place), bytes, count);
    writer->next = place + count;
    return place;
}

static DWORD text(struct writer *writer, const char *string)
{
    return take(writer, string, (DWORD)strlen(string) + 1, 2);
}

static DWORD by_name(struct writer *writer, const char *name)
{
    DWORD place = take(writer, "\0", 2, 2);

    take(writer, name, (DWORD)strlen(name) + 1, 1);
    return place;
}

static DWORD slot_of(const struct writer *writer, const char *name)
{
    for (int i = 0; i < writer->slot_count; i++)
        if (strcmp(writer->slots[i].name, name) == 0)
            return writer->slots[i].slot;
    return 0;
}

static int names_in(const struct pe_import *import)
{
    int count = 0;

    while (count < PE_MOST_NAMES && import->names[count])
        count++;
    return count;
}

/* ---- Tables --------------------------------------------------------------------------------------- */

static void write_imports(struct writer *writer, const struct pe_kind *kind,
                          IMAGE_DATA_DIRECTORY *imports, IMAGE_DATA_DIRECTORY *addresses)
{
    DWORD dlls = 0, count = 0, directory, first;

    while (dlls < PE_MOST_DLLS && kind->imports[dlls].dll)
        count += (DWORD)names_in(&kind->imports[dlls++]) + 1;
    if (!dlls)
        return;
    directory = take(writer, NULL, (dlls + 1) * (DWORD)sizeof(IMAGE_IMPORT_DESCRIPTOR), 8);
    first = take(writer, NULL, count * 8, 8);
    for (DWORD i = 0, slot = first; i < dlls; i++) {
        const struct pe_import *import = &kind->imports[i];
        IMAGE_IMPORT_DESCRIPTOR *entry = (IMAGE_IMPORT_DESCRIPTOR *)at(writer, directory) + i;
        DWORD names = (DWORD)names_in(import);
        DWORD lookups = kind->no_lookups ? 0 : take(writer, NULL, (names + 1) * 8, 8);

        entry->OriginalFirstThunk = lookups;
        entry->TimeDateStamp = kind->bound ? 0xFFFFFFFF : 0;
        entry->ForwarderChain = kind->bound ? 0xFFFFFFFF : 0;
        entry->FirstThunk = slot;
        entry->Name = text(writer, import->dll);
        for (DWORD k = 0; k < names; k++, slot += 8) {
            ULONGLONG name = by_name(writer, import->names[k]);

            if (lookups)
                ((ULONGLONG *)at(writer, lookups))[k] = name;
            *(ULONGLONG *)at(writer, slot) = kind->bound ? 0x7FF800001000u + 16 * k : name;
            writer->slots[writer->slot_count].name = import->names[k];
            writer->slots[writer->slot_count++].slot = slot;
        }
        slot += 8;
    }
    *imports = (IMAGE_DATA_DIRECTORY){
        directory, kind->no_import_size ? 0 : (dlls + 1) * (DWORD)sizeof(IMAGE_IMPORT_DESCRIPTOR)};
    if (!kind->no_address_directory)
        *addresses = (IMAGE_DATA_DIRECTORY){first, count * 8};
}

/* Of a kernel32 that was linked to long ago. */
static void write_bound(struct writer *writer, IMAGE_DATA_DIRECTORY *bound)
{
    struct {
        IMAGE_BOUND_IMPORT_DESCRIPTOR entry, end;
        char dll[16];
    } table = {{0x4A5BE090, offsetof(__typeof__(table), dll), 0}, {0, 0, 0}, "KERNEL32.dll"};

    *bound = (IMAGE_DATA_DIRECTORY){take(writer, &table, sizeof table, 8), sizeof table};
}

static void write_manifest(struct writer *writer, IMAGE_DATA_DIRECTORY *resources)
{
    static const char manifest[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
        "<assembly xmlns=\"urn:schemas-microsoft-com:asm.v1\" manifestVersion=\"1.0\">"
        "<application><windowsSettings>"
        "<activeCodePage xmlns=\"http://schemas.microsoft.com/SMI/2019/WindowsSettings\">UTF-8"
        "</activeCodePage></windowsSettings></application></assembly>";
    struct level {
        IMAGE_RESOURCE_DIRECTORY directory;
        IMAGE_RESOURCE_DIRECTORY_ENTRY entry;
    };
    struct {
        struct level type, name, language;
        IMAGE_RESOURCE_DATA_ENTRY data;
    } tree;
    DWORD folder = 0x80000000u;

    memset(&tree, 0, sizeof tree);
    tree.type.directory.NumberOfIdEntries = tree.name.directory.NumberOfIdEntries =
        tree.language.directory.NumberOfIdEntries = 1;
    tree.type.entry.Name = 24; /* RT_MANIFEST */
    tree.type.entry.OffsetToData = folder | sizeof(struct level);
    tree.name.entry.Name = 1;
    tree.name.entry.OffsetToData = folder | (2 * sizeof(struct level));
    tree.language.entry.Name = 0x409;
    tree.language.entry.OffsetToData = 3 * sizeof(struct level);
    tree.data.OffsetToData = take(writer, manifest, sizeof manifest - 1, 8);
    tree.data.Size = sizeof manifest - 1;
    *resources = (IMAGE_DATA_DIRECTORY){take(writer, &tree, sizeof tree, 8), sizeof tree};
}

/* ---- Code ----------------------------------------------------------------------------------------- */

static void bytes(struct writer *writer, const char *code, DWORD count)
{
    take(writer, code, count, 1);
}

/* The distance from behind the next four bytes. */
static void to(struct writer *writer, DWORD target)
{
    DWORD distance = target - (writer->next + 4);

    take(writer, &distance, 4, 1);
}

static void load_address(struct writer *writer, const char *lea, DWORD target)
{
    bytes(writer, lea, 3);
    to(writer, target);
}

static void call_slot(struct writer *writer, DWORD slot)
{
    bytes(writer, "\xFF\x15", 2); /* call [slot] */
    to(writer, slot);
}

/* What a linker puts behind a delayed import: it looks the function up, keeps it, and goes on to it. */
static DWORD write_delayed(struct writer *writer, const char *name, DWORD slot)
{
    DWORD module = text(writer, "kernel32.dll"), function = text(writer, name);
    DWORD code = take(writer, NULL, 0, 16);

    bytes(writer, "\x51\x48\x83\xEC\x20", 5); /* push rcx; sub rsp, 32 */
    load_address(writer, "\x48\x8D\x0D", module);
    call_slot(writer, slot_of(writer, "GetModuleHandleA"));
    bytes(writer, "\x48\x89\xC1", 3); /* mov rcx, rax */
    load_address(writer, "\x48\x8D\x15", function);
    call_slot(writer, slot_of(writer, "GetProcAddress"));
    load_address(writer, "\x48\x89\x05", slot);       /* mov [slot], rax */
    bytes(writer, "\x48\x83\xC4\x20\x59\xFF\xE0", 7); /* add rsp, 32; pop rcx; jmp rax */
    return code;
}

static void write_delay_table(struct writer *writer, ULONGLONG base, IMAGE_DATA_DIRECTORY *delays)
{
    static const char *const names[] = {"CreateUmsCompletionList", "DeleteUmsCompletionList"};
    IMAGE_DELAYLOAD_DESCRIPTOR table[2] = {{{1}, 0, 0, 0, 0, 0, 0, 0}};
    DWORD slots = take(writer, NULL, 24, 8), lookups = take(writer, NULL, 24, 8);
    DWORD module = take(writer, NULL, 8, 8);

    for (int i = 0; i < 2; i++) {
        ((ULONGLONG *)at(writer, lookups))[i] = by_name(writer, names[i]);
        ((ULONGLONG *)at(writer, slots))[i] =
            base + write_delayed(writer, names[i], slots + 8 * (DWORD)i);
        writer->slots[writer->slot_count].name = names[i];
        writer->slots[writer->slot_count++].slot = slots + 8 * (DWORD)i;
    }
    table[0].DllNameRVA = text(writer, "kernel32.dll");
    table[0].ModuleHandleRVA = module;
    table[0].ImportAddressTableRVA = slots;
    table[0].ImportNameTableRVA = lookups;
    *delays = (IMAGE_DATA_DIRECTORY){take(writer, table, sizeof table, 8), sizeof table};
}

static DWORD write_code(struct writer *writer)
{
    DWORD list = take(writer, NULL, 8, 8), code, fail[2];

    if (!writer->slot_count) {
        code = take(writer, NULL, 0, 16);
        bytes(writer, "\xB8\x2A\0\0\0\xC3", 6); /* mov eax, 42; ret */
        return code;
    }
    code = take(writer, NULL, 0, 16);
    bytes(writer, "\x48\x83\xEC\x28", 4); /* sub rsp, 40 */
    load_address(writer, "\x48\x8D\x0D", list);
    call_slot(writer, slot_of(writer, "CreateUmsCompletionList"));
    bytes(writer, "\x85\xC0\x74\0", 4); /* test eax, eax; jz fail */
    fail[0] = writer->next;
    load_address(writer, "\x48\x8B\x0D", list); /* mov rcx, [list] */
    call_slot(writer, slot_of(writer, "DeleteUmsCompletionList"));
    bytes(writer, "\x85\xC0\x74\0", 4);
    fail[1] = writer->next;
    bytes(writer, "\xB9\x2A\0\0\0", 5); /* mov ecx, 42 */
    call_slot(writer, slot_of(writer, "ExitProcess"));
    for (int i = 0; i < 2; i++)
        *((uint8_t *)at(writer, fail[i]) - 1) = (uint8_t)(writer->next - fail[i]);
    call_slot(writer, slot_of(writer, "GetLastError"));
    bytes(writer, "\x89\xC1", 2); /* mov ecx, eax */
    call_slot(writer, slot_of(writer, "ExitProcess"));
    return code;
}

/* ---- The file ------------------------------------------------------------------------------------- */

bool pe_write(const struct pe_kind *kind, const wchar_t *path)
{
    static uint8_t file[PAGE_OF_HEADERS + PE_SECTION_BYTES];
    struct writer writer = {.file = file, .next = PE_SECTION_AT + 16};
    IMAGE_DOS_HEADER *dos = (void *)file;
    IMAGE_NT_HEADERS64 *nt =
        (void *)(file + (kind->header_at ? kind->header_at : sizeof(IMAGE_DOS_HEADER)));
    IMAGE_OPTIONAL_HEADER64 *optional = &nt->OptionalHeader;
    IMAGE_SECTION_HEADER *section = (void *)(nt + 1);
    IMAGE_DATA_DIRECTORY *directories = optional->DataDirectory;
    DWORD written = 0;
    HANDLE out;

    memset(file, 0, sizeof file);
    dos->e_magic = IMAGE_DOS_SIGNATURE;
    dos->e_lfanew = (LONG)((uint8_t *)nt - file);
    nt->Signature = IMAGE_NT_SIGNATURE;
    nt->FileHeader.Machine = IMAGE_FILE_MACHINE_AMD64;
    nt->FileHeader.NumberOfSections = 1;
    nt->FileHeader.SizeOfOptionalHeader = sizeof *optional;
    nt->FileHeader.Characteristics =
        IMAGE_FILE_EXECUTABLE_IMAGE | IMAGE_FILE_RELOCS_STRIPPED | IMAGE_FILE_LARGE_ADDRESS_AWARE;
    optional->Magic = IMAGE_NT_OPTIONAL_HDR64_MAGIC;
    optional->ImageBase = 0x140000000;
    optional->SectionAlignment = SECTION_ALIGN;
    optional->FileAlignment = FILE_ALIGN;
    optional->MajorOperatingSystemVersion = optional->MajorSubsystemVersion = 6;
    optional->SizeOfImage = PE_SECTION_AT + PE_SECTION_BYTES;
    optional->SizeOfHeaders = PAGE_OF_HEADERS;
    optional->SizeOfCode = PE_SECTION_BYTES;
    optional->BaseOfCode = PE_SECTION_AT;
    optional->Subsystem = IMAGE_SUBSYSTEM_WINDOWS_CUI;
    optional->DllCharacteristics = IMAGE_DLLCHARACTERISTICS_NX_COMPAT;
    optional->SizeOfStackReserve = 1 << 20;
    optional->SizeOfStackCommit = 1 << 14;
    optional->SizeOfHeapReserve = 1 << 20;
    optional->SizeOfHeapCommit = 1 << 12;
    optional->NumberOfRvaAndSizes = IMAGE_NUMBEROF_DIRECTORY_ENTRIES;
    memcpy(section->Name, ".all", 4);
    section->Misc.VirtualSize = PE_SECTION_BYTES;
    section->VirtualAddress = PE_SECTION_AT;
    section->SizeOfRawData = PE_SECTION_BYTES;
    section->PointerToRawData = PAGE_OF_HEADERS;
    section->Characteristics = IMAGE_SCN_CNT_CODE | IMAGE_SCN_MEM_EXECUTE | IMAGE_SCN_MEM_READ |
                               IMAGE_SCN_MEM_WRITE; /* the code writes beside itself */

    write_imports(&writer, kind, &directories[IMAGE_DIRECTORY_ENTRY_IMPORT],
                  &directories[IMAGE_DIRECTORY_ENTRY_IAT]);
    if (kind->bound)
        write_bound(&writer, &directories[IMAGE_DIRECTORY_ENTRY_BOUND_IMPORT]);
    if (kind->delayed)
        write_delay_table(&writer, optional->ImageBase,
                          &directories[IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT]);
    if (kind->utf8)
        write_manifest(&writer, &directories[IMAGE_DIRECTORY_ENTRY_RESOURCE]);
    optional->AddressOfEntryPoint = write_code(&writer);

    out = CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    if (out == INVALID_HANDLE_VALUE)
        return false;
    if (!WriteFile(out, file, sizeof file, &written, NULL))
        written = 0;
    return CloseHandle(out) && written == sizeof file;
}
