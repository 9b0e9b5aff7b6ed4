/* SPDX-License-Identifier: MIT
 *
 * process.c - umsrun's readers of another process: inject, which makes one load a DLL more, and
 * target, which says why one hangs. The process's memory is the input, and nothing beside it.
 */
#include "fuzz.h"

#include "winapi/windows/umsrun/inject.h"
#include "winapi/windows/umsrun/target.h"

#include <psapi.h>
#include <winternl.h>

enum { IMAGE_BASE = 0x10, MOST_BYTES = 1 << 16, BLOCK_BYTES = 1 << 16, ASKED = 4 };

/* Where its memory is in its own address space: a block that it was given lies far behind it. */
static const uintptr_t base = 0x140000000, peb = 0x7ff000, block_at = 0x150000000;

static uint8_t memory[MOST_BYTES], block[BLOCK_BYTES];
static size_t memory_bytes, block_bytes;
static bool refuses_writes;

/* ---- The process ---- */

static uint8_t *in_process(uintptr_t at, size_t bytes)
{
    if (at >= base && at - base <= memory_bytes && bytes <= memory_bytes - (at - base))
        return memory + (at - base);
    if (at >= block_at && at - block_at <= block_bytes && bytes <= block_bytes - (at - block_at))
        return block + (at - block_at);
    return NULL;
}

BOOL WINAPI ReadProcessMemory(HANDLE process, LPCVOID from, LPVOID to, SIZE_T bytes, SIZE_T *done)
{
    const uint8_t *at = in_process((uintptr_t)from, bytes);

    if ((uintptr_t)from == peb + IMAGE_BASE && bytes == sizeof base)
        at = (const uint8_t *)&base;
    *done = at ? bytes : 0;
    if (at)
        memcpy(to, at, bytes);
    return at != NULL;
}

BOOL WINAPI WriteProcessMemory(HANDLE process, LPVOID to, LPCVOID from, SIZE_T bytes, SIZE_T *done)
{
    uint8_t *at = refuses_writes ? NULL : in_process((uintptr_t)to, bytes);

    *done = at ? bytes : 0;
    if (at)
        memcpy(at, from, bytes);
    return at != NULL;
}

BOOL WINAPI VirtualProtectEx(HANDLE process, LPVOID at, SIZE_T bytes, DWORD access, DWORD *before)
{
    *before = PAGE_READONLY;
    return in_process((uintptr_t)at, bytes) != NULL;
}

SIZE_T WINAPI VirtualQueryEx(HANDLE process, LPCVOID at, PMEMORY_BASIC_INFORMATION region,
                             SIZE_T bytes)
{
    MUST(bytes == sizeof *region);
    memset(region, 0, sizeof *region);
    region->BaseAddress = (void *)((uintptr_t)at & ~(uintptr_t)0xfff);
    region->RegionSize = UINT32_MAX;
    region->State = MEM_FREE;
    if (in_process((uintptr_t)at, 0)) {
        region->RegionSize = MOST_BYTES;
        region->State = MEM_COMMIT;
    }
    return bytes;
}

LPVOID WINAPI VirtualAllocEx(HANDLE process, LPVOID at, SIZE_T bytes, DWORD kind, DWORD access)
{
    MUST(bytes <= BLOCK_BYTES && (uintptr_t)at > base);
    block_bytes = bytes;
    memset(block, 0, bytes);
    return (void *)block_at;
}

BOOL WINAPI VirtualFreeEx(HANDLE process, LPVOID at, SIZE_T bytes, DWORD kind)
{
    MUST((uintptr_t)at == block_at && !bytes);
    block_bytes = 0;
    return TRUE;
}

static NTSTATUS NTAPI query(HANDLE process, PROCESSINFOCLASS kind, void *to, ULONG bytes,
                            ULONG *given)
{
    PROCESS_BASIC_INFORMATION basic = {0};

    MUST(kind == ProcessBasicInformation && bytes == sizeof basic);
    basic.PebBaseAddress = (void *)peb;
    memcpy(to, &basic, sizeof basic);
    return 0;
}

FARPROC WINAPI GetProcAddress(HMODULE module, LPCSTR name)
{
    return (FARPROC)(uintptr_t)query;
}

HMODULE WINAPI GetModuleHandleW(LPCWSTR name)
{
    return name ? (HMODULE)1 : (HMODULE)base;
}

/* ---- What umsrun is told of it ---- */

int WINAPI WideCharToMultiByte(UINT page, DWORD flags, LPCWSTR from, int units, LPSTR to, int room,
                               LPCSTR other, LPBOOL lossy)
{
    int count = 0;

    do
        MUST(count < room);
    while ((to[count] = (char)from[count]) && ++count);
    return count + 1;
}

DWORD WINAPI GetShortPathNameW(LPCWSTR path, LPWSTR to, DWORD room)
{
    return 0;
}

DWORD WINAPI GetLastError(void)
{
    return 0;
}

VOID WINAPI SetLastError(DWORD error)
{
}

HANDLE WINAPI OpenProcess(DWORD access, BOOL inherit, DWORD id)
{
    return (HANDLE)1;
}

HANDLE WINAPI GetCurrentProcess(VOID)
{
    return (HANDLE)-1;
}

BOOL WINAPI K32EnumProcessModules(HANDLE process, HMODULE *to, DWORD bytes, DWORD *needed)
{
    to[0] = (HMODULE)base;
    *needed = sizeof *to;
    return TRUE;
}

DWORD WINAPI K32GetModuleBaseNameW(HANDLE process, HMODULE module, LPWSTR name, DWORD room)
{
    static const WCHAR dll[] = {'u', 'm', 's', 's', 'h', 'i', 'm', '.', 'd', 'l', 'l', 0};

    memcpy(name, dll, sizeof dll);
    return sizeof dll / sizeof *dll - 1;
}

/* _wcsicmp of a name that is known to be the same. */
int umsshim_w_wcscasecmp(const WCHAR *one, const WCHAR *other);
int umsshim_w_wcscasecmp(const WCHAR *one, const WCHAR *other)
{
    return 0;
}

/* ---- What is tried ---- */

/* A process that is refused is as it was; of one that is not, only the headers change. */
static void try_inject(const uint8_t *data)
{
    static const WCHAR dll[] = {'u', '.', 'd', 'l', 'l', 0};
    const char *why;

    block_bytes = 0;
    why = inject((HANDLE)1, dll, true);
    if (why)
        MUST(!block_bytes && memcmp(memory, data, memory_bytes) == 0);
    else
        MUST(!refuses_writes && inject_goes_on());
}

unsigned long fuzz_accepted;

static void try_target(void)
{
    struct target target;
    bool good = !target_open(&target, 1) && target_read(&target);

    for (unsigned i = 0; good && i < target.count && i < ASKED; i++) {
        CONTEXT context;

        memset(&context, 0, sizeof context);
        if (target_is_parked(&target.all[i]))
            target_registers(&target, &target.all[i], &context);
        MUST(memchr(target.all[i].call, 0, sizeof target.all[i].call));
        MUST(target.all[i].scheduler <= target.count);
    }
    fuzz_accepted += good;
    free(target.all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > MOST_BYTES)
        return 0;
    refuses_writes = data[size - 1] == 0xff;
    memory_bytes = size;
    memcpy(memory, data, size);
    try_inject(data);
    block_bytes = 0;
    memcpy(memory, data, size);
    try_target();
    return 0;
}
