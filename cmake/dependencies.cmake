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

# TinyXML2: some distributions ship a CMake package, all ship a pkg-config file.
pkg_check_modules(TINYXML2 REQUIRED IMPORTED_TARGET tinyxml2)

if(WARPBOUND_ANALYZER)
  # Debian's Z3 4.8.12 has no CMake package.
  pkg_check_modules(Z3 REQUIRED IMPORTED_TARGET z3>=4.8.12)
endif()
