# SPDX-License-Identifier: MIT
# cmake --install: library, headers, pkg-config file, CMake package and manual pages.
#
# Three components, which become packages: the library is "runtime", what compilers need "dev", and what looks at
# a process from outside "tools".
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)

install(TARGETS umsshim EXPORT umsshim-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT runtime NAMELINK_COMPONENT dev)
install(TARGETS umsshim-wmain umsshim-unicode EXPORT umsshim-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES umsshim/include/umsshim.h umsshim/include/umsshim_nt.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/umsshim)
install(DIRECTORY winapi/include/ ${UMSSHIM_SPELLINGS_DIR}/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/umsshim PATTERN *.md EXCLUDE)
install(EXPORT umsshim-targets NAMESPACE umsshim::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/umsshim)

configure_package_config_file(cmake/umsshim-config.cmake.in umsshim-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/umsshim)
write_basic_package_version_file(umsshim-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/umsshim-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/umsshim-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/umsshim)

list(TRANSFORM UMSSHIM_USER_DEFINITIONS PREPEND "-D" OUTPUT_VARIABLE user_flags)
list(JOIN user_flags " " UMSSHIM_USER_CFLAGS)
string(PREPEND UMSSHIM_USER_CFLAGS "${user_options} ")
# The tree works wherever it is put or moved: all paths begin at the file's own place. A folder that was
# given as an absolute path stays where it is.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(UMSSHIM_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
else()
  set(UMSSHIM_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(UMSSHIM_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(UMSSHIM_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
file(RELATIVE_PATH UMSSHIM_PC_TO_PREFIX
  "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file(cmake/umsshim.pc.in umsshim.pc @ONLY)
list(TRANSFORM UMSSHIM_UNICODE_DEFINITIONS PREPEND "-D" OUTPUT_VARIABLE unicode_flags)
list(JOIN unicode_flags " " UMSSHIM_UNICODE_CFLAGS)
configure_file(cmake/umsshim-unicode.pc.in umsshim-unicode.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/umsshim.pc ${CMAKE_CURRENT_BINARY_DIR}/umsshim-unicode.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The other pages, with their pictures, and the samples.
set(doc_folder ${CMAKE_INSTALL_DOCDIR})
set(samples_folder samples)
if(UMSSHIM_DEBIAN)
  set(doc_folder ${CMAKE_INSTALL_DATADIR}/doc/libumsshim-dev)
  set(samples_folder examples) # Debian's name for them; the pages' links have the tree's
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/links)
  file(CREATE_LINK examples ${CMAKE_CURRENT_BINARY_DIR}/links/samples SYMBOLIC)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/links/samples DESTINATION ${doc_folder})
endif()
install(DIRECTORY docs DESTINATION ${doc_folder} ${UMSSHIM_DOC_PATTERNS})
install(DIRECTORY samples/ DESTINATION ${doc_folder}/${samples_folder} ${UMSSHIM_DOC_PATTERNS})
install(FILES README.md DESTINATION ${doc_folder})

# Manual pages, one folder for each section.
foreach(section 1 3 7)
  file(GLOB manual_pages CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/docs/man/*.${section})
  set(component dev)
  if(section EQUAL 1)
    set(component tools)
  endif()
  install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT ${component})
endforeach()
