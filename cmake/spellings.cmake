# SPDX-License-Identifier: MIT
# Header names as Windows sources spell them, where case did not matter, and the headers of API
# sets, whose content is in <windows.h> here. They are written into the build folder, for two that
# differ in case only could not be checked out everywhere.
set(UMSSHIM_SPELLINGS_DIR ${CMAKE_CURRENT_BINARY_DIR}/spellings)

set(spellings
  Windows.h WINDOWS.H WINDOWS.h WinDef.h Windef.h WinBase.h Winbase.h WinNT.h Winnt.h WinNt.h
  WinError.h Winerror.h WinUser.h Winuser.h WinCon.h Wincon.h WinNls.h Winnls.h WinIoCtl.h
  Winioctl.h WinTernl.h Winternl.h WinReg.h WinVer.h WinSvc.h WinSock.h Winsock.h WinSock2.h
  Winsock2.h WINSOCK2.H WS2tcpip.h Ws2tcpip.h WS2TCPIP.H MSWSock.h Mswsock.h BaseTsd.h Basetsd.h
  SDKDDKVer.h SdkDdkVer.h WinSDKVer.h Sal.h SAL.h SpecStrings.h Specstrings.h StrSafe.h Strsafe.h
  Process.h PROCESS.H Tchar.h TChar.h TCHAR.H TCHAR.h Intrin.h Conio.h CONIO.H Crtdbg.h CrtDbg.h
  Malloc.h Psapi.h PSApi.h TlHelp32.h Tlhelp32.h DbgHelp.h Dbghelp.h MMSystem.h Mmsystem.h
  ObjBase.h Objbase.h Shlwapi.h ShlObj.h Synchapi.h SynchAPI.h SynchApi.h ProcessThreadsApi.h
  Processthreadsapi.h ThreadPoolApiSet.h Threadpoolapiset.h MemoryApi.h Memoryapi.h SysInfoApi.h
  Sysinfoapi.h HeapApi.h Heapapi.h HandleApi.h Handleapi.h ErrHandlingApi.h Errhandlingapi.h
  DebugApi.h Debugapi.h FileApi.h Fileapi.h IoApiSet.h Ioapiset.h NamedPipeApi.h Namedpipeapi.h
  ProfileApi.h Profileapi.h InterlockedApi.h Interlockedapi.h ConsoleApi.h LibLoaderApi.h
  Libloaderapi.h FibersApi.h RealTimeApiSet.h ProcessTopologyApi.h SystemTopologyApi.h UtilApiSet.h
  ProcessEnv.h NTStatus.h Ntstatus.h GuidDef.h Guiddef.h VersionHelpers.h)

# MinGW has these; natively <windows.h> has their content, or includes the one of Wine that is called so (a
# newer Wine has more of them). Which, the compiler finds out. A source that begins with one gets
# <windows.h> first; Wine's winbase.h, which includes some in its middle, gets no more than it names.
set(api_sets
  debugapi.h errhandlingapi.h fibersapi.h handleapi.h heapapi.h interlockedapi.h ioapiset.h jobapi.h
  minwinbase.h namedpipeapi.h processenv.h processtopologyapi.h profileapi.h realtimeapiset.h
  stringapiset.h sysinfoapi.h systemtopologyapi.h threadpoollegacyapiset.h utilapiset.h)

set(notice "/* SPDX-License-Identifier: MIT */\n")
foreach(name IN LISTS api_sets)
  file(CONFIGURE OUTPUT ${UMSSHIM_SPELLINGS_DIR}/${name} CONTENT "${notice}\
#if !defined(_WIN32) && !defined(__WINE_WINBASE_H)
#include <windows.h>
#endif
#if __has_include_next(<${name}>)
#include_next <${name}>
#endif
")
endforeach()

# Wine's of these include "windef.h" from beside them, which would have Microsoft's calling convention.
foreach(name kbd.h twain.h)
  file(CONFIGURE OUTPUT ${UMSSHIM_SPELLINGS_DIR}/${name} CONTENT "${notice}\
#ifndef _WIN32
#include <windef.h>
#endif
#if __has_include_next(<${name}>)
#include_next <${name}>
#endif
")
endforeach()

# Parts of Winsock, which is ours as a whole.
foreach(name in6addr.h inaddr.h socketapi.h ws2def.h ws2ipdef.h)
  file(CONFIGURE OUTPUT ${UMSSHIM_SPELLINGS_DIR}/${name} CONTENT "${notice}\
#ifndef _WIN32
#include <winsock2.h>
#else
#include_next <${name}>
#endif
")
endforeach()

# On a file system that does not tell cases apart there is nothing to do, and an include of itself.
if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/CMAKELISTS.TXT)
  foreach(name IN LISTS spellings)
    string(TOLOWER ${name} header)
    file(CONFIGURE OUTPUT ${UMSSHIM_SPELLINGS_DIR}/${name} CONTENT
      "${notice}#include <${header}>\n")
  endforeach()
endif()
