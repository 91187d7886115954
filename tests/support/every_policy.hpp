#pragma once
/// \file
/// Policies that tests run through, from the table of policies.

#include "models/launch/warp_policy.hpp"
#include "tests/support/random_source.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::tests {

/// Work-conserving policies without parameters, and `further` ones.
inline std::vector<std::string> conserving_policies(std::vector<std::string> further = {}) {
    for (const std::string_view name :
         models::policy_names(models::PolicyGuarantee::WorkConserving))
        further.emplace_back(name);
    return further;
}

inline models::WarpPolicy random_conserving_policy(RandomSource& random_source) {
    const auto policies = conserving_policies();
    const std::int64_t last = static_cast<std::int64_t>(policies.size()) - 1;
    return models::read_policy(policies[static_cast<std::size_t>(random_source.whole(0, last))])
        .value();
}

/// A policy of each kind, and the one that conserves work in time slots.
inline const std::vector<std::string> every_policy = [] {
    std::vector<std::string> all;
    for (const models::NamedPolicy& named : models::named_policies)
        all.push_back(std::string{named.name} +
                      (named.kind == models::PolicyKind::TwoLevel ? ":active=2" : ""));
    all.emplace_back("variable-rate:fast=1,every=3,conserving");
    return all;
}();

/// Any number names one.
inline models::WarpPolicy policy_of(std::size_t index) {
    return models::read_policy(every_policy[index % every_policy.size()]).value();
}

} // namespace warpbound::tests
