# SPDX-License-Identifier: MIT
# Packages, by CPack: libumsshim0, libumsshim-dev and umsshim-tools for Debian, umsshim-VERSION-win64.zip from a Windows
# build, umsshim-VERSION.tar.gz of the sources. scripts/package.sh makes and checks all of them.
set(CPACK_PACKAGE_NAME umsshim)
set(CPACK_PACKAGE_VENDOR "The umsshim authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_THREADS 0)

# The sources: what git keeps, and whatever else is there but for what it ignores.
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME umsshim-${PROJECT_VERSION})
set(CPACK_SOURCE_IGNORE_FILES "^${PROJECT_SOURCE_DIR}/build/" "/\\\\.git(/|$)" "\\\\.o$" "/__pycache__/"
  "/compile_commands\\\\.json$")

if(WIN32)
  set(CPACK_GENERATOR ZIP)
  set(CPACK_PACKAGE_FILE_NAME umsshim-${PROJECT_VERSION}-win64)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_MONOLITHIC_INSTALL ON)
  include(CPack)
  return()
endif()

# ---- Debian ------------------------------------------------------------------------------------
# The components are those of cmake/install.cmake. A tree for packages is configured with the prefix /usr and
# -DUMSSHIM_DEBIAN=ON, which adds the files that Debian's policy asks for.
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL runtime dev tools)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # or it would be the first line of each package's own
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/finish.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/control.cmake)

# The revision counts packages of one version.
set(revision 1)
set(debian_version ${PROJECT_VERSION}-${revision})
set(soname libumsshim${PROJECT_VERSION_MAJOR})
# As Debian's own tools have it: the maker of a package answers for it.
set(nobody "The umsshim authors <umsshim@localhost>")
set(maintainer ${nobody})
if(DEFINED ENV{DEBEMAIL} AND DEFINED ENV{DEBFULLNAME})
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_CONTACT ${maintainer})
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${maintainer})
set(CPACK_DEBIAN_PACKAGE_SOURCE umsshim)
if(UMSSHIM_HOMEPAGE)
  set(CPACK_DEBIAN_PACKAGE_HOMEPAGE ${UMSSHIM_HOMEPAGE})
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE ${revision})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${soname})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# Opened at run time, by the name of the version that its headers have: nothing else is of use.
file(STRINGS ${UMSSHIM_ZYDIS_INCLUDE_DIR}/Zydis/Zydis.h zydis REGEX "define ZYDIS_VERSION ")
string(REGEX REPLACE ".*0x(....)(....).*" "\\1;\\2" zydis "${zydis}")
list(GET zydis 0 zydis_major)
list(GET zydis 1 zydis_minor)
math(EXPR zydis_major "0x${zydis_major}")
math(EXPR zydis_minor "0x${zydis_minor}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "libzydis${zydis_major}.${zydis_minor}")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "User-Mode Scheduling of Windows for Linux programs
UMS let a 64-bit Windows program schedule its own threads: it switches workers
in user mode, and when a worker blocks in the kernel the program's scheduler
is called and can run another one.

Programs that are written to that interface and linked with this library run
natively. Waits in Win32 calls never enter the kernel; other blocking system
calls of a worker are noticed through seccomp user notification.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libumsshim-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${soname} (= ${debian_version}), libc6-dev")
# libwine-dev depends on all of Wine: the headers of Wine's that <windows.h> needs are in the package itself.
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "umsshim-tools, libwine-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "User-Mode Scheduling of Windows, for development
UMS let a 64-bit Windows program schedule its own threads. This package has
what is needed to compile such programs: headers, those of Wine's that they
need among them, a pkg-config file, a CMake package, manual pages, the other
pages of the documentation, and the samples.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME umsshim-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "python3")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "gdb")
set(CPACK_DEBIAN_TOOLS_PACKAGE_BREAKS "libumsshim-dev (<< 0.2.0)")
set(CPACK_DEBIAN_TOOLS_PACKAGE_REPLACES "libumsshim-dev (<< 0.2.0)")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "User-Mode Scheduling of Windows, tools
UMS let a 64-bit Windows program schedule its own threads. This package has
umsshim-trace, which says why a process hangs and draws what its schedulers
and workers did, and an extension of gdb that knows workers.")

option(UMSSHIM_DEBIAN "Install what Debian's policy wants of a package" OFF)
if(UMSSHIM_DEBIAN)
  include(cmake/debian/files.cmake)
endif()
include(CPack)
