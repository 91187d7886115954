#pragma once
/// \file
/// What moved since an older bundle, and why: the tool, the model, the code or the measurements.

#include "certification/bundle/build.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification {

/// One bound before and after, and what each change contributes when they are made one after
/// another: first this tool on the old inputs, then the new model, then the new code (listing, flow
/// facts, launch, policy, multiprocessors). `Unit:` core cycles.
struct MovedBound {
    std::string kernel; ///< Id in the new bundle.
    std::string name;
    std::string quantity;
    bool upper = true;
    std::int64_t before = 0;
    std::int64_t after = 0;
    std::int64_t by_tool = 0;
    /// None: the old code is refused on the new model, so that the two cannot be told apart.
    std::optional<std::int64_t> by_model;
    std::string refusal;      ///< Why it is none.
    std::int64_t by_code = 0; ///< With the model where `by_model` is none.
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

/// `before`: files of the older bundle. Kernels belong together by name, launch, policy and
/// multiprocessors, else by name where that is unambiguous. Refuses an older bundle that cannot be
/// read or analyzed now.
Result<Comparison> compare_with(const std::map<std::string, std::string>& before,
                                const BundleInputs& inputs, const Bundle& after);

std::string text_of(const Comparison& comparison);

} // namespace warpbound::certification
