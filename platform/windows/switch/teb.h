/* SPDX-License-Identifier: MIT
 *
 * teb.h - the fields of a thread's TEB, and what becomes of each when another context runs on the
 * thread.
 *
 * A thread cannot get another TEB (the system sets the GS base back at any time), so the engine
 * exchanges the TEB's contents. The table below is all that the engine knows about them. teb.c
 * checks it against the system at hand, by effect, before the first use.
 *
 * Sources of the offsets
 *   N  NT_TIB in <winnt.h>
 *   M  struct _TEB in Microsoft's and MinGW's <winternl.h>
 *   W  struct _TEB in Wine's <winternl.h>, against which tests/linux/teb_offsets.c holds them
 * tests/windows/teb_fields.txt, from public symbols of Windows 11, has all fields, and why others
 * do not move.
 *
 * OWN   moves with its context, which keeps it while it does not run. Changes often.
 * RARE  the same, but most threads have the same value there: compared each time, seldom moved.
 * SWAP  moves too, but is exchanged with the TEB of the context's own thread, so that each value
 *       lies in exactly one TEB at any time. For the system walks through all TEBs, to clear a slot
 *       that was freed and to make room for the static TLS of a module that is loaded.
 * KEPT  belongs to the kernel thread, whatever context runs on it.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_TEB_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_TEB_H

#include <stdbool.h>
#include <stdint.h>

/* X(type, name here, name in Wine's header, offset, source, why) */
#define TEB_OWN(X)                                                                                 \
    X(uint64_t, exception_list, Tib.ExceptionList, 0x0000, "N", "frames on the context's stack")   \
    X(uint64_t, stack_base, Tib.StackBase, 0x0008, "N", "exceptions and stack growth go by it")    \
    X(uint64_t, stack_limit, Tib.StackLimit, 0x0010, "N", "moves as the stack grows")              \
    X(uint64_t, fiber_data, Tib.FiberData, 0x0020, "N", "the fiber that runs, if one does")        \
    X(uint64_t, thread_id, ClientId.UniqueThread, 0x0048, "W", "owner of critical sections")       \
    X(uint32_t, last_error, LastErrorValue, 0x0068, "W", "GetLastError")                           \
    X(uint32_t, last_status, LastStatusValue, 0x1250, "W", "RtlGetLastNtStatus")                   \
    X(uint32_t, locale, CurrentLocale, 0x0108, "W", "Wine's first thread has one of its own")      \
    X(uint64_t, static_string, StaticUnicodeString, 0x1258, "W", "lengths of the next")            \
    X(uint64_t, static_buffer, StaticUnicodeString.Buffer, 0x1260, "W", "names in conversion")     \
    X(uint64_t, stack_bottom, DeallocationStack, 0x1478, "W", "where guard pages end")             \
    X(uint64_t, activation, ActivationContextStackPointer, 0x02c8, "W", "see TEB_ACTIVATION")      \
    X(uint64_t, fls, FlsSlots, 0x17c8, "W", "fiber-local storage, in a list of its own")

#define TEB_RARE(X)                                                                                \
    X(uint64_t, user_pointer, Tib.ArbitraryUserPointer, 0x0028, "N", "the program's")              \
    X(uint64_t, rpc_handle, ActiveRpcHandle, 0x0050, "W", "a call in progress")                    \
    X(uint32_t, sections, CountOfOwnedCriticalSections, 0x006c, "W",                               \
      "counted as they are entered")                                                               \
    X(uint64_t, rpc_state, ReservedForNtRpc, 0x1698, "W", "user-mode state of RPC")                \
    X(uint32_t, error_mode, HardErrorMode, 0x16b0, "W", "SetThreadErrorMode")                      \
    X(uint64_t, sockets, WinSockData, 0x1738, "W", "user-mode state of Winsock")                   \
    X(uint32_t, guarantee, GuaranteedStackBytes, 0x1748, "W", "SetThreadStackGuarantee")           \
    X(uint64_t, ole, ReservedForOle, 0x1758, "M", "the apartment of COM")                          \
    X(uint32_t, other_locale, MuiGeneration, 0x1798, "W", "goes with the locale")                  \
    X(uint64_t, nls_cache, NlsCache, 0x17a0, "W", "goes with the locale")                          \
    X(uint64_t, shim_data, ShimData, 0x17a8, "W", "user-mode state of compatibility layers")       \
    X(uint64_t, transaction, CurrentTransactionHandle, 0x17b8, "W", "RtlSetCurrentTransaction")    \
    X(uint64_t, active_frame, ActiveFrame, 0x17c0, "W", "RtlPushFrame: frames on the stack")       \
    X(uint64_t, languages, PreferredLanguages, 0x17d0, "W", "SetThreadPreferredUILanguages")       \
    X(uint64_t, user_languages, UserPrefLanguages, 0x17d8, "W", "the same")                        \
    X(uint64_t, all_languages, MergedPrefLanguages, 0x17e0, "W", "the same")                       \
    X(uint32_t, mui_impersonation, MuiImpersonation, 0x17e8, "W", "the same")                      \
    X(uint64_t, scope_enter, TxnScopeEnterCallback, 0x17f0, "W", "a transaction's scope")          \
    X(uint64_t, scope_exit, TxnScopeExitCallback, 0x17f8, "W", "the same")                         \
    X(uint64_t, scope, TxnScopeContext, 0x1800, "W", "the same")                                   \
    X(uint32_t, loader_locks, LockCount, 0x1808, "W", "the loader's lock, as often as held")       \
    X(uint64_t, resource_value, ResourceRetValue, 0x1810, "W", "between two calls of the loader")  \
    X(uint64_t, crt, ReservedForCrt, 0x1820, "W", "user-mode state of the C runtime")

/* RARE, but for two bits that are KEPT, since they are facts of the kernel thread: it is the
 * process's first thread, and it has run the process's initialisation. */
#define TEB_BITS(X)                                                                                \
    X(uint16_t, flags, SameTebFlags, 0x17ee, "W", "notes of ntdll about the thread's own doings")
#define TEB_BITS_KEPT 0x0420
#define TEB_BITS_OF_LOADER 0x3000 /* the thread loads a module, or helps another thread to */

/* The first 64 slots are exchanged, too, if the process uses them: TEB_SLOTS. */
#define TEB_SWAP(X)                                                                                \
    X(uint64_t, tls, ThreadLocalStoragePointer, 0x0058, "W", "static TLS of all modules")          \
    X(uint64_t, expansion, TlsExpansionSlots, 0x1780, "M", "TLS slots from 64 on")

#define TEB_KEPT(X)                                                                                \
    X(uint64_t, subsystem, Tib.SubSystemTib, 0x0018, "N", "none on 64 bits")                       \
    X(uint64_t, self, Tib.Self, 0x0030, "N", "the TEB's address: the thread's, not the context's") \
    X(uint64_t, process_id, ClientId.UniqueProcess, 0x0040, "W", "the same for all")               \
    X(uint64_t, peb, Peb, 0x0060, "M", "the same for all")                                         \
    X(uint64_t, window_state, Win32ThreadInfo, 0x0078, "W",                                        \
      "the kernel's; window threads stay home")                                                    \
    X(uint64_t, batch, GdiTebBatch, 0x02f0, "W", "drawing; Wine's own state of the kernel thread") \
    X(uint64_t, real_id, RealClientId, 0x07d8, "W", "tells the kernel thread, for debuggers")      \
    X(uint64_t, window_client, Win32ClientInfo, 0x0800, "W", "window threads stay home")           \
    X(uint64_t, tls_links, TlsLinks, 0x1680, "W", "the TEB's place in the list of all")            \
    X(uint32_t, waits_for_loader, WaitingOnLoaderLock, 0x1760, "W", "kernel thread's")             \
    X(uint32_t, impersonates, IsImpersonating, TEB_IMPERSONATES, "W", "those stay home")           \
    X(uint32_t, heap_affinity, HeapVirtualAffinity, 0x17b0, "W", "a hint for the processor")       \
    X(uint16_t, cross_flags, CrossTebFlags, 0x17ec, "W", "written by others, from the kernel")

/* The stack of activation contexts is a structure. A pointer in the TEB leads to it, and ntdll
 * follows the pointer. A thread's structure is in its TEB; each fiber has its own. SwitchToFiber
 * exchanges the pointer, and a thread that becomes a fiber remembers where it led. So a context
 * that may move must not keep its stack in a TEB. When it leaves with a stack there, the engine
 * moves the stack into the context's values, and sets the pointer to it. Wine before version 9 uses
 * the structure in the TEB wherever the pointer leads, and all fibers of a thread share it. There
 * its contents move with each switch. */
#define TEB_ACTIVATION 0x0290         /* ActivationContextStack, W */
#define TEB_ACTIVATION_POINTER 0x02c8 /* the field `activation` */

struct activation_stack {
    uint64_t frame;      /* the active one */
    uint64_t next, last; /* spare entries, in a list whose head this is */
    uint32_t flags, cookie;
    uint64_t id;
};

#define TEB_IMPERSONATES 0x179c /* IsImpersonating, written by the kernel; W */
#define TEB_SLOTS 0x1480        /* TlsSlots[64], M */
#define PEB_TLS_BITMAP 0x78     /* to an RTL_BITMAP, whose second word leads to its bits; W */
#define PEB_LOADER_LOCK 0x110   /* to the loader's critical section, W */

#define TEB_MEMBER(type, name, theirs, offset, source, why) type name;
struct teb_rare {
    TEB_RARE(TEB_MEMBER)
    TEB_BITS(TEB_MEMBER)
};

/* A context's part, while it does not run. */
struct teb_values {
    TEB_OWN(TEB_MEMBER)
    bool is_rare; /* `rare` differs from teb_usual */
    struct teb_rare rare;
    struct activation_stack contexts; /* `activation` points here, or to a fiber's */
};
#undef TEB_MEMBER

#endif
