/* SPDX-License-Identifier: MIT
 *
 * processor_information.c - GetLogicalProcessorInformation and its Ex: the topology as Windows
 * writes it down.
 *
 * Both write one entry after the other into the caller's buffer. Entries that do not fit are only
 * counted.
 */
#include <stddef.h>
#include <string.h>

#include "winapi/linux/groups.h"
#include "winapi/linux/topology.h"

struct writer {
    char *buffer;
    size_t room, bytes;
};

/* The place of the next entry, zeroed; NULL: no room. */
static void *next_entry(struct writer *writer, size_t bytes)
{
    size_t at = writer->bytes;
    writer->bytes += bytes;
    if (!writer->buffer || writer->bytes > writer->room)
        return NULL;
    return memset(writer->buffer + at, 0, bytes);
}

static BOOL finish(const struct writer *writer, PDWORD length)
{
    *length = (DWORD)writer->bytes;
    return writer->bytes <= writer->room && writer->buffer ? TRUE
                                                           : win__fail(ERROR_INSUFFICIENT_BUFFER);
}

static PROCESSOR_CACHE_TYPE type_of(const struct relation *cache)
{
    static const PROCESSOR_CACHE_TYPE types[] = {CacheUnified, CacheInstruction, CacheData};
    return types[cache->cache.kind];
}

/* ---- One group ----------------------------------------------------------------------------- */

static void describe(SYSTEM_LOGICAL_PROCESSOR_INFORMATION *entry, const struct relation *relation)
{
    switch (relation->what) {
    case SHARED_CORE:
        entry->Relationship = RelationProcessorCore;
        entry->ProcessorCore.Flags = CPU_COUNT(&relation->members) > 1;
        break;
    case SHARED_NODE:
        entry->Relationship = RelationNumaNode;
        entry->NumaNode.NodeNumber = relation->number;
        break;
    case SHARED_CACHE:
        entry->Relationship = RelationCache;
        entry->Cache =
            (CACHE_DESCRIPTOR){relation->cache.level, relation->cache.ways, relation->cache.line,
                               relation->cache.bytes, type_of(relation)};
        break;
    default:
        entry->Relationship = RelationProcessorPackage;
    }
}

BOOL WINAPI GetLogicalProcessorInformation(PSYSTEM_LOGICAL_PROCESSOR_INFORMATION Buffer,
                                           PDWORD ReturnedLength)
{
    const struct topology *topology = win__topology();
    if (!ReturnedLength)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (!topology)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    struct writer writer = {(char *)Buffer, *ReturnedLength, 0};
    WORD group = win__current_group();
    for (unsigned i = 0; i < topology->count; i++) {
        const struct relation *relation = &topology->relations[i];
        KAFFINITY mask = win__group_mask(&relation->members, group);
        if (relation->what == SHARED_DIE || !mask)
            continue;
        SYSTEM_LOGICAL_PROCESSOR_INFORMATION *entry = next_entry(&writer, sizeof *entry);
        if (!entry)
            continue;
        entry->ProcessorMask = mask;
        describe(entry, relation);
    }
    return finish(&writer, ReturnedLength);
}

/* ---- All groups ---------------------------------------------------------------------------- */

typedef SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX ENTRY;

static void *next_ex(struct writer *writer, LOGICAL_PROCESSOR_RELATIONSHIP what, size_t bytes)
{
    ENTRY *entry = next_entry(writer, bytes);
    if (entry) {
        entry->Relationship = what;
        entry->Size = (DWORD)bytes;
    }
    return entry;
}

/* Writes one entry for a core, package or die, with a mask for each of its groups. */
static void write_processors(struct writer *writer, const struct relation *relation,
                             LOGICAL_PROCESSOR_RELATIONSHIP what)
{
    WORD groups = 0, count = win__group_count();
    for (WORD group = 0; group < count; group++)
        groups += win__group_mask(&relation->members, group) != 0;
    ENTRY *entry = next_ex(writer, what,
                           offsetof(ENTRY, Processor.GroupMask) + groups * sizeof(GROUP_AFFINITY));
    if (!entry)
        return;
    bool core = relation->what == SHARED_CORE;
    entry->Processor.Flags = core && CPU_COUNT(&relation->members) > 1 ? LTP_PC_SMT : 0;
    entry->Processor.EfficiencyClass = core ? relation->class : 0;
    for (WORD group = 0; group < count; group++) {
        KAFFINITY mask = win__group_mask(&relation->members, group);
        if (mask)
            entry->Processor.GroupMask[entry->Processor.GroupCount++] =
                (GROUP_AFFINITY){.Mask = mask, .Group = group};
    }
}

/* Writes a node, with the group that has most of its processors. */
static void write_node(struct writer *writer, const struct relation *relation)
{
    ENTRY *entry = next_ex(writer, RelationNumaNode,
                           offsetof(ENTRY, NumaNode) + sizeof(NUMA_NODE_RELATIONSHIP));
    if (!entry)
        return;
    entry->NumaNode.NodeNumber = relation->number;
    entry->NumaNode.GroupMask = win__main_group(&relation->members);
}

static void write_cache(struct writer *writer, const struct relation *relation)
{
    for (WORD group = 0; group < win__group_count(); group++) {
        KAFFINITY mask = win__group_mask(&relation->members, group);
        ENTRY *entry = mask ? next_ex(writer, RelationCache,
                                      offsetof(ENTRY, Cache) + sizeof(CACHE_RELATIONSHIP))
                            : NULL;
        if (!entry)
            continue;
        entry->Cache.Level = relation->cache.level;
        entry->Cache.Associativity = relation->cache.ways;
        entry->Cache.LineSize = relation->cache.line;
        entry->Cache.CacheSize = relation->cache.bytes;
        entry->Cache.Type = type_of(relation);
        entry->Cache.GroupMask = (GROUP_AFFINITY){.Mask = mask, .Group = group};
    }
}

static void write_groups(struct writer *writer, const struct topology *topology)
{
    WORD count = win__group_count();
    ENTRY *entry = next_ex(writer, RelationGroup,
                           offsetof(ENTRY, Group.GroupInfo) + count * sizeof(PROCESSOR_GROUP_INFO));
    if (!entry)
        return;
    entry->Group.MaximumGroupCount = entry->Group.ActiveGroupCount = count;
    for (WORD group = 0; group < count; group++) {
        KAFFINITY mask = win__group_mask(&topology->online, group);
        entry->Group.GroupInfo[group].ActiveProcessorMask = mask;
        entry->Group.GroupInfo[group].ActiveProcessorCount = (BYTE)__builtin_popcountl(mask);
        entry->Group.GroupInfo[group].MaximumProcessorCount = (BYTE)GetMaximumProcessorCount(group);
    }
}

static void write_relation(struct writer *writer, const struct relation *relation)
{
    switch (relation->what) {
    case SHARED_CORE:
        write_processors(writer, relation, RelationProcessorCore);
        break;
    case SHARED_PACKAGE:
        write_processors(writer, relation, RelationProcessorPackage);
        break;
    case SHARED_DIE:
        write_processors(writer, relation, RelationProcessorDie);
        break;
    case SHARED_NODE:
        write_node(writer, relation);
        break;
    default:
        write_cache(writer, relation);
    }
}

/* RelationAll leaves out dies, which are newer than the programs that use it. */
static bool wanted(enum shared what, LOGICAL_PROCESSOR_RELATIONSHIP relationship)
{
    static const LOGICAL_PROCESSOR_RELATIONSHIP names[] = {
        [SHARED_CORE] = RelationProcessorCore, [SHARED_PACKAGE] = RelationProcessorPackage,
        [SHARED_DIE] = RelationProcessorDie,   [SHARED_CACHE] = RelationCache,
        [SHARED_NODE] = RelationNumaNode,
    };
    return names[what] == relationship || (relationship == RelationAll && what != SHARED_DIE);
}

BOOL WINAPI GetLogicalProcessorInformationEx(LOGICAL_PROCESSOR_RELATIONSHIP RelationshipType,
                                             PSYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX Buffer,
                                             PDWORD ReturnedLength)
{
    const struct topology *topology = win__topology();
    bool known = RelationshipType == RelationAll ||
                 (unsigned)RelationshipType <= (unsigned)RelationProcessorDie;
    if (!ReturnedLength || !known)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (!topology)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    struct writer writer = {(char *)Buffer, *ReturnedLength, 0};
    for (unsigned i = 0; i < topology->count; i++)
        if (wanted(topology->relations[i].what, RelationshipType))
            write_relation(&writer, &topology->relations[i]);
    if (RelationshipType == RelationGroup || RelationshipType == RelationAll)
        write_groups(&writer, topology);
    return finish(&writer, ReturnedLength);
}
