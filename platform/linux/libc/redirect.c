/* SPDX-License-Identifier: MIT
 *
 * redirect.c - binds modules that were bound to libc's functions to the library's fronts.
 *
 * As a rule the dynamic linker does that: the library's definitions come before libc's in its
 * order, and fit any version. Two kinds of modules get libc's all the same:
 *   - every module, where libc comes before this library: `program -> libfoo -> libumsshim` puts
 *     libc, which the program needs itself, first; so does a dlopen of this library;
 *   - a module that is opened with RTLD_DEEPBIND: it looks first in the libraries that it needs.
 * This file changes their references where the linker left them. Each slot that holds libc's own
 * function, or will get it at its first call, gets the front. A slot with a third library's
 * function stays as it is: a library that has replaced a name before this one keeps it.
 *
 * It does so as this library is loaded, after each dlopen of the two kinds, and when UMS begins. It
 * does not make a dlopen itself whose result depends on the caller (jumps.S). The next dlsym, by
 * which the program reaches the new modules, redirects these.
 *
 * Where no listener sees calls that wait, unseen.c has further functions. They are in no symbol
 * table: only this file puts them before libc's, in every module.
 *
 * Some calls still reach libc's functions: those of a module's constructors in the two cases, those
 * of modules in a name space of their own (dlmopen), and those by dlsym with a handle on libc.
 */
#pragma GCC visibility push(default)
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#pragma GCC visibility pop

#include "platform/check.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/libc_trial.h"
#include "platform/linux/os/library_text.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/os/module_symbol.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/libc/redirect.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

enum { BUCKETS = 256 };

/* Written once, by `prepare`. */
static void *libc_own[FRONTS];
static bool libc_first[FRONTS]; /* a lookup in the global order finds libc's */
static bool any_libc_first;
static short buckets[BUCKETS], next_row[FRONTS]; /* front_rows by name; -1 ends a chain */

void *const *redirect_ours;

static bool tables_known; /* module_symbol.h knows a module's tables: tried on libc */

/* Further functions to be put before libc's, complete; NULL: none. */
static _Atomic(struct unseen_row *) unseen;
static _Atomic bool due;         /* a module has come that was not redirected yet */
static PLAT_LOCK(REDIRECT) lock; /* one pass at a time: each gives pages back as it found them */

/* One pass, and how the linker will find names that a module has not looked up yet. */
struct pass {
    bool eventually_libc[FRONTS];    /* that look-up finds libc's function, or the front */
    const struct unseen_row *unseen; /* NULL: none */
    bool all_libcs;                  /* no library has replaced one of these functions */
    const void *own_base, *libc_base, *linker_base;
    unsigned refused;
};

struct module {
    uintptr_t base, start, end;
    uintptr_t relro_start, relro_end;
    const ElfW(Sym) * symbols;
    const char *strings;
};

static unsigned bucket_of(const char *name)
{
    return gnu_hash(name) % BUCKETS;
}

/* The library's function for a slot that holds `value`, or NULL. */
static void *replacement(const struct pass *pass, const struct module *module, const char *name,
                         void *value, bool lazy)
{
    for (int i = buckets[bucket_of(name)]; i >= 0; i = next_row[i]) {
        if (strcmp(name, front_rows[i].name) != 0 || !libc_own[i])
            continue;
        if (value == libc_own[i] ||
            (lazy && pass->eventually_libc[i] && (uintptr_t)value >= module->start &&
             (uintptr_t)value < module->end))
            return redirect_ours[i];
    }
    if (UMS_LIKELY(!pass->unseen))
        return NULL;
    for (const struct unseen_row *row = pass->unseen; row->name; row++) {
        if (strcmp(name, row->name) != 0 || !row->libcs)
            continue;
        /* A module that has not looked the name up yet will find libc's function, unless another
         * library has replaced that for all. */
        if (value == row->libcs || (lazy && pass->all_libcs && (uintptr_t)value >= module->start &&
                                    (uintptr_t)value < module->end))
            return row->ours;
    }
    return NULL;
}

/* The linker has made these pages read-only, unless it is still at work on the module: then they
 * are writable, and stay so. Only the kernel knows, so the kernel is asked to write. */
static bool write_relro(void **slot, void *value)
{
    struct iovec from = {&value, sizeof value}, to = {slot, sizeof value};
    if (RAW6(SYS_process_vm_writev, RAW0(SYS_getpid), &from, 1, &to, 1, 0) == sizeof value)
        return true;
    uintptr_t page = (uintptr_t)slot & ~(uintptr_t)4095;
    if (RAW3(SYS_mprotect, page, 4096, PROT_READ | PROT_WRITE) != 0)
        return false;
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    RAW3(SYS_mprotect, page, 4096, PROT_READ);
    return true;
}

static void redirect_slots(struct pass *pass, const struct module *module, const ElfW(Rela) * rows,
                           size_t bytes)
{
    for (const ElfW(Rela) *row = rows; row < rows + bytes / sizeof *rows; row++) {
        unsigned type = (unsigned)ELF64_R_TYPE(row->r_info);
        if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64)
            continue;
        const ElfW(Sym) *symbol = &module->symbols[ELF64_R_SYM(row->r_info)];
        void **slot = (void **)(module->base + row->r_offset);
        if (type == R_X86_64_64 && row->r_addend)
            continue;
        bool lazy = type == R_X86_64_JUMP_SLOT && symbol->st_shndx == SHN_UNDEF;
        void *ours = replacement(pass, module, module->strings + symbol->st_name,
                                 __atomic_load_n(slot, __ATOMIC_RELAXED), lazy);
        if (!ours)
            continue;
        if ((uintptr_t)slot < module->relro_start || (uintptr_t)slot >= module->relro_end)
            __atomic_store_n(slot, ours, __ATOMIC_RELEASE);
        else if (!write_relro(slot, ours))
            pass->refused++;
    }
}

/* No call into the dynamic linker here: it holds a lock of its own. */
static int redirect_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    struct pass *pass = arg;
    struct module module = {.base = info->dlpi_addr, .start = UINTPTR_MAX};
    const ElfW(Dyn) *dynamic = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = module.base + header->p_vaddr, end = start + header->p_memsz;
        if (header->p_type == PT_DYNAMIC)
            dynamic = (const void *)start;
        if (header->p_type == PT_GNU_RELRO) {
            module.relro_start = start & ~(uintptr_t)4095;
            module.relro_end = end & ~(uintptr_t)4095;
        }
        if (header->p_type != PT_LOAD)
            continue;
        module.start = start < module.start ? start : module.start;
        module.end = end > module.end ? end : module.end;
    }
    const void * not [] = {pass->own_base, pass->libc_base, pass->linker_base};
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        if ((uintptr_t) not [i] >= module.start && (uintptr_t) not [i] < module.end)
            return 0;

    ElfW(Addr) at[DT_JMPREL + 1] = {0};
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag > 0 && dynamic->d_tag <= DT_JMPREL)
            at[dynamic->d_tag] = dynamic->d_un.d_ptr;
    module.symbols = (const void *)at[DT_SYMTAB];
    module.strings = (const void *)at[DT_STRTAB];
    /* glibc has made addresses of these tables' offsets, but not in the vDSO. */
    if (at[DT_SYMTAB] < module.start || at[DT_SYMTAB] >= module.end)
        return 0;
    redirect_slots(pass, &module, (const void *)at[DT_RELA], at[DT_RELASZ]);
    if (at[DT_PLTREL] == DT_RELA)
        redirect_slots(pass, &module, (const void *)at[DT_JMPREL], at[DT_PLTRELSZ]);
    return 0;
}

/* `opened`: a module that looks in the libraries that it needs before the global order, or NULL. */
static void run_pass(void *opened)
{
    if (!tables_known || trial_misled("modules")) {
        plat_log_once(
            "the tables of loaded modules lie in a way that is not known here: modules that "
            "come to libc before this library keep libc's functions; link libumsshim before "
            "libc");
        return;
    }
    struct pass pass = {.own_base = library_start,
                        .libc_base = libc_own[FRONT_read],
                        .linker_base = (void *)_r_debug.r_brk,
                        .unseen = atomic_load_explicit(&unseen, memory_order_acquire)};
    for (unsigned i = 0; i < FRONTS; i++) {
        void *global = front_look_up(RTLD_DEFAULT, &front_rows[i]);
        void *local = opened ? front_look_up(opened, &front_rows[i]) : NULL;
        pass.eventually_libc[i] = (global == libc_own[i] || global == redirect_ours[i]) &&
                                  (!local || local == libc_own[i] || local == redirect_ours[i]);
    }
    pass.all_libcs = true;
    for (const struct unseen_row *row = pass.unseen; row && row->name; row++) {
        struct front_row named = {.name = row->name};
        pass.all_libcs &= row->libcs && front_look_up(RTLD_DEFAULT, &named) == row->libcs;
    }
    plat_lock(&lock);
    atomic_store_explicit(&due, false, memory_order_relaxed);
    dl_iterate_phdr(redirect_module, &pass);
    plat_unlock(&lock);
    if (pass.refused)
        plat_log(
            "%u references to libc's functions could not be redirected, because the system keeps "
            "their pages read-only; link libumsshim before libc",
            pass.refused);
}

void redirect_modules(void)
{
    if (any_libc_first || atomic_load_explicit(&due, memory_order_relaxed))
        run_pass(NULL);
}

/* No thread goes on before this is done: a call by libc's own function could stop a scheduler for
 * good. A thread that comes while another is at it does all of it itself, and writes the same. It
 * must not wait for the other, which may need the dynamic linker's lock that this thread has. */
void redirect_unseen(struct unseen_row *rows)
{
    static _Atomic bool done;
    if (atomic_load_explicit(&done, memory_order_acquire))
        return;
    for (struct unseen_row *row = rows; row->name; row++)
        __atomic_store_n(&row->libcs, front_named_in_libc(row->name), __ATOMIC_RELAXED);
    atomic_store_explicit(&unseen, rows, memory_order_release);
    run_pass(NULL);
    atomic_store_explicit(&done, true, memory_order_release);
}

/* ---- dlopen and dlsym ------------------------------------------------------------------------ */

/* The search for a name without a path, and what $ORIGIN stands for, depend on the caller. */
static bool caller_counts(const char *file, const void *caller)
{
    Dl_info info;
    struct link_map *map = NULL;
    if (!file || (strchr(file, '/') && !strchr(file, '$')))
        return false;
    if (strchr(file, '$') || !dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP))
        return true;
    for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_RUNPATH || entry->d_tag == DT_RPATH)
            return true;
    return false;
}

void *dlopen_function(const char *file, int mode, const void *caller, void **result);
void *dlopen_function(const char *file, int mode, const void *caller, void **result)
{
    __typeof__(&dlopen) real = LIBC(dlopen);
    if (!any_libc_first && !(mode & RTLD_DEEPBIND) &&
        !atomic_load_explicit(&unseen, memory_order_relaxed))
        return real;
    atomic_store_explicit(&due, true, memory_order_relaxed);
    if (caller_counts(file, caller))
        return real;
    *result = real(file, mode);
    if (!*result)
        return real; /* the run path of the module that has loaded the caller may lead to it */
    run_pass(mode & RTLD_DEEPBIND ? *result : NULL);
    return NULL;
}

/* Whether libc's function is the next behind the caller. The caller is a library that replaces the
 * name, stands before libc and this library, and asks for the next. */
static bool libc_is_next(int row, const void *caller)
{
    Dl_info info;
    struct link_map *map = NULL;
    if (atomic_load_explicit(&front_behind[row], memory_order_relaxed) != libc_own[row])
        return false; /* a third library's is behind the front, and must not meet it again */
    if (!dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP))
        return false;
    for (map = map->l_next; map; map = map->l_next)
        if (module_symbol(map, front_rows[row].name, NULL))
            return dladdr(libc_own[row], &info) && (void *)map->l_addr == info.dli_fbase;
    return false;
}

void *dlsym_function(void *handle, const char *name, const void *caller, void **result);
void *dlsym_function(void *handle, const char *name, const void *caller, void **result)
{
    if (UMS_UNLIKELY(atomic_load_explicit(&due, memory_order_relaxed)))
        run_pass(NULL);
    bool global = handle == RTLD_DEFAULT || handle == _r_debug.r_map;
    if (!any_libc_first || !name || !(global || handle == RTLD_NEXT))
        return LIBC(dlsym);
    for (int i = buckets[bucket_of(name)]; i >= 0; i = next_row[i]) {
        if (strcmp(name, front_rows[i].name) != 0)
            continue;
        if (global ? libc_first[i] : libc_is_next(i, caller)) {
            *result = redirect_ours[i];
            return NULL;
        }
    }
    return LIBC(dlsym);
}

/* The dynamic linker calls this before the constructors of all that need this library. */
static __attribute__((constructor)) void prepare(void)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        buckets[i] = -1;
    /* Finds libc's function behind each front first: the dynamic linker may call an allocator
     * below, and that may call any front. */
    for (unsigned i = 0; i < FRONTS; i++)
        front_next((enum front)i);
    void *by_tables = front_by_tables(FRONT_read);
    /* Backwards: so the newest version of a name, its first row in front.def, begins its chain. */
    for (int i = FRONTS - 1; i >= 0; i--) {
        unsigned bucket = bucket_of(front_rows[i].name);
        next_row[i] = buckets[bucket];
        buckets[bucket] = (short)i;
        front_settle((enum front)i);
        libc_own[i] = front_in_libc((enum front)i);
        libc_first[i] = libc_own[i] && front_look_up(RTLD_DEFAULT, &front_rows[i]) == libc_own[i];
        any_libc_first |= libc_first[i];
    }
    dlerror(); /* the failures were in look-ups here */
    tables_known = by_tables == libc_own[FRONT_read];
    if (any_libc_first)
        run_pass(NULL);
}
