/* SPDX-License-Identifier: MIT
 *
 * run_spellings.c - Microsoft's keywords with one underscore mean what they mean with two, before
 * <windows.h>, after it, and without it (-DWITHOUT); FORCEINLINE may stand after static; memory
 * from _malloca lies where it should.
 */
_declspec(thread) int BeforeHeaders = 1;
extern _declspec(noinline) int _cdecl Twice(_int32 Value);

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef WITHOUT
#include <windows.h>
#if _WIN64 != 1 || !defined(_AMD64_) || !_M_X64 || !_M_AMD64
#error "the processor is another than with the SDK"
#endif
#endif

#include "run_check.h"

/* ---- Storage of a thread --------------------------------------------------------------------- */

static _declspec(thread) int AfterHeaders = 1;
_declspec(thread) static int WordsTurned = 1;

static void *Change(void *Addresses)
{
    int **Others = (int **)Addresses;
    int Same = Others[0] == &BeforeHeaders || Others[1] == &AfterHeaders ||
               Others[2] == &WordsTurned || BeforeHeaders + AfterHeaders + WordsTurned != 3;

    BeforeHeaders = AfterHeaders = WordsTurned = 7;
    return Same ? Addresses : NULL;
}

static void ThreadStorage(void)
{
    int *Mine[] = {&BeforeHeaders, &AfterHeaders, &WordsTurned};
    void *Result = Mine;
    pthread_t Thread;

    CHECK(pthread_create(&Thread, NULL, Change, Mine) == 0);
    CHECK(pthread_join(Thread, &Result) == 0 && Result == NULL);
    CHECK(BeforeHeaders == 1 && AfterHeaders == 1 && WordsTurned == 1);
}

/* ---- Declarations ---------------------------------------------------------------------------- */

struct _declspec(align(64)) BEFORE_TAG {
    char Byte;
};

typedef struct _declspec(align(32)) ALIGNED {
    _int8 Byte;
    unsigned _int64 Wide;
} ALIGNED;

_declspec(selectany) int Anywhere = 3;
_declspec(dllexport) int _stdcall Exported(void);
_declspec(dllexport) int _stdcall Exported(void)
{
    return Anywhere;
}

int _cdecl Twice(_int32 Value)
{
    return 2 * Value;
}

_declspec(noreturn) void Never(void);

static _inline int _fastcall Inlined(int *_restrict Left, const int *_unaligned Right)
{
    return *Left + *Right;
}

static _forceinline int Forced(_w64 int Value)
{
    return Value + 1;
}

#ifndef WITHOUT
static FORCEINLINE LONG ForcedToo(LONG Value)
{
    return Value + 1;
}

static __forceinline LONG AndThis(LONG Value)
{
    return Value + 1;
}

FORCEINLINE LONG Alone(LONG Value)
{
    return Value + 1;
}
#endif

#ifndef _WIN32 /* its compiler has no such convention, and says so */
static int _vectorcall Vector(int Value)
{
    return Value;
}
#else
#define Vector(value) (value)
#endif

static int Known(int Value)
{
    _assume(Value > 0);
    return Value > 0;
}

static void Declarations(void)
{
    int(_cdecl * Pointer)(_int32) = Twice;
    int(_stdcall * Other)(void) = Exported;
    char *_ptr64 Wide = NULL;
    int Two = 2, Three = 3;

    CHECK(sizeof(_int8) == 1 && sizeof(_int16) == 2 && sizeof(_int32) == 4 && sizeof(_int64) == 8);
    CHECK(_alignof(ALIGNED) == 32 && _alignof(struct BEFORE_TAG) == 64 && _alignof(_int64) == 8);
    CHECK(Pointer(4) == 8 && Other() == 3 && Inlined(&Two, &Three) == 5 && Forced(1) == 2);
    CHECK(Vector(5) == 5 && Known(1) && Wide == NULL);
#ifndef WITHOUT
    CHECK(ForcedToo(1) == 2 && AndThis(1) == 2 && Alone(1) == 2);
#endif
}

#ifdef __cplusplus
class _single_inheritance Forward;
class _declspec(novtable) Forward {
public:
    virtual ~Forward() {}
};
#endif

/* ---- Memory on the stack, or not ------------------------------------------------------------- */

static int OnStack(const void *Block)
{
    char Here;
    uintptr_t Away = (uintptr_t)Block - (uintptr_t)&Here;

    return Away < 65536 || 0 - Away < 65536;
}

static void Stack(void)
{
    static const size_t Sizes[] = {0, 1, 100, 1000, 1008, 1009, 5000, 200000};
    char *Block, *Plain = (char *)_alloca(10);
    void *volatile TooLarge = _malloca((size_t)-1);
    size_t i;

    memset(Plain, 1, 10);
    CHECK(OnStack(Plain));
    for (i = 0; i < sizeof(Sizes) / sizeof(Sizes[0]); i++) {
        Block = (char *)_malloca(Sizes[i]);
        CHECK(Block != NULL && (uintptr_t)Block % 16 == 0);
        if (Block == NULL)
            return;
        memset(Block, 0xAB, Sizes[i]);
        CHECK(OnStack(Block) == (Sizes[i] + 16 <= 1024));
        _freea(Block);
    }
    CHECK(TooLarge == NULL);
    TooLarge = _malloca((size_t)-1 - 16);
    CHECK(TooLarge == NULL);
    _freea(NULL);
    for (i = 0; i < 100000; i++) /* 6 GB, if it were not freed */
        if ((Block = (char *)_malloca(60000)) != NULL) {
            Block[0] = Block[59999] = 1;
            _freea(Block);
        }
    CHECK(Block != NULL);
}

int main(void)
{
    ThreadStorage();
    Declarations();
    Stack();
    return failures;
}
