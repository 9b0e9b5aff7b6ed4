/* SPDX-License-Identifier: MIT
 *
 * topology.c - the topology out of folders that look like /sys/devices: two packages with two threads a core,
 * a processor that is offline, a node without processors, an old kernel's names, and nothing at all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gtest_c.h"

#include "winapi/linux/topology.c" /* NOLINT: the unit, and no library around it */

static char root[64];

static void new_root(void)
{
    strcpy(root, "/tmp/topology.XXXXXX");
    EXPECT_THAT(mkdtemp(root), "no folder");
}

static void put(const char *path, const char *text)
{
    char full[256];
    FILE *file;

    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = strchr(full + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(full, 0755);
        *slash = '/';
    }
    file = fopen(full, "w");
    ASSERT_THAT(file, "cannot write %s", full);
    fprintf(file, "%s\n", text);
    fclose(file);
}

static void put_cpu(int cpu, const char *name, const char *text)
{
    char path[128];

    snprintf(path, sizeof path, "system/cpu/cpu%d/%s", cpu, name);
    put(path, text);
}

static void remove_root(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -r %s", root);
    EXPECT_EQ(system(command), 0);
}

static const char *text_of(const cpu_set_t *set)
{
    static char text[256];
    int at = 0;

    text[0] = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && at < 240; cpu++)
        if (CPU_ISSET(cpu, set))
            at += sprintf(text + at, "%s%d", at ? "," : "", cpu);
    return text;
}

static const struct relation *nth(const struct topology *topology, enum shared what, int n)
{
    for (unsigned i = 0; i < topology->count; i++)
        if (topology->relations[i].what == what && n-- == 0)
            return &topology->relations[i];
    return NULL;
}

static const char *members(const struct topology *topology, enum shared what, int n)
{
    const struct relation *relation = nth(topology, what, n);

    return relation ? text_of(&relation->members) : "none";
}

static struct topology read_root(void)
{
    struct topology topology;
    cpu_set_t otherwise;

    parse("0-2", &otherwise);
    EXPECT_OK(topology_read(&topology, root, &otherwise));
    return topology;
}

TEST(Topology, lists)
{
    cpu_set_t set;

    EXPECT_OK(parse("0-3,8,10-11", &set));
    EXPECT_STREQ(text_of(&set), "0,1,2,3,8,10,11");
    EXPECT_OK(parse("5", &set));
    EXPECT_STREQ(text_of(&set), "5");
    EXPECT_EQ(parse("", &set), 0);
    EXPECT_EQ(parse("x", &set), 0);
    EXPECT_EQ(parse("0-", &set), 0);
    EXPECT_EQ(parse("1;2", &set), 0);
    parse("1020-9999", &set);
    EXPECT_EQ(CPU_COUNT(&set), 4);
}

TEST(Topology, nothing_is_there)
{
    struct topology topology;

    new_root();
    topology = read_root();
    EXPECT_STREQ(text_of(&topology.online), "0,1,2");
    EXPECT_STREQ(members(&topology, SHARED_CORE, 0), "0");
    EXPECT_STREQ(members(&topology, SHARED_CORE, 2), "2");
    EXPECT_STREQ(members(&topology, SHARED_CORE, 3), "none");
    EXPECT_STREQ(members(&topology, SHARED_PACKAGE, 0), "0,1,2");
    EXPECT_STREQ(members(&topology, SHARED_CACHE, 0), "none");
    EXPECT_STREQ(members(&topology, SHARED_NODE, 0), "0,1,2");
    EXPECT_EQ(topology.highest_node, 0);
    remove_root();
}

/* Eight processors, of which 5 is offline: package 0 has 0, 1, 4, package 1 has 2, 3, 6, 7; n and n + 4 are one
 * core. Node 2 has memory only. */
TEST(Topology, two_packages)
{
    static const char *cores[] = {"0,4", "1,5", "2,6", "3,7"};
    struct topology topology;
    const struct relation *cache;

    new_root();
    put("system/cpu/online", "0-4,6-7");
    for (int cpu = 0; cpu < 8; cpu++) {
        bool second = cpu % 4 >= 2;
        if (cpu == 5)
            continue;
        put_cpu(cpu, "topology/core_cpus_list", cores[cpu % 4]);
        put_cpu(cpu, "topology/package_cpus_list", second ? "2-3,6-7" : "0-1,4");
        put_cpu(cpu, "topology/die_cpus_list", second ? "2-3,6-7" : "0-1,4");
        put_cpu(cpu, "cache/index0/shared_cpu_list", cores[cpu % 4]);
        put_cpu(cpu, "cache/index0/level", "1");
        put_cpu(cpu, "cache/index0/type", "Data");
        put_cpu(cpu, "cache/index0/size", "48K");
        put_cpu(cpu, "cache/index0/ways_of_associativity", "12");
        put_cpu(cpu, "cache/index0/coherency_line_size", "64");
        put_cpu(cpu, "cache/index1/shared_cpu_list", second ? "2-3,6-7" : "0-1,4");
        put_cpu(cpu, "cache/index1/level", "3");
        put_cpu(cpu, "cache/index1/type", "Unified");
        put_cpu(cpu, "cache/index1/size", "32M");
    }
    put("system/node/online", "0-2");
    put("system/node/node0/cpulist", "0-1,4");
    put("system/node/node1/cpulist", "2-3,6-7");
    put("system/node/node2/cpulist", "");
    put("cpu_atom/cpus", "0-1,4");
    put("cpu_core/cpus", "2-3,6-7");
    topology = read_root();
    EXPECT_STREQ(members(&topology, SHARED_CORE, 0), "0,4");
    EXPECT_STREQ(members(&topology, SHARED_CORE, 1), "1");
    EXPECT_STREQ(members(&topology, SHARED_CORE, 3), "3,7");
    EXPECT_EQ(nth(&topology, SHARED_CORE, 0)->class, 0);
    EXPECT_EQ(nth(&topology, SHARED_CORE, 3)->class, 1);
    EXPECT_STREQ(members(&topology, SHARED_CORE, 4), "none");
    EXPECT_STREQ(members(&topology, SHARED_PACKAGE, 0), "0,1,4");
    EXPECT_STREQ(members(&topology, SHARED_PACKAGE, 1), "2,3,6,7");
    EXPECT_STREQ(members(&topology, SHARED_DIE, 1), "2,3,6,7");
    EXPECT_STREQ(members(&topology, SHARED_NODE, 1), "2,3,6,7");
    EXPECT_STREQ(members(&topology, SHARED_NODE, 2), "");
    EXPECT_EQ(topology.highest_node, 2);
    cache = nth(&topology, SHARED_CACHE, 0);
    EXPECT_STREQ(text_of(&cache->members), "0,4");
    EXPECT_EQ(cache->cache.level, 1);
    EXPECT_EQ(cache->cache.kind, CACHE_DATA);
    EXPECT_EQ(cache->cache.bytes, 48 * 1024);
    EXPECT_EQ(cache->cache.ways, 12);
    EXPECT_EQ(cache->cache.line, 64);
    cache = nth(&topology, SHARED_CACHE, 1);
    EXPECT_STREQ(text_of(&cache->members), "0,1,4");
    EXPECT_EQ(cache->cache.bytes, 32 << 20);
    EXPECT_EQ(cache->cache.kind, CACHE_UNIFIED);
    EXPECT_STREQ(members(&topology, SHARED_CACHE, 4), "2,3,6,7");
    EXPECT_STREQ(members(&topology, SHARED_CACHE, 5), "3,7");
    EXPECT_STREQ(members(&topology, SHARED_CACHE, 6), "none");
    remove_root();
}

/* Before Linux 5.3 the files had other names, and there were no dies. */
TEST(Topology, old_names)
{
    struct topology topology;

    new_root();
    put("system/cpu/online", "0-1");
    for (int cpu = 0; cpu < 2; cpu++) {
        put_cpu(cpu, "topology/thread_siblings_list", "0-1");
        put_cpu(cpu, "topology/core_siblings_list", "0-1");
    }
    topology = read_root();
    EXPECT_STREQ(members(&topology, SHARED_CORE, 0), "0,1");
    EXPECT_STREQ(members(&topology, SHARED_CORE, 1), "none");
    EXPECT_STREQ(members(&topology, SHARED_PACKAGE, 0), "0,1");
    EXPECT_STREQ(members(&topology, SHARED_DIE, 0), "0,1");
    remove_root();
}
