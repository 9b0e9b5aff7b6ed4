/* SPDX-License-Identifier: MIT
 *
 * attributes.c - attribute lists: any order of calls, counts, sizes and attributes, in memory that
 * is no larger than the program says.
 */
#include <errno.h>

#include "fuzz.h"
#include "winapi/linux/attribute_list.c"

enum { SLOTS = 4, HEAD_BYTES = 24, ATTRIBUTE_BYTES = 24, MOST_ATTRIBUTES = 32 };

static struct place {
    LPPROC_THREAD_ATTRIBUTE_LIST list;
    DWORD room; /* attributes that it can have; 0: it was not made */
    DWORD count;
    BOOL made;
} places[SLOTS];

/* A value of the program's, which is there or is not. */
static UMS_CREATE_THREAD_ATTRIBUTES values[SLOTS];

int copy_in(void *to, const void *from, size_t bytes)
{
    uintptr_t begin = (uintptr_t)values, at = (uintptr_t)from;

    if (at < begin || at > begin + sizeof values || bytes > begin + sizeof values - at)
        return -EFAULT;
    memcpy(to, from, bytes);
    return 0;
}

static void initialize(struct place *place, struct input *input)
{
    DWORD count = (DWORD)take(input, 1), flags = take(input, 1) == 0xff;
    SIZE_T given = (SIZE_T)take(input, 2), needed = given;
    void *memory = take(input, 1) & 1 ? malloc(given ? given : 1) : NULL;
    BOOL made = InitializeProcThreadAttributeList(memory, count, flags, &needed);

    MUST(made == (memory && count <= MOST_ATTRIBUTES && !flags &&
                  given >= HEAD_BYTES + count * ATTRIBUTE_BYTES));
    MUST(flags || count > MOST_ATTRIBUTES || needed == HEAD_BYTES + count * ATTRIBUTE_BYTES);
    if (!made) {
        free(memory);
        return;
    }
    free(place->list);
    *place = (struct place){memory, count, 0, TRUE};
}

static void update(struct place *place, struct input *input)
{
    DWORD_PTR attribute = (DWORD_PTR)take(input, 4);
    SIZE_T size = (SIZE_T)take(input, 1);
    unsigned which = (unsigned)take(input, 1);
    void *value = which < SLOTS ? &values[which] : (void *)(uintptr_t)which;

    if (which < SLOTS)
        values[which].UmsVersion = take(input, 1) & 1 ? UMS_VERSION : (DWORD)take(input, 1);
    if (!place->made)
        return;
    if (UpdateProcThreadAttribute(place->list, 0, attribute, value, size, NULL, NULL))
        MUST(++place->count <= place->room);
}

static void ask(struct place *place)
{
    UMS_CREATE_THREAD_ATTRIBUTES attributes;

    if (place->made && win__ums_attribute(place->list, &attributes))
        MUST(place->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, data + size};

    memset(values, 0, sizeof values);
    while (left(&input)) {
        unsigned what = (unsigned)take(&input, 1);
        struct place *place = &places[what / 4 % SLOTS];

        if (what % 4 == 0) {
            initialize(place, &input);
        } else if (what % 4 == 3 && place->made) {
            DeleteProcThreadAttributeList(place->list);
            place->count = 0;
        } else {
            update(place, &input);
        }
        ask(place);
    }
    for (int i = 0; i < SLOTS; i++) {
        free(places[i].list);
        places[i] = (struct place){0};
    }
    return 0;
}
