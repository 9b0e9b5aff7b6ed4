/* SPDX-License-Identifier: MIT
 *
 * decoder.c - see decoder.h.
 */
#include "platform/linux/os/decoder.h"
#include "platform/linux/os/front_behind.h"

#pragma GCC visibility push(default)
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#pragma GCC visibility pop

static _Atomic(const struct decoder *) opened;

static bool find_functions(void *library, struct decoder *decoder)
{
#define FIND(field, function)                                                                      \
    (decoder->field = (__typeof__(&function))LIBC(dlsym)(library, #function))
    return FIND(version, ZydisGetVersion) && FIND(init, ZydisDecoderInit) &&
           FIND(one, ZydisDecoderDecodeInstruction) &&
           FIND(enclosing, ZydisRegisterGetLargestEnclosing) &&
           FIND(full, ZydisDecoderDecodeFull) && decoder->version() >> 32 == ZYDIS_VERSION >> 32 &&
           ZYAN_SUCCESS(
               decoder->init(&decoder->code, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
#undef FIND
}

/* The first thread to find the functions publishes them. */
static void publish(struct decoder *decoder)
{
    const struct decoder *none = NULL;
    if (!atomic_compare_exchange_strong_explicit(&opened, &none, decoder, memory_order_acq_rel,
                                                 memory_order_acquire))
        free(decoder);
}

const struct decoder *decoder_open(void)
{
    static _Atomic bool tried;
    char name[40];
    if (atomic_load_explicit(&tried, memory_order_acquire))
        return decoder_opened();
    snprintf(name, sizeof name, "libZydis.so.%u.%u", (unsigned)ZYDIS_VERSION_MAJOR(ZYDIS_VERSION),
             (unsigned)ZYDIS_VERSION_MINOR(ZYDIS_VERSION));
    void *library = LIBC(dlopen)(name, RTLD_NOW | RTLD_LOCAL);
    struct decoder *decoder = library ? malloc(sizeof *decoder) : NULL;
    if (decoder && find_functions(library, decoder)) {
        publish(decoder);
    } else {
        free(decoder);
        dlerror();
    }
    atomic_store_explicit(&tried, true, memory_order_release);
    return decoder_opened();
}

const struct decoder *decoder_opened(void)
{
    return atomic_load_explicit(&opened, memory_order_acquire);
}
