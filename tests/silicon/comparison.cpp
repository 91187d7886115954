#include "tests/silicon/comparison.hpp"

#include "models/architecture/pass_rule.hpp"
#include "models/architecture/value_path.hpp"

#include <algorithm>
#include <cmath>

namespace warpbound::silicon {

namespace {

using models::Architecture;
using models::Interval;

constexpr double warp_lanes = 32;

/// The number in a text after or before a word: "footprint 2.5 kB", "59.8 results/clk/SM".
std::optional<double> number_in(const std::string& text, const std::string& pattern) {
    std::smatch found;
    if (!std::regex_search(text, found, std::regex{pattern})) return std::nullopt;
    return number_of(found[1].str());
}

const Interval* interval_of(const Architecture& machine, std::string_view path) {
    const auto* const value = models::find_value(machine, path);
    return value == nullptr || !value->interval ? nullptr : &*value->interval;
}

/// Ports of the unit of the class of "classes/C/initiation".
double ports_of(const Architecture& machine, const std::string& path) {
    const auto name = path.substr(8, path.rfind('/') - 8);
    const auto& timing = machine.classes.at(*assembly::parse_opcode_class(name));
    const auto unit = machine.unit_index(timing.unit);
    if (machine.units[*unit].scope == models::UnitScope::Core) return 1;
    return static_cast<double>(interval_of(machine, "schedulers/count")->lo);
}

/// Passes of a full warp whose lanes are `stride` bytes apart (C22).
models::PassRange passes_of(const Architecture& machine, const std::string& path, double stride,
                            double bytes) {
    const auto name = path.substr(8, path.rfind('/') - 8);
    models::AccessRule rule{.rule = models::pass_rule(*assembly::parse_opcode_class(name)),
                            .bytes = static_cast<std::uint64_t>(bytes),
                            .line = 128,
                            .banks = 32,
                            .width = 4};
    if (const auto* const line = interval_of(machine, "memories/l1/line"); line != nullptr)
        rule.line = static_cast<std::uint64_t>(line->lo);
    const auto* const lines = interval_of(machine, "memories/l1/lines-per-pass");
    if (lines != nullptr && name == "load-global")
        rule.lines_per_pass = static_cast<std::uint64_t>(lines->lo);
    models::LaneAddresses lanes;
    lanes.active = models::all_lanes(static_cast<std::int64_t>(warp_lanes));
    lanes.bytes = rule.bytes;
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(warp_lanes); ++lane)
        lanes.address[lane] = lane * static_cast<std::uint64_t>(stride);
    return models::possible_passes(rule, lanes);
}

/// Sets the interval of a value, for each of so many passes.
void expect(Comparison& comparison, const Interval& interval, models::PassRange passes = {1, 1}) {
    comparison.lo = static_cast<double>(interval.lo * passes.lo);
    comparison.hi = static_cast<double>(interval.hi * passes.hi);
    if (interval.typical) comparison.typical = static_cast<double>(*interval.typical * passes.lo);
}

/// The level that a footprint fits, or "" for one between two levels. Below half of the largest L1
/// all fits; twice that is beyond it; 2/5 of an L2 fit one partition of two; four times the L2 is
/// beyond it.
std::string level_of(const Architecture& machine, double bytes) {
    const auto* const l1 = interval_of(machine, "memories/l1/size");
    const auto* const l2 = interval_of(machine, "memories/l2/size");
    if (l1 == nullptr || l2 == nullptr) return {};
    if (bytes <= 0.5 * static_cast<double>(l1->hi)) return "l1";
    if (bytes >= 2 * static_cast<double>(l1->hi) && bytes <= 0.4 * static_cast<double>(l2->lo))
        return "l2";
    return bytes >= 4 * static_cast<double>(l2->hi) ? "dram" : "";
}

void expect_level(Comparison& comparison, const Row& row, const Architecture& machine) {
    const double bytes = 1024 * number_in(row.condition, "footprint ([0-9.e+]+) kB").value_or(0);
    const std::string level = level_of(machine, bytes);
    const auto* const nearest =
        interval_of(machine, "memories/" + (level.empty() ? "l1" : level) + "/latency");
    const auto* const farthest =
        interval_of(machine, "memories/" + (level.empty() ? "dram" : level) + "/latency");
    comparison.path =
        level.empty() ? "memories, between two levels" : "memories/" + level + "/latency";
    if (nearest == nullptr || farthest == nullptr) {
        comparison.outcome = Outcome::Unknown;
        return;
    }
    expect(comparison,
           level.empty() ? Interval{nearest->lo, std::nullopt, farthest->hi} : *nearest);
}

/// Measured number and interval by the form of the rule.
void apply_form(Comparison& comparison, const Rule& rule, const Architecture& machine) {
    const Row& row = *comparison.row;
    comparison.measured = row.value * rule.factor;
    if (rule.form == "footprint") return expect_level(comparison, row, machine);
    const auto* const value = models::find_value(machine, comparison.path);
    if (value == nullptr || !value->interval) {
        comparison.outcome = value == nullptr ? Outcome::NotDescribed : Outcome::Unknown;
        return;
    }
    models::PassRange times{1, 1};
    if (rule.form == "rate" || rule.form == "results") {
        const double rate = rule.form == "rate"
                                ? row.value
                                : number_in(row.condition, "([0-9.]+) results/clk/SM").value_or(0);
        comparison.measured =
            warp_lanes * ports_of(machine, comparison.path) / (rate * rule.factor);
    } else if (rule.form == "period") {
        comparison.measured *= ports_of(machine, comparison.path);
    } else if (rule.form == "bytes") {
        comparison.measured = warp_lanes * rule.factor / row.value;
        times = passes_of(machine, comparison.path, rule.factor, rule.factor);
    } else if (rule.form == "stride") {
        comparison.measured = row.value;
        const double stride = number_in(row.condition, "stride ([0-9]+)").value_or(0);
        times = passes_of(machine, comparison.path, stride * rule.factor, rule.factor);
    } else if (rule.form == "time") {
        const auto* const clock = interval_of(machine, "geometry/core-clock");
        comparison.measured =
            row.value * (clock == nullptr ? 0 : static_cast<double>(clock->hi)) / 1000;
    }
    expect(comparison, *value->interval, times);
}

const Exception* exception_of(const Mapping& mapping, const Comparison& comparison) {
    const Row& row = *comparison.row;
    const Side side = comparison.outcome == Outcome::Below ? Side::Low : Side::High;
    for (const Exception& each : mapping.exceptions)
        if (std::regex_search(comparison.machine->description.name, each.machine) &&
            std::regex_search(comparison.path, each.path) &&
            std::regex_search(row.device, each.device) && std::regex_search(row.kind, each.kind) &&
            std::regex_search(row.instruction, each.instruction) &&
            std::regex_search(row.condition, each.condition) &&
            (each.side == Side::Both || each.side == side))
            return &each;
    return nullptr;
}

} // namespace

double Comparison::ratio() const {
    if (outcome == Outcome::Below) return measured > 0 ? lo / measured : lo;
    return outcome == Outcome::Above && hi > 0 ? measured / hi : 1;
}

Comparison compare(const Mapping& mapping, const Row& row, const Match& match,
                   const Machine& machine) {
    const Rule& rule = *match.rule;
    Comparison comparison{.row = &row,
                          .machine = &machine,
                          .shared = shared_scope(mapping, machine, row).value_or(Scope::Core),
                          .path = match.path,
                          .typical = {},
                          .tolerance = &rule.tolerance};
    apply_form(comparison, rule, machine.description);
    if (comparison.outcome != Outcome::Holds) return comparison;
    const auto share = [&](double absolute, double percent, double of) {
        return absolute + percent / 100 * of;
    };
    const Tolerance& room = rule.tolerance;
    const double least = comparison.lo - share(room.below, room.below_percent, comparison.lo);
    const double most = comparison.hi + share(room.above, room.above_percent, comparison.hi);
    if (rule.side != Side::High && comparison.measured < least) comparison.outcome = Outcome::Below;
    if (rule.side != Side::Low && comparison.measured > most) comparison.outcome = Outcome::Above;
    if (comparison.is_outside()) comparison.exception = exception_of(mapping, comparison);
    return comparison;
}

} // namespace warpbound::silicon
