/* SPDX-License-Identifier: MIT
 *
 * home_layout.c - see home_layout.h.
 *
 * glibc describes itself for debuggers: its data named _thread_db_... tells the size of a thread's
 * control block, and the places of some fields in it. Without that the layout is unknown, and
 * home_renewal.c lets each home end with its worker. It does so, too, under the address sanitizer,
 * which keeps records of its own for a thread.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/rseq.h>
#pragma GCC visibility pop

#include "platform/linux/current.h"
#include "platform/linux/os/module_symbol.h"
#include "platform/linux/os/static_tls.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/threads/home_layout.h"

struct home_layout home_layout;

static struct extent {
    uintptr_t from, to;
} modules[MOST_MODULES]; /* the modules that came with the program */
static unsigned module_count;

static uint32_t described(const struct link_map *map, const char *name, unsigned field)
{
    const uint32_t *words = module_symbol(map, name, "GLIBC_PRIVATE");
    return words ? words[field] : 0;
}

struct search {
    unsigned count; /* number of modules' spans, in the order of the linker's list */
    bool linker_seen;
    unsigned before_linker;
    struct span found[MOST_SPANS];
};

static bool holds(const struct span *span, const void *variable)
{
    size_t before = thread_pointer() - (uintptr_t)variable;
    return before <= span->from && before > span->to;
}

static void remember_module(const struct dl_phdr_info *module)
{
    struct extent extent = {UINTPTR_MAX, 0};
    for (unsigned i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        uintptr_t from = module->dlpi_addr + segment->p_vaddr, to = from + segment->p_memsz;
        if (segment->p_type != PT_LOAD)
            continue;
        extent.from = from < extent.from ? from : extent.from;
        extent.to = to > extent.to ? to : extent.to;
    }
    if (module_count < MOST_MODULES)
        modules[module_count++] = extent;
}

bool home_layout_came_with_program(const void *address)
{
    for (unsigned i = 0; i < module_count; i++)
        if ((uintptr_t)address >= modules[i].from && (uintptr_t)address < modules[i].to)
            return true;
    return false;
}

static int look_at(struct dl_phdr_info *module, size_t bytes, void *arg)
{
    struct search *search = arg;
    (void)bytes;
    if (module->dlpi_addr == getauxval(AT_BASE))
        search->linker_seen = true, search->before_linker = search->count;
    if (!search->linker_seen)
        remember_module(module);
    if (!module->dlpi_tls_data)
        return 0;
    for (unsigned i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        size_t from = thread_pointer() - (uintptr_t)module->dlpi_tls_data;
        if (segment->p_type != PT_TLS || from > home_layout.below || segment->p_memsz > from ||
            search->count == MOST_SPANS)
            continue;
        search->found[search->count++] =
            (struct span){.from = from,
                          .to = from - segment->p_memsz,
                          .kind = SPAN_MODULE,
                          .image = (const void *)(module->dlpi_addr + segment->p_vaddr),
                          .image_bytes = segment->p_filesz};
    }
    return 0;
}

/* Keeps the spans sorted. */
void home_layout_leave_out(struct span span)
{
    unsigned at = home_layout.span_count;
    if (at == MOST_SPANS) {
        home_layout.known = false;
        return;
    }
    for (; at && home_layout.spans[at - 1].from < span.from; at--)
        home_layout.spans[at] = home_layout.spans[at - 1];
    home_layout.spans[at] = span;
    home_layout.span_count++;
}

bool home_layout_is_left_out(size_t from)
{
    for (unsigned i = 0; i < home_layout.span_count; i++)
        if (from <= home_layout.spans[i].from && from > home_layout.spans[i].to)
            return true;
    return false;
}

static struct span span_of(const void *variable, size_t bytes, enum span_kind kind)
{
    size_t from = thread_pointer() - (uintptr_t)variable;
    return (struct span){.from = from, .to = from - bytes, .kind = kind};
}

/* Modules that come before the linker in its list came with the program, and stay. libc's variables
 * and ours are treated apart. */
static void find_modules(void)
{
    static struct search search;
    dl_iterate_phdr(look_at, &search);
    for (unsigned i = 0; i < search.count; i++) {
        const struct span *span = &search.found[i];
        if (holds(span, &errno))
            home_layout.libcs = *span;
        else if (i < search.before_linker && !holds(span, &plat_tls))
            home_layout_leave_out(*span);
    }
    /* If libc has the area for restartable sequences among the variables: it holds what the kernel
     * wrote last. */
    if (__rseq_offset < 0)
        home_layout_leave_out(
            span_of((char *)thread_pointer() + __rseq_offset, sizeof(struct rseq), SPAN_FREE));
    home_layout_leave_out(span_of(&plat_tls, sizeof plat_tls, SPAN_OWN));
    home_layout_leave_out(span_of(&errno, sizeof errno, SPAN_FREE));
    home_layout.errno_at = (char *)&errno - (char *)thread_pointer();
}

/* The values of the first keys: pairs of the key's age and the value. */
static bool set_values_apart(size_t specific_at)
{
    const char *block = (const char *)thread_pointer(), *first;
    memcpy(&first, block + specific_at, sizeof first);
    size_t at = (size_t)(first - block);
    if (at % 8 || at + FIRST_KEYS * 16 > home_layout.block_bytes)
        return false;
    home_layout.values_at = at;
    for (size_t key = 0; key < FIRST_KEYS; key++) {
        home_layout.left_out[at / 8 + 2 * key] = CHANGES_BY_ITSELF;
        home_layout.left_out[at / 8 + 2 * key + 1] = (uint8_t)(FIRST_VALUE + key);
    }
    return true;
}

static bool find_words(void)
{
    const struct link_map *map = _r_debug.r_map;
    while (map && !module_symbol(map, "_thread_db_sizeof_pthread", "GLIBC_PRIVATE"))
        map = map->l_next;
    if (!map)
        return false;
    enum { OFFSET = 2 };
    size_t list = described(map, "_thread_db_pthread_list", OFFSET);
    size_t specific = described(map, "_thread_db_pthread_specific", OFFSET);
    size_t age_bytes = described(map, "_thread_db_sizeof_pthread_key_data", 0);
    home_layout.block_bytes = described(map, "_thread_db_sizeof_pthread", 0);
    size_t whole = static_tls_told();
    if (!list || list % 8 || !specific || age_bytes != 16 || home_layout.block_bytes % 8 ||
        home_layout.block_bytes > 8 * MOST_WORDS || list + 16 > home_layout.block_bytes ||
        specific + 8 > home_layout.block_bytes || whole <= home_layout.block_bytes)
        return false;
    home_layout.below = whole - home_layout.block_bytes;
    home_layout.left_out[list / 8] = home_layout.left_out[list / 8 + 1] = CHANGES_BY_ITSELF;
    return set_values_apart(specific);
}

static __attribute__((constructor)) void find_layout(void)
{
#ifdef __SANITIZE_ADDRESS__
    const bool kept_elsewhere = true;
#else
    const bool kept_elsewhere = false;
#endif
    home_layout.known = !kept_elsewhere && find_words();
    if (home_layout.known)
        find_modules();
}
