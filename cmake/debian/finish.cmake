# SPDX-License-Identifier: MIT
# finish.cmake - run by CPack when the files of the packages are laid out, before they are packed.
if(NOT CPACK_GENERATOR STREQUAL "DEB") # the sources
  return()
endif()
file(GLOB_RECURSE libraries ${CPACK_TEMPORARY_DIRECTORY}/*/libumsshim.so.*)
foreach(library IN LISTS libraries)
  if(NOT IS_SYMLINK ${library} AND NOT library MATCHES "\\.py$") # gdb's file is named after the library
    execute_process(COMMAND strip --strip-unneeded --remove-section=.comment --remove-section=.note ${library}
      COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/*.[1-9])
foreach(page IN LISTS pages)
  if(page MATCHES "/umsrun\\.1$") # a program for Windows
    file(REMOVE ${page})
  else()
    execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
