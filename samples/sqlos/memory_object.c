/* SPDX-License-Identifier: MIT
 *
 * memory_object.c - memory objects: a heap for everybody, for each node, or for each processor.
 *
 * A partition is a heap of its own under its own mutex pair. The first mutex guards the pages and
 * the free lists, the second the account; allocating and freeing take both, a report needs only the
 * second. Small blocks come in sizes of powers of two out of regions; a large one is pages of its
 * own, got from the system and faulted in while the pair is held, which is what makes others wait.
 *
 * A dynamic object has the partitions of all three levels and allocates from those of one. Where
 * many of a partition's last allocations found its pair held, the object goes one level up, for all
 * and for good. Blocks know their partition, so those of the lower level go back there.
 */
#include "sqlos_private.h"

enum { SMALLEST = 6, CLASSES = 7 /* 64 bytes to 4 KiB, the header included */ };
enum { WINDOW = 512, TOO_MANY = 32 /* collisions in as many allocations */ };
enum { PAGE = 4096, REGION = 256 * 1024, ALIGN = 16 };

typedef struct PARTITION PARTITION;

typedef struct BLOCK { /* before the caller's memory */
    PARTITION *partition;
    struct BLOCK *next, *previous; /* free: next; large: its neighbours */
    SIZE_T size;                   /* with this header */
} BLOCK;

typedef struct REGION_HEAD {
    struct REGION_HEAD *next;
} REGION_HEAD;

struct PARTITION {
    SOS_UNFAIR_MUTEX_PAIR pair;
    REGION_HEAD *regions;
    SIZE_T used; /* of the first region */
    BLOCK *free[CLASSES];
    BLOCK *large;
    LONGLONG allocations, frees, bytes; /* under the second mutex */
    SOS_PARTITIONING level;
    LONG collisionsBefore; /* the window */
    char room[64];         /* no line is shared with the next partition */
};

struct SOS_MEMORY_OBJECT {
    BOOL dynamic;
    volatile LONG level;           /* an SOS_PARTITIONING: where allocations are made */
    int first[SOS_MEMORY_DYNAMIC]; /* of each level's partitions */
    int count;
    PARTITION *partitions;
};

static PVOID Pages(SIZE_T bytes)
{
    return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

static int PartitionsOf(int level)
{
    return level == SOS_MEMORY_PER_CPU    ? SosSchedulerCount()
           : level == SOS_MEMORY_PER_NODE ? SosNodeCount()
                                          : 1;
}

SOS_MEMORY_OBJECT *SosMemoryCreate(SOS_PARTITIONING partitioning)
{
    SOS_MEMORY_OBJECT *memory =
        (SOS_MEMORY_OBJECT *)HeapAlloc(GetProcessHeap(), 0, sizeof(*memory));
    int i, level;

    if (!memory)
        return NULL;
    memory->dynamic = partitioning == SOS_MEMORY_DYNAMIC;
    memory->level = memory->dynamic ? SOS_MEMORY_GLOBAL : partitioning;
    memory->count = 0;
    for (level = 0; level < SOS_MEMORY_DYNAMIC; level++) {
        memory->first[level] = memory->count;
        if (memory->dynamic || level == memory->level)
            memory->count += PartitionsOf(level);
    }
    memory->partitions = (PARTITION *)Pages(sizeof(PARTITION) * (SIZE_T)memory->count);
    if (!memory->partitions) {
        HeapFree(GetProcessHeap(), 0, memory);
        return NULL;
    }
    for (i = 0, level = 0; i < memory->count; i++) {
        while (level + 1 < SOS_MEMORY_DYNAMIC && i >= memory->first[level + 1])
            level++;
        memory->partitions[i].level = (SOS_PARTITIONING)level;
        SosPairInit(&memory->partitions[i].pair);
    }
    return memory;
}

VOID SosMemoryDestroy(SOS_MEMORY_OBJECT *memory)
{
    int i;

    for (i = 0; i < memory->count; i++) {
        PARTITION *partition = &memory->partitions[i];

        while (partition->large) {
            BLOCK *block = partition->large;

            partition->large = block->next;
            VirtualFree(block, 0, MEM_RELEASE);
        }
        while (partition->regions) {
            REGION_HEAD *region = partition->regions;

            partition->regions = region->next;
            VirtualFree(region, 0, MEM_RELEASE);
        }
    }
    VirtualFree(memory->partitions, 0, MEM_RELEASE);
    HeapFree(GetProcessHeap(), 0, memory);
}

static PARTITION *PartitionOf(SOS_MEMORY_OBJECT *memory, int scheduler)
{
    LONG level = memory->level;
    PARTITION *partitions = &memory->partitions[memory->first[level]];

    switch (level) {
    case SOS_MEMORY_PER_CPU:
        return &partitions[scheduler];
    case SOS_MEMORY_PER_NODE:
        return &partitions[SosNodeOf(scheduler)];
    default:
        return partitions;
    }
}

SOS_UNFAIR_MUTEX_PAIR *MemoryPair(SOS_MEMORY_OBJECT *memory, int scheduler)
{
    return &PartitionOf(memory, scheduler)->pair;
}

static int ClassOf(SIZE_T size)
{
    int kind = 0;

    while (kind < CLASSES && ((SIZE_T)1 << (kind + SMALLEST)) < size)
        kind++;
    return kind;
}

static BLOCK *Carve(PARTITION *partition, SIZE_T size)
{
    BLOCK *block;

    if (!partition->regions || partition->used + size > REGION) {
        REGION_HEAD *region = (REGION_HEAD *)Pages(REGION);

        if (!region)
            return NULL;
        region->next = partition->regions;
        partition->regions = region;
        partition->used = (sizeof(REGION_HEAD) + ALIGN - 1) & ~(SIZE_T)(ALIGN - 1);
    }
    block = (BLOCK *)((char *)partition->regions + partition->used);
    partition->used += size;
    return block;
}

static BLOCK *TakeSmall(PARTITION *partition, int kind)
{
    SIZE_T size = (SIZE_T)1 << (kind + SMALLEST);
    BLOCK *block = partition->free[kind];

    if (block)
        partition->free[kind] = block->next;
    else
        block = Carve(partition, size);
    if (block) {
        ZeroMemory(block, size);
        block->size = size;
    }
    return block;
}

static BLOCK *TakeLarge(PARTITION *partition, SIZE_T size)
{
    BLOCK *block;
    SIZE_T at;

    size = (size + PAGE - 1) & ~(SIZE_T)(PAGE - 1);
    block = (BLOCK *)Pages(size);
    if (!block)
        return NULL;
    for (at = 0; at < size; at += PAGE)
        ((volatile char *)block)[at] = 0;
    block->size = size;
    block->next = partition->large;
    if (block->next)
        block->next->previous = block;
    partition->large = block;
    return block;
}

/* The pair is held, at the end of a window. A level with no more partitions than the last helps
 * nobody. */
static VOID LookBack(SOS_MEMORY_OBJECT *memory, PARTITION *partition)
{
    LONG collisions = partition->pair.collisions - partition->collisionsBefore;
    int level = partition->level, next = level + 1;

    partition->collisionsBefore = partition->pair.collisions;
    while (next < SOS_MEMORY_DYNAMIC && PartitionsOf(next) == PartitionsOf(level))
        next++;
    if (collisions >= TOO_MANY && next < SOS_MEMORY_DYNAMIC)
        InterlockedCompareExchange(&memory->level, next, level);
}

PVOID SosMemoryAllocate(SOS_MEMORY_OBJECT *memory, SIZE_T bytes)
{
    PARTITION *partition = PartitionOf(memory, SosCurrentScheduler());
    SIZE_T size = bytes + sizeof(BLOCK);
    int kind;
    BLOCK *block;

    if (size < bytes || size > (SIZE_T)-1 - PAGE)
        return NULL;
    kind = ClassOf(size);
    SosPairAcquire(&partition->pair, SOS_PAIR_BOTH);
    block = kind < CLASSES ? TakeSmall(partition, kind) : TakeLarge(partition, size);
    if (block) {
        block->partition = partition;
        partition->allocations++;
        partition->bytes += (LONGLONG)block->size;
        if (memory->dynamic && partition->allocations % WINDOW == 0)
            LookBack(memory, partition);
    }
    SosPairRelease(&partition->pair, SOS_PAIR_BOTH);
    return block ? block + 1 : NULL;
}

static VOID GiveLarge(PARTITION *partition, BLOCK *block)
{
    if (block->previous)
        block->previous->next = block->next;
    else
        partition->large = block->next;
    if (block->next)
        block->next->previous = block->previous;
    VirtualFree(block, 0, MEM_RELEASE);
}

VOID SosMemoryFree(PVOID memory)
{
    BLOCK *block;
    PARTITION *partition;
    int kind;

    if (!memory)
        return;
    block = (BLOCK *)memory - 1;
    partition = block->partition;
    kind = ClassOf(block->size);
    SosPairAcquire(&partition->pair, SOS_PAIR_BOTH);
    partition->frees++;
    partition->bytes -= (LONGLONG)block->size;
    if (kind < CLASSES) {
        block->next = partition->free[kind];
        partition->free[kind] = block;
    } else {
        GiveLarge(partition, block);
    }
    SosPairRelease(&partition->pair, SOS_PAIR_BOTH);
}

VOID SosMemoryReport(SOS_MEMORY_OBJECT *memory, SOS_MEMORY_REPORT *report)
{
    int i;

    ZeroMemory(report, sizeof(*report));
    report->level = (SOS_PARTITIONING)memory->level;
    report->partitions = PartitionsOf(memory->level);
    for (i = 0; i < memory->count; i++) {
        PARTITION *partition = &memory->partitions[i];

        SosPairAcquire(&partition->pair, SOS_PAIR_SECOND);
        report->allocations += partition->allocations;
        report->frees += partition->frees;
        report->bytes += partition->bytes;
        SosPairRelease(&partition->pair, SOS_PAIR_SECOND);
        report->collisions += partition->pair.collisions;
        report->spins += partition->pair.spins;
        report->sleeps += partition->pair.sleeps;
    }
}
