/* SPDX-License-Identifier: MIT
 *
 * files.c - a file that is open for synchronous use is locked by each call on it: while a read is pending, even
 * the question what it is waits.
 *
 * A read notes its handle and thread in a free slot; a question on that handle waits until the slot is
 * free again, or its thread has ended in the read. There are no locks: any thread may be stopped anywhere.
 */
#include "as_windows.h"

#include <stdatomic.h>
#include <stdint.h>

enum { SLOTS = 64, MODE_CLASS = 16, SYNCHRONOUS = 0x10 | 0x20, LOOK_EVERY = 64 };

struct reading {
    _Atomic(HANDLE) file;
    _Atomic uint32_t thread;
};
static struct reading readings[SLOTS];

static NTSTATUS(NTAPI *read_file)(HANDLE, HANDLE, void *, void *, IO_STATUS_BLOCK *, void *, ULONG,
                                  LARGE_INTEGER *, ULONG *);
static NTSTATUS(NTAPI *query)(HANDLE, IO_STATUS_BLOCK *, void *, ULONG, int);
static NTSTATUS(NTAPI *query_volume)(HANDLE, IO_STATUS_BLOCK *, void *, ULONG, int);
static NTSTATUS(NTAPI *delay)(BOOLEAN, LARGE_INTEGER *);

static bool is_synchronous(HANDLE file)
{
    IO_STATUS_BLOCK iosb;
    ULONG mode = 0;

    return query(file, &iosb, &mode, sizeof mode, MODE_CLASS) >= 0 && mode & SYNCHRONOUS;
}

/* The kernel's own id: the other one may be a worker's that reads elsewhere. */
static uint32_t kernel_thread(void)
{
    uint64_t id;

    __asm__ volatile("movq %%gs:0x7e0, %0" : "=r"(id));
    return (uint32_t)id;
}

static struct reading *note(HANDLE file)
{
    for (int i = 0; i < SLOTS; i++) {
        HANDLE none = NULL;

        if (atomic_compare_exchange_strong(&readings[i].file, &none, file)) {
            atomic_store(&readings[i].thread, kernel_thread());
            return &readings[i];
        }
    }
    return NULL;
}

static bool has_ended(uint32_t thread)
{
    HANDLE handle = OpenThread(SYNCHRONIZE, FALSE, thread);
    bool ended = !handle;

    if (handle) {
        LARGE_INTEGER none = {0};
        NTSTATUS(NTAPI * wait)
        (HANDLE, BOOLEAN, LARGE_INTEGER *) = (void *)(uintptr_t)GetProcAddress(
            GetModuleHandleW(L"ntdll.dll"), "NtWaitForSingleObject");

        ended = wait(handle, FALSE, &none) == 0;
        CloseHandle(handle);
    }
    return ended;
}

static void wait_for_readers(HANDLE file)
{
    for (int i = 0; file && i < SLOTS; i++)
        for (unsigned turns = 1; atomic_load(&readings[i].file) == file; turns++) {
            LARGE_INTEGER moment = {.QuadPart = -10000};
            uint32_t thread = atomic_load(&readings[i].thread);

            delay(FALSE, &moment);
            if (turns % LOOK_EVERY == 0 && thread && has_ended(thread))
                atomic_compare_exchange_strong(&readings[i].file, &file, NULL);
        }
}

static NTSTATUS NTAPI on_read(HANDLE file, HANDLE event, void *apc, void *context,
                              IO_STATUS_BLOCK *iosb, void *buffer, ULONG length,
                              LARGE_INTEGER *offset, ULONG *key)
{
    struct reading *reading = is_synchronous(file) ? note(file) : NULL;
    NTSTATUS status = read_file(file, event, apc, context, iosb, buffer, length, offset, key);

    if (reading) {
        atomic_store(&reading->thread, 0);
        atomic_store(&reading->file, NULL);
    }
    return status;
}

static NTSTATUS NTAPI on_query(HANDLE file, IO_STATUS_BLOCK *iosb, void *to, ULONG bytes, int class)
{
    wait_for_readers(file);
    return query(file, iosb, to, bytes, class);
}

static NTSTATUS NTAPI on_query_volume(HANDLE file, IO_STATUS_BLOCK *iosb, void *to, ULONG bytes,
                                      int class)
{
    wait_for_readers(file);
    return query_volume(file, iosb, to, bytes, class);
}

/* A stub's copy, led nowhere: no hook sees what is called there. */
static void *copy_of(HMODULE ntdll, const char *name)
{
    enum { STUB_BYTES = 40 };
    void *stub = (void *)(uintptr_t)GetProcAddress(ntdll, name);
    void *copy = VirtualAlloc(NULL, 4096, MEM_RESERVE | MEM_COMMIT, PAGE_EXECUTE_READWRITE);

    if (!stub || !copy)
        as_windows_ends("a stub cannot be copied: ", name);
    return __builtin_memcpy(copy, stub, STUB_BYTES);
}

void files_start(void)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");

    delay = copy_of(ntdll, "NtDelayExecution");
    query = stub_lead(ntdll, "NtQueryInformationFile", on_query);
    query_volume = stub_lead(ntdll, "NtQueryVolumeInformationFile", on_query_volume);
    read_file = stub_lead(ntdll, "NtReadFile", on_read);
    if (!query || !query_volume || !read_file)
        as_windows_ends("a stub is not the usual", "");
}
