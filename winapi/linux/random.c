/* SPDX-License-Identifier: MIT
 *
 * random.c - Windows' several calls for random numbers, and UuidCreate.
 *
 * All numbers are the kernel's (getrandom). A cryptographic provider can do nothing else here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "winapi/linux/text.h"
#pragma GCC visibility push(default)
#include <bcrypt.h>
#include <rpc.h>
#include <wincrypt.h>
BOOLEAN WINAPI SystemFunction036(PVOID buffer, ULONG bytes);
#pragma GCC visibility pop

static bool fill(void *to, size_t bytes)
{
    char *at = to;
    while (bytes) {
        ssize_t got = getrandom(at, bytes, 0);
        if (got < 0 && errno != EINTR)
            return false;
        if (got > 0) {
            at += got;
            bytes -= (size_t)got;
        }
    }
    return true;
}

/* RtlGenRandom, which is exported by this name. */
BOOLEAN WINAPI SystemFunction036(PVOID buffer, ULONG bytes)
{
    return fill(buffer, bytes);
}

NTSTATUS WINAPI BCryptGenRandom(BCRYPT_ALG_HANDLE hAlgorithm, UCHAR *pbBuffer, ULONG cbBuffer,
                                ULONG dwFlags)
{
    enum { FROM_SYSTEM = 2, WITH_ENTROPY = 1 };
    if (!pbBuffer || dwFlags & ~(ULONG)(FROM_SYSTEM | WITH_ENTROPY))
        return (NTSTATUS)0xC000000D; /* STATUS_INVALID_PARAMETER */
    if (hAlgorithm || !(dwFlags & FROM_SYSTEM))
        return (NTSTATUS)0xC0000008; /* STATUS_INVALID_HANDLE: no algorithm can be opened */
    return fill(pbBuffer, cbBuffer) ? 0 : (NTSTATUS)0xC0000001;
}

/* ---- CryptoAPI: a provider, which gives nothing but random numbers --------------------------- */

enum { PROVIDER = 0x52474E };

struct provider {
    uint32_t mark;
};

static BOOL acquire(HCRYPTPROV *provider, bool names_container, DWORD flags)
{
    if (!provider)
        return win__fail(ERROR_INVALID_PARAMETER);
    /* Keys are not kept anywhere, so a key container can be neither made nor opened. */
    if (names_container && !(flags & CRYPT_VERIFYCONTEXT))
        return win__fail((DWORD)NTE_BAD_KEYSET);
    struct provider *made = malloc(sizeof *made);
    if (!made)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    made->mark = PROVIDER;
    *provider = (HCRYPTPROV)made;
    return TRUE;
}

BOOL WINAPI CryptAcquireContextA(HCRYPTPROV *phProv, LPCSTR szContainer, LPCSTR szProvider,
                                 DWORD dwProvType, DWORD dwFlags)
{
    (void)szProvider, (void)dwProvType;
    return acquire(phProv, szContainer != NULL, dwFlags);
}

BOOL WINAPI CryptAcquireContextW(HCRYPTPROV *phProv, LPCWSTR szContainer, LPCWSTR szProvider,
                                 DWORD dwProvType, DWORD dwFlags)
{
    (void)szProvider, (void)dwProvType;
    return acquire(phProv, szContainer != NULL, dwFlags);
}

static struct provider *provider_of(HCRYPTPROV handle)
{
    struct provider *provider = (struct provider *)handle;
    if (provider && provider->mark == PROVIDER)
        return provider;
    win__fail(ERROR_INVALID_PARAMETER);
    return NULL;
}

BOOL WINAPI CryptGenRandom(HCRYPTPROV hProv, DWORD dwLen, BYTE *pbBuffer)
{
    if (!provider_of(hProv))
        return FALSE;
    return fill(pbBuffer, dwLen) ? TRUE : win__fail((DWORD)NTE_FAIL);
}

BOOL WINAPI CryptReleaseContext(HCRYPTPROV hProv, DWORD dwFlags)
{
    struct provider *provider = provider_of(hProv);
    if (!provider)
        return FALSE;
    if (dwFlags)
        return win__fail((DWORD)NTE_BAD_FLAGS);
    __atomic_store_n(&provider->mark, 0, __ATOMIC_RELAXED); /* shows a second release */
    free(provider);
    return TRUE;
}

/* ---- Identifiers: version 4 of RFC 4122 ------------------------------------------------------ */

RPC_STATUS WINAPI UuidCreate(UUID *Uuid)
{
    if (!fill(Uuid, sizeof *Uuid))
        return RPC_S_UUID_NO_ADDRESS;
    Uuid->Data3 = (unsigned short)((Uuid->Data3 & 0x0FFF) | 0x4000);
    Uuid->Data4[0] = (unsigned char)((Uuid->Data4[0] & 0x3F) | 0x80);
    return RPC_S_OK;
}

RPC_STATUS WINAPI UuidToStringA(UUID *Uuid, unsigned char **StringUuid)
{
    char *text = NULL;
    const unsigned char *rest = Uuid->Data4;
    if (asprintf(&text, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", (unsigned)Uuid->Data1,
                 Uuid->Data2, Uuid->Data3, rest[0], rest[1], rest[2], rest[3], rest[4], rest[5],
                 rest[6], rest[7]) < 0)
        return RPC_S_OUT_OF_MEMORY;
    *StringUuid = (unsigned char *)text;
    return RPC_S_OK;
}

RPC_STATUS WINAPI RpcStringFreeA(unsigned char **String)
{
    free(*String);
    *String = NULL;
    return RPC_S_OK;
}
