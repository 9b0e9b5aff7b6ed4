/* SPDX-License-Identifier: MIT
 *
 * trace_system.c - what a trace needs of Windows: platform/trace/system.h.
 */
#include <stdio.h>
#include <string.h>

#include "platform/trace/system.h"
#include "platform/windows/engine.h"
#include "platform/windows/os/ntapi.h"

enum { STACK_BYTES = 64 << 10, PATH_CHARS = 1024 };

static HANDLE file = INVALID_HANDLE_VALUE;

bool system_variable(const char *name, char *value, size_t room)
{
    wchar_t wide_name[64], wide[PATH_CHARS];
    MultiByteToWideChar(CP_UTF8, 0, name, -1, wide_name, 64);
    DWORD length = GetEnvironmentVariableW(wide_name, wide, PATH_CHARS);
    return length && length < PATH_CHARS &&
           WideCharToMultiByte(CP_UTF8, 0, wide, -1, value, (int)room, NULL, NULL) > 0;
}

void system_variables(void (*told)(const char *text))
{
    char *all = GetEnvironmentStringsA();
    for (char *at = all; at && *at; at += strlen(at) + 1) {
        char text[256];
        snprintf(text, sizeof text, "%s", at);
        for (char *letter = text; *letter && *letter != '='; letter++)
            *letter = (char)(*letter >= 'a' && *letter <= 'z' ? *letter - 'a' + 'A' : *letter);
        told(text);
    }
    if (all)
        FreeEnvironmentStringsA(all);
}

void system_command_line(char *line, size_t room)
{
    char all[3 * PATH_CHARS];
    wchar_t wide[PATH_CHARS];
    wcsncpy(wide, GetCommandLineW(), PATH_CHARS - 1);
    wide[PATH_CHARS - 1] = 0;
    if (WideCharToMultiByte(CP_UTF8, 0, wide, -1, all, sizeof all, NULL, NULL) > 0)
        snprintf(line, room, "%.*s", (int)room - 1, all);
}

int system_file_create(const char *path)
{
    wchar_t wide[PATH_CHARS];
    if (!MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, PATH_CHARS))
        return (int)GetLastError();
    file = CreateFileW(wide, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                       CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    return file == INVALID_HANDLE_VALUE ? (int)GetLastError() : 0;
}

int system_file_write(uint64_t place, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes) {
        OVERLAPPED where = {.Offset = (DWORD)place, .OffsetHigh = (DWORD)(place >> 32)};
        DWORD written = 0;
        if (!WriteFile(file, at, (DWORD)bytes, &written, &where))
            return (int)GetLastError();
        if (!written)
            return ERROR_DISK_FULL;
        at += written;
        place += written;
        bytes -= written;
    }
    return 0;
}

void system_file_close(void)
{
    CloseHandle(file);
    file = INVALID_HANDLE_VALUE;
}

const char *system_error_text(int error)
{
    static char text[200];
    DWORD length = error
                       ? FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS,
                                        NULL, (DWORD)error, 0, text, sizeof text, NULL)
                       : 0;
    while (length && strchr("\r\n. ", text[length - 1]))
        text[--length] = 0;
    if (!length)
        snprintf(text, sizeof text, error ? "error %d" : "out of memory", error);
    return text;
}

static DWORD WINAPI run_it(LPVOID run)
{
    ((void (*)(void))(uintptr_t)run)();
    return 0;
}

int system_thread_start(void (*run)(void))
{
    HANDLE thread = CreateThread(NULL, STACK_BYTES, run_it, (void *)(uintptr_t)run,
                                 STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    if (!thread)
        return (int)GetLastError();
    CloseHandle(thread);
    return 0;
}

void system_rest(unsigned milliseconds)
{
    Sleep(milliseconds);
}

void *system_pages(size_t bytes)
{
    char *pages = plat_reserve(bytes);
    if (!pages || !plat_commit(pages, bytes)) {
        if (pages)
            VirtualFree(pages, 0, MEM_RELEASE);
        return NULL;
    }
    for (size_t at = 0; at < bytes; at += 4096)
        *(volatile char *)(pages + at) = 0;
    return pages;
}

uint64_t system_wall_clock(void)
{
    enum { NS_OF_TICK = 100 };
    const uint64_t from_1601_to_1970 = 116444736000000000u;
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    uint64_t ticks = (uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime;
    return (ticks - from_1601_to_1970) * NS_OF_TICK;
}

uint32_t system_process(void)
{
    return GetCurrentProcessId();
}

/* ---- Call sites ------------------------------------------------------------------------------ */

typedef USHORT(WINAPI *capture_function)(ULONG, ULONG, void **, ULONG *);
static capture_function capture;

bool system_calls_ready(void)
{
    capture = (capture_function)(uintptr_t)ntapi_find("RtlCaptureStackBackTrace");
    return capture != NULL;
}

unsigned system_calls(void **addresses, unsigned most)
{
    return capture(1, most, addresses, NULL);
}

struct list_entry { /* an entry of ntdll's list of modules, as in winternl.h */
    LIST_ENTRY by_load, by_memory;
    void *reserved[2];
    void *base, *entry;
    SIZE_T bytes;
    UNICODE_STRING path;
};

/* Called at the start of the engine. Reads the process environment block, since the documented list
 * of modules would need another DLL. */
void system_modules(void (*told)(const char *name, uint64_t base, uint64_t bytes))
{
    PEB *peb;
    char name[512];
    __asm__("movq %%gs:0x60, %0" : "=r"(peb));
    LIST_ENTRY *head = &peb->Ldr->InMemoryOrderModuleList;
    for (LIST_ENTRY *at = head->Flink; at != head; at = at->Flink) {
        const struct list_entry *entry = CONTAINING_RECORD(at, struct list_entry, by_memory);
        int length = WideCharToMultiByte(CP_UTF8, 0, entry->path.Buffer, entry->path.Length / 2,
                                         name, sizeof name - 1, NULL, NULL);
        name[length > 0 ? length : 0] = 0;
        told(name, (uintptr_t)entry->base, (uint32_t)entry->bytes);
    }
}

/* The address of the DLL, by the linker's name for it. */
extern const char own_image[] __asm__("__ImageBase");

bool system_is_ours(const void *code)
{
    const IMAGE_DOS_HEADER *dos = (const void *)own_image;
    const IMAGE_NT_HEADERS *headers = (const void *)(own_image + dos->e_lfanew);
    return (uintptr_t)code - (uintptr_t)own_image < headers->OptionalHeader.SizeOfImage;
}
