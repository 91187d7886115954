#pragma once
/// \file
/// The SMT-LIB 2.6 script that a path certificate must have (docs/reference/evidence-format.md),
/// from the checked control flow, the table and the flow facts alone.

#include "certification/verify/flow/control_flow.hpp"
#include "certification/verify/flow/path_problem.hpp"

#include <string>

namespace warpbound::certification::verify {

std::string expected_script(const KernelCase& kernel, const ControlFlow& flow,
                            const Certificate& certificate);

/// The first line in which two scripts differ, for people.
std::string first_difference(const std::string& expected, const std::string& shipped);

} // namespace warpbound::certification::verify
