#pragma once
/// \file
/// How a description stands to the one of the same name that this program was built with: a file
/// may carry a known name and say other things.

#include "models/architecture/architecture.hpp"

#include <string>
#include <vector>

namespace warpbound::models {

enum class Standing {
    Shipped,      ///< As built into this program.
    Modified,     ///< Of a built-in name, with other values, grades or sources.
    UserSupplied, ///< Of no built-in name.
};

/// What a modified description says instead of the built-in one.
struct ModifiedValue {
    std::string path;    ///< "classes/float-add/latency"
    std::string stated;  ///< "3 cycles, vendor"
    std::string shipped; ///< "4..6 cycles, measured"
};

struct Provenance {
    Standing standing = Standing::Shipped;
    std::vector<ModifiedValue> modified; ///< Empty unless `Modified`.
};

/// Compares with the built-in descriptions, not with the files that are found by their name.
Provenance provenance_of(const Architecture& machine);

/// "turing-t4"; "turing-t4 (modified: 3 values differ)"; "mine (user-supplied)".
std::string name_with_standing(const Architecture& machine);
/// As `name_with_standing`, with the digest of the file unless it is a shipped one:
/// "turing-t4 (modified: 3 values differ; sha256:..)".
std::string label_of(const Architecture& machine);
/// A sentence for the register of assumptions: what differs, or that nobody but the user vouches
/// for the values. Empty for a shipped description.
std::string statement_on(const Architecture& machine);

} // namespace warpbound::models
