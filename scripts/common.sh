# shellcheck shell=bash
# Shared by the scripts: says what is done, installs what is missing, configures and builds.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '\n==> %s\n' "$*"; }

# Where a distribution lacks one that ends in ?, a part of the program is left out, which configuring says.
packages=(cmake ninja-build g++ pkg-config libz3-dev libboost-dev libtinyxml2-dev libsqlite3-dev libcli11-dev 'llvm-19-dev?'
          libfmt-dev nlohmann-json3-dev libssl-dev zlib1g-dev liblzma-dev libzstd-dev libgtest-dev libgmock-dev libbenchmark-dev libxml2-utils)

# Installs the Debian packages that are missing; asks for nothing.
install_packages() {
  local missing=() install=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "${package%\?}" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then say "All packages are installed"; return; fi
  say "Installing packages: ${missing[*]}"
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get update -q
  for package in "${missing[@]}"; do
    if [[ $package == *\? ]] && ! apt-cache show "${package%\?}" >/dev/null 2>&1; then
      say "There is no package ${package%\?} here; it is left out"
    else
      install+=("${package%\?}")
    fi
  done
  [ ${#install[@]} -eq 0 ] ||
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${install[@]}"
}

# configure_and_build PRESET [CMake options]: into build/PRESET, all cores.
configure_and_build() {
  local preset=$1
  shift
  say "Configuring build/$preset"
  cmake -S "$root" --preset "$preset" "$@"
  say "Building build/$preset with $(nproc) cores"
  cmake --build "$root/build/$preset" --parallel "$(nproc)"
}

# merge_comparisons SET FILE: these rows replace those of the set in what reports say of whole kernels.
merge_comparisons() {
  local table=$root/models/architecture/whole_kernels.csv merged
  merged=$(
    head -n 1 "$table"
    { tail -n +2 "$table" | awk -F, -v set="$1" '$2 != set'; cat "$2"; } | LC_ALL=C sort
  )
  printf '%s\n' "$merged" >"$table"
}
