/* SPDX-License-Identifier: MIT
 *
 * ntdll_frames.c - see ntdll_frames.h.
 *
 * This code walks the stack by the unwind data of the modules that can be on the way. The system's
 * own walk takes locks of the kind for which the worker waits here.
 */
#include "platform/windows/os/ntdll_frames.h"

#include <windows.h>

#include "platform/check.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/system_images.h"

enum { MOST_FRAMES = 40 };

/* Functions of ntdll by which programs wait, or other modules wait for them. An exported function
 * that only jumps to another one has no frame: a wait by it is taken for one of ntdll's own. */
static const char *const names[] = {
    "RtlEnterCriticalSection",
    "RtlAcquireSRWLockExclusive",
    "RtlAcquireSRWLockShared",
    "RtlSleepConditionVariableCS",
    "RtlSleepConditionVariableSRW",
    "RtlWaitOnAddress",
    "RtlRunOnceBeginInitialize",
    "RtlRunOnceExecuteOnce",
    "RtlBarrier",
    "RtlBarrierForDelete",
    "RtlAcquireResourceExclusive",
    "RtlAcquireResourceShared",
    "RtlConvertSharedToExclusive",
    "RtlDelayExecution",
    "RtlDeregisterWait",
    "RtlDeregisterWaitEx",
    "RtlDeleteTimer",
    "RtlDeleteTimerQueueEx",
    "TpWaitForWork",
    "TpWaitForTimer",
    "TpWaitForWait",
    "TpWaitForIoCompletion",
    "TpReleaseCleanupGroupMembers",
};
enum { NAMES = sizeof names / sizeof names[0], NTDLL = 0, OURS = 1, KERNELBASE = 2, IMAGES = 3 };

static struct image {
    uintptr_t base, size;
    const RUNTIME_FUNCTION *functions;
    uint32_t count;
} images[IMAGES];
static uint32_t begins[NAMES]; /* offsets of the functions in ntdll; 0: ntdll lacks it */
extern const char __ImageBase[];

static struct image describe(const void *module)
{
    const char *base = module;
    const IMAGE_NT_HEADERS *headers =
        (const void *)(base + ((const IMAGE_DOS_HEADER *)module)->e_lfanew);
    const IMAGE_DATA_DIRECTORY *data =
        &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXCEPTION];
    return (struct image){.base = (uintptr_t)base,
                          .size = headers->OptionalHeader.SizeOfImage,
                          .functions = (const void *)(base + data->VirtualAddress),
                          .count = data->Size / (uint32_t)sizeof(RUNTIME_FUNCTION)};
}

void ntdll_frames_resolve(void)
{
    images[NTDLL] = describe(system_images.ntdll);
    images[OURS] = describe(__ImageBase);
    if (system_images.kernelbase)
        images[KERNELBASE] = describe(system_images.kernelbase);
    for (unsigned i = 0; i < NAMES; i++) {
        void *function = ntapi_find(names[i]);
        begins[i] = function ? (uint32_t)((uintptr_t)function - images[NTDLL].base) : 0;
    }
}

static const struct image *image_of(uintptr_t code)
{
    for (int i = 0; i < IMAGES; i++)
        if (code - images[i].base < images[i].size)
            return &images[i];
    return NULL;
}

static const RUNTIME_FUNCTION *function_at(const struct image *image, uintptr_t code)
{
    uint32_t at = (uint32_t)(code - image->base), low = 0, high = image->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (image->functions[middle].EndAddress <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < image->count && image->functions[low].BeginAddress <= at ? &image->functions[low]
                                                                          : NULL;
}

/* Unwind data, as the x64 ABI documents it. */
struct unwind_info {
    uint8_t version_flags, prologue, codes, frame;
    uint16_t code[];
};
enum { CHAINED = 4 };
enum {
    PUSH,
    ALLOC_LARGE,
    ALLOC_SMALL,
    SET_FRAME,
    SAVE,
    SAVE_FAR,
    EPILOGUE,
    SPARE,
    SAVE_XMM,
    SAVE_XMM_FAR
};

static uintptr_t word_at(uintptr_t address)
{
    return *(const uintptr_t *)address;
}

/* Undoes one prologue. False: it is of a kind that no function on the way has. */
static bool undo(struct ntdll_walk *walk, const struct unwind_info *info)
{
    unsigned frame = info->frame & 15;
    uintptr_t base = frame ? walk->registers[frame] - (info->frame >> 4) * 16 : walk->sp;
    for (unsigned i = 0; i < info->codes; i++) {
        unsigned operation = info->code[i] >> 8 & 15, detail = info->code[i] >> 12;
        const uint16_t *more = &info->code[i + 1];
        switch (operation) {
        case PUSH:
            walk->registers[detail] = word_at(walk->sp);
            walk->sp += 8;
            break;
        case ALLOC_SMALL:
            walk->sp += detail * 8 + 8;
            break;
        case ALLOC_LARGE:
            walk->sp += detail ? more[0] | (uint32_t)more[1] << 16 : more[0] * 8u;
            i += detail ? 2 : 1;
            break;
        case SET_FRAME:
            walk->sp = base;
            break;
        case SAVE:
            walk->registers[detail] = word_at(base + more[0] * 8u);
            i++;
            break;
        case SAVE_FAR:
            walk->registers[detail] = word_at(base + (more[0] | (uint32_t)more[1] << 16));
            i += 2;
            break;
        case EPILOGUE:
        case SAVE_XMM:
            i++;
            break;
        case SPARE:
        case SAVE_XMM_FAR:
            i += 2;
            break;
        default:
            return false;
        }
    }
    return true;
}

/* Goes to the caller's frame. *begin is the offset of the function that it leaves. */
static bool step(struct ntdll_walk *walk, const struct image *image, uint32_t *begin)
{
    const RUNTIME_FUNCTION *function = function_at(image, walk->code - 1);
    *begin = 0;
    while (function) {
        *begin = function->BeginAddress;
        const struct unwind_info *info = (const void *)(image->base + function->UnwindData);
        if (!undo(walk, info))
            return false;
        function = info->version_flags >> 3 & CHAINED
                       ? (const void *)&info->code[(info->codes + 1) & ~1]
                       : NULL;
    }
    walk->code = word_at(walk->sp);
    walk->sp += 8;
    return true;
}

bool ntdll_frames_hold(const void *code)
{
    return (uintptr_t)code - images[NTDLL].base < images[NTDLL].size;
}

static bool is_one(uint32_t begin)
{
    for (unsigned i = 0; i < NAMES; i++)
        if (begin && begins[i] == begin)
            return true;
    return false;
}

/* Walks from this frame to the first one that is neither the library's nor ntdll's. The outermost
 * frame of ntdll on the way decides. */
__attribute__((noinline)) bool ntdll_frames_are_a_programs_wait(void)
{
    struct ntdll_walk walk;
    __asm__ volatile("leaq 0f(%%rip), %%rax\n0:\tmovq %%rax, %0\n\tmovq %%rsp, %1"
                     : "=m"(walk.code), "=m"(walk.sp)
                     :
                     : "rax");
#define KEEP(name, number) __asm__ volatile("movq %%" #name ", %0" : "=m"(walk.registers[number]))
    KEEP(rbx, 3);
    KEEP(rbp, 5);
    KEEP(rsi, 6);
    KEEP(rdi, 7);
    KEEP(r12, 12);
    KEEP(r13, 13);
    KEEP(r14, 14);
    KEEP(r15, 15);
#undef KEEP
    const struct image *image;
    uint32_t begin, outermost = 0;
    bool in_ntdll = false;
    for (int i = 0; i < MOST_FRAMES && (image = image_of(walk.code)) != NULL; i++) {
        if (image == &images[KERNELBASE] || (in_ntdll && image == &images[OURS]))
            break;
        in_ntdll = image == &images[NTDLL];
        if (!step(&walk, image, &begin))
            return false;
        outermost = in_ntdll ? begin : 0;
    }
    return !in_ntdll || is_one(outermost);
}

uintptr_t ntdll_frames_end(struct ntdll_walk *walk)
{
    enum {
        HOME_SPACE = 32
    }; /* above a function's return address: the function may keep its caller's registers there */
    const struct image *image;
    uint32_t begin;
    for (int i = 0; i < MOST_FRAMES && (image = image_of(walk->code)) != NULL; i++)
        if (!step(walk, image, &begin))
            break;
    return walk->sp + HOME_SPACE;
}
