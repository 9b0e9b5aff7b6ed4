/* SPDX-License-Identifier: MIT
 *
 * teb_offsets.c - holds the Windows engine's table of a TEB's contents against Wine's declaration of
 * one. Compiling it is the test.
 *
 * It is here because native programs are built with Wine's headers. MinGW's headers have only a few
 * of the fields (platform/windows/switch/teb.c asserts those).
 */
#include <stddef.h>

#include <windows.h>
#include <winternl.h>

#include "platform/windows/switch/teb.h"

#define AS_DECLARED(type, name, theirs, offset, source, why)                                       \
    _Static_assert(                                                                                \
        offsetof(TEB, theirs) == (offset) && sizeof(((TEB *)0)->theirs) >= sizeof(type), #theirs);
TEB_OWN(AS_DECLARED)
TEB_RARE(AS_DECLARED)
TEB_SWAP(AS_DECLARED)
TEB_KEPT(AS_DECLARED)

_Static_assert(offsetof(TEB, TlsSlots) == TEB_SLOTS, "TlsSlots");
TEB_BITS(AS_DECLARED)
_Static_assert(offsetof(TEB, ActivationContextStackPointer) == TEB_ACTIVATION_POINTER, "pointer");
_Static_assert(offsetof(TEB, ActivationContextStack) == TEB_ACTIVATION &&
                   sizeof(ACTIVATION_CONTEXT_STACK) == sizeof(struct activation_stack) &&
                   offsetof(ACTIVATION_CONTEXT_STACK, FrameListCache) ==
                       offsetof(struct activation_stack, next) &&
                   offsetof(ACTIVATION_CONTEXT_STACK, StackId) ==
                       offsetof(struct activation_stack, id),
               "stack");
_Static_assert(offsetof(PEB, TlsBitmap) == PEB_TLS_BITMAP, "TlsBitmap");
_Static_assert(offsetof(PEB, LoaderLock) == PEB_LOADER_LOCK, "LoaderLock");
