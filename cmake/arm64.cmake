# Toolchain file: builds for arm64 (Jetson, Grace) on a Debian machine of another architecture, with Debian's cross
# compiler and the libraries of its foreign architecture arm64. Programs run under qemu-user. See scripts/arm64.sh.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# No notes that arguments are passed otherwise than before GCC 10: no library is older.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
set(WARPBOUND_DEBIAN_ARCHITECTURE arm64)
# The files of pkg-config of arm64, and none of the machine's own.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
