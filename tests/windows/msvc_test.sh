#!/bin/sh
# SPDX-License-Identifier: MIT
# msvc_test.sh - what users of Microsoft's compiler get: our headers compile for its ABI, in C and in C++, and
# umsshim.lib links with a linker that works as Microsoft's.
#
#   msvc_test.sh SOURCE_DIR BUILD_DIR WINE_INCLUDE_DIR
#
# This is checked, exactly. The compiler is clang with the target x86_64-pc-windows-msvc, which
# defines _MSC_VER; twice, as clang-cl and, without __clang__, on the way that cl.exe takes through
# our headers. The system's headers are Wine's and those of its C runtime, laid out as Microsoft's
# are (um, shared, ucrt, include); and once a few lines that declare UMS as Microsoft's winbase.h
# does, for Wine's winbase.h lacks part of it. The linker is lld-link; its kernel32.lib and ucrt.lib
# are made here, by the script that makes umsshim.lib, and come first. The program is run under
# Wine. Not checked: cl.exe, link.exe and Microsoft's own headers and libraries, for they cannot be
# had here.
#
# Exit status 77: skipped, for there is no clang or no lld-link.
set -eu

source_dir=$1
build=$2
wine_headers=$3
for tool in clang lld-link; do
    command -v $tool >/dev/null 2>&1 || {
        echo "msvc_test: skipped, there is no $tool (Debian: packages clang and lld)"
        exit 77
    }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "msvc_test: $*" >&2
    [ ! -s log ] || head -n 30 log >&2
    exit 1
}

cmake --install "$build" --prefix tree >log 2>&1 || fail "cmake --install failed"
mkdir sdk
for part in um shared; do cp -rs "$wine_headers" sdk/$part; done
for part in ucrt include; do cp -rs "$wine_headers/../msvcrt" sdk/$part; done
ln -s "$wine_headers/sal.h" sdk/include/
ln -s "$wine_headers/tchar.h" sdk/ucrt/
rm sdk/include/stdarg.h sdk/ucrt/stdarg.h # the compiler's own, whatever it is called
[ -e sdk/shared/intsafe.h ] || : >sdk/shared/intsafe.h # Microsoft's has one, Wine's has none
[ -e sdk/um/versionhelpers.h ] || : >sdk/um/versionhelpers.h # the same
echo '#define _WIN32_WINNT_MAXVER 0x0A00' >sdk/um/winsdkver.h # Wine has none
system="-isystem sdk/include -isystem sdk/ucrt -isystem sdk/um -isystem sdk/shared"
# Wine defines this function in C++, where clang has it built in.
target="--target=x86_64-pc-windows-msvc -D_InterlockedCompareExchange128=of_wines_own"
warnings="-Wall -Wextra -Werror"

# ---- Headers ----------------------------------------------------------------------------------------

# compiles WHAT FLAG... FILE: as C and as older and newer C++.
compiles() {
    what=$1
    shift
    for dialect in c11 c++14 c++20; do
        # Word splitting is wanted: flags.
        # shellcheck disable=SC2086
        clang $target $warnings -x "${dialect%%[0-9]*}" -std=$dialect -fsyntax-only "$@" >log 2>&1 ||
            fail "$what does not compile as $dialect"
    done
}

# All fourteen functions and the four around them, with the types they take and give.
cat >calls.c <<'END'
#ifndef BARE
#include <windows.h>
#endif
#include <umsshim.h>
static VOID WINAPI entry(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    (void)reason, (void)payload, (void)param;
}
static DWORD WINAPI worker(LPVOID param)
{
    (void)param;
    return UmsThreadYield(NULL) ? 0u : 1u;
}
int calls(void);
int calls(void)
{
    PUMS_COMPLETION_LIST list = NULL;
    PUMS_CONTEXT context = NULL;
    HANDLE event = NULL;
    UMS_SCHEDULER_STARTUP_INFO startup = {UMS_VERSION, NULL, entry, NULL};
    UMS_CREATE_THREAD_ATTRIBUTES attributes = {UMS_VERSION, NULL, NULL};
    UMS_SYSTEM_THREAD_INFORMATION info;
    LPPROC_THREAD_ATTRIBUTE_LIST attribute_list = NULL;
    PVOID user = NULL;
    SIZE_T size = 0;
    ULONG length = 0;
    BOOL done = CreateUmsCompletionList(&list) && CreateUmsThreadContext(&context) &&
                GetUmsCompletionListEvent(list, &event);

    attributes.UmsContext = context;
    attributes.UmsCompletionList = list;
    startup.CompletionList = list;
    info.UmsVersion = UMS_VERSION;
    info.ThreadUmsFlags = 0;
    done = done && InitializeProcThreadAttributeList(attribute_list, 1, 0, &size) &&
           UpdateProcThreadAttribute(attribute_list, 0, PROC_THREAD_ATTRIBUTE_UMS_THREAD, &attributes,
                                     sizeof(attributes), NULL, NULL) &&
           CreateRemoteThreadEx(GetCurrentProcess(), NULL, 0, worker, NULL, 0, attribute_list, NULL);
    DeleteProcThreadAttributeList(attribute_list);
    done = done && SetUmsThreadInformation(context, UmsThreadUserContext, &user, sizeof(user)) &&
           QueryUmsThreadInformation(context, UmsThreadUserContext, &user, sizeof(user), &length) &&
           GetUmsSystemThreadInformation(event, &info) && EnterUmsSchedulingMode(&startup) &&
           DequeueUmsCompletionListItems(list, INFINITE, &context) && ExecuteUmsThread(context) &&
           GetNextUmsListItem(context) == GetCurrentUmsThread() && DeleteUmsThreadContext(context) &&
           DeleteUmsCompletionList(list);
    return done && info.IsUmsWorkerThread && !info.IsUmsSchedulerThread;
}
END
# Every header of ours that a user names; what is before and after must not matter.
{
    for header in tree/include/umsshim/*.h; do
        case ${header##*/} in
        umsshim_* | minwindef.h) ;; # parts of others
        memoryapi.h) ;; # part of <windows.h>; Wine's has no include guard
        winsock*.h | mswsock.h | ws2tcpip.h) ;; # the system's want an order, <windows.h> included
        *) echo "#include <${header##*/}>" ;;
        esac
    done
    cat calls.c
} >all.c
[ "$(grep -c '^#include' all.c)" -gt 18 ] || fail "too few headers in the tree"
# Microsoft's winbase.h declares all of UMS. So does this one, on top of Wine's.
mkdir complete
{
    echo '#include_next <winbase.h>'
    echo '#ifndef UMS_VERSION'
    echo '#define UMS_VERSION RTL_UMS_VERSION'
    echo '#ifndef RTL_UMS_VERSION'
    echo '#define RTL_UMS_VERSION (0x0100)'
    echo '#endif'
    echo 'typedef struct _UMS_CREATE_THREAD_ATTRIBUTES {'
    echo '    DWORD UmsVersion; PVOID UmsContext; PVOID UmsCompletionList;'
    echo '} UMS_CREATE_THREAD_ATTRIBUTES, *PUMS_CREATE_THREAD_ATTRIBUTES;'
    echo 'typedef struct _UMS_SYSTEM_THREAD_INFORMATION {'
    echo '    ULONG UmsVersion;'
    echo '    union { struct { ULONG IsUmsSchedulerThread : 1; ULONG IsUmsWorkerThread : 1; } DUMMYSTRUCTNAME;'
    echo '            ULONG ThreadUmsFlags; } DUMMYUNIONNAME;'
    echo '} UMS_SYSTEM_THREAD_INFORMATION, *PUMS_SYSTEM_THREAD_INFORMATION;'
    echo '#endif'
} >complete/winbase.h

for way in "as clang-cl" "as cl.exe"; do
    undefined=
    [ "$way" = "as clang-cl" ] || undefined=-U__clang__
    for lean in "" -DWIN32_LEAN_AND_MEAN "-DUNICODE -D_UNICODE"; do
        # shellcheck disable=SC2086
        compiles "<windows.h> $way $lean" $undefined $lean -I tree/include/umsshim $system calls.c
    done
    # shellcheck disable=SC2086
    compiles "<umsshim.h> alone $way" $undefined -DBARE -I tree/include/umsshim $system calls.c
    # shellcheck disable=SC2086
    compiles "all headers $way" $undefined -I tree/include/umsshim $system all.c
done
# shellcheck disable=SC2086
compiles "<windows.h> of a system that has all of UMS" -I tree/include/umsshim -isystem complete $system \
    calls.c

# ---- Linking ----------------------------------------------------------------------------------------

# library NAME DLL: an import library of the names that are read.
library() {
    { printf 'LIBRARY %s\nEXPORTS\n' "$2" && cat; } >"$1.def"
    python3 "$source_dir/cmake/import_library.py" "$1.def" "$1.lib"
}
# All of kernel32, its own UMS functions among them, which fail.
x86_64-w64-mingw32-nm "$(x86_64-w64-mingw32-gcc -print-file-name=libkernel32.a)" 2>/dev/null |
    sed -n 's/.* T //p' | sort -u | library kernel32 KERNEL32.dll
grep -q '^UmsThreadYield' kernel32.def || fail "kernel32.lib has no UMS functions: the order is not tested"
printf '%s\n' exit __acrt_iob_func __stdio_common_vfprintf fflush fwrite memset memcpy |
    library ucrt ucrtbase.dll
cat >start.c <<'END'
int main(void);
__declspec(dllimport) void exit(int);
int _fltused;
void mainCRTStartup(void);
void mainCRTStartup(void) { exit(main()); }
END
for source in "$source_dir/samples/hello/main.c" start.c; do
    # shellcheck disable=SC2086
    clang $target $warnings -O2 -c -I tree/include/umsshim $system "$source" \
        -o "$(basename "$source" .c).obj" >log 2>&1 || fail "$source does not compile"
done
lld-link /nologo /nodefaultlib /entry:mainCRTStartup /subsystem:console /WX /out:hello.exe \
    main.obj start.obj kernel32.lib ucrt.lib tree/lib/umsshim.lib >log 2>&1 || fail "lld-link refuses"
x86_64-w64-mingw32-objdump -p hello.exe >imports
[ "$(sed -n '/DLL Name: umsshim.dll/,/^$/p' imports | grep -c 'umsshim_')" = 14 ] || {
    cp imports log
    fail "the program does not import its 14 functions from umsshim.dll"
}
cp tree/bin/umsshim.dll .
timeout 60 sh "$source_dir/scripts/wine.sh" hello.exe >log 2>&1 </dev/null || fail "the program fails"
grep -q "workers ended: 2" log || fail "the program does not do its work"
echo "msvc_test: the headers compile for Microsoft's ABI, umsshim.lib links, the program runs"
