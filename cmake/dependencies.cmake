# Third-party libraries, all Debian packages. Third-party headers are system headers, so that our warnings are ours.
find_package(PkgConfig REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(fmt REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(SQLite3 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)

# TinyXML2: some distributions ship a CMake package, all ship a pkg-config file.
pkg_check_modules(TINYXML2 REQUIRED IMPORTED_TARGET tinyxml2)

if(WARPBOUND_ANALYZER)
  # Debian's Z3 4.8.12 has no CMake package.
  pkg_check_modules(Z3 REQUIRED IMPORTED_TARGET z3>=4.8.12)
endif()

# LLVM reads AMD's instructions; everything else does without it.
if(WARPBOUND_AMD)
  if(WARPBOUND_AMD STREQUAL "AUTO")
    find_package(LLVM 19.1 CONFIG QUIET)
  else()
    find_package(LLVM 19.1 CONFIG REQUIRED)
  endif()
  if(NOT LLVM_FOUND)
    message(STATUS "AMD's code is not read: LLVM 19 was not found (Debian: llvm-19-dev)")
    set(WARPBOUND_AMD OFF)
  endif()
endif()
