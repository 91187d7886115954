#pragma once
/// \file
/// In what two descriptions differ.

#include "models/architecture/architecture.hpp"

#include <string>
#include <vector>

namespace warpbound::models {

/// A value that is not the same in both, by its path. Null: that description has none there.
struct ValueDifference {
    std::string path; ///< "classes/float-add/latency"
    const SourcedValue* a = nullptr;
    const SourcedValue* b = nullptr;

    /// Whether both have the same number: source, grade or reason differ.
    [[nodiscard]] bool of_source_only() const;
};

/// A property without number: "target", "units/alu/scope", "classes/float-add/unit",
/// "memories/interconnect". Empty: that description does not have it.
struct PropertyDifference {
    std::string path;
    std::string a;
    std::string b;
};

struct Differences {
    std::vector<PropertyDifference> properties; ///< In order of the paths.
    std::vector<ValueDifference>
        values; ///< In the order in which `a` is shown, then what only `b` has.
};

/// Compares everything but name, title and digest. Points into both descriptions. An unknown value
/// and one that is not there are different. Ranges with and without a typical value are, too.
Differences differences(const Architecture& a, const Architecture& b);

} // namespace warpbound::models
