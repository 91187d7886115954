#include "models/architecture/self_check.hpp"

#include "models/architecture/instruction_form.hpp"
#include "models/architecture/value_path.hpp"

#include <fmt/core.h>

#include <string_view>

namespace warpbound::models {
namespace {

const Interval* known(const ValueGroup* group, std::string_view name) {
    const SourcedValue* const value = group == nullptr ? nullptr : group->find(name);
    return value == nullptr || !value->interval ? nullptr : &*value->interval;
}

void check_classes(const Architecture& architecture, std::vector<std::string>& findings) {
    for (const auto& [opcode_class, timing] : architecture.classes) {
        const Interval* const latency = known(&timing.values, "latency");
        const Interval* const initiation = known(&timing.values, "initiation");
        if (latency == nullptr || initiation == nullptr || latency->hi >= initiation->hi) continue;
        findings.push_back(fmt::format("classes/{}: latency {} is below the initiation {}",
                                       assembly::to_string(opcode_class), latency->hi,
                                       initiation->hi));
    }
}

/// What holds for one form holds for all: its interval is inside theirs (C89). A multiplication of
/// double width may hold its unit for longer (C90).
void check_forms(const ValueGroup& group, const std::string& path,
                 std::vector<std::string>& findings) {
    for (const std::string_view name : {"latency", "source-read"}) {
        const Interval* const all = known(&group, name);
        for (const SourcedValue& value : group.values) {
            const bool is_form = value.name.starts_with(fmt::format("{}-", name));
            if (!is_form || all == nullptr || !value.interval ||
                is_told_by_mnemonic(std::string_view{value.name}.substr(name.size() + 1)))
                continue;
            if (all->lo <= value.interval->lo && value.interval->hi <= all->hi) continue;
            findings.push_back(fmt::format("{}: {} {}..{} is not inside the {} of all forms", path,
                                           value.name, value.interval->lo, value.interval->hi,
                                           name));
        }
    }
}

/// Each end of the nearer level below the same end of the farther one.
void check_levels(const Architecture& architecture, std::string_view nearer,
                  std::string_view farther, std::vector<std::string>& findings) {
    const Interval* const near = known(architecture.memory(nearer), "latency");
    const Interval* const far = known(architecture.memory(farther), "latency");
    if (near == nullptr || far == nullptr || (near->lo < far->lo && near->hi < far->hi)) return;
    findings.push_back(
        fmt::format("memories: the latency of {} is not below that of {}", nearer, farther));
}

void check_limits(const Architecture& architecture, std::vector<std::string>& findings) {
    const Interval* const warps = known(&architecture.limits, "max-warps");
    const Interval* const threads = known(&architecture.limits, "max-threads");
    const Interval* const size = known(&architecture.geometry, "warp-size");
    if (warps != nullptr && threads != nullptr && size != nullptr &&
        warps->lo * size->lo != threads->lo)
        findings.push_back(fmt::format("limits: {} warps of {} threads are not {} threads",
                                       warps->lo, size->lo, threads->lo));
    const Interval* const registers = known(&architecture.limits, "registers");
    const Interval* const unit = known(&architecture.limits, "register-granularity");
    const Interval* const parts = known(&architecture.limits, "register-partitions");
    if (registers != nullptr && unit != nullptr && parts != nullptr &&
        registers->lo % parts->lo != 0)
        findings.push_back(fmt::format("limits: {} registers do not divide into {} partitions",
                                       registers->lo, parts->lo));
    else if (registers != nullptr && unit != nullptr && parts != nullptr &&
             registers->lo / parts->lo % unit->lo != 0)
        findings.push_back(
            fmt::format("limits: a partition's registers are no multiple of {}", unit->lo));
    const Interval* const schedulers = known(&architecture.schedulers, "count");
    if (warps != nullptr && schedulers != nullptr && warps->lo % schedulers->lo != 0)
        findings.push_back(fmt::format("limits: {} warps do not divide among {} schedulers",
                                       warps->lo, schedulers->lo));
}

} // namespace

std::vector<std::string> self_check(const Architecture& architecture) {
    std::vector<std::string> findings;
    check_classes(architecture, findings);
    for (const auto& [path, group] : value_groups(architecture))
        check_forms(*group, path, findings);
    check_levels(architecture, "l1", "l2", findings);
    check_levels(architecture, "l2", "dram", findings);
    check_levels(architecture, "l1", "dram", findings);
    check_limits(architecture, findings);
    return findings;
}

} // namespace warpbound::models
