/* SPDX-License-Identifier: MIT
 *
 * pointer_coding.c - EncodePointer and DecodePointer: an attacker who can write an encoded pointer
 * cannot choose its target.
 *
 * The first call makes the process's secret, and a child of fork has the same. The system's secret
 * is a hash of the kernel's boot_id, so all processes have the same until the machine boots again.
 */
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include "winapi/linux/surface.h"

/* A secret is never 0, which means that there is none yet. */
static uintptr_t keep(_Atomic uintptr_t *place, uintptr_t made)
{
    uintptr_t none = 0;
    made |= 1;
    return atomic_compare_exchange_strong(place, &none, made) ? made : none;
}

static uintptr_t own_secret(void)
{
    static _Atomic uintptr_t secret;
    uintptr_t made = secret;
    if (made)
        return made;
    if (getrandom(&made, sizeof made, GRND_NONBLOCK) != sizeof made)
        made = (uintptr_t)plat_now() * 0x9E3779B97F4A7C15u ^ (uintptr_t)&made;
    return keep(&secret, made);
}

static uintptr_t system_secret(void)
{
    static _Atomic uintptr_t secret;
    uintptr_t made = secret;
    if (made)
        return made;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    char text[64];
    ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    made = 0xCBF29CE484222325u; /* the hash FNV-1a, of 64 bits */
    for (ssize_t i = 0; i < length; i++)
        made = (made ^ (unsigned char)text[i]) * 0x100000001B3u;
    return keep(&secret, made);
}

static void *encode(void *pointer, uintptr_t secret)
{
    unsigned turn = secret >> 1 & 63;
    uintptr_t mixed = (uintptr_t)pointer ^ secret;
    return (void *)(mixed >> turn | mixed << (64 - turn) % 64);
}

static void *decode(void *pointer, uintptr_t secret)
{
    unsigned turn = secret >> 1 & 63;
    uintptr_t mixed = (uintptr_t)pointer;
    return (void *)((mixed << turn | mixed >> (64 - turn) % 64) ^ secret);
}

PVOID WINAPI EncodePointer(PVOID Ptr)
{
    return encode(Ptr, own_secret());
}

PVOID WINAPI DecodePointer(PVOID Ptr)
{
    return decode(Ptr, own_secret());
}

PVOID WINAPI EncodeSystemPointer(PVOID Ptr)
{
    return encode(Ptr, system_secret());
}

PVOID WINAPI DecodeSystemPointer(PVOID Ptr)
{
    return decode(Ptr, system_secret());
}
