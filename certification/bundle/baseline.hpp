#pragma once
/// \file
/// What changed since an older bundle, and why: the tool, the machine model, the code or the
/// measurements.

#include "certification/bundle/build.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification {

/// One bound before and after, with the contribution of each change. The changes are applied one
/// after another: first this tool on the old inputs, then the new machine model, then the new code
/// (listing, flow facts, launch, policy, multiprocessors). `Unit:` core cycles.
struct MovedBound {
    std::string kernel; ///< Id in the new bundle.
    std::string name;
    std::string quantity;
    bool upper = true;
    std::int64_t before = 0;
    std::int64_t after = 0;
    std::int64_t by_tool = 0;
    /// None: the old code is refused on the new model, so the two contributions are not separable.
    std::optional<std::int64_t> by_model;
    std::string refusal;      ///< Why `by_model` is none.
    std::int64_t by_code = 0; ///< Contribution of code and model where `by_model` is none.
};

/// The worst recorded time before and after; none: not recorded.
struct MovedObservation {
    std::string kernel;
    std::string name;
    std::string quantity; ///< As claims call it.
    std::optional<std::int64_t> before;
    std::optional<std::int64_t> after;
};

struct Comparison {
    std::vector<MovedBound> bounds;
    std::vector<MovedObservation> observations;
    std::vector<std::string> only_before; ///< Kernels, as "saxpy 4x128 on 1 SM, lrr".
    std::vector<std::string> only_after;
    bool other_version = false; ///< The older bundle was made by another version of the tool.
};

/// `before`: files of the older bundle. Kernels are matched by name, launch, policy and
/// multiprocessors, otherwise by name where that is unambiguous. Refuses an older bundle that this
/// tool cannot read or analyze.
Result<Comparison> compare_with(const std::map<std::string, std::string>& before,
                                const BundleInputs& inputs, const Bundle& after);

std::string text_of(const Comparison& comparison);

} // namespace warpbound::certification
