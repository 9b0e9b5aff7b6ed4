/* SPDX-License-Identifier: MIT
 *
 * pe_files.c - what the files are that a user copies: 64-bit, ASLR and DEP on, documented imports of
 * system DLLs only, every run-time lookup listed; their version and manifest, as the system reads them;
 * and where a linked program's UMS functions come from, whatever the order of libraries was.
 *
 * modes: unlinked
 * libraries: version
 * options: ANY_SWITCH
 */
#include "gtest_c.h"

#include <windows.h>

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
    char name[64];
    unsigned char *bytes;
    size_t size;
    IMAGE_NT_HEADERS64 *headers;
};

static char *read_all(const char *path, size_t *size)
{
    FILE *stream = fopen(path, "rb");
    char *bytes = NULL;

    if (stream) {
        fseek(stream, 0, SEEK_END);
        *size = (size_t)ftell(stream);
        rewind(stream);
        bytes = calloc(1, *size + 1);
        if (bytes && fread(bytes, 1, *size, stream) != *size) {
            free(bytes);
            bytes = NULL;
        }
        fclose(stream);
    }
    EXPECT_THAT(bytes != NULL, "%s cannot be read", path);
    return bytes;
}

/* A file beside this program. */
static bool open_pe(struct file *file, const char *name)
{
    char path[MAX_PATH];

    snprintf(file->name, sizeof file->name, "%s", name);
    GetModuleFileNameA(NULL, path, sizeof path - 64);
    strcpy(strrchr(path, '\\') + 1, name);
    file->bytes = (unsigned char *)read_all(path, &file->size);
    if (!file->bytes)
        return false;
    file->headers = (void *)(file->bytes + ((IMAGE_DOS_HEADER *)file->bytes)->e_lfanew);
    return EXPECT_EQ(file->headers->Signature, IMAGE_NT_SIGNATURE);
}

static void *at(const struct file *file, DWORD offset)
{
    IMAGE_SECTION_HEADER *section = IMAGE_FIRST_SECTION(file->headers);

    for (int i = 0; i < file->headers->FileHeader.NumberOfSections; i++, section++)
        if (offset >= section->VirtualAddress &&
            offset < section->VirtualAddress + section->SizeOfRawData)
            return file->bytes + section->PointerToRawData + (offset - section->VirtualAddress);
    return NULL;
}

static IMAGE_DATA_DIRECTORY directory(const struct file *file, int number)
{
    return file->headers->OptionalHeader.DataDirectory[number];
}

typedef void (*import_visitor)(const struct file *file, const char *dll, const char *name,
                               void *arg);

static int visit_imports(const struct file *file, import_visitor visit, void *arg)
{
    IMAGE_IMPORT_DESCRIPTOR *import =
        at(file, directory(file, IMAGE_DIRECTORY_ENTRY_IMPORT).VirtualAddress);
    int count = 0;

    for (; import && import->Name; import++) {
        ULONGLONG *lookup = at(file, import->OriginalFirstThunk);

        for (; lookup && *lookup; lookup++, count++) {
            EXPECT_EQ(IMAGE_SNAP_BY_ORDINAL64(*lookup), 0);
            visit(file, at(file, import->Name),
                  ((IMAGE_IMPORT_BY_NAME *)at(file, (DWORD)*lookup))->Name, arg);
        }
    }
    return count;
}

/* Whether a line of the list begins with this word or these words. */
static bool listed(const char *list, const char *words)
{
    size_t length = strlen(words);

    for (const char *line = list; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, words, length) == 0 && isspace((unsigned char)line[length]))
            return true;
    }
    return false;
}

static void expect_documented(const struct file *file, const char *dll, const char *name,
                              void *list)
{
    char words[256];

    snprintf(words, sizeof words, "%s %s", dll, name);
    for (char *c = words; *c && *c != ' '; c++)
        *c = (char)tolower((unsigned char)*c);
    EXPECT_THAT(listed(list, words), "%s imports %s, which is not in the list", file->name, words);
    EXPECT_THAT(!strstr(name, "wine"), "%s imports %s", file->name, name);
}

static void expect_sound(const char *name, bool dll)
{
    struct file file;
    size_t size;
    char *list = read_all(SOURCE_FOLDER "/documented_exports.txt", &size);

    ASSERT_OK(list != NULL && open_pe(&file, name));
    EXPECT_EQ(file.headers->FileHeader.Machine, IMAGE_FILE_MACHINE_AMD64);
    EXPECT_EQ(file.headers->OptionalHeader.Magic, IMAGE_NT_OPTIONAL_HDR64_MAGIC);
    EXPECT_EQ(!(file.headers->FileHeader.Characteristics & IMAGE_FILE_DLL), !dll);
    EXPECT_EQ(file.headers->FileHeader.Characteristics & IMAGE_FILE_RELOCS_STRIPPED, 0);
    EXPECT_GT(directory(&file, IMAGE_DIRECTORY_ENTRY_BASERELOC).Size, 0);
    EXPECT_EQ(file.headers->OptionalHeader.DllCharacteristics & 0x160, 0x160);
    EXPECT_GT(visit_imports(&file, expect_documented, list), 10);
}

TEST(PeFiles, umsshim_dll)
{
    expect_sound("umsshim.dll", true);
}

TEST(PeFiles, umsrun_exe)
{
    expect_sound("umsrun.exe", false);
}

/* Every string that looks like an entry point of ntdll. */
static void expect_lookups_listed(const char *name)
{
    struct file file;
    size_t size;
    char *list = read_all(SOURCE_FOLDER "/nt_names.txt", &size);
    int found = 0;

    ASSERT_OK(list != NULL && open_pe(&file, name));
    for (size_t i = 1; i + 8 < file.size; i++) {
        const char *text = (const char *)file.bytes + i;
        size_t length = 0;

        if (file.bytes[i - 1] != 0 ||
            (strncmp(text, "Nt", 2) && strncmp(text, "Rtl", 3) && strncmp(text, "Ldr", 3)))
            continue;
        while (i + length < file.size && isalnum((unsigned char)text[length]))
            length++;
        if (i + length < file.size && text[length] == 0 && length > 6) {
            found++;
            EXPECT_THAT(listed(list, text), "%s looks %s up, which is not in the list", name, text);
        }
    }
    EXPECT_GT(found, 1);
}

TEST(PeFiles, run_time_lookups_of_the_dll)
{
    expect_lookups_listed("umsshim.dll");
}

TEST(PeFiles, run_time_lookups_of_umsrun)
{
    expect_lookups_listed("umsrun.exe");
}

/* ---- Resources ------------------------------------------------------------------------------------ */

static void path_of(const char *name, char path[MAX_PATH])
{
    GetModuleFileNameA(NULL, path, MAX_PATH - 64);
    strcpy(strrchr(path, '\\') + 1, name);
}

static void expect_text(void *block, const char *key, const char *wanted)
{
    char query[64];
    char *text = NULL;
    UINT length = 0;

    snprintf(query, sizeof query, "\\StringFileInfo\\040904b0\\%s", key);
    ASSERT_OK(VerQueryValueA(block, query, (void **)&text, &length));
    EXPECT_THAT(strcmp(text, wanted) == 0, "%s is \"%s\", not \"%s\"", key, text, wanted);
}

static void expect_version(const char *name, DWORD type)
{
    static _Alignas(8) char block[4096];
    VS_FIXEDFILEINFO *fixed = NULL;
    UINT length = 0;
    char path[MAX_PATH];
    char text[32];

    path_of(name, path);
    ASSERT_OK(GetFileVersionInfoA(path, 0, sizeof block, block));
    ASSERT_OK(VerQueryValueA(block, "\\", (void **)&fixed, &length));
    EXPECT_EQ(length, sizeof *fixed);
    EXPECT_EQ(fixed->dwFileType, type);
    EXPECT_EQ(fixed->dwFileVersionMS, fixed->dwProductVersionMS);
    EXPECT_EQ(fixed->dwFileVersionLS, fixed->dwProductVersionLS);
    snprintf(text, sizeof text, "%u.%u.%u", HIWORD(fixed->dwFileVersionMS),
             LOWORD(fixed->dwFileVersionMS), HIWORD(fixed->dwFileVersionLS));
    EXPECT_THAT(strcmp(text, PROJECT_VERSION) == 0, "%s is version %s, not %s", name, text,
                PROJECT_VERSION);
    expect_text(block, "FileVersion", PROJECT_VERSION);
    expect_text(block, "ProductVersion", PROJECT_VERSION);
    expect_text(block, "ProductName", "umsshim");
    expect_text(block, "OriginalFilename", name);
}

/* The system's own parser takes the manifest, and it says what it has to. */
static void expect_manifest(const char *name, WORD number)
{
    static const char *const wanted[] = {
        "<supportedOS Id=\"{8e0f7a12-bfb3-4fe8-b9a5-48fd50a15a9a}\"/>", "level=\"asInvoker\"",
        "longPathAware>true<", "version=\"" PROJECT_VERSION ".0\""};
    char path[MAX_PATH];
    ACTCTXA request = {.cbSize = sizeof request,
                       .dwFlags = ACTCTX_FLAG_RESOURCE_NAME_VALID,
                       .lpSource = path,
                       .lpResourceName = MAKEINTRESOURCEA(number)};
    char text[4096] = "";
    HMODULE file;
    HRSRC resource;
    HANDLE context;

    path_of(name, path);
    context = CreateActCtxA(&request);
    EXPECT_THAT(context != INVALID_HANDLE_VALUE, "%s: the manifest is refused, last error %lu",
                name, GetLastError());
    if (context != INVALID_HANDLE_VALUE)
        ReleaseActCtx(context);
    file = LoadLibraryExA(path, NULL, LOAD_LIBRARY_AS_DATAFILE);
    ASSERT_OK(file != NULL);
    resource =
        FindResourceA(file, MAKEINTRESOURCEA(number), MAKEINTRESOURCEA(24)); /* RT_MANIFEST */
    ASSERT_OK(resource != NULL);
    ASSERT_OK(SizeofResource(file, resource) < sizeof text);
    memcpy(text, LockResource(LoadResource(file, resource)), SizeofResource(file, resource));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        EXPECT_THAT(strstr(text, wanted[i]) != NULL, "%s: no %s in the manifest", name, wanted[i]);
    EXPECT_THAT(!strstr(text, "activeCodePage"), "%s: the manifest sets the code page", name);
    FreeLibrary(file);
}

TEST(PeFiles, versions)
{
    expect_version("umsshim.dll", VFT_DLL);
    expect_version("umsrun.exe", VFT_APP);
    expect_version("ums_conformance.exe", VFT_APP);
    expect_version("umsshim-evidence.exe", VFT_APP);
}

TEST(PeFiles, manifests)
{
    expect_manifest("umsshim.dll", 2);
    expect_manifest("umsrun.exe", 1);
    expect_manifest("ums_conformance.exe", 1);
    expect_manifest("umsshim-evidence.exe", 1);
}

/* ---- Linked programs ------------------------------------------------------------------------------ */

static void count_ums(const struct file *file, const char *dll, const char *name, void *count)
{
    static const char *const ours[] = {"CreateRemoteThreadEx", "DeleteProcThreadAttributeList",
                                       "InitializeProcThreadAttributeList",
                                       "UpdateProcThreadAttribute"};
    bool is_ums = strstr(name, "Ums") != NULL;

    for (int i = 0; i < 4; i++)
        is_ums |= strcmp(name, ours[i]) == 0;
    if (is_ums) {
        ++*(int *)count;
        EXPECT_THAT(_stricmp(dll, "umsshim.dll") == 0, "%s has %s from %s", file->name, name, dll);
    }
}

static void expect_linked(const char *name)
{
    struct file file;
    int count = 0;

    ASSERT_OK(open_pe(&file, name));
    visit_imports(&file, count_ums, &count);
    EXPECT_EQ(count, 14); /* what the sample uses: 10 of UMS, 4 around them */
}

TEST(PeFiles, linked_program)
{
    expect_linked("hello.exe");
}

TEST(PeFiles, linked_with_kernel32_first)
{
    expect_linked("link_order.exe");
}
