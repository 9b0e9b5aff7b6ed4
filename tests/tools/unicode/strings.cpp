/* SPDX-License-Identifier: MIT
 *
 * strings.cpp - C++ strings of 16-bit text, whose members libstdc++.so has ready-made for 32 bits
 * only.
 */
#include <windows.h>

#include <algorithm>
#include <cwchar>
#include <iostream>
#include <map>
#include <string>
#include <tchar.h>
#include <vector>

typedef std::basic_string<TCHAR> tstring;

int wmain(int count, wchar_t *arguments[], wchar_t *environment[])
{
    std::vector<std::wstring> all(arguments, arguments + count);
    std::wstring text = L"sum";
    std::map<tstring, int> known;

    text += L"=" + std::to_wstring(42);
    text.insert(0, 200, L'x').erase(0, 199);
    std::sort(all.begin() + 1, all.end());
    known[text] = std::stoi(L"17");
    wprintf(L"%s %d %d %d %d\n", text.c_str(), known[_T("xsum=42")], (int)text.find(L"42"),
            (int)text.rfind(L'x'), (int)text.compare(L"xsum=43"));
    wprintf(L"%s %s\n", all[1].c_str(), std::wcschr(all[2].c_str(), L'b'));
    std::cout << "narrow streams " << 1.5 << std::endl;
    return environment[0] == nullptr;
}
