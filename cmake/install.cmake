# SPDX-License-Identifier: MIT
# cmake --install: library, headers, pkg-config file and CMake package.
include(CMakePackageConfigHelpers)

install(TARGETS umsshim EXPORT umsshim-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES umsshim/include/umsshim.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/umsshim)
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
configure_file(cmake/umsshim.pc.in umsshim.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/umsshim.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
