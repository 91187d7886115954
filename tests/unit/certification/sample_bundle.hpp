#pragma once
/// \file
/// The bundle that tests of evidence change and verify.

#include "tests/support/evidence.hpp"

#include <string>
#include <vector>

namespace warpbound::certification {

/// Two kernels, one of one warp and one of several.
inline BundleInputs inputs() {
    BundleInputs made;
    made.tool_version = "1.2.3";
    made.kernels.push_back(tests::example_kernel(
        "saxpy/sm_75.sass", "saxpy_loop", "saxpy/sm_75.flow-facts.xml", "turing-t4", "2x128", 20));
    made.kernels.push_back(tests::example_kernel("convolution/sm_75.sass", "convolution_rows",
                                                 "convolution/sm_75.rows.flow-facts.xml",
                                                 "turing-t4", "1x32", 20));
    return made;
}

inline const Bundle& bundle() {
    static const Bundle made = build_bundle(inputs()).value();
    return made;
}

inline verify::Options options() {
    verify::Options chosen;
    chosen.rebuild = tests::rebuild;
    chosen.tool_version = "1.2.3";
    return chosen;
}

inline std::string text_of(const std::vector<verify::StepResult>& steps) {
    std::string text;
    for (const auto& step : steps)
        text += step.step + ": " + to_string(step.verdict) + ": " + step.detail + "\n";
    return text;
}

} // namespace warpbound::certification
