/* SPDX-License-Identifier: MIT
 *
 * groups.c - processor groups, and a thread's affinity by group.
 *
 * On Linux a thread may run on processors of several groups. The calls report the group that has
 * most of them.
 */
#include "winapi/linux/groups.h"

#include <pthread.h>

#include "platform/linux/os/affinity.h"
#include "winapi/linux/processors.h"
#include "winapi/linux/topology.h"

static struct topology machine;
static bool machine_known;

static void find_out(void)
{
    machine_known = topology_read(&machine, "/sys/devices", win__system_set());
}

const struct topology *win__topology(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_out);
    return machine_known ? &machine : NULL;
}

WORD win__group_count(void)
{
    const struct topology *topology = win__topology();
    WORD count = 1;
    for (WORD group = 1; topology && group < CPU_SETSIZE / 64; group++)
        if (win__group_mask(&topology->online, group))
            count = (WORD)(group + 1);
    return count;
}

KAFFINITY win__group_mask(const cpu_set_t *set, WORD group)
{
    KAFFINITY mask = 0;
    for (unsigned bit = 0; bit < 64; bit++)
        if (CPU_ISSET(group * 64u + bit, set))
            mask |= (KAFFINITY)1 << bit;
    return mask;
}

GROUP_AFFINITY win__main_group(const cpu_set_t *set)
{
    GROUP_AFFINITY found = {0};
    for (WORD group = 0; group < CPU_SETSIZE / 64; group++) {
        KAFFINITY mask = win__group_mask(set, group);
        if (__builtin_popcountl(mask) > __builtin_popcountl(found.Mask))
            found = (GROUP_AFFINITY){.Mask = mask, .Group = group};
    }
    return found;
}

static bool affinity_of(struct plat_thread *thread, GROUP_AFFINITY *affinity)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (thread_get_affinity(thread, &set))
        return false;
    *affinity = win__main_group(&set);
    return true;
}

WORD win__current_group(void)
{
    GROUP_AFFINITY affinity;
    struct plat_thread *thread = thread_current();
    return thread && affinity_of(thread, &affinity) ? affinity.Group : 0;
}

BOOL WINAPI GetThreadGroupAffinity(HANDLE hThread, PGROUP_AFFINITY GroupAffinity)
{
    if (!GroupAffinity)
        return win__fail(ERROR_INVALID_PARAMETER);
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return FALSE;
    bool known = affinity_of(thread, GroupAffinity);
    object_drop(&thread->object);
    return known ? TRUE : win__fail(ERROR_INVALID_HANDLE); /* the thread has ended */
}

static bool sensible(const GROUP_AFFINITY *affinity)
{
    const struct topology *topology = win__topology();
    return affinity && topology && affinity->Mask && affinity->Group < win__group_count() &&
           !(affinity->Mask & ~win__group_mask(&topology->online, affinity->Group)) &&
           !affinity->Reserved[0] && !affinity->Reserved[1] && !affinity->Reserved[2];
}

BOOL WINAPI SetThreadGroupAffinity(HANDLE hThread, const GROUP_AFFINITY *GroupAffinity,
                                   PGROUP_AFFINITY PreviousGroupAffinity)
{
    struct plat_thread *thread = win__thread(hThread);
    if (!thread)
        return FALSE;
    DWORD error = ERROR_INVALID_PARAMETER;
    GROUP_AFFINITY before = {0};
    if (sensible(GroupAffinity) && affinity_of(thread, &before)) {
        cpu_set_t set;
        CPU_ZERO(&set);
        for (unsigned bit = 0; bit < 64; bit++)
            if (GroupAffinity->Mask >> bit & 1)
                CPU_SET(GroupAffinity->Group * 64u + bit, &set);
        if (thread_set_affinity(thread, &set) == 0)
            error = ERROR_SUCCESS;
    }
    object_drop(&thread->object);
    if (error)
        return win__fail(error);
    if (PreviousGroupAffinity)
        *PreviousGroupAffinity = before;
    return TRUE;
}

BOOL WINAPI GetProcessGroupAffinity(HANDLE hProcess, PUSHORT GroupCount, PUSHORT GroupArray)
{
    if (hProcess != GetCurrentProcess())
        return win__fail(ERROR_INVALID_HANDLE);
    if (!GroupCount)
        return win__fail(ERROR_INVALID_PARAMETER);
    USHORT room = GroupArray ? *GroupCount : 0, found = 0;
    for (WORD group = 0; group < CPU_SETSIZE / 64; group++) {
        if (!win__group_mask(affinity_of_process(), group))
            continue;
        if (found < room)
            GroupArray[found] = group;
        found++;
    }
    *GroupCount = found;
    return found <= room ? TRUE : win__fail(ERROR_INSUFFICIENT_BUFFER);
}

WORD WINAPI GetActiveProcessorGroupCount(VOID)
{
    return win__group_count();
}

WORD WINAPI GetMaximumProcessorGroupCount(VOID)
{
    return win__group_count();
}
