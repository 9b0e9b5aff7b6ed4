/* SPDX-License-Identifier: MIT
 *
 * attribute_list.c - thread attribute lists, above all the one attribute that makes a worker.
 *
 * The attribute keeps the pointer to the program's UMS_CREATE_THREAD_ATTRIBUTES, as some programs
 * change that struct between two creations. Other programs pass a local variable, which is gone
 * when the thread is created. So the list keeps a copy as well, for the case that UMS_VERSION is no
 * longer where the pointer leads. Both fit into the size that Windows asks for: 24 bytes, and 24
 * for each attribute.
 */
#include "winapi/linux/attribute_list.h"

#include "platform/linux/os/copy.h"
#include "winapi/linux/surface.h"

struct slot {
    void *value;
    void *context, *list; /* the copy, for the UMS attribute only */
};

struct _PROC_THREAD_ATTRIBUTE_LIST {
    DWORD present; /* a bit for each attribute's number */
    DWORD capacity, count;
    DWORD ums_slot; /* the UMS attribute's index + 1; 0: none */
    DWORD copy_valid;
    DWORD reserved;
    struct slot slots[];
};
_Static_assert(sizeof(struct _PROC_THREAD_ATTRIBUTE_LIST) == 24 && sizeof(struct slot) == 24,
               "the size programs count on");

BOOL WINAPI InitializeProcThreadAttributeList(LPPROC_THREAD_ATTRIBUTE_LIST lpAttributeList,
                                              DWORD dwAttributeCount, DWORD dwFlags, PSIZE_T lpSize)
{
    if (!lpSize || dwAttributeCount > 32 || dwFlags)
        return win__fail(ERROR_INVALID_PARAMETER);
    SIZE_T needed = sizeof *lpAttributeList + dwAttributeCount * sizeof(struct slot);
    SIZE_T given = *lpSize;
    *lpSize = needed;
    if (!lpAttributeList || given < needed)
        return win__fail(ERROR_INSUFFICIENT_BUFFER);
    memset(lpAttributeList, 0, needed);
    lpAttributeList->capacity = dwAttributeCount;
    return TRUE;
}

/* The size that the value of an attribute must have. 0: any size; -1: an unknown attribute. */
static long value_size(DWORD_PTR attribute)
{
    switch (attribute) {
    case PROC_THREAD_ATTRIBUTE_UMS_THREAD:
        return sizeof(UMS_CREATE_THREAD_ATTRIBUTES);
    case PROC_THREAD_ATTRIBUTE_PARENT_PROCESS:
        return sizeof(HANDLE);
    case PROC_THREAD_ATTRIBUTE_GROUP_AFFINITY:
        return sizeof(GROUP_AFFINITY);
    case PROC_THREAD_ATTRIBUTE_IDEAL_PROCESSOR:
        return sizeof(PROCESSOR_NUMBER);
    case PROC_THREAD_ATTRIBUTE_PREFERRED_NODE:
        return sizeof(WORD);
    case PROC_THREAD_ATTRIBUTE_HANDLE_LIST:
    case PROC_THREAD_ATTRIBUTE_MITIGATION_POLICY:
        return 0;
    default:
        return -1;
    }
}

BOOL WINAPI UpdateProcThreadAttribute(LPPROC_THREAD_ATTRIBUTE_LIST lpAttributeList, DWORD dwFlags,
                                      DWORD_PTR Attribute, PVOID lpValue, SIZE_T cbSize,
                                      PVOID lpPreviousValue, PSIZE_T lpReturnSize)
{
    if (!lpAttributeList || dwFlags || lpPreviousValue || lpReturnSize)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (lpAttributeList->count >= lpAttributeList->capacity)
        return win__fail(ERROR_GEN_FAILURE);
    long size = value_size(Attribute);
    if (size < 0)
        return win__fail(ERROR_NOT_SUPPORTED);
    if (size && (SIZE_T)size != cbSize)
        return win__fail(ERROR_BAD_LENGTH);
    DWORD bit = 1u << (Attribute & 31);
    if (lpAttributeList->present & bit)
        return win__fail(ERROR_OBJECT_NAME_EXISTS);

    struct slot *slot = &lpAttributeList->slots[lpAttributeList->count++];
    lpAttributeList->present |= bit;
    slot->value = lpValue;
    if (Attribute == PROC_THREAD_ATTRIBUTE_UMS_THREAD) {
        UMS_CREATE_THREAD_ATTRIBUTES now;
        lpAttributeList->ums_slot = lpAttributeList->count;
        if (copy_in(&now, lpValue, sizeof now) == 0 && now.UmsVersion == UMS_VERSION) {
            lpAttributeList->copy_valid = 1;
            slot->context = now.UmsContext;
            slot->list = now.UmsCompletionList;
        }
    }
    return TRUE;
}

VOID WINAPI DeleteProcThreadAttributeList(LPPROC_THREAD_ATTRIBUTE_LIST lpAttributeList)
{
    if (lpAttributeList)
        lpAttributeList->ums_slot = lpAttributeList->count = lpAttributeList->present = 0;
}

bool win__ums_attribute(const struct _PROC_THREAD_ATTRIBUTE_LIST *list,
                        UMS_CREATE_THREAD_ATTRIBUTES *attributes)
{
    if (!list || !list->ums_slot)
        return false;
    const struct slot *slot = &list->slots[list->ums_slot - 1];
    if (copy_in(attributes, slot->value, sizeof *attributes))
        attributes->UmsVersion = 0;
    if (attributes->UmsVersion != UMS_VERSION && list->copy_valid) {
        attributes->UmsVersion = UMS_VERSION;
        attributes->UmsContext = slot->context;
        attributes->UmsCompletionList = slot->list;
    }
    return true;
}
