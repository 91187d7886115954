#include "models/kernel/profile_steps.hpp"

namespace warpbound::models {
namespace {

using assembly::OpcodeClass;

/// Hash of the members in which steps of one program differ.
std::size_t hash_of(const ProfileStep& step) {
    std::size_t hash = static_cast<std::size_t>(step.opcode_class);
    const auto mix = [&hash](std::int64_t value) {
        hash = (hash ^ static_cast<std::size_t>(value)) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 32U;
    };
    mix(step.address.value_or(-1));
    mix(step.transfers ? 1 : 0);
    mix(step.stall.value_or(-1));
    mix(step.sleep.value_or(-1));
    for (const std::int64_t distance : step.distances)
        mix(distance);
    return hash;
}

} // namespace

bool is_global_load(OpcodeClass opcode_class) {
    return opcode_class == OpcodeClass::LoadGlobal || opcode_class == OpcodeClass::LoadLocal;
}

bool is_global_store(OpcodeClass opcode_class) {
    return opcode_class == OpcodeClass::StoreGlobal || opcode_class == OpcodeClass::StoreLocal;
}

bool is_shared_access(OpcodeClass opcode_class) {
    return opcode_class == OpcodeClass::LoadShared || opcode_class == OpcodeClass::StoreShared ||
           opcode_class == OpcodeClass::AtomicShared;
}

bool is_memory_access(OpcodeClass opcode_class) {
    return is_global_load(opcode_class) || is_global_store(opcode_class) ||
           is_shared_access(opcode_class) || opcode_class == OpcodeClass::AtomicGlobal;
}

Steps::Steps(std::initializer_list<ProfileStep> steps) {
    for (const auto& step : steps)
        push_back(step);
}

Steps::Kind Steps::kind_of(const ProfileStep& step) {
    // The same step kind as last time mostly follows the previous step again.
    const std::optional<Kind> before = order_.empty() ? std::nullopt : std::optional{order_.back()};
    if (before && kinds_[follower_[*before]] == step) return follower_[*before];
    const Kind kind = find_or_add(step);
    if (before) follower_[*before] = kind;
    return kind;
}

Steps::Kind Steps::find_or_add(const ProfileStep& step) {
    const std::size_t hash = hash_of(step);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto found = first; found != last; ++found)
        if (kinds_[found->second] == step) return found->second;
    const auto kind = static_cast<Kind>(kinds_.size());
    kinds_.push_back(step);
    executions_.push_back(0);
    follower_.push_back(0);
    by_hash_.emplace(hash, kind);
    return kind;
}

void Steps::repeat_last(std::size_t length, std::size_t times) {
    const std::size_t first = order_.size() - length;
    for (std::size_t at = first; at < first + length; ++at)
        executions_[order_[at]] += static_cast<std::int64_t>(times);
    order_.reserve(order_.size() + length * times);
    for (std::size_t copied = 0; copied < length * times; ++copied)
        order_.push_back(order_[order_.size() - length]);
}

bool operator==(const Steps& a, const Steps& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t at = 0; at < a.size(); ++at)
        if (!(a[at] == b[at])) return false;
    return true;
}

} // namespace warpbound::models
