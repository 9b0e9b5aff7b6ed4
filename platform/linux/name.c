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

#include "platform/linux/dispatcher.h"

enum { BUCKETS = 256, LONGEST = 260 };

struct object_name {
    struct object *object;
    struct object_name *next;
    char text[];
};

static struct object_name *buckets[BUCKETS];

static const char *without_prefix(const char *name)
{
    static const char *const prefixes[] = {"Local\\", "Global\\"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return name + strlen(prefixes[i]);
    return name;
}

/* 0, or why there can be no such name. */
static int refusal(const char *text)
{
    if (strchr(text, '\\'))
        return 3; /* ERROR_PATH_NOT_FOUND */
    return strlen(text) > LONGEST ? 206 : 0; /* ERROR_FILENAME_EXCED_RANGE */
}

static struct object_name **bucket_of(const char *text)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return &buckets[hash % BUCKETS];
}

/* Under the lock. No libc call may be made there, so the comparison is our own. */
static struct object *look_up(const char *text)
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

static bool belongs(const struct object *object, enum object_family family)
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

int name_create(const char *text, enum object_family family, struct object *fresh, void **handle)
{
    text = without_prefix(text);
    size_t length = strlen(text);
    int error = refusal(text);
    if (error)
        return error;
    if (!length)
        return handle_create(fresh, handle);
    struct object_name *name = malloc(sizeof *name + length + 1);
    if (!name)
        return 8;
    memcpy(name->text, text, length + 1);
    name->object = fresh;

    plat_lock(&dispatcher_lock);
    struct object *there = look_up(text);
    if (there) {
        error = belongs(there, family) ? handle_insert(there, handle) : 6;
        error = error ? error : 183; /* ERROR_ALREADY_EXISTS */
    } else {
        error = handle_insert(fresh, handle);
    }
    if (!error) {
        struct object_name **bucket = bucket_of(text);
        name->next = *bucket;
        *bucket = fresh->name = name;
    }
    plat_unlock(&dispatcher_lock);
    if (error)
        free(name);
    return error;
}

int name_open(const char *text, enum object_family family, void **handle)
{
    text = without_prefix(text);
    int error = refusal(text);
    if (error)
        return error;
    plat_lock(&dispatcher_lock);
    struct object *there = *text ? look_up(text) : NULL;
    error = !there ? 2 : belongs(there, family) ? handle_insert(there, handle) : 6;
    plat_unlock(&dispatcher_lock);
    return error;
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
