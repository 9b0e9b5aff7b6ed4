/* SPDX-License-Identifier: MIT
 *
 * target.c - see target.h: finds umsshim.dll in the process, and reads its schedulers and workers
 * by the DLL's layout rows.
 */
#include "winapi/windows/umsrun/target.h"

#include <psapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/layout.h"

enum { MOST_CONTEXTS = 1 << 17, MOST_ROWS = 512, MOST_SLOT = 1 << 16, MOST_FRAME = 1024 };
enum { XMM_BYTES = 160 };

/* The rows of the layout that umsrun needs, by name. */
enum wanted {
    CONTEXTS,
    LISTS,
    SLOT,
    LIST_SLOT,
    BASE,
    USED,
    STATE,
    SCHEDULER,
    PLAT,
    LIST,
    IS_SCHEDULER,
    THREAD,
    ACTIVATIONS,
    REASON,
    IN_CALL,
    ABOUT,
    LEFT_AT,
    SAVED_SP,
    HOST,
    FRAME,
    XMM,
    MXCSR,
    R15,
    R14,
    R13,
    R12,
    RDI,
    RSI,
    RBX,
    RBP,
    RETURN_TO,
    QUEUED,
    READY,
    RUNNING,
    BLOCKED,
    STOPPED,
    STATE_SCHEDULER,
    STARTING,
    WANTED
};
static const char *const row_names[WANTED] = {
    "contexts",          "lists",           "contexts.slot",    "lists.slot",    "arena.base",
    "arena.used",        "context.state",   "plat.scheduler",   "context.plat",  "context.list",
    "plat.is_scheduler", "plat.thread_id",  "plat.activations", "plat.reason",   "plat.in_call",
    "plat.call_about",   "plat.left_at",    "plat.saved_sp",    "plat.host",     "frame",
    "frame.xmm",         "frame.mxcsr",     "frame.r15",        "frame.r14",     "frame.r13",
    "frame.r12",         "frame.rdi",       "frame.rsi",        "frame.rbx",     "frame.rbp",
    "frame.return_to",   "state.QUEUED",    "state.READY",      "state.RUNNING", "state.BLOCKED",
    "state.STOPPED",     "state.SCHEDULER", "state.STARTING",
};
static uint64_t rows[WANTED];

static bool read_at(const struct target *target, uint64_t address, void *to, size_t bytes)
{
    SIZE_T done;
    return ReadProcessMemory(target->process, (void *)(uintptr_t)address, to, bytes, &done) &&
           done == bytes;
}

static uint64_t find_dll(const struct target *target)
{
    HMODULE modules[1024];
    DWORD bytes = 0;
    if (!K32EnumProcessModules(target->process, modules, sizeof modules, &bytes))
        return 0;
    for (size_t i = 0; i < bytes / sizeof *modules && i < 1024; i++) {
        wchar_t name[64];
        if (K32GetModuleBaseNameW(target->process, modules[i], name, 64) &&
            _wcsicmp(name, L"umsshim.dll") == 0)
            return (uintptr_t)modules[i];
    }
    return 0;
}

static bool find_rows(const struct target *target, uint64_t dll, uint64_t *first, size_t *bytes)
{
    IMAGE_DOS_HEADER dos;
    IMAGE_NT_HEADERS64 headers;
    if (!read_at(target, dll, &dos, sizeof dos) ||
        !read_at(target, dll + (uint32_t)dos.e_lfanew, &headers, sizeof headers))
        return false;
    uint64_t at = dll + (uint32_t)dos.e_lfanew + offsetof(IMAGE_NT_HEADERS64, OptionalHeader) +
                  headers.FileHeader.SizeOfOptionalHeader;
    for (unsigned i = 0; i < headers.FileHeader.NumberOfSections;
         i++, at += sizeof(IMAGE_SECTION_HEADER)) {
        IMAGE_SECTION_HEADER section;
        if (!read_at(target, at, &section, sizeof section))
            return false;
        if (memcmp(section.Name, "umsinfo", 8) == 0) {
            *first = dll + section.VirtualAddress;
            *bytes = section.Misc.VirtualSize;
            return true;
        }
    }
    return false;
}

/* The process may be any program, with any values in its rows. True: each field of a context that
 * umsrun reads is within the context, at a place that fits its size, and so is each field of a
 * frame. */
static bool rows_fit(void)
{
    static const struct {
        enum wanted row;
        unsigned bytes;
    } fields[] = {
        {SCHEDULER, 8}, {IS_SCHEDULER, 1}, {THREAD, 4},  {ACTIVATIONS, 4}, {REASON, 1},
        {IN_CALL, 8},   {ABOUT, 8},        {LEFT_AT, 4}, {SAVED_SP, 8},    {HOST, 8},
    };
    uint64_t slot = rows[SLOT], plat = rows[PLAT], frame = rows[FRAME];
    if (slot < 8 || slot > MOST_SLOT || plat > slot || (slot | plat) % 8 || !rows[LIST_SLOT])
        return false;
    if (rows[STATE] > slot - 4 || rows[STATE] % 4 || rows[LIST] > slot - 8 || rows[LIST] % 8)
        return false;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        uint64_t at = rows[fields[i].row], bytes = fields[i].bytes;
        if (at > slot || at + bytes > slot - plat || at % bytes)
            return false;
    }
    for (enum wanted row = XMM; row <= RETURN_TO; row++)
        if (rows[row] > MOST_FRAME || rows[row] + (row == XMM ? XMM_BYTES : 8) > frame)
            return false;
    return frame <= MOST_FRAME;
}

static const char *read_layout(const struct target *target, uint64_t dll)
{
    static struct layout_row all[MOST_ROWS];
    uint64_t first;
    size_t bytes;
    bool found[WANTED] = {false};
    if (!find_rows(target, dll, &first, &bytes) || bytes > sizeof all ||
        !read_at(target, first, all, bytes))
        return "its umsshim.dll does not say where its things are: it is older than this umsrun";
    for (size_t i = 0; i < bytes / sizeof *all; i++)
        for (int k = 0; k < WANTED; k++)
            if (strncmp(all[i].name, row_names[k], sizeof all[i].name) == 0) {
                rows[k] = all[i].value;
                found[k] = true;
            }
    for (int k = 0; k < WANTED; k++)
        if (!found[k])
            return "its umsshim.dll is of another version: use the umsrun that came with it";
    return rows_fit() ? NULL
                      : "its umsshim.dll says of its things that they are where they cannot be";
}

const char *target_open(struct target *target, DWORD id)
{
    memset(target, 0, sizeof *target);
    target->id = id;
    target->process =
        OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ | PROCESS_DUP_HANDLE, FALSE, id);
    if (!target->process)
        return GetLastError() == ERROR_ACCESS_DENIED
                   ? "it may not be read: run this as its user, or as administrator"
                   : "there is no such process";
    uint64_t dll = find_dll(target);
    if (!dll)
        return "it does not use umsshim.dll";
    return read_layout(target, dll);
}

static enum seen_state state_of(uint32_t state, bool is_scheduler)
{
    static const enum wanted states[] = {QUEUED, READY, RUNNING, BLOCKED, STOPPED};
    if (is_scheduler)
        return state == rows[STATE_SCHEDULER] ? SEEN_SCHEDULER : SEEN_OTHER;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (state == rows[states[i]])
            return (enum seen_state)(SEEN_QUEUED + i);
    return SEEN_OTHER;
}

#define FIELD(type, offset) (*(const type *)(slot + (offset)))

static void take(const struct target *target, const char *slot, uint64_t base, uint64_t lists,
                 struct seen *seen)
{
    const char *plat = slot + rows[PLAT];
    uint64_t scheduler = FIELD(uint64_t, rows[PLAT] + rows[SCHEDULER]),
             list = FIELD(uint64_t, rows[LIST]), call;
    memset(seen, 0, sizeof *seen);
    seen->state = state_of(FIELD(uint32_t, rows[STATE]), plat[rows[IS_SCHEDULER]] != 0);
    seen->scheduler = scheduler >= base ? (unsigned)((scheduler - base) / rows[SLOT]) + 1 : 0;
    seen->list = list >= lists ? (unsigned)((list - lists) / rows[LIST_SLOT]) + 1 : 0;
    slot = plat;
    seen->thread = FIELD(uint32_t, rows[THREAD]);
    seen->activations = FIELD(uint32_t, rows[ACTIVATIONS]);
    seen->reason = FIELD(uint8_t, rows[REASON]);
    seen->saved_sp = FIELD(uint64_t, rows[SAVED_SP]);
    seen->host = FIELD(uint64_t, rows[HOST]) != 0;
    seen->about = FIELD(uint64_t, rows[ABOUT]);
    seen->since = FIELD(uint32_t, rows[LEFT_AT]);
    call = FIELD(uint64_t, rows[IN_CALL]);
    if (call && seen->state == SEEN_BLOCKED) {
        static uint64_t last;
        static char text[sizeof seen->call];
        if (call != last && !read_at(target, call, text, sizeof text))
            text[0] = 0;
        last = call;
        memcpy(seen->call, text, sizeof text);
        seen->call[sizeof seen->call - 1] = 0;
    }
}

bool target_read(struct target *target)
{
    uint64_t base, used, lists;
    if (!read_at(target, rows[CONTEXTS] + rows[BASE], &base, 8) ||
        !read_at(target, rows[CONTEXTS] + rows[USED], &used, 8) ||
        !read_at(target, rows[LISTS] + rows[BASE], &lists, 8))
        return false;
    if (used > MOST_CONTEXTS)
        used = MOST_CONTEXTS;
    free(target->all);
    target->count = 0;
    target->all = calloc(used + 1, sizeof *target->all);
    char *slots = malloc(used * rows[SLOT] + 1);
    bool good = target->all && slots && (!used || read_at(target, base, slots, used * rows[SLOT]));
    for (uint64_t i = 0; good && i < used; i++) {
        struct seen *seen = &target->all[target->count++];
        take(target, slots + i * rows[SLOT], base, lists, seen);
        if (seen->scheduler > used) /* it began after the table was measured */
            seen->scheduler = 0;
    }
    free(slots);
    return good;
}

bool target_is_parked(const struct seen *seen)
{
    bool stands = seen->state == SEEN_QUEUED || seen->state == SEEN_READY ||
                  seen->state == SEEN_BLOCKED || seen->state == SEEN_STOPPED;
    return stands && seen->saved_sp && !seen->host;
}

bool target_registers(const struct target *target, const struct seen *seen, CONTEXT *to)
{
    enum { FIRST_XMM = 6 };
    static const struct {
        enum wanted row;
        size_t offset;
    } places[] = {
        {R15, offsetof(CONTEXT, R15)},       {R14, offsetof(CONTEXT, R14)},
        {R13, offsetof(CONTEXT, R13)},       {R12, offsetof(CONTEXT, R12)},
        {RDI, offsetof(CONTEXT, Rdi)},       {RSI, offsetof(CONTEXT, Rsi)},
        {RBX, offsetof(CONTEXT, Rbx)},       {RBP, offsetof(CONTEXT, Rbp)},
        {RETURN_TO, offsetof(CONTEXT, Rip)},
    };
    char frame[MOST_FRAME];
    if (!read_at(target, seen->saved_sp, frame, rows[FRAME]))
        return false;
    to->Rax = to->Rcx = to->Rdx = to->R8 = to->R9 = to->R10 = to->R11 = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        memcpy((char *)to + places[i].offset, frame + rows[places[i].row], 8);
    memcpy(&to->FltSave.XmmRegisters[FIRST_XMM], frame + rows[XMM], XMM_BYTES);
    memcpy(&to->MxCsr, frame + rows[MXCSR], sizeof to->MxCsr);
    to->FltSave.MxCsr = to->MxCsr;
    to->Rsp = seen->saved_sp + rows[FRAME];
    return true;
}
