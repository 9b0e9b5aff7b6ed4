/* SPDX-License-Identifier: MIT
 *
 * teb.c - checks the table of teb.h against the system at hand, and moves the fields that seldom
 * move.
 *
 * It checks by effect. It sets a value by the documented function and looks for it in the TEB, or
 * sets it in the TEB and asks the function. If a field has no such function, its offset is taken
 * from the headers unchecked; the tests would find a wrong one.
 */
#include "platform/windows/switch/teb_access.h"

#include <windows.h>
#include <winternl.h>

#include "platform/windows/engine.h"
#include "platform/windows/os/ntapi.h"

_Static_assert(offsetof(NT_TIB, ExceptionList) == 0x00 && offsetof(NT_TIB, StackBase) == 0x08 &&
                   offsetof(NT_TIB, StackLimit) == 0x10 && offsetof(NT_TIB, SubSystemTib) == 0x18 &&
                   offsetof(NT_TIB, FiberData) == 0x20 &&
                   offsetof(NT_TIB, ArbitraryUserPointer) == 0x28 && offsetof(NT_TIB, Self) == 0x30,
               "N");
_Static_assert(offsetof(TEB, ProcessEnvironmentBlock) == 0x60 &&
                   offsetof(TEB, TlsSlots) == TEB_SLOTS &&
                   offsetof(TEB, ReservedForOle) == 0x1758 &&
                   offsetof(TEB, TlsExpansionSlots) == 0x1780,
               "M");

struct teb_rare teb_usual;
bool teb_usual_is_zero, teb_moves_wide;
bool teb_contexts_stay;
const uint64_t *teb_slots_in_use;

void teb_save_rare(struct teb_rare *rare)
{
#define SAVE(type, name, theirs, offset, source, why) rare->name = TEB_HERE(type, offset);
    TEB_RARE(SAVE)
    TEB_BITS(SAVE)
#undef SAVE
}

void teb_load_rare(const struct teb_values *values)
{
    const struct teb_rare *rare = values->is_rare ? &values->rare : &teb_usual;
#define LOAD(type, name, theirs, offset, source, why) TEB_HERE(type, offset) = rare->name;
#define LOAD_BITS(type, name, theirs, offset, source, why)                                         \
    TEB_HERE(type, offset) =                                                                       \
        (type)((TEB_HERE(type, offset) & TEB_BITS_KEPT) | (rare->name & (type)~TEB_BITS_KEPT));
    TEB_RARE(LOAD)
    TEB_BITS(LOAD_BITS)
#undef LOAD
#undef LOAD_BITS
}

static bool unusual_against(const struct teb_rare *usual)
{
    uint64_t differs = 0;
#define DIFFERS(type, name, theirs, offset, source, why)                                           \
    differs |= (uint64_t)(type)(TEB_HERE(type, offset) ^ usual->name);
#define BITS_DIFFER(type, name, theirs, offset, source, why)                                       \
    differs |= (uint64_t)((TEB_HERE(type, offset) ^ usual->name) & (type)~TEB_BITS_KEPT);
    TEB_RARE(DIFFERS)
    TEB_BITS(BITS_DIFFER)
#undef DIFFERS
#undef BITS_DIFFER
    return differs != 0;
}

bool teb_unusual_here(void)
{
    return unusual_against(&teb_usual);
}

/* Learns the usual values on a worker's thread: the first UMS call is often made on the process's
 * first thread, which is unlike the others. */
void teb_learn_usual(void)
{
    static struct plat_lock lock;
    static _Atomic bool learnt;
    if (UMS_LIKELY(atomic_load_explicit(&learnt, memory_order_acquire)))
        return;
    plat_lock(&lock);
    if (!learnt) {
        teb_save_rare(&teb_usual);
        teb_usual_is_zero = !unusual_against(&(struct teb_rare){0});
    }
    atomic_store_explicit(&learnt, true, memory_order_release);
    plat_unlock(&lock);
}

/* ---- Activation contexts --------------------------------------------------------------------- */

/* Moves the structure. The first and the last entry of its list point to its head, so they
 * change. */
static void move_stack(struct activation_stack *to, struct activation_stack *from)
{
    *to = *from;
    if (from->next == (uint64_t)&from->next || !from->next) {
        to->next = to->last = (uint64_t)&to->next;
    } else {
        ((uint64_t *)to->next)[1] = (uint64_t)&to->next;
        ((uint64_t *)to->last)[0] = (uint64_t)&to->next;
    }
    from->frame = 0;
    from->next = from->last = (uint64_t)&from->next;
}

static struct activation_stack *teb_stack(void)
{
    return (struct activation_stack *)((char *)teb_here() + TEB_ACTIVATION);
}

void teb_take_activation(struct teb_values *values)
{
    move_stack(&values->contexts, teb_stack());
    if (!teb_contexts_stay)
        values->activation = (uint64_t)&values->contexts;
}

void teb_put_activation(const struct teb_values *values)
{
    struct activation_stack contexts = values->contexts;
    if (contexts.next == (uint64_t)&values->contexts.next)
        contexts.next = 0; /* the list is empty */
    move_stack(teb_stack(), &contexts);
}

void teb_return_activation(struct teb_values *values)
{
    if (TEB_HERE(uint64_t, TEB_ACTIVATION_POINTER) != (uint64_t)&values->contexts)
        return;
    move_stack(teb_stack(), &values->contexts);
    TEB_HERE(uint64_t, TEB_ACTIVATION_POINTER) = (uint64_t)teb_stack();
}

void teb_exchange_seldom(struct teb_values *from, const struct teb_values *to)
{
    if (teb_has_activation(from))
        teb_take_activation(from);
    if (from->is_rare)
        teb_save_rare(&from->rare);
    if (teb_contexts_stay)
        teb_put_activation(to);
    if (from->is_rare || to->is_rare)
        teb_load_rare(to);
}

enum { PROBE = 0x5a5a, GERMAN = 0x0407, ALLOWED_STACK = 0x4000 };

static bool stack_is_right(void)
{
    ULONG_PTR low = 0, high = 0, here = (ULONG_PTR)&low;
    GetCurrentThreadStackLimits(&low, &high);
    return TEB_HERE(uint64_t, 0x08) == high && TEB_HERE(uint64_t, 0x1478) == low &&
           here >= TEB_HERE(uint64_t, 0x10) && here < high;
}

/* While the id is wrong this calls only GetCurrentThreadId, for no lock may be taken by that id. */
static bool id_is_right(void)
{
    uint32_t before = teb_set_id(PROBE), seen = GetCurrentThreadId();
    teb_set_id(before);
    return seen == PROBE && before == GetCurrentThreadId() &&
           TEB_HERE(uint64_t, 0x40) == GetCurrentProcessId() && teb_kernel_id() == before;
}

static bool errors_are_right(void)
{
    SetLastError(PROBE);
    bool ok = TEB_HERE(uint32_t, 0x68) == PROBE;
    TEB_HERE(uint32_t, 0x68) = PROBE + 1;
    ok = ok && GetLastError() == PROBE + 1;
    ULONG(WINAPI * to_error)(NTSTATUS) = ntapi_find("RtlNtStatusToDosError");
    if (!to_error)
        return false;
    to_error((NTSTATUS)0xC0000008);
    return ok && TEB_HERE(uint32_t, 0x1250) == 0xC0000008u;
}

/* The error mode in the TEB has other bits than SetThreadErrorMode, so only zero and not zero are
 * compared. */
static bool modes_are_right(void)
{
    LCID locale = GetThreadLocale();
    DWORD old_mode = 0, ignored;
    ULONG guarantee = 0;
    uint32_t was = TEB_HERE(uint32_t, 0x108);
    TEB_HERE(uint32_t, 0x108) = GERMAN;
    bool ok = GetThreadLocale() == GERMAN;
    TEB_HERE(uint32_t, 0x108) = was;
    ok = ok && GetThreadLocale() == locale;

    was = TEB_HERE(uint32_t, 0x16b0);
    ok = ok && SetThreadErrorMode(0, &old_mode) && TEB_HERE(uint32_t, 0x16b0) == 0;
    ok = ok && SetThreadErrorMode(SEM_FAILCRITICALERRORS, &ignored) &&
         TEB_HERE(uint32_t, 0x16b0) != 0;
    SetThreadErrorMode(old_mode, &ignored);
    ok = ok && TEB_HERE(uint32_t, 0x16b0) == was;

    was = TEB_HERE(uint32_t, 0x1748);
    TEB_HERE(uint32_t, 0x1748) = ALLOWED_STACK;
    ok = ok && SetThreadStackGuarantee(&guarantee) && guarantee == ALLOWED_STACK;
    TEB_HERE(uint32_t, 0x1748) = was;
    return ok;
}

static bool fls_is_right(void)
{
    DWORD index = FlsAlloc(NULL);
    if (index == FLS_OUT_OF_INDEXES)
        return false;
    bool ok = FlsSetValue(index, &index) && TEB_HERE(uint64_t, 0x17c8) != 0;
    uint64_t data = TEB_HERE(uint64_t, 0x17c8);
    TEB_HERE(uint64_t, 0x17c8) = 0;
    ok = ok && FlsGetValue(index) == NULL;
    TEB_HERE(uint64_t, 0x17c8) = data;
    ok = ok && FlsGetValue(index) == &index;
    FlsFree(index);
    return ok;
}

static bool slot_is_right(DWORD index)
{
    if (!TlsSetValue(index, &index))
        return false;
    bool ok;
    if (index < 64)
        ok = TEB_HERE(uint64_t, TEB_SLOTS + 8 * index) == (uint64_t)&index &&
             *teb_slots_in_use >> index & 1;
    else
        ok = TEB_HERE(uint64_t, 0x1780) &&
             ((uint64_t *)TEB_HERE(uint64_t, 0x1780))[index - 64] == (uint64_t)&index;
    return TlsSetValue(index, NULL) && ok;
}

/* Checks one slot of each kind, if any are left. */
static bool slots_are_right(void)
{
    struct {
        ULONG size;
        const uint64_t *bits;
    } const *bitmap = *(void **)(TEB_HERE(uint64_t, 0x60) + PEB_TLS_BITMAP);
    DWORD taken[65], count = 0, last = 0;
    if (!bitmap || bitmap->size != 64)
        return false;
    teb_slots_in_use = bitmap->bits;
    while (count < 65 && last < 64 && (last = TlsAlloc()) != TLS_OUT_OF_INDEXES)
        taken[count++] = last;
    bool ok = count && slot_is_right(taken[0]) && slot_is_right(taken[count - 1]);
    while (count)
        ok = TlsFree(taken[--count]) && ok;
    return ok;
}

/* Finds out whether ntdll follows the pointer, or uses the structure in the TEB wherever the
 * pointer leads. A system may set the pointer only at the first use. */
static bool activation_is_right(void)
{
    ULONG_PTR cookie = 0;
    struct activation_stack elsewhere;
    if (!TEB_HERE(uint64_t, TEB_ACTIVATION_POINTER) && ActivateActCtx(NULL, &cookie))
        DeactivateActCtx(0, cookie);
    struct activation_stack *own = (void *)TEB_HERE(uint64_t, TEB_ACTIVATION_POINTER);
    if (!own)
        return false;
    move_stack(&elsewhere, own);
    TEB_HERE(uint64_t, TEB_ACTIVATION_POINTER) = (uint64_t)&elsewhere;
    uint64_t before = elsewhere.frame;
    if (!ActivateActCtx(NULL, &cookie))
        return false;
    const volatile uint64_t *there = &elsewhere.frame, *here = &own->frame;
    teb_contexts_stay = *here != 0;
    bool ok = teb_contexts_stay ? *there == before && own == teb_stack() : *there != before;
    ok = DeactivateActCtx(0, cookie) && ok && *there == before && *here == 0;
    move_stack(own, &elsewhere);
    TEB_HERE(uint64_t, TEB_ACTIVATION_POINTER) = (uint64_t)own;
    return ok;
}

static bool string_is_right(void)
{
    uint64_t lengths = TEB_HERE(uint64_t, 0x1258);
    return (lengths >> 16 & 0xffff) == 522 &&
           TEB_HERE(uint64_t, 0x1260) == (uint64_t)((char *)teb_here() + 0x1268);
}

const char *teb_check(void)
{
    static const struct {
        bool (*right)(void);
        const char *what;
    } checks[] = {
        {stack_is_right, "the stack's limits"},       {id_is_right, "the thread's id"},
        {errors_are_right, "the last error"},         {modes_are_right, "the thread's modes"},
        {fls_is_right, "fiber-local storage"},        {slots_are_right, "thread-local slots"},
        {activation_is_right, "activation contexts"}, {string_is_right, "the static string"},
    };
    teb_moves_wide = __builtin_cpu_supports("avx"); /* and the system keeps its registers */
    if (TEB_THERE(teb_here(), void *, 0x30) != teb_here())
        return "its own address";
    DWORD error = GetLastError();
    uint32_t status = TEB_HERE(uint32_t, 0x1250);
    const char *wrong = NULL;
    for (size_t i = 0; !wrong && i < sizeof checks / sizeof checks[0]; i++)
        if (!checks[i].right())
            wrong = checks[i].what;
    TEB_HERE(uint32_t, 0x1250) = status;
    SetLastError(error);
    return wrong;
}
