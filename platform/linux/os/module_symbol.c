/* SPDX-License-Identifier: MIT
 *
 * module_symbol.c - a function by its name in one module. The layout is that of the ELF
 * specification, its versions those of the Linux Standard Base, its hash table GNU's.
 */
#include <stdbool.h>
#include <stddef.h>

#include "platform/linux/os/module_symbol.h"

enum { HIDDEN = 0x8000 }; /* in an entry of the version table: not the version for new programs */

struct tables {
    uintptr_t base;
    const uint32_t *hashed;
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Half) * versions; /* one for each symbol; NULL: the module has none */
    const ElfW(Verdef) * defined;
    size_t definitions;
};

uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    while (*name)
        hash = hash * 33 + (unsigned char)*name++;
    return hash;
}

/* Used instead of strcmp: the address sanitizer's is not ready when its run time looks for
 * libc's. */
static bool same(const char *one, const char *other)
{
    while (*one && *one == *other) {
        one++;
        other++;
    }
    return *one == *other;
}

/* glibc has turned most offsets in the dynamic section into addresses, but none in the kernel's own
 * module, and not that of the definitions of versions. */
static bool find_tables(const struct link_map *map, struct tables *tables)
{
    *tables = (struct tables){.base = map->l_addr};
    for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
        const void *at = (const void *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_GNU_HASH)
            tables->hashed = at;
        else if (entry->d_tag == DT_SYMTAB)
            tables->symbols = at;
        else if (entry->d_tag == DT_STRTAB)
            tables->strings = at;
        else if (entry->d_tag == DT_VERSYM)
            tables->versions = at;
        else if (entry->d_tag == DT_VERDEF)
            tables->defined = (const void *)(map->l_addr + entry->d_un.d_ptr);
        else if (entry->d_tag == DT_VERDEFNUM)
            tables->definitions = entry->d_un.d_val;
    }
    return tables->hashed && tables->symbols && tables->strings &&
           (uintptr_t)tables->hashed >= map->l_addr;
}

/* The number that the module gives to a version; 0: it has no such version. */
static unsigned version_number(const struct tables *tables, const char *version)
{
    const ElfW(Verdef) *row = tables->defined;
    for (size_t i = 0; row && i < tables->definitions; i++) {
        const ElfW(Verdaux) *first = (const void *)((const char *)row + row->vd_aux);
        if (same(tables->strings + first->vda_name, version))
            return row->vd_ndx;
        row = (const void *)((const char *)row + row->vd_next);
    }
    return 0;
}

static bool fits(const struct tables *tables, uint32_t symbol, const char *version)
{
    if (!tables->versions)
        return true;
    unsigned number = tables->versions[symbol];
    return version ? (number & ~HIDDEN) == version_number(tables, version) : !(number & HIDDEN);
}

static void *address_of(const struct tables *tables, const ElfW(Sym) * symbol)
{
    void *at = (void *)(tables->base + symbol->st_value);
    return ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC ? ((void *(*)(void))at)() : at;
}

void *module_symbol(const struct link_map *map, const char *name, const char *version)
{
    struct tables tables;
    if (!find_tables(map, &tables))
        return NULL;
    /* The table begins with four numbers: buckets, first hashed symbol, words of the filter, its
     * shift. The filter, the buckets and the chains follow. */
    const uint32_t *table = tables.hashed;
    uint32_t count = table[0], first = table[1], hash = gnu_hash(name);
    const uint32_t *heads = table + 4 + 2 * table[2], *chain = heads + count;
    for (uint32_t i = count ? heads[hash % count] : 0; i >= first && i; i++) {
        const ElfW(Sym) *symbol = &tables.symbols[i];
        if ((chain[i - first] | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
            same(tables.strings + symbol->st_name, name) && fits(&tables, i, version))
            return address_of(&tables, symbol);
        if (chain[i - first] & 1)
            break;
    }
    return NULL;
}
