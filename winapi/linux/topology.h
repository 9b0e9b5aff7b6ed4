/* SPDX-License-Identifier: MIT
 *
 * topology.h - which processors share what: cores, packages, dies, caches, memory nodes.
 *
 * As /sys/devices tells; where that is not there, or parts of it, each processor is a core of its
 * own, and all are one package and one node without caches. Read once, at the first question:
 * processors that come or go later are not noticed.
 */
#ifndef UMSSHIM_WINAPI_LINUX_TOPOLOGY_H
#define UMSSHIM_WINAPI_LINUX_TOPOLOGY_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

enum shared { SHARED_CORE, SHARED_PACKAGE, SHARED_DIE, SHARED_CACHE, SHARED_NODE };
enum cache_kind { CACHE_UNIFIED, CACHE_INSTRUCTIONS, CACHE_DATA };

/* Some processors that share one thing. */
struct relation {
    enum shared what;
    cpu_set_t members; /* those online */
    unsigned number;   /* of a node */
    uint8_t class;     /* of a core: higher is faster */
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

/* This machine's. NULL: no memory. */
const struct topology *win__topology(void);
/* Of a folder laid out like /sys/devices; `otherwise` are the processors if it does not tell.
 * False: no memory. */
bool topology_read(struct topology *topology, const char *root, const cpu_set_t *otherwise);
/* A list in the kernel's manner, "0-3,8". False: it is none, or empty. */
bool topology_parse(const char *text, cpu_set_t *set);

#endif
