#include "models/launch/warp_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace warpbound::models {

namespace {

struct Named {
    std::string_view name;
    PolicyKind kind;
};
constexpr std::array<Named, 7> names{{{"lrr", PolicyKind::LooseRoundRobin},
                                      {"gto", PolicyKind::GreedyThenOldest},
                                      {"oldest", PolicyKind::OldestFirst},
                                      {"two-level", PolicyKind::TwoLevel},
                                      {"srr", PolicyKind::StrictRoundRobin},
                                      {"variable-rate", PolicyKind::VariableRate},
                                      {"unknown", PolicyKind::Unknown}}};
constexpr std::int64_t largest = 1024;

std::string_view name_of(PolicyKind kind) {
    return std::find_if(names.begin(), names.end(),
                        [&](const Named& named) { return named.kind == kind; })
        ->name;
}

std::optional<std::int64_t> whole_number(std::string_view text, std::int64_t least) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < least ||
        value > largest)
        return std::nullopt;
    return value;
}

/// Sets one parameter; false when the policy has no such parameter or refuses the value.
bool set(WarpPolicy& policy, std::string_view key, std::string_view value) {
    const auto number = [&](std::int64_t& parameter, std::int64_t least) {
        const auto read = whole_number(value, least);
        if (read) parameter = *read;
        return read.has_value();
    };
    if (policy.kind == PolicyKind::TwoLevel) return key == "active" && number(policy.active, 1);
    if (policy.kind != PolicyKind::VariableRate) return false;
    if (key == "fast") return number(policy.fast, 0);
    if (key == "every") return number(policy.every, 2);
    policy.conserving = key == "conserving" && value.empty();
    return policy.conserving;
}

} // namespace

PolicyGuarantee guarantee_of(const WarpPolicy& policy) {
    switch (policy.kind) {
    case PolicyKind::TwoLevel:
        return PolicyGuarantee::SetLimited;
    case PolicyKind::StrictRoundRobin:
        return PolicyGuarantee::OrderForced;
    case PolicyKind::VariableRate:
        return policy.conserving ? PolicyGuarantee::WorkConserving : PolicyGuarantee::TimeDivision;
    default:
        return PolicyGuarantee::WorkConserving;
    }
}

std::string_view to_string(PolicyGuarantee guarantee) {
    switch (guarantee) {
    case PolicyGuarantee::WorkConserving:
        return "work-conserving";
    case PolicyGuarantee::SetLimited:
        return "set-limited";
    case PolicyGuarantee::OrderForced:
        return "order-forced";
    case PolicyGuarantee::TimeDivision:
        break;
    }
    return "slotted";
}

Result<WarpPolicy> read_policy(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const auto* const named = std::find_if(names.begin(), names.end(),
                                           [&](const Named& entry) { return entry.name == name; });
    if (named == names.end())
        return Failure{fmt::format("unknown warp policy '{}'; expected {}", name,
                                   fmt::join(policy_names(), ", "))};
    WarpPolicy policy;
    policy.kind = named->kind;
    std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    while (!rest.empty()) {
        const std::string_view item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), item.size() + 1));
        const std::size_t equals = item.find('=');
        const std::string_view value =
            equals == std::string_view::npos ? "" : item.substr(equals + 1);
        if (!set(policy, item.substr(0, equals), value))
            return Failure{fmt::format(
                "warp policy {} takes no '{}'; expected two-level:active=N (1 to {}) or "
                "variable-rate:fast=N,every=N,conserving (fast from 0, every from 2)",
                name, item, largest)};
    }
    return policy;
}

std::string to_string(const WarpPolicy& policy) {
    const std::string_view name = name_of(policy.kind);
    if (policy.kind == PolicyKind::TwoLevel)
        return fmt::format("{}:active={}", name, policy.active);
    if (policy.kind == PolicyKind::VariableRate)
        return fmt::format("{}:fast={},every={}{}", name, policy.fast, policy.every,
                           policy.conserving ? ",conserving" : "");
    return std::string{name};
}

std::vector<std::string_view> policy_names() {
    std::vector<std::string_view> all;
    all.reserve(names.size());
    for (const Named& named : names)
        all.push_back(named.name);
    return all;
}

} // namespace warpbound::models
