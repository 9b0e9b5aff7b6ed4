/* SPDX-License-Identifier: MIT
 *
 * copy.c - a copier of files with several overlapped reads and writes under way, whose ends come
 * from a completion port. It copies a file that it has made in the folder for temporary files.
 */
#include <windows.h>

#include <stdio.h>
#include <tchar.h>

#define BUFFERS 4
#define BUFFER_SIZE (16 * 1024)
#define FILE_SIZE (20 * BUFFER_SIZE + 1234)

enum { READ_END = 1, WRITE_END };

typedef struct _CHUNK {
    OVERLAPPED ov;
    LPBYTE pbData;
} CHUNK, *PCHUNK;

static BYTE ByteAt(DWORD dwOffset)
{
    return (BYTE)(dwOffset * 31 + dwOffset / 257);
}

static int Fail(LPCTSTR lpszWhat)
{
    _ftprintf(stderr, _T("%s failed with error %u\n"), lpszWhat, (unsigned)GetLastError());
    return 1;
}

static BOOL MakeSource(LPCTSTR lpszName)
{
    HANDLE hFile = CreateFile(lpszName, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                              FILE_ATTRIBUTE_NORMAL | FILE_FLAG_SEQUENTIAL_SCAN, NULL);
    DWORD dwOffset, dwWritten;
    BOOL bGood = hFile != INVALID_HANDLE_VALUE;
    LPBYTE pbData = (LPBYTE)HeapAlloc(GetProcessHeap(), 0, FILE_SIZE);

    for (dwOffset = 0; dwOffset < FILE_SIZE; dwOffset++)
        pbData[dwOffset] = ByteAt(dwOffset);
    bGood =
        bGood && WriteFile(hFile, pbData, FILE_SIZE, &dwWritten, NULL) && dwWritten == FILE_SIZE;
    HeapFree(GetProcessHeap(), 0, pbData);
    return CloseHandle(hFile) && bGood;
}

static BOOL IsCopy(LPCTSTR lpszName)
{
    HANDLE hFile =
        CreateFile(lpszName, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    HANDLE hMapping = CreateFileMapping(hFile, NULL, PAGE_READONLY, 0, 0, NULL);
    const BYTE *pbData = (const BYTE *)MapViewOfFile(hMapping, FILE_MAP_READ, 0, 0, 0);
    LARGE_INTEGER liSize;
    DWORD dwOffset = 0;

    if (pbData == NULL || !GetFileSizeEx(hFile, &liSize) || liSize.QuadPart != FILE_SIZE)
        return FALSE;
    while (dwOffset < FILE_SIZE && pbData[dwOffset] == ByteAt(dwOffset))
        dwOffset++;
    UnmapViewOfFile(pbData);
    CloseHandle(hMapping);
    CloseHandle(hFile);
    return dwOffset == FILE_SIZE;
}

static BOOL StartRead(HANDLE hSource, PCHUNK pChunk, ULONGLONG ullOffset)
{
    ZeroMemory(&pChunk->ov, sizeof(pChunk->ov));
    pChunk->ov.Offset = (DWORD)ullOffset;
    pChunk->ov.OffsetHigh = (DWORD)(ullOffset >> 32);
    return ReadFile(hSource, pChunk->pbData, BUFFER_SIZE, NULL, &pChunk->ov) ||
           GetLastError() == ERROR_IO_PENDING;
}

/* How many bytes were copied, or -1. */
static LONGLONG Copy(HANDLE hSource, HANDLE hTarget, HANDLE hPort)
{
    CHUNK Chunks[BUFFERS];
    ULONGLONG ullNext = 0;
    LONGLONG llCopied = 0;
    int nUnderWay = 0, i;
    LPBYTE pbBuffers =
        (LPBYTE)VirtualAlloc(NULL, BUFFERS * BUFFER_SIZE, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);

    for (i = 0; i < BUFFERS; i++, nUnderWay++, ullNext += BUFFER_SIZE) {
        Chunks[i].pbData = pbBuffers + (SIZE_T)i * BUFFER_SIZE;
        if (!StartRead(hSource, &Chunks[i], ullNext))
            return -1;
    }
    while (nUnderWay > 0) {
        DWORD dwBytes;
        ULONG_PTR ulKey;
        LPOVERLAPPED pov;
        PCHUNK pChunk;

        if (!GetQueuedCompletionStatus(hPort, &dwBytes, &ulKey, &pov, INFINITE))
            return -1;
        pChunk = CONTAINING_RECORD(pov, CHUNK, ov);
        if (ulKey == READ_END) {
            if (!WriteFile(hTarget, pChunk->pbData, dwBytes, NULL, &pChunk->ov) &&
                GetLastError() != ERROR_IO_PENDING)
                return -1;
            continue;
        }
        llCopied += dwBytes;
        nUnderWay--;
        if (ullNext < FILE_SIZE) {
            if (!StartRead(hSource, pChunk, ullNext))
                return -1;
            nUnderWay++;
            ullNext += BUFFER_SIZE;
        }
    }
    VirtualFree(pbBuffers, 0, MEM_RELEASE);
    return llCopied;
}

int _tmain(int argc, TCHAR *argv[])
{
    TCHAR szFolder[MAX_PATH], szSource[MAX_PATH], szTarget[MAX_PATH];
    HANDLE hSource, hTarget, hPort;
    LONGLONG llCopied;

    UNREFERENCED_PARAMETER(argc);
    UNREFERENCED_PARAMETER(argv);
    if (!GetTempPath(MAX_PATH, szFolder) || !GetTempFileName(szFolder, _T("cpy"), 0, szSource) ||
        !GetTempFileName(szFolder, _T("cpy"), 0, szTarget))
        return Fail(_T("GetTempFileName"));
    if (!MakeSource(szSource))
        return Fail(_T("WriteFile"));
    hSource = CreateFile(szSource, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING,
                         FILE_FLAG_OVERLAPPED, NULL);
    hTarget =
        CreateFile(szTarget, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, FILE_FLAG_OVERLAPPED, NULL);
    hPort = CreateIoCompletionPort(hSource, NULL, READ_END, 0);
    if (hPort == NULL || CreateIoCompletionPort(hTarget, hPort, WRITE_END, 0) != hPort)
        return Fail(_T("CreateIoCompletionPort"));
    llCopied = Copy(hSource, hTarget, hPort);
    if (llCopied < 0)
        return Fail(_T("Copy"));
    CloseHandle(hSource);
    CloseHandle(hTarget);
    CloseHandle(hPort);
    _tprintf(_T("%u bytes copied, the copy is %s\n"), (unsigned)llCopied,
             IsCopy(szTarget) ? _T("right") : _T("wrong"));
    _tprintf(_T("deleted: %d %d\n"), DeleteFile(szSource), DeleteFile(szTarget));
    return 0;
}
