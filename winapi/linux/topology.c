/* SPDX-License-Identifier: MIT
 *
 * topology.c - see topology.h.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "winapi/linux/topology.h"

enum { TEXT = 4096, MOST_CACHES = 16, MOST_NODES = 1024 };

/* ---- Files --------------------------------------------------------------------------------- */

/* Reads the first line of a file below root. False: there is none. */
static __attribute__((format(printf, 3, 4))) bool read_line(char text[TEXT], const char *root,
                                                            const char *format, ...)
{
    char path[512];
    va_list arguments;
    int length = snprintf(path, sizeof path, "%s/", root);
    va_start(arguments, format);
    vsnprintf(path + length, sizeof path - (size_t)length, format, arguments);
    va_end(arguments);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t bytes = read(file, text, TEXT - 1);
    close(file);
    if (bytes <= 0)
        return false;
    text[bytes] = 0;
    text[strcspn(text, "\n")] = 0;
    return true;
}

/* Reads a list in the kernel's form, such as "0-3,8". False: it is no list, or is empty. */
static bool parse(const char *text, cpu_set_t *set)
{
    CPU_ZERO(set);
    while (*text) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (end == text)
            return false;
        if (*end == '-') {
            text = end + 1;
            last = strtoul(text, &end, 10);
            if (end == text)
                return false;
        }
        for (; first <= last && first < CPU_SETSIZE; first++)
            CPU_SET(first, set);
        if (*end && *end != ',')
            return false;
        text = *end ? end + 1 : end;
    }
    return CPU_COUNT(set) > 0;
}

static unsigned number_in(const char *root, unsigned cpu, unsigned index, const char *name)
{
    char text[TEXT];
    return read_line(text, root, "system/cpu/cpu%u/cache/index%u/%s", cpu, index, name)
               ? (unsigned)strtoul(text, NULL, 10)
               : 0;
}

/* ---- Relations ----------------------------------------------------------------------------- */

static struct relation *add(struct topology *topology, enum shared what, const cpu_set_t *members)
{
    if (topology->count == topology->room) {
        unsigned room = topology->room ? 2 * topology->room : 64;
        struct relation *more = realloc(topology->relations, room * sizeof *more);
        if (!more)
            return NULL;
        topology->relations = more;
        topology->room = room;
    }
    struct relation *relation = &topology->relations[topology->count++];
    *relation = (struct relation){.what = what, .members = *members};
    return relation;
}

static unsigned lowest(const cpu_set_t *set)
{
    unsigned cpu = 0;
    while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, set))
        cpu++;
    return cpu;
}

/* Reads the processor's file of one of two names: the processors that share the thing. Returns
 * those that are online; `otherwise`, if there is no such file. */
static cpu_set_t sharers(const struct topology *topology, const char *root, unsigned cpu,
                         const char *name, const char *old_name, const cpu_set_t *otherwise)
{
    char text[TEXT];
    cpu_set_t set;
    bool told = (read_line(text, root, "system/cpu/cpu%u/topology/%s", cpu, name) ||
                 read_line(text, root, "system/cpu/cpu%u/topology/%s", cpu, old_name)) &&
                parse(text, &set);
    if (!told)
        set = *otherwise;
    CPU_AND(&set, &set, &topology->online);
    if (!CPU_ISSET(cpu, &set)) {
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
    }
    return set;
}

static bool add_cores(struct topology *topology, const char *root)
{
    char text[TEXT];
    cpu_set_t fast;
    CPU_ZERO(&fast);
    if (read_line(text, root, "cpu_atom/cpus") && read_line(text, root, "cpu_core/cpus"))
        parse(text, &fast);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        cpu_set_t own;
        CPU_ZERO(&own);
        CPU_SET(cpu, &own);
        if (!CPU_ISSET(cpu, &topology->online))
            continue;
        own = sharers(topology, root, cpu, "core_cpus_list", "thread_siblings_list", &own);
        struct relation *core = lowest(&own) == cpu ? add(topology, SHARED_CORE, &own) : NULL;
        if (core)
            core->class = CPU_ISSET(cpu, &fast) ? 1 : 0;
        else if (lowest(&own) == cpu)
            return false;
    }
    return true;
}

static bool add_larger(struct topology *topology, const char *root, enum shared what,
                       const char *name, const char *old_name)
{
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &topology->online))
            continue;
        cpu_set_t set = sharers(topology, root, cpu, name, old_name, &topology->online);
        if (lowest(&set) == cpu && !add(topology, what, &set))
            return false;
    }
    return true;
}

/* The bytes for a text such as "48K" or "2M". */
static uint32_t bytes_of(const char *text)
{
    char *end;
    unsigned long bytes = strtoul(text, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 0;
    return (uint32_t)(bytes << shift);
}

static bool add_cache(struct topology *topology, const char *root, unsigned cpu, unsigned index,
                      const cpu_set_t *members)
{
    char text[TEXT];
    struct relation *cache = add(topology, SHARED_CACHE, members);
    if (!cache)
        return false;
    cache->cache.level = (uint8_t)number_in(root, cpu, index, "level");
    unsigned ways = number_in(root, cpu, index, "ways_of_associativity");
    cache->cache.ways = (uint8_t)(ways && ways < 0xff ? ways : 0xff); /* 0xff: fully associative */
    cache->cache.line = (uint16_t)number_in(root, cpu, index, "coherency_line_size");
    if (read_line(text, root, "system/cpu/cpu%u/cache/index%u/size", cpu, index))
        cache->cache.bytes = bytes_of(text);
    if (read_line(text, root, "system/cpu/cpu%u/cache/index%u/type", cpu, index))
        cache->cache.kind = text[0] == 'D'   ? CACHE_DATA
                            : text[0] == 'I' ? CACHE_INSTRUCTIONS
                                             : CACHE_UNIFIED;
    return true;
}

static bool add_caches(struct topology *topology, const char *root)
{
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        for (unsigned index = 0; CPU_ISSET(cpu, &topology->online) && index < MOST_CACHES;
             index++) {
            char text[TEXT];
            cpu_set_t set;
            if (!read_line(text, root, "system/cpu/cpu%u/cache/index%u/shared_cpu_list", cpu,
                           index) ||
                !parse(text, &set))
                break;
            CPU_AND(&set, &set, &topology->online);
            if (lowest(&set) == cpu && !add_cache(topology, root, cpu, index, &set))
                return false;
        }
    }
    return true;
}

/* Also nodes without processors, as they have memory. */
static bool add_nodes(struct topology *topology, const char *root)
{
    char text[TEXT];
    cpu_set_t nodes, members;
    if (!read_line(text, root, "system/node/online") || !parse(text, &nodes))
        return add(topology, SHARED_NODE, &topology->online) != NULL;
    for (unsigned node = 0; node < MOST_NODES; node++) {
        if (!CPU_ISSET(node, &nodes))
            continue;
        if (!read_line(text, root, "system/node/node%u/cpulist", node) || !parse(text, &members))
            CPU_ZERO(&members);
        CPU_AND(&members, &members, &topology->online);
        struct relation *relation = add(topology, SHARED_NODE, &members);
        if (!relation)
            return false;
        relation->number = topology->highest_node = node;
    }
    return true;
}

bool topology_read(struct topology *topology, const char *root, const cpu_set_t *otherwise)
{
    char text[TEXT];
    *topology = (struct topology){0};
    if (!read_line(text, root, "system/cpu/online") || !parse(text, &topology->online))
        topology->online = *otherwise;
    return add_cores(topology, root) &&
           add_larger(topology, root, SHARED_PACKAGE, "package_cpus_list", "core_siblings_list") &&
           add_larger(topology, root, SHARED_DIE, "die_cpus_list", "core_siblings_list") &&
           add_caches(topology, root) && add_nodes(topology, root);
}
