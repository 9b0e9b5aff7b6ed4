/* SPDX-License-Identifier: MIT
 *
 * plain_objects.h - doubles for a unit whose objects are neither mutexes nor ever freed: a reference
 * is only counted.
 */
#ifndef UMSSHIM_TESTS_UNIT_PLAIN_OBJECTS_H
#define UMSSHIM_TESTS_UNIT_PLAIN_OBJECTS_H

#include "gtest_c.h"
#include "platform/linux/dispatch/object.h"

void object_unref_last(struct object *object)
{
    object->refs--;
}

void object_free(struct object *object)
{
    FAIL("object %p is freed", (void *)object);
}

void mutex_take(struct mutex *mutex, struct plat_thread *owner)
{
    FAIL("no object here is a mutex");
}

#endif
