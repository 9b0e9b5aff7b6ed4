/* SPDX-License-Identifier: MIT
 *
 * nbody.h - gravity among many bodies by a tree of centres of mass, on the thread package.
 *
 * A step builds the tree, has threads compute the forces (a thread for each few bodies), and moves
 * the bodies. The tree stays in memory; the bodies lie in pages, and a buffer cache says which of
 * them are in memory. Or the memory itself is too small, and what is not in is a page fault.
 */
#ifndef NBODY_H
#define NBODY_H

#include "fastthreads.h"

enum {
    NBODY_BUCKET = 8,    /* bodies in a leaf at most */
    NBODY_PER_PAGE = 16, /* bodies */
    NBODY_PAGE_BYTES = 4096
};

/* What a thread has to do before it reads a page of bodies. */
enum nbody_storage {
    NBODY_IN_MEMORY, /* nothing */
    NBODY_IN_CACHE,  /* ask the program's cache */
    NBODY_IN_PAGES   /* nothing: where it is not in memory that is a page fault */
};

struct vector {
    double x, y, z;
};

struct body {
    struct vector position;
    struct vector speed;
    struct vector force; /* for each unit of mass */
    double mass;
};

/* In depth-first order: `skip` is where to go on when a node is taken as a whole. */
struct node {
    struct vector centre; /* of mass */
    double mass;
    double size;    /* edge of its cube */
    int first, end; /* its bodies */
    int skip;
    int leaf;
};

struct tree {
    struct node *nodes;
    int count;
    int capacity;
};

struct nbody_options {
    struct ft_options threads;
    int sequential; /* no threads, no package: what speed-ups are measured against */
    int bodies;
    int steps;
    int grain;     /* bodies for a thread */
    int window;    /* threads at a time */
    double theta;  /* a node is taken as a whole when it looks smaller than this */
    double memory; /* share of the pages that fit, 0 to 1 */
    int miss_ms;   /* what reading a page takes */
    int faults;    /* a page that is not in memory is a page fault */
};

struct nbody_result {
    double seconds;  /* for the steps */
    double checksum; /* of all positions: the same however it was computed */
    double error;    /* of sampled forces against direct summation, relative, root mean square */
    unsigned long misses;
    int pages;
    int room; /* pages that fit */
    struct ft_statistics threads;
};

/* Gives a Win32 error, 0 for success. */
DWORD nbody_run(const struct nbody_options *options, struct nbody_result *result);

/* ---- bodies.c -------------------------------------------------------------------------------- */

void bodies_scatter(struct body *bodies, int count); /* the same each time */
void bodies_move(struct body *bodies, int count);
double bodies_checksum(const struct body *bodies, int count);
struct vector bodies_direct_force(const struct body *bodies, int count, int index);
double bodies_error(const struct body *bodies, int count);

/* ---- tree.c ---------------------------------------------------------------------------------- */

int tree_capacity(int bodies);
void tree_build(struct tree *tree, struct body *bodies, struct body *scratch, int count);

/* `bodies` is an array; NBODY_IN_PAGES: the pager's memory. */
struct vector tree_force(const struct tree *tree, const void *bodies, int index, double theta,
                         enum nbody_storage storage);

/* ---- cache.c --------------------------------------------------------------------------------- */

/* FALSE: there is no memory for the tables. */
BOOL cache_open(int pages, int room, int miss_ms);
void cache_close(void);
unsigned long cache_misses(void);

/* Blocks until the page is in memory. In threads of the package only. */
void cache_read(int page);

/* ---- pager_linux.c, pager_windows.c ---------------------------------------------------------- */

/* Before the first UMS call: asks the library to watch for faults, unless the user has said what it
 * should do. */
void pager_expected(void);
/* Gives a Win32 error: ERROR_NOT_SUPPORTED where faults cannot be served, 0 for success. */
DWORD pager_open(const struct body *bodies, int count, int pages, int room, int miss_ms);
void pager_close(void); /* also after an error */
const char *pager_memory(void);
/* The bodies have changed, and nobody reads the pages meanwhile. */
void pager_update(void);
unsigned long pager_misses(void);

#endif
