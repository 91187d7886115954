#pragma once
/// \file
/// Warp scheduling policies by name, and what each guarantees (rule C19 of
/// docs/reference/timing-contract.md).

#include "assembly/support/result.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models {

enum class PolicyKind {
    LooseRoundRobin,    ///< "lrr"
    GreedyThenOldest,   ///< "gto"
    GreedyThenYoungest, ///< "gty"
    OldestFirst,        ///< "oldest"
    TwoLevel,           ///< "two-level": loose round robin inside an active set
    StrictRoundRobin,   ///< "srr"
    VariableRate,       ///< "variable-rate": time division; one warp owns more time slots
    Unknown             ///< "unknown": any warp that may issue, by no known rule
};

/// Property of a policy that a bound may rely on.
enum class PolicyGuarantee {
    WorkConserving, ///< some warp issues whenever one may
    SetLimited,     ///< work-conserving inside a set of warps
    OrderForced,    ///< not work-conserving: waits for the warp whose turn it is
    TimeDivision    ///< a warp issues in its own time slots only
};

/// A policy in the table below.
struct NamedPolicy {
    std::string_view name;
    PolicyKind kind;
    PolicyGuarantee guarantee; ///< Without parameters.
    std::string_view choice;   ///< Whom it chooses, in words that follow its name.
};

/// All policies: what is read, written and listed of them, and which bounds cover them.
inline constexpr std::array named_policies{
    NamedPolicy{"lrr", PolicyKind::LooseRoundRobin, PolicyGuarantee::WorkConserving,
                "loose round robin"},
    NamedPolicy{"gto", PolicyKind::GreedyThenOldest, PolicyGuarantee::WorkConserving,
                "greedy, then oldest"},
    NamedPolicy{"gty", PolicyKind::GreedyThenYoungest, PolicyGuarantee::WorkConserving,
                "greedy, then youngest"},
    NamedPolicy{"oldest", PolicyKind::OldestFirst, PolicyGuarantee::WorkConserving, "oldest first"},
    NamedPolicy{"two-level", PolicyKind::TwoLevel, PolicyGuarantee::SetLimited,
                "loose round robin in an active set"},
    NamedPolicy{"srr", PolicyKind::StrictRoundRobin, PolicyGuarantee::OrderForced,
                "strict round robin"},
    NamedPolicy{"variable-rate", PolicyKind::VariableRate, PolicyGuarantee::TimeDivision,
                "time division"},
    NamedPolicy{"unknown", PolicyKind::Unknown, PolicyGuarantee::WorkConserving,
                "any warp that may issue, by no known rule"},
};

struct WarpPolicy {
    PolicyKind kind = PolicyKind::LooseRoundRobin;
    std::int64_t active = 8; ///< Two-level: warps in the active set of a scheduler, at least 1.
    std::int64_t fast = 0;   ///< Variable rate: warp slot of the fast warp in its scheduler.
    std::int64_t every = 2;  ///< Variable rate: the fast warp owns every so many time slots, >= 2.
    bool conserving = false; ///< Variable rate: other warps may use a slot that its owner cannot.

    friend bool operator==(const WarpPolicy&, const WarpPolicy&) = default;
};

PolicyGuarantee guarantee_of(const WarpPolicy& policy);
std::string_view to_string(PolicyGuarantee guarantee);

/// Reads `NAME` or `NAME:key=value,..`: `two-level:active=4`, `variable-rate:fast=0,every=2` and
/// `variable-rate:conserving`. Refuses unknown names and keys, and values out of range, naming what
/// was expected.
Result<WarpPolicy> read_policy(std::string_view text);
/// In the form that `read_policy` reads, with all parameters of the policy.
std::string to_string(const WarpPolicy& policy);
/// Names that `read_policy` takes.
std::vector<std::string_view> policy_names();
/// Those of policies that have the guarantee without parameters.
std::vector<std::string_view> policy_names(PolicyGuarantee guarantee);

} // namespace warpbound::models
