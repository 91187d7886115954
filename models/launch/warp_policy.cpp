#include "models/launch/warp_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace warpbound::models {

namespace {

constexpr std::int64_t largest = 1024;

const NamedPolicy& row_of(PolicyKind kind) {
    return *std::find_if(named_policies.begin(), named_policies.end(),
                         [&](const NamedPolicy& named) { return named.kind == kind; });
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
    const bool conserves = policy.kind == PolicyKind::VariableRate && policy.conserving;
    return conserves ? PolicyGuarantee::WorkConserving : row_of(policy.kind).guarantee;
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
    const auto* const named =
        std::find_if(named_policies.begin(), named_policies.end(),
                     [&](const NamedPolicy& row) { return row.name == name; });
    if (named == named_policies.end())
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
    const std::string_view name = row_of(policy.kind).name;
    if (policy.kind == PolicyKind::TwoLevel)
        return fmt::format("{}:active={}", name, policy.active);
    if (policy.kind == PolicyKind::VariableRate)
        return fmt::format("{}:fast={},every={}{}", name, policy.fast, policy.every,
                           policy.conserving ? ",conserving" : "");
    return std::string{name};
}

std::vector<std::string_view> policy_names() {
    std::vector<std::string_view> all;
    all.reserve(named_policies.size());
    for (const NamedPolicy& named : named_policies)
        all.push_back(named.name);
    return all;
}

std::vector<std::string_view> policy_names(PolicyGuarantee guarantee) {
    std::vector<std::string_view> all;
    for (const NamedPolicy& named : named_policies)
        if (named.guarantee == guarantee) all.push_back(named.name);
    return all;
}

} // namespace warpbound::models
