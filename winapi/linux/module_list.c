/* SPDX-License-Identifier: MIT
 *
 * module_list.c - see module_list.h.
 */
#include "winapi/linux/module_list.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reader {
    struct module_entries *modules;
    bool no_memory;
};

const char *win__base_name(const char *path)
{
    const char *last = strrchr(path, '/');
    return last ? last + 1 : path;
}

static void find_extent(const struct dl_phdr_info *info, struct module_entry *module)
{
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD)
            continue;
        uintptr_t start = info->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
        low = start < low ? start : low;
        high = end > high ? end : high;
    }
    long page = sysconf(_SC_PAGESIZE);
    module->base = low & ~(uintptr_t)(page - 1);
    module->size = high - module->base;
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)module->base;
    bool known = !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_entry;
    module->entry = known ? (void *)(info->dlpi_addr + header->e_entry) : NULL;
}

static int add(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct reader *reader = arg;
    struct module_entries *modules = reader->modules;
    bool is_program = !modules->count;
    (void)size;
    if (!is_program && !strchr(info->dlpi_name, '/')) /* the kernel's vdso, which is no file */
        return 0;
    void *larger = realloc(modules->entries, (modules->count + 1) * sizeof *modules->entries);
    if (!larger) {
        reader->no_memory = true;
        return 1;
    }
    modules->entries = larger;
    struct module_entry *module = &modules->entries[modules->count++];
    find_extent(info, module);
    Dl_info self;
    bool is_us =
        dladdr((const void *)win__modules, &self) && (uintptr_t)self.dli_fbase == module->base;
    module->handle = is_program ? GetModuleHandleA(NULL)
                     : is_us    ? GetModuleHandleA("kernel32")
                                : (HMODULE)module->base;
    if (is_program)
        GetModuleFileNameA(NULL, module->path, sizeof module->path);
    else
        snprintf(module->path, sizeof module->path, "%s", info->dlpi_name);
    return 0;
}

bool win__modules(struct module_entries *modules)
{
    struct reader reader = {.modules = modules};
    *modules = (struct module_entries){NULL, 0};
    dl_iterate_phdr(add, &reader);
    if (reader.no_memory)
        free(modules->entries);
    return !reader.no_memory;
}
