/* SPDX-License-Identifier: MIT
 *
 * decoder.h - Zydis, which decodes instructions.
 *
 * libumsshim opens Zydis when it needs it, and is not linked with it. So a program that makes no
 * UMS call does not load it, and a package made on one Debian works on the next, where Zydis has
 * another name. Its records have one layout for each minor version, so the code checks the version.
 * Zydis only computes, so signal handlers may call it, too.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_DECODER_H
#define UMSSHIM_PLATFORM_LINUX_OS_DECODER_H

#pragma GCC visibility push(default)
#include <Zydis/Zydis.h>
#pragma GCC visibility pop

#include <stdbool.h>

struct decoder {
    ZydisDecoder code; /* of this processor's 64-bit code */
    __typeof__(&ZydisGetVersion) version;
    __typeof__(&ZydisDecoderInit) init;
    __typeof__(&ZydisDecoderDecodeInstruction) one;
    __typeof__(&ZydisRegisterGetLargestEnclosing) enclosing;
    __typeof__(&ZydisDecoderDecodeFull) full;
};

/* NULL: it is not installed. May need the dynamic linker's lock; threads that come at once each
 * open it, and none waits for another. */
const struct decoder *decoder_open(void);
/* NULL: no thread has opened it yet. */
const struct decoder *decoder_opened(void);

#endif
