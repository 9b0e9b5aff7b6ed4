# SPDX-License-Identifier: MIT
# control.cmake - run by CPack when the packages are made: mends what it cannot be told.
#
# It calls ldconfig in scripts of its own, where Debian wants the trigger (cmake/debian/triggers) and nothing
# else; and before version 3.31 it knows no Multi-Arch.
if(NOT CPACK_GENERATOR STREQUAL "DEB") # the sources
  return()
endif()
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  set(tree ${CPACK_TEMPORARY_DIRECTORY}/again)
  file(REMOVE_RECURSE ${tree})
  execute_process(COMMAND dpkg-deb --raw-extract ${package} ${tree} COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${tree}/DEBIAN/postinst ${tree}/DEBIAN/postrm)
  file(READ ${tree}/DEBIAN/control control)
  if(NOT control MATCHES "\nMulti-Arch:")
    set(kind same)
    if(package MATCHES "/umsshim-tools_")
      set(kind foreign)
    endif()
    string(REGEX REPLACE "\n(Maintainer:[^\n]*)" "\n\\1\nMulti-Arch: ${kind}" control "${control}")
    file(WRITE ${tree}/DEBIAN/control "${control}")
  endif()
  execute_process(COMMAND dpkg-deb --root-owner-group -Zxz --build ${tree} ${package}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${tree})
endforeach()
