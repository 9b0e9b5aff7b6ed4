/* SPDX-License-Identifier: MIT
 *
 * site_module.c - rewrites call sites of the program and of libraries, one by one, once the filter
 * has stopped workers there a few times (traps/noticed.h).
 *
 * The worker rewrites the site in the handler of SIGSYS, before its call is served. The worker
 * stands in the site meanwhile, so no thread can close the site's module. The worker takes no lock
 * of libc's, and does not use the heap. A second worker that comes meanwhile goes on with its call,
 * and its site is noticed again.
 *
 * The code has to be in a module that the dynamic linker knows, with a table of functions, in pages
 * that are mapped from a file, readable and executable and not writable. Generated code, code that
 * changes as it runs, and modules without tables stay with the filter. For the pages the worker
 * reads the process's map, which may be long; those of libc and of the dynamic linker are known
 * from the start. site_scan.c judges the site. Any slot that is near enough will do. Where there is
 * none, the worker asks the broker for some, and the site has to be noticed again.
 *
 * No site is changed back. When a module is closed its sites are gone with it (site_pool.c). A
 * module that is mapped in its place comes from its file, with nothing rewritten.
 */
#pragma GCC visibility push(default)
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#pragma GCC visibility pop

#include "platform/linux/libc/sites.h"
#include "platform/linux/os/caps.h"
#include "platform/linux/os/library_text.h"
#include "platform/linux/os/process_map.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/traps/noticed.h"
#include "platform/platform.h"

enum { PAGE = 4096, MOST_UNFIT = 64, MOST_PATH = 256 };

static PLAT_LOCK(SITES) lock; /* for all notes of this file and of site_pool.c */

static uintptr_t page_of(uintptr_t address)
{
    return address & ~(uintptr_t)(PAGE - 1);
}

/* ---- For UMSSHIM_LOG=caps -------------------------------------------------------------------- */

static const char *const reasons[SITE_LEFT] = {[SITE_UNDECODED] = "of unknown shape",
                                               [SITE_NO_LEAD] = "without room for a jump",
                                               [SITE_ENTERED] = "jumped into",
                                               [SITE_NUMBER] = "with a number that is not led here",
                                               [SITE_NO_SLOT] = "out of reach of free slots",
                                               [SITE_REFUSED] = "refused by the system"};

static bool tells;
static unsigned rewritten, left;

static const char *name_of(const struct dl_find_object *module)
{
    const char *name = module->dlfo_link_map->l_name;
    return name && *name ? name : "the program";
}

static void tell_rewritten(const struct dl_find_object *module, uintptr_t call)
{
    rewritten++;
    if (tells)
        plat_log(
            "found: the call at %.*s+0x%lx is led here (of modules' calls: %u led here, %u not)",
            MOST_PATH, name_of(module), call - module->dlfo_link_map->l_addr, rewritten, left);
}

/* ---- Sites that are left --------------------------------------------------------------------- */

/* Sites that stay as they are, and are noticed again and again. A few bytes of code tell whether
 * another module lies there now. */
enum { SOME_CODE = 16 };
static struct {
    uintptr_t call;
    unsigned char code[SOME_CODE];
} unfit[MOST_UNFIT];

static const void *code_around(uintptr_t call)
{
    return (const void *)(call & ~(uintptr_t)(SOME_CODE - 1));
}

static bool is_unfit(uintptr_t call)
{
    for (unsigned i = 0; i < left && i < MOST_UNFIT; i++)
        if (unfit[i].call == call && memcmp(unfit[i].code, code_around(call), SOME_CODE) == 0)
            return true;
    return false;
}

static void leave(const struct dl_find_object *module, uintptr_t call, enum site_left why)
{
    unsigned index = left++ % MOST_UNFIT;
    unfit[index].call = call;
    memcpy(unfit[index].code, code_around(call), SOME_CODE);
    if (tells)
        plat_log(
            "found: the call at %.*s+0x%lx stays as it is: %s (of modules' calls: %u led here, %u "
            "not)",
            MOST_PATH, name_of(module), call - module->dlfo_link_map->l_addr, reasons[why],
            rewritten, left);
}

/* ---- The pages ------------------------------------------------------------------------------- */

/* The pages around the call that may be read as code and exchanged, and a part of them that is
 * mapped from a file. */
struct stretch {
    uintptr_t call, start, end;
    uintptr_t file_start;
    off_t offset;
    unsigned long inode;
    char path[MOST_PATH];
};

static bool is_code(const struct map_line *line)
{
    return line->read && line->execute && !line->write && !line->shared &&
           (line->inode || site_pool_changed(line->start));
}

static bool take_line(const struct map_line *line, void *arg)
{
    struct stretch *stretch = arg;
    bool code = is_code(line), passed = line->start > stretch->call;
    if (passed && (!code || line->start != stretch->end))
        return false;
    if (!code || line->start != stretch->end)
        stretch->start = line->start;
    stretch->end = code ? line->end : line->start;
    if (code && line->inode && !passed && strlen(line->path) < sizeof stretch->path) {
        stretch->file_start = line->start;
        stretch->offset = line->offset;
        stretch->inode = line->inode;
        strcpy(stretch->path, line->path);
    }
    return true;
}

static bool find_stretch(struct stretch *stretch, const struct dl_find_object *module)
{
    if (!process_map_read(take_line, stretch) || stretch->start > stretch->call ||
        stretch->end <= stretch->call)
        return false;
    if (stretch->start < (uintptr_t)module->dlfo_map_start)
        stretch->start = (uintptr_t)module->dlfo_map_start;
    if (stretch->end > (uintptr_t)module->dlfo_map_end)
        stretch->end = (uintptr_t)module->dlfo_map_end;
    return true;
}

/* ---- A site ---------------------------------------------------------------------------------- */

struct jump {
    const struct site *site;
    uintptr_t slot;
};

static void write_jump(unsigned char *copy, uintptr_t start, void *arg)
{
    const struct jump *jump = arg;
    site_write_jump(copy, start, jump->site, jump->slot);
}

static bool write_site(const struct site *site, uintptr_t slot, const struct stretch *stretch)
{
    struct jump jump = {site, slot};
    struct site_file file = {.fd = -1};
    uintptr_t start = page_of(site->lead);
    uintptr_t end = page_of(site_last(site)) + PAGE;
    if (stretch->path[0])
        site_file_open(&file, stretch->path, stretch->file_start, stretch->offset);
    if (file.inode != stretch->inode) /* another file has its name now */
        site_file_close(&file);
    bool done = site_exchange(&file, start, end - start, write_jump, &jump);
    site_file_close(&file);
    return done;
}

static enum site_left reason(const struct site_report *report)
{
    for (unsigned why = 0; why < SITE_LEFT; why++)
        if (report->left[why])
            return (enum site_left)why;
    return SITE_NUMBER;
}

static struct site_module known[SITE_KNOWN];
static unsigned known_count; /* both are set before the first site is noticed */

static bool is_known(struct stretch *stretch, struct site_code *code, const char *path)
{
    for (unsigned i = 0; i < known_count; i++) {
        const struct site_module *module = &known[i];
        if (stretch->call < module->code.start || stretch->call >= module->code.end)
            continue;
        *code = module->code;
        stretch->file_start = module->file.start;
        stretch->offset = module->file.offset;
        stretch->inode = module->file.inode;
        if (strlen(path) < sizeof stretch->path)
            strcpy(stretch->path, path);
        return true;
    }
    return false;
}

/* Rewrites the site. SITE_LEFT: it has; else why it has not. */
static enum site_left rewrite(uintptr_t call, const struct dl_find_object *module)
{
    struct stretch stretch = {.call = call};
    struct site_report report = {0};
    struct site site;
    bool refused = false;
    struct site_code code;
    if (!is_known(&stretch, &code, module->dlfo_link_map->l_name)) {
        if (!find_stretch(&stretch, module))
            return SITE_REFUSED;
        code = (struct site_code){
            .start = stretch.start, .end = stretch.end, .functions = module->dlfo_eh_frame};
    }
    if (!site_scan_one(&code, call, &site, &report))
        return reason(&report);
    uintptr_t slot = site_slot_take(&site, &refused);
    if (!slot)
        return refused ? SITE_REFUSED : SITE_NO_SLOT;
    if (write_site(&site, slot, &stretch))
        return SITE_LEFT;
    site_slot_give(slot);
    return SITE_REFUSED;
}

/* False: the site is to be looked at again when it has been noticed as often once more. */
static bool look_at(uintptr_t call)
{
    struct dl_find_object module;
    if (_dl_find_object((void *)call, &module) || library_holds((void *)call) ||
        site_pool_stands(call) || is_unfit(call))
        return true;
    enum site_left why = rewrite(call, &module);
    if (why == SITE_NO_SLOT && site_slots_wanted((uintptr_t)module.dlfo_map_start))
        return false;
    if (why == SITE_LEFT)
        tell_rewritten(&module, call);
    else
        leave(&module, call, why);
    return why != SITE_LEFT; /* another module may take its place */
}

static bool site_often(uintptr_t behind)
{
    if (!plat_trylock(&lock))
        return false;
    bool judged = look_at(behind - 2);
    plat_unlock(&lock);
    return judged;
}

void site_modules_start(const struct site_module *modules, unsigned count)
{
    tells = caps_wanted();
    memcpy(known, modules, count * sizeof *modules);
    known_count = count;
    if (site_pools_start())
        atomic_store_explicit(&call_often, site_often, memory_order_release);
}

void site_modules_hold(void)
{
    plat_lock(&lock);
}

void site_modules_release(void)
{
    plat_unlock(&lock);
}

void site_modules_forget(void)
{
    plat_lock_forget(&lock);
    site_pools_forget();
}
