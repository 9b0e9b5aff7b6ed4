/* SPDX-License-Identifier: MIT
 *
 * name.c - names of objects, known within the process.
 *
 * All types share one name space, as on Windows, and case matters. Names behind "Local\" and
 * "Global\" are in it as well: there is no other session. Other prefixes do not exist. A name goes
 * with the last handle of its object.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/layout.h"
#include "platform/linux/dispatch/name.h"

enum { PLACES = 256, LONGEST = 260 };

struct object_name {
    struct object *object;
    struct name_place *place;
    struct object_name *next;
    char text[];
};
LAYOUT_ROW("object_name.text", offsetof(struct object_name, text), LONGEST + 1, LAYOUT_IS_FIELD);

/* Each place has a lock of its own: only names that fall into one place wait for each other. */
static struct name_place {
    _Alignas(64) PLAT_LOCK(NAMES) lock;
    struct object_name *first;
} places[PLACES];

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

struct name_place *name_place(const char *text)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return &places[hash % PLACES];
}

PLAT_LOCK(NAMES) * name_lock(struct name_place *place)
{
    return &place->lock;
}

struct name_place *name_place_of(const struct object *object)
{
    return object->name ? object->name->place : NULL;
}

/* A thread calls nothing of libc's with a lock held, so this compares the texts by itself. */
struct object *name_find(struct name_place *place, const char *text)
{
    for (struct object_name *name = place->first; name; name = name->next) {
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
        return object_is_event(object);
    case FAMILY_SEMAPHORE:
        return object->type == OBJECT_SEMAPHORE || object->type == OBJECT_SHARED_SEMAPHORE;
    case FAMILY_MUTEX:
        return object_is_mutex(object);
    case FAMILY_JOB:
        return object->type == OBJECT_JOB;
    case FAMILY_SECTION:
        return object->type == OBJECT_SECTION;
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

void name_add(struct name_place *place, struct object_name *name)
{
    name->place = place;
    name->next = place->first;
    place->first = name->object->name = name;
}

/* The name's memory is freed with the object. */
void name_remove(struct name_place *place, struct object *object)
{
    struct object_name **link = &place->first;
    while (*link && (*link)->object != object)
        link = &(*link)->next;
    if (*link)
        *link = object->name->next;
}

void names_forget(void)
{
    for (unsigned i = 0; i < PLACES; i++)
        plat_lock_forget(&places[i].lock);
}
