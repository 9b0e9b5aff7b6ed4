/* SPDX-License-Identifier: MIT
 *
 * topology.h - the cores, packages, dies, caches and memory nodes that processors share.
 *
 * It is read from /sys/devices. Where parts of that are missing, each processor is a core of its
 * own, and all are in one package and one node without caches. The first call reads it; later
 * changes of the machine are not noticed.
 */
#ifndef UMSSHIM_WINAPI_LINUX_TOPOLOGY_H
#define UMSSHIM_WINAPI_LINUX_TOPOLOGY_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

enum shared { SHARED_CORE, SHARED_PACKAGE, SHARED_DIE, SHARED_CACHE, SHARED_NODE };
enum cache_kind { CACHE_UNIFIED, CACHE_INSTRUCTIONS, CACHE_DATA };

/* Some processors that share a thing. */
struct relation {
    enum shared what;
    cpu_set_t members; /* only those online */
    unsigned number;   /* a node's number */
    uint8_t class;     /* a core's speed: higher is faster */
    struct {
        uint8_t level, ways;
        uint16_t line;
        uint32_t bytes;
        enum cache_kind kind;
    } cache;
};

struct topology {
    cpu_set_t online;
    struct relation *relations; /* cores first, then packages, dies, caches, nodes */
    unsigned count, room;
    unsigned highest_node;
};

/* This machine's topology. NULL: no memory. */
const struct topology *win__topology(void);
/* Reads a folder with the layout of /sys/devices; `otherwise`: the processors, if it has no list of
 * them. False: no memory. */
bool topology_read(struct topology *topology, const char *root, const cpu_set_t *otherwise);

#endif
