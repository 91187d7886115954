#include "models/architecture/architecture.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace warpbound::models {

const SourcedValue* ValueGroup::find(std::string_view value) const {
    const auto found = std::ranges::find(values, value, &SourcedValue::name);
    return found == values.end() ? nullptr : &*found;
}

std::optional<std::size_t> Architecture::unit_index(std::string_view unit) const {
    const auto found = std::ranges::find(units, unit, &Unit::name);
    if (found == units.end()) return std::nullopt;
    return static_cast<std::size_t>(found - units.begin());
}

const ValueGroup* Architecture::memory(std::string_view level) const {
    const auto found = std::ranges::find(memories, level, &ValueGroup::name);
    return found == memories.end() ? nullptr : &*found;
}

const ValueGroup* Architecture::operand_collector(std::string_view unit) const {
    const auto found = std::ranges::find(operand_collectors, unit, &ValueGroup::name);
    return found == operand_collectors.end() ? nullptr : &*found;
}

namespace {

/// Values of C43 to C46; the others of the group are those of C66 to C70.
bool is_of_fetch_ports(const SourcedValue& value) {
    return value.name == "buffer" || value.name == "width" || value.name == "ports" ||
           value.name.starts_with("cache-");
}

} // namespace

bool Architecture::has_instruction_caches() const {
    return !std::ranges::all_of(fetch.values, is_of_fetch_ports);
}

bool Architecture::has_fetch_ports() const {
    return std::ranges::any_of(fetch.values, is_of_fetch_ports);
}

bool Architecture::has_operand_caches() const {
    const ValueGroup* const constant = memory("constant");
    return constant != nullptr && constant->find("hold") != nullptr;
}

std::optional<std::int64_t> Architecture::least_queue_entry() const {
    std::optional<std::int64_t> least;
    for (const auto& [opcode_class, timing] : classes)
        if (const auto* entry = timing.values.find("entry"); entry != nullptr && entry->interval)
            least = std::min(least.value_or(entry->interval->lo), entry->interval->lo);
    return least;
}

std::vector<std::string_view> Architecture::imperfect_parts() const {
    std::vector<std::string_view> parts;
    if (has_fetch_ports()) parts.emplace_back("fetch");
    if (!register_file.values.empty() && !has_read_ports()) parts.emplace_back("register-file");
    if (!operand_collectors.empty()) parts.emplace_back("operand-collectors");
    if (const ValueGroup* const constant = memory("constant");
        constant != nullptr && !constant->values.empty() && !has_operand_caches())
        parts.emplace_back("memories/constant");
    return parts;
}

bool same_machine(const Architecture& a, const Architecture& b) {
    return a.name == b.name && a.title == b.title && a.target == b.target &&
           a.issue_control == b.issue_control && a.geometry == b.geometry && a.limits == b.limits &&
           a.schedulers == b.schedulers && a.units == b.units && a.classes == b.classes &&
           a.memories == b.memories && a.write_buffer == b.write_buffer &&
           a.control_flow == b.control_flow && a.blocks == b.blocks && a.transfers == b.transfers &&
           a.fetch == b.fetch && a.register_file == b.register_file &&
           a.operand_collectors == b.operand_collectors && a.memory_queue == b.memory_queue;
}

Result<Interval> require(const Architecture& architecture, const ValueGroup& group,
                         std::string_view path, std::string_view value) {
    const SourcedValue* const found = group.find(value);
    if (found != nullptr && found->interval) return *found->interval;
    return Failure{.what = fmt::format("{0}/{1} is {2} architecture {3}; state it with --assume "
                                       "{0}/{1}=LO..HI",
                                       path, value, found == nullptr ? "absent from" : "unknown in",
                                       architecture.name),
                   .where = {}};
}

Result<void> check_runs_on(const Architecture& architecture, std::string_view kernel,
                           assembly::Target code) {
    const std::string why = assembly::objection_to_running(code, architecture.target);
    if (why.empty()) return boost::outcome_v2::success();
    return Failure{fmt::format("kernel '{}' is {} code, which {} ({}) does not run: {}; expected a "
                               "listing for {}, or --architecture of a machine that runs {}",
                               kernel, to_string(code), architecture.name,
                               to_string(architecture.target), why, to_string(architecture.target),
                               to_string(code)),
                   architecture.name};
}

} // namespace warpbound::models
