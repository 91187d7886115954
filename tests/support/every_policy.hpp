#pragma once
/// \file
/// A policy of each kind.

#include "models/launch/warp_policy.hpp"

#include <array>
#include <cstddef>

namespace warpbound::tests {

inline constexpr std::array every_policy{"lrr",
                                         "gto",
                                         "oldest",
                                         "two-level:active=2",
                                         "srr",
                                         "variable-rate",
                                         "variable-rate:fast=1,every=3,conserving",
                                         "unknown"};

/// Any number names one.
inline models::WarpPolicy policy_of(std::size_t index) {
    return models::read_policy(every_policy[index % every_policy.size()]).value();
}

} // namespace warpbound::tests
