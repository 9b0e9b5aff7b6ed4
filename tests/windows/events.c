/* SPDX-License-Identifier: MIT
 *
 * events.c - what the library tells Windows' event tracing: its provider, and every byte of its events.
 *
 * The system's functions are exchanged for doubles before the first UMS call: Wine's do nothing, and Windows' would
 * want a session. The doubles take an event apart as a reader does that has nothing but the event.
 *
 * modes: default
 */
#include "bare.h"
#include "gtest_c.h"

#include <evntprov.h>
#include <stdlib.h>
#include <string.h>
#include <wincrypt.h>

enum { YIELDS = 20, MOST = 4096, HANDLE_OF_OURS = 0x5eed };
enum { IN_U32 = 8, IN_HEX64 = 21, IN_UTF8 = 0x82, OUT_UTF8 = 35 };

static struct seen {
    char name[16], text[32];
    uint64_t values[4];
    int fields, level;
    uint64_t keyword;
} seen[MOST];
static LONG seen_count, broken;
static int registrations, traits_told, unregistered;
static GUID registered;
static PENABLECALLBACK enable_callback;
static void *enable_context;
static unsigned char traits[64];
static ULONG traits_bytes;

static ULONG WINAPI double_register(LPCGUID id, PENABLECALLBACK callback, PVOID context,
                                    PREGHANDLE handle)
{
    registered = *id;
    enable_callback = callback;
    enable_context = context;
    registrations++;
    *handle = HANDLE_OF_OURS;
    return 0;
}

static ULONG WINAPI double_inform(REGHANDLE handle, int what, const void *data, ULONG bytes)
{
    if (handle == HANDLE_OF_OURS && what == 2 && bytes <= sizeof traits) {
        memcpy(traits, data, bytes);
        traits_bytes = bytes;
        traits_told++;
    }
    return 0;
}

static ULONG WINAPI double_unregister(REGHANDLE handle)
{
    unregistered += handle == HANDLE_OF_OURS;
    return 0;
}

/* The text at *at, which goes on behind it; NULL if it does not end before `end`. */
static const char *take_text(const unsigned char **at, const unsigned char *end)
{
    const char *text = (const char *)*at;
    size_t length = strnlen(text, (size_t)(end - *at));
    if (*at + length >= end)
        return NULL;
    *at += length + 1;
    return text;
}

static bool take_value(struct seen *into, int type, const EVENT_DATA_DESCRIPTOR *data)
{
    const void *at = (const void *)(uintptr_t)data->Ptr;
    if (data->Reserved || into->fields == 4)
        return false;
    if (type == IN_UTF8) {
        if (!data->Size || data->Size > sizeof into->text ||
            strnlen(at, data->Size) != data->Size - 1)
            return false;
        memcpy(into->text, at, data->Size);
    } else if (data->Size == (type == IN_U32 ? 4 : 8)) {
        memcpy(&into->values[into->fields], at, data->Size);
    } else {
        return false;
    }
    into->fields++;
    return true;
}

static bool take_apart(struct seen *into, const EVENT_DESCRIPTOR *event, ULONG count,
                       const EVENT_DATA_DESCRIPTOR *data)
{
    if (count < 2 || event->Id || event->Version || event->Channel != 11 || event->Opcode ||
        event->Task || data[0].Reserved != 2 || data[0].Size != traits_bytes ||
        memcmp((const void *)(uintptr_t)data[0].Ptr, traits, traits_bytes) || data[1].Reserved != 1)
        return false;
    const unsigned char *at = (const unsigned char *)(uintptr_t)data[1].Ptr,
                        *end = at + data[1].Size;
    if (data[1].Size < 4 || at[0] + at[1] * 256u != data[1].Size || at[2])
        return false;
    at += 3;
    const char *name = take_text(&at, end);
    if (!name || strlen(name) >= sizeof into->name)
        return false;
    strcpy(into->name, name);
    into->level = event->Level;
    into->keyword = event->Keyword;
    ULONG used = 2;
    while (at < end) {
        const char *field = take_text(&at, end);
        if (!field || !*field || at == end || used == count)
            return false;
        int type = *at++;
        if (type != IN_U32 && type != IN_HEX64 &&
            (type != IN_UTF8 || at == end || *at++ != OUT_UTF8))
            return false;
        if (!take_value(into, type, &data[used++]))
            return false;
    }
    return used == count;
}

static ULONG WINAPI double_write(REGHANDLE handle, PCEVENT_DESCRIPTOR event, LPCGUID activity,
                                 LPCGUID related, ULONG count, PEVENT_DATA_DESCRIPTOR data)
{
    LONG place = InterlockedIncrement(&seen_count) - 1;
    if (place >= MOST || handle != HANDLE_OF_OURS || activity || related ||
        !take_apart(&seen[place], event, count, data))
        InterlockedIncrement(&broken);
    SetLastError(4711); /* nobody is to notice */
    return 0;
}

/* A jump: mov rax, double; jmp rax. */
static bool exchange(const char *name, void *instead)
{
    void *function = (void *)GetProcAddress(GetModuleHandleA("kernelbase.dll"), name);
    unsigned char code[12] = {0x48, 0xB8, [10] = 0xFF, 0xE0};
    DWORD before;
    memcpy(code + 2, &instead, sizeof instead);
    if (!EXPECT_NE(function, NULL) ||
        !EXPECT_OK(VirtualProtect(function, sizeof code, PAGE_EXECUTE_READWRITE, &before)))
        return false;
    memcpy(function, code, sizeof code);
    return EXPECT_OK(VirtualProtect(function, sizeof code, before, &before));
}

static bool exchange_all(void)
{
    return exchange("EventRegister", (void *)double_register) &&
           exchange("EventSetInformation", (void *)double_inform) &&
           exchange("EventUnregister", (void *)double_unregister) &&
           exchange("EventWriteTransfer", (void *)double_write);
}

static void tell(ULONG what)
{
    enable_callback(&registered, what, 5, 0, 0, NULL, enable_context);
}

/* How tools make a GUID of a provider's name. */
static GUID guid_of(const char *name)
{
    unsigned char text[16 + 64] = {0x48, 0x2C, 0x2D, 0xB2, 0xC3, 0x90, 0x47, 0xC8,
                                   0x87, 0xF8, 0x1A, 0x15, 0xBF, 0xC1, 0x30, 0xFB};
    unsigned char hash[20];
    DWORD bytes = 16, size = sizeof hash;
    HCRYPTPROV crypt;
    HCRYPTHASH sha;
    GUID id = {0};
    for (; *name; name++) { /* in capitals, UTF-16, the upper byte first */
        text[bytes++] = 0;
        text[bytes++] = (unsigned char)(*name - ('a' - 'A'));
    }
    if (!EXPECT_OK(CryptAcquireContextA(&crypt, NULL, NULL, PROV_RSA_FULL, CRYPT_VERIFYCONTEXT)) ||
        !EXPECT_OK(CryptCreateHash(crypt, CALG_SHA1, 0, 0, &sha)))
        return id;
    EXPECT_OK(CryptHashData(sha, text, bytes, 0));
    EXPECT_OK(CryptGetHashParam(sha, HP_HASHVAL, hash, &size, 0));
    hash[7] = (hash[7] & 0x0F) | 0x50;
    memcpy(&id, hash, sizeof id);
    CryptDestroyHash(sha);
    CryptReleaseContext(crypt, 0);
    return id;
}

/* ---- Two workers: one reads what the other writes, which yields before ------------------------------------ */

static HANDLE reads, writes;
static DWORD error_after_yield;

static DWORD WINAPI read_byte(LPVOID param)
{
    char byte;
    DWORD got = 0;
    EXPECT_OK(ReadFile(reads, &byte, 1, &got, NULL));
    return got;
}

static DWORD WINAPI yield_and_write(LPVOID param)
{
    DWORD written = 0;
    SetLastError(5);
    for (int i = 0; i < YIELDS; i++)
        UmsThreadYield(NULL);
    error_after_yield = GetLastError();
    EXPECT_OK(WriteFile(writes, "x", 1, &written, NULL));
    return written;
}

static void run_two(PUMS_COMPLETION_LIST list)
{
    struct bare reader, writer;
    if (!EXPECT_OK(CreatePipe(&reads, &writes, NULL, 0)) ||
        !bare_create_arrived(&reader, list, read_byte, NULL) ||
        !bare_create_arrived(&writer, list, yield_and_write, NULL))
        return;
    PUMS_CONTEXT held[] = {reader.context, writer.context};
    EXPECT_NE(bare_drive(list, held, 2, 2), 0);
    bare_delete(&reader);
    bare_delete(&writer);
    CloseHandle(reads);
    CloseHandle(writes);
}

static int count_of(const char *name, uint64_t about)
{
    int count = 0;
    for (LONG i = 0; i < seen_count && i < MOST; i++)
        count += strcmp(seen[i].name, name) == 0 && (!about || seen[i].values[0] == about);
    return count;
}

static const struct seen *first_of(const char *name, int nth)
{
    for (LONG i = 0; i < seen_count && i < MOST; i++)
        if (strcmp(seen[i].name, name) == 0 && nth-- == 0)
            return &seen[i];
    FAIL("there is no event %s", name);
    return &seen[MOST - 1];
}

TEST(Events, provider_has_the_guid_of_its_name)
{
    GUID wanted = guid_of("umsshim");
    PUMS_COMPLETION_LIST list;
    if (!exchange_all() || !EXPECT_OK(CreateUmsCompletionList(&list)))
        return;
    EXPECT_EQ(registrations, 1);
    EXPECT_EQ(memcmp(&registered, &wanted, sizeof wanted), 0);
    EXPECT_EQ(traits_told, 1);
    EXPECT_EQ(traits_bytes, 2 + sizeof "umsshim");
    EXPECT_EQ(traits[0] + traits[1] * 256u, traits_bytes);
    EXPECT_STREQ((const char *)traits + 2, "umsshim");
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Events, nothing_is_written_while_nobody_listens)
{
    PUMS_COMPLETION_LIST list;
    if (!exchange_all() || !EXPECT_OK(CreateUmsCompletionList(&list)))
        return;
    run_two(list);
    EXPECT_EQ(seen_count, 0);
    tell(1);
    tell(0);
    tell(2); /* a session asks for the state, of which there is none */
    run_two(list);
    EXPECT_EQ(seen_count, 0);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Events, each_says_what_it_consists_of)
{
    PUMS_COMPLETION_LIST list;
    if (!exchange_all() || !EXPECT_OK(CreateUmsCompletionList(&list)))
        return;
    tell(1);
    tell(2);
    run_two(list);
    EXPECT_EQ(broken, 0);
    EXPECT_EQ(error_after_yield, 5u);
    EXPECT_EQ(count_of("birth", 0), 2);
    EXPECT_EQ(count_of("end", 0), 2);
    EXPECT_EQ(count_of("enter", 0), 1);
    EXPECT_EQ(count_of("left", 0), 1);
    const struct seen *birth[2] = {first_of("birth", 0), first_of("birth", 1)};
    for (int i = 0; i < 2; i++) {
        uint64_t worker = birth[i]->values[0];
        int waits = count_of("wait_call", worker) + count_of("block", worker);
        int yields = i ? YIELDS : 0;
        EXPECT_NE(worker, 0);
        EXPECT_GE(waits, 1 - i);
        EXPECT_EQ(count_of("execute", worker), 1 + yields + waits);
        EXPECT_EQ(count_of("complete", worker), waits);
        EXPECT_GE(count_of("arrive", worker), 1 + waits);
        EXPECT_EQ(count_of("arrive", worker), count_of("dequeue", worker));
    }
    const struct seen *execute = first_of("execute", 0), *enter = first_of("enter", 0);
    EXPECT_EQ(execute->fields, 3);
    EXPECT_EQ(execute->values[1], enter->values[0]);
    EXPECT_EQ(execute->level, 5);
    EXPECT_EQ(execute->keyword, 1u);
    EXPECT_EQ(enter->values[1], GetCurrentThreadId());
    const struct seen *wait =
        first_of(count_of("block", birth[0]->values[0]) ? "block" : "wait_call", 0);
    EXPECT_STREQ(wait->text, "NtReadFile");
    EXPECT_EQ(wait->level, 4);
    EXPECT_EQ(wait->keyword, 2u);
    LONG before = seen_count;
    tell(0);
    run_two(list);
    EXPECT_EQ(seen_count, before);
    EXPECT_OK(DeleteUmsCompletionList(list));
}
