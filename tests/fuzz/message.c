/* SPDX-License-Identifier: MIT
 *
 * message.c - FormatMessage: definitions, flags and sizes as a program may have them from anywhere.
 *
 * Each argument is a pointer to text, which serves as a number, too: its lower half is small, for
 * a number may be a width.
 */
#include <sys/mman.h>

#include "fuzz.h"
#include "winapi/linux/surface.h"

enum { ARGUMENTS = 100, TEXT_BYTES = 64, MOST_TEXT = 2048, MOST_UNITS = 4096 };

/* With the address sanitizer memory of the program's lies above 0x10007fff8000. */
static char *texts_at(void)
{
    static char *texts;

    if (!texts) {
        void *wanted = (void *)0x200000000000;

        texts = mmap(wanted, ARGUMENTS * TEXT_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        MUST(texts == wanted);
    }
    return texts;
}

static void fill(struct input *input, DWORD_PTR *arguments)
{
    char *texts = texts_at(), *text = take_text(input, TEXT_BYTES - 4);
    size_t length = strnlen(text, TEXT_BYTES - 4);

    for (int i = 0; i < ARGUMENTS; i++) {
        char *at = texts + (size_t)i * TEXT_BYTES;

        memset(at, 0, TEXT_BYTES);
        memcpy(at, text, i % 4 ? length / (size_t)(i % 4) : length);
        arguments[i] = (DWORD_PTR)at;
    }
    free(text);
}

static void format(bool wide, DWORD flags, DWORD id, DWORD size, const char *definition,
                   DWORD_PTR *arguments)
{
    size_t unit = wide ? sizeof(WCHAR) : 1;
    bool allocates = flags & FORMAT_MESSAGE_ALLOCATE_BUFFER;
    void *buffer = calloc(1, allocates ? sizeof(void *) : size * unit + 1), *text = buffer;
    DWORD length;

    MUST(buffer);
    plat_set_last_error(ERROR_SUCCESS);
    if (wide)
        length = FormatMessageW(flags, (const WCHAR *)(const void *)definition, id, 0, buffer, size,
                                (__ms_va_list *)(void *)arguments);
    else
        length = FormatMessageA(flags, definition, id, 0, buffer, size,
                                (__ms_va_list *)(void *)arguments);
    if (allocates)
        memcpy(&text, buffer, sizeof text);
    MUST(!length || allocates || length < size);
    MUST(length || plat_last_error() != ERROR_NOT_ENOUGH_MEMORY); /* here it never runs out */
    if (length)
        MUST(wide ? !((WCHAR *)text)[length] : !((char *)text)[length]);
    if (text != buffer)
        LocalFree(text);
    free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, data + size};
    DWORD kind = (DWORD)take(&input, 1), width = (DWORD)take(&input, 1);
    DWORD flags = FORMAT_MESSAGE_ARGUMENT_ARRAY | width, id = (DWORD)take(&input, 2);
    DWORD room = (DWORD)(take(&input, 2) % MOST_UNITS);
    DWORD_PTR arguments[ARGUMENTS];
    char *definition;

    fill(&input, arguments);
    definition = take_text(&input, MOST_TEXT);
    flags |= kind & 1 ? FORMAT_MESSAGE_FROM_SYSTEM : FORMAT_MESSAGE_FROM_STRING;
    flags |= kind & 2 ? FORMAT_MESSAGE_IGNORE_INSERTS : 0;
    flags |= kind & 4 ? FORMAT_MESSAGE_ALLOCATE_BUFFER : 0;
    format(false, flags & ~(DWORD)FORMAT_MESSAGE_ALLOCATE_BUFFER, id, room, definition, arguments);
    format(true, flags & ~(DWORD)FORMAT_MESSAGE_ALLOCATE_BUFFER, id, room, definition, arguments);
    if (flags & FORMAT_MESSAGE_ALLOCATE_BUFFER)
        format(kind & 8, flags, id, room, definition, arguments);
    free(definition);
    return 0;
}
