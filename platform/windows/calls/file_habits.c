/* SPDX-License-Identifier: MIT
 *
 * file_habits.c - see file_habits.h.
 */
#include "platform/windows/calls/file_habits.h"

#include "platform/windows/os/ntapi.h"
#include "platform/windows/waits/handle_info.h"

enum { FILE_MODE_CLASS = 16, SYNCHRONOUS = 0x10 | 0x20 };
enum { DEVICE_CLASS = 4, REMOTE_DEVICE = 0x10 };
enum { DEVICE_DISK = 7, DEVICE_DISK_FILE_SYSTEM = 8, DEVICE_NULL = 0x15 };

enum { HANDLES = 512, MOST_LAPSES = 6, FIRST_SHORTS = 2 };
/* A call that takes no more than a moment is short. The engine measures the moment, within these
 * bounds, since it may measure too much on a busy machine. */
enum { LEAST_MOMENT_NS = 100000, MOST_MOMENT_NS = 2000000, LONG_NS = 250000000 };

static struct file_habit habits[FILE_OPERATIONS][HANDLES];
static uint64_t moment_ns = LEAST_MOMENT_NS;

/* A worker that gives its scheduler away and comes back costs two signals of an event, the list's
 * and its own, each with the end of a wait. A moment is twice that. */
void file_habits_start(void)
{
    enum { TIMES = 16, REPORTS = 4 };
    HANDLE event = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (!event)
        return;
    uint64_t began = plat_now();
    for (int i = 0; i < TIMES; i++) {
        SetEvent(event);
        WaitForSingleObject(event, 0);
    }
    uint64_t ns = (plat_now() - began) / TIMES * REPORTS;
    CloseHandle(event);
    moment_ns = ns < LEAST_MOMENT_NS ? LEAST_MOMENT_NS : ns > MOST_MOMENT_NS ? MOST_MOMENT_NS : ns;
}

static enum file_kind by_device(HANDLE file)
{
    IO_STATUS_BLOCK iosb;
    struct {
        ULONG type, characteristics;
    } device;
    if (!nt.NtQueryVolumeInformationFile ||
        nt.NtQueryVolumeInformationFile(file, &iosb, &device, sizeof device, DEVICE_CLASS) < 0)
        return KIND_UNKNOWN;
    if (device.type == DEVICE_NULL)
        return KIND_NEVER_WAITS;
    bool disk = device.type == DEVICE_DISK || device.type == DEVICE_DISK_FILE_SYSTEM;
    return disk && !(device.characteristics & REMOTE_DEVICE) ? KIND_ON_DISK : KIND_OTHER;
}

static enum file_kind ask(HANDLE file)
{
    IO_STATUS_BLOCK iosb;
    ULONG mode;
    if (!nt.NtQueryInformationFile ||
        nt.NtQueryInformationFile(file, &iosb, &mode, sizeof mode, FILE_MODE_CLASS) < 0)
        return KIND_UNKNOWN;
    return mode & SYNCHRONOUS ? by_device(file) : KIND_OVERLAPPED;
}

enum file_kind file_kind_of(HANDLE file)
{
    uint32_t closes = 0;
    enum file_kind kind = (enum file_kind)handle_file_kind(file, &closes);
    if (kind != KIND_UNKNOWN)
        return kind;
    kind = ask(file);
    if (kind != KIND_UNKNOWN)
        handle_say_file_kind(file, closes, (uint8_t)kind);
    return kind != KIND_UNKNOWN ? kind : KIND_OTHER;
}

enum file_kind file_kind_known(HANDLE file)
{
    uint32_t closes;
    return (enum file_kind)handle_file_kind(file, &closes);
}

struct file_habit *file_habit_of(HANDLE file, enum file_operation operation)
{
    return &habits[operation][((uintptr_t)file >> 2) % HANDLES];
}

uint64_t file_patience(const struct file_habit *habit, enum file_kind kind,
                       enum file_operation operation)
{
    unsigned shorts = atomic_load_explicit(&habit->shorts, memory_order_relaxed);
    unsigned lapses = atomic_load_explicit(&habit->lapses, memory_order_relaxed);
    bool writes = operation == FILE_WRITES, on_disk = kind == KIND_ON_DISK;
    if (writes && (on_disk || !lapses))
        return LONG_NS;
    if (!lapses && operation == FILE_READS && on_disk)
        return moment_ns;
    bool trusted = shorts >= (unsigned)FIRST_SHORTS << lapses;
    if (kind == KIND_UNKNOWN && (writes || !trusted))
        return PATIENCE_ASK;
    return trusted ? moment_ns : 0;
}

uint64_t file_moment(void)
{
    return moment_ns;
}

uint64_t file_asking_patience(enum file_operation operation)
{
    return operation == FILE_WRITES ? LONG_NS : moment_ns;
}

/* Two calls on one handle at the same time may lose one of their counts, which does no harm. */
void file_learn(struct file_habit *habit, uint64_t ns, bool lapsed)
{
    uint8_t shorts = atomic_load_explicit(&habit->shorts, memory_order_relaxed);
    uint8_t lapses = atomic_load_explicit(&habit->lapses, memory_order_relaxed);
    if (lapsed && lapses < MOST_LAPSES)
        atomic_store_explicit(&habit->lapses, lapses + 1, memory_order_relaxed);
    if (lapsed || ns >= moment_ns)
        shorts = 0;
    else if (shorts < UINT8_MAX)
        shorts++;
    atomic_store_explicit(&habit->shorts, shorts, memory_order_relaxed);
}
