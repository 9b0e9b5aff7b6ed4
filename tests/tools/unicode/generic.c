/* SPDX-License-Identifier: MIT
 *
 * generic.c - a program of the time by tchar.h's names, as C and as C++. Its first argument is a
 * folder to work in; the output is in unicode_test.sh.
 */
#include <windows.h>

#include <io.h>
#include <locale.h>
#include <stdio.h>
#include <tchar.h>

C_ASSERT(sizeof(TCHAR) == 2 && sizeof(wchar_t) == 2 && sizeof(TEXT("ab")) == 6);

static void files(const TCHAR *folder)
{
    TCHAR path[MAX_PATH], line[16];
    FILE *file;

    _stprintf_s(path, _countof(path), _T("%s/\x00E9.txt"), folder);
    file = _tfopen(path, _T("w+"));
    _tprintf(_T("%d\n"), file != NULL);
    if (!file)
        return;
    fputws(L"z\xD83D\xDE00q\nsecond", file);
    rewind(file);
    while (_fgetts(line, _countof(line), file))
        _tprintf(_T("[%u %04x]"), (unsigned)_tcslen(line), line[1]);
    fclose(file);
    _tprintf(_T("%d %lu\n"), _taccess(path, 0), GetFileAttributes(path) != INVALID_FILE_ATTRIBUTES);
    _tprintf(_T("%d "), _tremove(path));
    _tprintf(_T("%d\n"), _taccess(path, 0));
}

int _tmain(int argc, _TCHAR *argv[])
{
    TCHAR text[64], list[] = _T("a,b,,c"), *rest = NULL, *end = NULL;
    long value;

    _tsetlocale(LC_ALL, _T("C"));
    _tprintf(_T("%d %s %S %I64d|%5.2f|%-6s|%c|%ls|%hs\n"), argc, argv[2], "narrow \303\251",
             (__int64)1 << 40, 1.5, _T("ab"), L'\x20AC', L"wide", "8");
    _stprintf_s(text, _countof(text), _T("%03d-%s"), 7, TEXT("x\x00E9"));
    _putts(text);
    printf("%ls|%S|%zu|%ld\n", text, text, _tcslen(text), 1L << 40);
    value = _tcstol(_T(" 42abc"), &end, 10);
    _tprintf(_T("%ld %s %d %d\n"), value, end, _ttoi(_T("-5")),
             _tcsicmp(_T("\x00C9x"), _T("\x00E9X")));
    for (TCHAR *word = _tcstok_s(list, _T(","), &rest); word;
         word = _tcstok_s(NULL, _T(","), &rest))
        _tprintf(_T("<%s>"), word);
    _tprintf(_T("%d\n"), _sntprintf_s(text, 4, _TRUNCATE, _T("%s"), _T("too long")));
    _tprintf(_T("%s %d\n"), text, (int)_tcscspn(_T("key=value"), _T("=")));
    _tcscpy_s(text, _countof(text), _T("abc"));
    _tcscat_s(text, _countof(text), _T("def"));
    _tprintf(_T("%s %s %s %d\n"), text, _tcsstr(text, _T("cd")), _tcsrchr(text, 'd'),
             _tcsncmp(text, _T("abd"), 3));
    files(argv[1]);
    fflush(stdout);
    return 7;
}
