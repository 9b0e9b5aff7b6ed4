# SPDX-License-Identifier: MIT
# What Debian's policy wants beside the files of cmake/install.cmake: copyright and changelogs of each package.

# The day of the last change: of git's last commit, or as SOURCE_DATE_EPOCH says, or of CMakeLists.txt.
set(epoch "$ENV{SOURCE_DATE_EPOCH}")
if(NOT epoch)
  execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 --format=%ct
    OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(epoch)
  set(ENV{SOURCE_DATE_EPOCH} ${epoch})
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
else()
  file(TIMESTAMP ${PROJECT_SOURCE_DIR}/CMakeLists.txt date "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()

file(STRINGS ${PROJECT_SOURCE_DIR}/LICENSE notice REGEX "^Copyright" LIMIT_COUNT 1)
string(REGEX REPLACE "^Copyright \\(c\\) " "" holder "${notice}")
file(READ ${PROJECT_SOURCE_DIR}/LICENSE text)
string(REGEX REPLACE "^.*Copyright[^\n]*\n\n" "" text "${text}")
string(STRIP "${text}" text)
string(REGEX REPLACE "\n\n" "\n.\n" text "${text}")
string(REGEX REPLACE "\n" "\n " licence "${text}")

set(debian ${CMAKE_CURRENT_BINARY_DIR}/debian)
file(CONFIGURE OUTPUT ${debian}/copyright @ONLY CONTENT
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: umsshim

Files: *
Copyright: @holder@
License: Expat
 @licence@
")
file(CONFIGURE OUTPUT ${debian}/changelog.Debian @ONLY CONTENT
"umsshim (@debian_version@) unstable; urgency=medium

  * Made from umsshim @PROJECT_VERSION@; what is new there is in changelog.gz.

 -- @maintainer@  @date@
")
# gzip -9n: nothing of the day or the machine in the file.
set(changelogs ${debian}/changelog.Debian)
if(EXISTS ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
  configure_file(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${debian}/changelog COPYONLY)
  list(APPEND changelogs ${debian}/changelog)
endif()
execute_process(COMMAND gzip -9nkf ${changelogs} COMMAND_ERROR_IS_FATAL ANY)
list(TRANSFORM changelogs APPEND .gz)

# The part of Wine's headers that <windows.h> and the headers that it stands for include, as the compiler finds it.
include(${CMAKE_CURRENT_LIST_DIR}/wine_headers.cmake)
file(READ ${debian}/copyright text)
file(WRITE ${debian}/dev/copyright "${text}
Files: /usr/include/umsshim/wine/*
Copyright: the authors of the Wine project
License: LGPL-2.1+
 This library is free software; you can redistribute it and/or modify it under
 the terms of the GNU Lesser General Public License as published by the Free
 Software Foundation; either version 2.1 of the License, or (at your option)
 any later version.
 .
 On Debian systems the text of version 2.1 of the licence is in
 /usr/share/common-licenses/LGPL-2.1.
Comment: Unchanged from Debian's package libwine-dev. Who the authors are is
 at the head of each file.
")

foreach(pair runtime:${soname} dev:libumsshim-dev tools:umsshim-tools)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  set(copyright ${debian}/copyright)
  if(component STREQUAL "dev")
    set(copyright ${debian}/dev/copyright)
  endif()
  install(FILES ${copyright} ${changelogs} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
          COMPONENT ${component})
  file(READ ${CMAKE_CURRENT_LIST_DIR}/${package}.lintian-overrides overrides)
  if(maintainer STREQUAL nobody)
    string(APPEND overrides
      "# Nobody was named when it was made (DEBFULLNAME, DEBEMAIL): whoever makes a package names himself.\n"
      "${package}: bogus-mail-host Maintainer *\n"
      "${package}: bogus-mail-host-in-debian-changelog *\n")
  endif()
  file(WRITE ${debian}/overrides/${package} "${overrides}")
  install(FILES ${debian}/overrides/${package} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
          COMPONENT ${component})
endforeach()
