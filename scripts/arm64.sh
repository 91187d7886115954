#!/usr/bin/env bash
# Cross-compiles the program for arm64 (Jetson, Grace), runs unit tests of it under qemu-user, and makes its Debian package.
# `arm64.sh measuring` builds the part that measures, without the analyzer; it needs no Z3.
# Sets up a fresh Debian machine first: foreign architecture, cross compiler, libraries, emulator.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

case ${1:-} in
'') build=build/arm64 analyzer=ON ;;
measuring) build=build/arm64-measuring analyzer=OFF ;;
*)
  echo "usage: scripts/arm64.sh [measuring]" >&2
  exit 2
  ;;
esac

if ! dpkg --print-foreign-architectures | grep -qx arm64; then
  say "Adding the foreign architecture arm64"
  if [ "$(id -u)" -eq 0 ]; then dpkg --add-architecture arm64; else sudo dpkg --add-architecture arm64; fi
fi
# What has no code is the same for all architectures. LLVM, which reads AMD's code, is left out.
packages=(cmake ninja-build pkg-config file dpkg-dev g++-aarch64-linux-gnu qemu-user libcli11-dev nlohmann-json3-dev
          libc6-dev:arm64 libstdc++6:arm64)
for library in libboost-dev libtinyxml2-dev libsqlite3-dev libfmt-dev libssl-dev zlib1g-dev liblzma-dev libzstd-dev \
  libgtest-dev libgmock-dev; do
  packages+=("$library:arm64")
done
[ "$analyzer" = OFF ] || packages+=(libz3-dev:arm64)
install_packages "${packages[@]}"

say "Configuring $build"
cmake --preset arm64 -B "$build" -DWARPBOUND_ANALYZER="$analyzer"
say "Building the program, and tests of readers, descriptions, campaigns, cards and the analyzer"
tests=(assembly/isa/assembly_isa_test assembly/binary/assembly_binary_test assembly/flow/assembly_flow_test models/models_test
       harness/profiles/profiles_test harness/devices/cuda/cuda_test)
[ "$analyzer" = OFF ] || tests+=(analyzer/analyzer_test)
cmake --build "$build" --target warpbound warpbound_documentation "${tests[@]##*/}" --parallel "$(nproc)"

say "Running them under qemu-user"
qemu-aarch64 "$build/cli/warpbound" --version
# Not the test that compares times of two threads to the microsecond, which emulation delays.
for test in "${tests[@]}"; do
  qemu-aarch64 "$build/tests/unit/$test" --gtest_brief=1 --gtest_filter=-CardScheduling.ViolatesNoRuleOnADriverThatObeysThem
done

say "Making the package"
(cd "$build" && DEB_HOST_ARCH=arm64 cpack -G DEB -D CPACK_COMPONENTS_ALL=program)
ls -l "$build"/packages/*.deb
