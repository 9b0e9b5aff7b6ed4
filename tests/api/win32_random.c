/* SPDX-License-Identifier: MIT
 *
 * win32_random.c - random numbers by each of their names, and identifiers.
 *
 * modes: win32
 * libraries: bcrypt, rpcrt4
 * except: identifiers
 */
#include <windows.h>

#include <bcrypt.h>
#include <ntsecapi.h>
#include <rpc.h>
#include <wincrypt.h>

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

enum { BYTES = 32 };

/* Whether the call has written: 32 random bytes are all 0 once in 2^256 times. */
static int written(const unsigned char *bytes)
{
    static const unsigned char none[BYTES];

    return memcmp(bytes, none, BYTES) != 0;
}

TEST_IN_EACH_KIND(Win32Random, numbers)
{
    unsigned char first[BYTES] = {0};
    unsigned char second[BYTES] = {0};
    HCRYPTPROV provider = 0;

    EXPECT_OK(RtlGenRandom(first, BYTES));
    EXPECT_OK(written(first));
    EXPECT_EQ(BCryptGenRandom(NULL, second, BYTES, BCRYPT_USE_SYSTEM_PREFERRED_RNG), 0);
    EXPECT_OK(written(second));
    EXPECT_NE(memcmp(first, second, BYTES), 0);
    EXPECT_NE(BCryptGenRandom(NULL, second, BYTES, 0), 0);
    ASSERT_OK(CryptAcquireContextA(&provider, NULL, NULL, PROV_RSA_FULL, CRYPT_VERIFYCONTEXT));
    memset(first, 0, BYTES);
    EXPECT_OK(CryptGenRandom(provider, BYTES, first));
    EXPECT_OK(written(first));
    EXPECT_OK(CryptReleaseContext(provider, 0));
    EXPECT_FAILS(CryptGenRandom(0, BYTES, first), ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32Random, identifiers)
{
    UUID first;
    UUID second;
    unsigned char *text = NULL;

    EXPECT_EQ(UuidCreate(&first), RPC_S_OK);
    EXPECT_EQ(UuidCreate(&second), RPC_S_OK);
    EXPECT_NE(memcmp(&first, &second, sizeof first), 0);
    EXPECT_EQ(first.Data3 >> 12, 4);
    EXPECT_EQ(first.Data4[0] >> 6, 2);
    first = (UUID){0x12345678, 0x9ABC, 0x4DEF, {0x80, 1, 2, 3, 4, 5, 6, 0xFF}};
    EXPECT_EQ(UuidToStringA(&first, &text), RPC_S_OK);
    EXPECT_STREQ((char *)text, "12345678-9abc-4def-8001-0203040506ff");
    EXPECT_EQ(RpcStringFreeA(&text), RPC_S_OK);
    EXPECT_EQ(text, NULL);
}
