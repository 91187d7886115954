#pragma once
/// \file
/// Differences of two descriptions.

#include "models/architecture/architecture.hpp"

#include <string>
#include <vector>

namespace warpbound::models {

/// A value that differs, by its path. Null: that description lacks the value.
struct ValueDifference {
    std::string path; ///< "classes/float-add/latency"
    const SourcedValue* a = nullptr;
    const SourcedValue* b = nullptr;

    /// Whether both have the same number, so that only source, grade or reason differ.
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
/// differs from an absent one, and a range with a typical value from one without.
Differences differences(const Architecture& a, const Architecture& b);

} // namespace warpbound::models
