#pragma once
/// \file
/// Bundles of clang that hold code for several targets (`__CLANG_OFFLOAD_BUNDLE__`).

#include "assembly/isa/target.hpp"
#include "assembly/support/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpbound::assembly::amd {

/// The code of one target in a bundle.
struct BundledCode {
    std::string id; ///< "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-".
    Target target;
    std::string_view bytes;
};

/// Whether the bytes begin as a bundle does, compressed ones included.
bool is_offload_bundle(std::string_view bytes);

/// The entries for AMD targets; those of the host, and processors that are not read, are left out.
/// Refuses compressed bundles, with what to type, entries that reach past the end, and a bundle
/// without code for a processor that is read, with what it holds.
/// Source: LLVM, ClangOffloadBundler, "Bundled Binary File Layout".
Result<std::vector<BundledCode>> read_offload_bundle(std::string_view bytes);

} // namespace warpbound::assembly::amd
