/* SPDX-License-Identifier: MIT
 *
 * holders.c - finds the objects for which the workers and schedulers of a process wait, and the
 * owners of these (target_explain).
 *
 * umsrun asks an object through a duplicate of its handle. A critical section is searched on the
 * stack of the waiting thread, as the system does not tell other processes the address. Memory
 * counts as one only if its fields are those of a contended section, whose owner is another known
 * thread.
 */
#include <stdio.h>
#include <string.h>
#include <winternl.h>

#include "winapi/windows/umsrun/target.h"

enum { STACK_WORDS = 192, MOST_STACKS = 2000, CACHED = 1024 };

typedef NTSTATUS(NTAPI *query)(HANDLE, int, void *, ULONG, ULONG *);
static query query_object, query_mutant, query_thread;

static void resolve(void)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    query_object = (query)(uintptr_t)GetProcAddress(ntdll, "NtQueryObject");
    query_mutant = (query)(uintptr_t)GetProcAddress(ntdll, "NtQueryMutant");
    query_thread = (query)(uintptr_t)GetProcAddress(ntdll, "NtQueryInformationThread");
}

static void narrow(const UNICODE_STRING *text, char *to, size_t room)
{
    int length = WideCharToMultiByte(CP_UTF8, 0, text->Buffer, text->Length / 2, to, (int)room - 1,
                                     NULL, NULL);
    to[length > 0 ? length : 0] = 0;
}

const char *target_name(struct seen *seen)
{
    enum { THREAD_NAME = 38 };
    struct {
        UNICODE_STRING text;
        wchar_t room[128];
    } told = {0};
    if (seen->name_asked)
        return seen->name;
    seen->name_asked = true;
    HANDLE thread = OpenThread(THREAD_QUERY_LIMITED_INFORMATION, FALSE, seen->thread);
    if (!thread)
        return seen->name;
    if (query_thread && query_thread(thread, THREAD_NAME, &told, sizeof told, NULL) >= 0 &&
        told.text.Length)
        narrow(&told.text, seen->name, sizeof seen->name);
    CloseHandle(thread);
    return seen->name;
}

static unsigned number_of_thread(const struct target *target, uint64_t thread)
{
    for (unsigned i = 0; thread && i < target->count; i++)
        if (target->all[i].state != SEEN_OTHER && target->all[i].thread == thread)
            return i + 1;
    return 0;
}

/* ---- Objects --------------------------------------------------------------------------------- */

static void ask_object(const struct target *target, struct seen *seen)
{
    struct {
        UNICODE_STRING text;
        wchar_t room[256];
    } told = {0};
    char type[32] = "object", name[80] = "";
    HANDLE handle;
    if (!DuplicateHandle(target->process, (HANDLE)(uintptr_t)seen->about, GetCurrentProcess(),
                         &handle, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
        snprintf(seen->object, sizeof seen->object, "handle 0x%llx",
                 (unsigned long long)seen->about);
        return;
    }
    enum { OBJECT_NAME = 1, OBJECT_TYPE = 2, MUTANT_OWNER = 1 };
    if (query_object && query_object(handle, OBJECT_TYPE, &told, sizeof told, NULL) >= 0)
        narrow(&told.text, type, sizeof type);
    bool may_wait = strcmp(type, "File") == 0; /* to ask a file for its name may wait for a read */
    memset(&told, 0, sizeof told);
    if (query_object && !may_wait &&
        query_object(handle, OBJECT_NAME, &told, sizeof told, NULL) >= 0)
        narrow(&told.text, name, sizeof name);
    struct {
        uint64_t process, thread;
    } owner = {0, 0};
    if (strcmp(type, "Mutant") == 0 && query_mutant &&
        query_mutant(handle, MUTANT_OWNER, &owner, sizeof owner, NULL) >= 0)
        seen->holder = number_of_thread(target, owner.thread);
    if (strcmp(type, "Thread") == 0)
        seen->holder = number_of_thread(target, GetThreadId(handle));
    CloseHandle(handle);
    snprintf(seen->object, sizeof seen->object, "%s 0x%llx%s%s",
             strcmp(type, "Mutant") ? type : "mutex", (unsigned long long)seen->about,
             name[0] ? " " : "", name);
}

/* Many threads may wait for one object, so the answer is kept. */
static void explain_object(const struct target *target, struct seen *seen)
{
    static const struct seen *asked[CACHED];
    const struct seen **place = &asked[seen->about / 4 % CACHED];
    if (*place && (*place)->about == seen->about) {
        memcpy(seen->object, (*place)->object, sizeof seen->object);
        seen->holder = (*place)->holder;
        return;
    }
    ask_object(target, seen);
    *place = seen;
}

/* ---- Critical sections ----------------------------------------------------------------------- */

/* The thread that owns the section at this address. 0: there is no contended section. */
static uint32_t section_owner(const struct target *target, uint64_t address)
{
    static struct {
        uint64_t address;
        uint32_t owner;
    } cache[CACHED];
    unsigned place = (unsigned)(address / 8 % CACHED);
    if (cache[place].address == address)
        return cache[place].owner;
    CRITICAL_SECTION section;
    CRITICAL_SECTION_DEBUG debug;
    SIZE_T done;
    uint32_t owner = 0;
    if (ReadProcessMemory(target->process, (void *)(uintptr_t)address, &section, sizeof section,
                          &done)) {
        bool contended =
            section.LockCount > 0 || section.LockCount < -2; /* Wine counts up, Windows down by 4 */
        bool whole = section.DebugInfo == (void *)(intptr_t)-1;
        if (!whole && contended && section.RecursionCount > 0 && section.DebugInfo &&
            ReadProcessMemory(target->process, section.DebugInfo, &debug, sizeof debug, &done))
            whole = (uintptr_t)debug.CriticalSection == address;
        if (whole && contended && section.RecursionCount > 0)
            owner = (uint32_t)(uintptr_t)section.OwningThread;
    }
    cache[place].address = address;
    cache[place].owner = owner;
    return owner;
}

static uint64_t stack_of_thread(uint32_t id)
{
    CONTEXT registers = {.ContextFlags = CONTEXT_CONTROL};
    HANDLE thread = OpenThread(THREAD_GET_CONTEXT | THREAD_SUSPEND_RESUME, FALSE, id);
    if (!thread)
        return 0;
    bool held = SuspendThread(thread) != (DWORD)-1;
    bool known = held && GetThreadContext(thread, &registers);
    if (held)
        ResumeThread(thread);
    CloseHandle(thread);
    return known ? registers.Rsp : 0;
}

static void look_for_section(const struct target *target, struct seen *seen)
{
    uint64_t words[STACK_WORDS],
        sp = seen->saved_sp ? seen->saved_sp : stack_of_thread(seen->thread);
    SIZE_T done = 0;
    if (!sp)
        return;
    sp &= ~7ull;
    for (size_t bytes = sizeof words; bytes >= 512 && !done;
         bytes /= 2) /* it may be near the stack's end */
        if (!ReadProcessMemory(target->process, (void *)(uintptr_t)sp, words, bytes, &done))
            done = 0;
    for (size_t i = 0; i < done / 8; i++) {
        uint64_t word = words[i];
        bool pointer = word > 0x10000 && word < 0x7fffffff0000 && word % 8 == 0;
        if (!pointer || (word >= sp && word < sp + 4096))
            continue;
        unsigned owner = number_of_thread(target, section_owner(target, word));
        if (!owner || &target->all[owner - 1] == seen)
            continue;
        seen->holder = owner;
        snprintf(seen->object, sizeof seen->object, "critical section 0x%llx",
                 (unsigned long long)word);
        return;
    }
}

void target_explain(struct target *target)
{
    unsigned stacks = 0;
    resolve();
    for (unsigned i = 0; i < target->count; i++) {
        struct seen *seen = &target->all[i];
        if (seen->state == SEEN_OTHER)
            continue;
        bool alert = strcmp(seen->call, "NtWaitForAlertByThreadId") == 0;
        bool keyed = strcmp(seen->call, "NtWaitForKeyedEvent") == 0;
        if (seen->state == SEEN_BLOCKED && !alert && !keyed && seen->about)
            explain_object(target, seen);
        else if ((seen->state == SEEN_SCHEDULER || alert || keyed) && stacks++ < MOST_STACKS)
            look_for_section(target, seen);
    }
}
