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
#pragma GCC visibility pop

static struct decoder decoder;
static _Atomic(const struct decoder *) opened;

static bool find_functions(void *library)
{
#define FIND(field, function)                                                                      \
    (decoder.field = (__typeof__(&function))LIBC(dlsym)(library, #function))
    return FIND(version, ZydisGetVersion) && FIND(init, ZydisDecoderInit) &&
           FIND(one, ZydisDecoderDecodeInstruction) &&
           FIND(enclosing, ZydisRegisterGetLargestEnclosing) &&
           FIND(full, ZydisDecoderDecodeFull) && decoder.version() >> 32 == ZYDIS_VERSION >> 32 &&
           ZYAN_SUCCESS(
               decoder.init(&decoder.code, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
#undef FIND
}

const struct decoder *decoder_open(void)
{
    static atomic_flag begun = ATOMIC_FLAG_INIT;
    char name[40];
    if (atomic_flag_test_and_set(&begun))
        return decoder_opened();
    snprintf(name, sizeof name, "libZydis.so.%u.%u", (unsigned)ZYDIS_VERSION_MAJOR(ZYDIS_VERSION),
             (unsigned)ZYDIS_VERSION_MINOR(ZYDIS_VERSION));
    void *library = LIBC(dlopen)(name, RTLD_NOW | RTLD_LOCAL);
    if (library && find_functions(library))
        atomic_store_explicit(&opened, &decoder, memory_order_release);
    else
        dlerror();
    return decoder_opened();
}

const struct decoder *decoder_opened(void)
{
    return atomic_load_explicit(&opened, memory_order_acquire);
}
