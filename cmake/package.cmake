# Debian packages: `cpack -G DEB` in the build folder makes warpbound (program, descriptions, pages) and libwarpbound-dev.
set(CPACK_PACKAGE_NAME warpbound)
set(CPACK_PACKAGE_VENDOR "warpbound")
set(CPACK_PACKAGE_CONTACT "The warpbound maintainers <maintainers@warpbound.example>" CACHE STRING "Maintainer of the Debian packages")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0) # All cores.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package/debian_files.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(CMAKE_CROSSCOMPILING) # Else that of the machine.
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${WARPBOUND_DEBIAN_ARCHITECTURE})
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME warpbound)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "man-db")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libwarpbound-dev, nvidia-cuda-toolkit, python3")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Bounds worst-case and best-case execution time of a GPU kernel from its
machine code, runs it on a simulated device that follows the same written
rules, and writes evidence that a reviewer checks with one command.

Binaries are disassembled by nvdisasm of the CUDA toolkit; listings need no
other program.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libwarpbound-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libboost-dev (>= 1.74), libfmt-dev, libssl-dev, libsqlite3-dev, libtinyxml2-dev, libz3-dev, liblzma-dev, libzstd-dev, zlib1g-dev, pkg-config")
if(NOT WARPBOUND_ANALYZER)
  string(REPLACE " libz3-dev," "" CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS}")
endif()
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Static libraries of warpbound with C++20 headers, a CMake package and
pkg-config files: readers of GPU programs, descriptions of GPUs, the
simulated device, the analyzer, reports and evidence.")
include(CPack)
