/* SPDX-License-Identifier: MIT
 *
 * engine.c - the parts about what the engine leans on: the code of the system calls that it hooks, and the
 * thread's block, row by row.
 */
#include "evidence.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "platform/windows/switch/teb.h"

enum { STUB_BYTES = 32, MOST_STUBS = 8192 };

/* ---- Stubs ---------------------------------------------------------------------------------------- */

static struct stub {
    const char *name;
    uint8_t bytes[STUB_BYTES], *at;
} stubs[MOST_STUBS];
static int stub_count;

/* What ntdll has before anything is hooked. */
static void read_stubs(const char *module_name)
{
    char *base = (char *)GetModuleHandleA(module_name);
    const IMAGE_NT_HEADERS *headers =
        (const void *)(base + ((const IMAGE_DOS_HEADER *)base)->e_lfanew);
    const IMAGE_EXPORT_DIRECTORY *exports =
        (const void *)(base + headers->OptionalHeader.DataDirectory[0].VirtualAddress);
    const DWORD *names = (const void *)(base + exports->AddressOfNames);
    const DWORD *functions = (const void *)(base + exports->AddressOfFunctions);
    const WORD *ordinals = (const void *)(base + exports->AddressOfNameOrdinals);

    for (DWORD i = 0; i < exports->NumberOfNames && stub_count < MOST_STUBS; i++) {
        struct stub *stub = &stubs[stub_count];

        stub->name = base + names[i];
        if (strncmp(stub->name, "Nt", 2))
            continue;
        stub->at = (uint8_t *)base + functions[ordinals[i]];
        memcpy(stub->bytes, stub->at, STUB_BYTES);
        stub_count++;
    }
}

/* Where a jump at the stub's start, or after its first instruction, leads; NULL: there is none. */
static void *jump_of(const struct stub *stub)
{
    for (int i = 0; i <= 3; i += 3) {
        const uint8_t *code = stub->bytes + i;
        uint8_t *next = stub->at + i;
        int32_t distance;
        void *target;

        if (code[0] == 0xE9) {
            memcpy(&distance, code + 1, 4);
            return next + 5 + distance;
        }
        if (code[0] == 0xFF && code[1] == 0x25) {
            memcpy(&distance, code + 2, 4);
            memcpy(&target, next + 6 + distance, sizeof target);
            return target;
        }
        if ((code[0] == 0x48 || code[0] == 0x49) && code[1] >= 0xB8 && code[1] <= 0xBF) {
            memcpy(&target, code + 2, sizeof target);
            return target;
        }
    }
    return NULL;
}

static void print_stub(const struct stub *stub, const char *state)
{
    void *target = jump_of(stub);
    char where[MAX_PATH];

    printf("%s: ", stub->name);
    for (int i = 0; i < STUB_BYTES; i++)
        printf("%02x", stub->bytes[i]);
    if (target)
        printf(", jumps to %p in %s", target, module_at(target, where, sizeof where));
    printf(", %s\n", state);
}

/* Every hook that the library names: its code as it was found, and what became of it. */
int part_stubs(void)
{
    static char text[65536];
    int (*describe)(char *, size_t);
    int hooks = 0, refused = 0;
    HMODULE dll;

    read_stubs("ntdll.dll");
    dll = load_umsshim();
    describe = dll ? (void *)(uintptr_t)GetProcAddress(dll, "umsshim_describe") : NULL;
    if (!describe || !describe(text, sizeof text))
        return PART_FAILED;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *name = line + 5, *state = strstr(line, "): ");

        if (strncmp(line, "hook ", 5) || !state) {
            printf("%s\n", line);
            continue;
        }
        *strchr(name, ' ') = 0;
        state += 3;
        hooks++;
        refused += strncmp(state, "refused", 7) == 0;
        for (int i = 0; i < stub_count; i++)
            if (strcmp(stubs[i].name, name) == 0)
                print_stub(&stubs[i], state);
        if (strcmp(state, "not there") == 0)
            printf("%s: %s\n", name, state);
    }
    printf("hooks: %d, refused: %d\n", hooks, refused);
    return hooks && !refused ? PART_PASSED : PART_FAILED;
}

/* ---- The thread's block --------------------------------------------------------------------------- */

static uint64_t value_at(unsigned offset, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, (char *)NtCurrentTeb() + offset, size);
    return value;
}

static struct row {
    const char *name, *kind;
    unsigned offset;
    size_t size;
    uint64_t fresh; /* of a thread that has just begun */
} rows[] = {
#define OWN(type, name, theirs, offset, source, why) {#name, "own", offset, sizeof(type), 0},
#define RARE(type, name, theirs, offset, source, why) {#name, "rare", offset, sizeof(type), 0},
#define SWAP(type, name, theirs, offset, source, why) {#name, "exchanged", offset, sizeof(type), 0},
#define KEPT(type, name, theirs, offset, source, why) {#name, "kept", offset, sizeof(type), 0},
    TEB_OWN(OWN) TEB_RARE(RARE) TEB_BITS(RARE) TEB_SWAP(SWAP) TEB_KEPT(KEPT)};
enum { ROWS = sizeof rows / sizeof rows[0] };

static DWORD WINAPI read_fresh(LPVOID param)
{
    (void)param;
    for (int i = 0; i < ROWS; i++)
        rows[i].fresh = value_at(rows[i].offset, rows[i].size);
    return 0;
}

/* What documented functions say is in a row: 0 none says, 1 as it is, -1 otherwise. */
static int by_effect(const char *name)
{
    char here;

    SetLastError(54321);
    SetThreadLocale(0x407);
    if (!strcmp(name, "self"))
        return value_at(0x30, 8) == (uint64_t)(uintptr_t)NtCurrentTeb() ? 1 : -1;
    if (!strcmp(name, "thread_id"))
        return value_at(0x48, 8) == GetCurrentThreadId() ? 1 : -1;
    if (!strcmp(name, "process_id"))
        return value_at(0x40, 8) == GetCurrentProcessId() ? 1 : -1;
    if (!strcmp(name, "real_id"))
        return value_at(0x7E0, 8) == GetCurrentThreadId() ? 1 : -1;
    if (!strcmp(name, "last_error"))
        return (SetLastError(54321), value_at(0x68, 4)) == 54321 ? 1 : -1;
    if (!strcmp(name, "locale"))
        return value_at(0x108, 4) == GetThreadLocale() ? 1 : -1;
    if (!strcmp(name, "stack_base"))
        return value_at(8, 8) > (uint64_t)(uintptr_t)&here ? 1 : -1;
    if (!strcmp(name, "stack_limit"))
        return value_at(0x10, 8) <= (uint64_t)(uintptr_t)&here ? 1 : -1;
    if (!strcmp(name, "stack_bottom"))
        return value_at(0x1478, 8) && value_at(0x1478, 8) <= value_at(0x10, 8) ? 1 : -1;
    return 0;
}

int part_teb(void)
{
    static const char *const said[] = {"not as the table says", "not asked", "as the table says"};
    HANDLE thread = CreateThread(NULL, 0, read_fresh, NULL, 0, NULL);
    LCID locale = GetThreadLocale();
    int wrong = 0;

    if (!thread || WaitForSingleObject(thread, 5000) != WAIT_OBJECT_0)
        return PART_FAILED;
    for (int i = 0; i < ROWS; i++) {
        uint64_t here = value_at(rows[i].offset, rows[i].size);
        int effect = by_effect(rows[i].name);

        SetThreadLocale(locale);
        wrong += effect < 0;
        printf("%s: 0x%04x, %llu bytes, %s; main thread 0x%llx, fresh thread 0x%llx; %s\n",
               rows[i].name, rows[i].offset, (unsigned long long)rows[i].size, rows[i].kind,
               (unsigned long long)here, (unsigned long long)rows[i].fresh, said[effect + 1]);
    }
    CloseHandle(thread);
    printf("rows: %d, wrong: %d\n", ROWS, wrong);
    return wrong ? PART_FAILED : PART_PASSED;
}
