/* SPDX-License-Identifier: MIT
 *
 * name.c - names of objects, known within the process.
 *
 * One name space for all types, as on Windows, and case matters. "Local\" and "Global\" lead to the
 * same one: there is no other session, and there are no other name spaces. A name goes with the last
 * handle of its object.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/linux/dispatch/name.h"

enum { BUCKETS = 256, LONGEST = 260 };

struct object_name {
    struct object *object;
    struct object_name *next;
    char text[];
};

struct plat_lock names_lock;
static struct object_name *buckets[BUCKETS];

const char *name_without_prefix(const char *name)
{
    static const char *const prefixes[] = {"Local\\", "Global\\"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return name + strlen(prefixes[i]);
    return name;
}

/* 0, or why there can be no such name. */
int name_refusal(const char *text)
{
    if (strchr(text, '\\'))
        return 3;                            /* ERROR_PATH_NOT_FOUND */
    return strlen(text) > LONGEST ? 206 : 0; /* ERROR_FILENAME_EXCED_RANGE */
}

static struct object_name **bucket_of(const char *text)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return &buckets[hash % BUCKETS];
}

/* No libc call may be made under the lock, so the comparison is our own. */
struct object *name_find(const char *text)
{
    for (struct object_name *name = *bucket_of(text); name; name = name->next) {
        const char *a = name->text, *b = text;
        while (*a && *a == *b)
            a++, b++;
        if (*a == *b)
            return name->object;
    }
    return NULL;
}

bool name_belongs(const struct object *object, enum object_family family)
{
    switch (family) {
    case FAMILY_EVENT:
        return object->type == OBJECT_AUTO_EVENT || object->type == OBJECT_MANUAL_EVENT;
    case FAMILY_SEMAPHORE:
        return object->type == OBJECT_SEMAPHORE;
    case FAMILY_MUTEX:
        return object->type == OBJECT_MUTEX;
    default:
        return object->type == OBJECT_AUTO_TIMER || object->type == OBJECT_MANUAL_TIMER;
    }
}

struct object_name *name_make(const char *text, struct object *object)
{
    size_t length = strlen(text);
    struct object_name *name = malloc(sizeof *name + length + 1);
    if (!name)
        return NULL;
    memcpy(name->text, text, length + 1);
    name->object = object;
    return name;
}

void name_add(struct object_name *name)
{
    struct object_name **bucket = bucket_of(name->text);
    name->next = *bucket;
    *bucket = name->object->name = name;
}

/* The name's memory goes with the object's. */
void name_remove(struct object *object)
{
    if (!object->name)
        return;
    struct object_name **link = bucket_of(object->name->text);
    while (*link && (*link)->object != object)
        link = &(*link)->next;
    if (*link)
        *link = object->name->next;
}
