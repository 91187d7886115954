#include "harness/suite/benchmarks/accesses.hpp"
#include "harness/suite/benchmarks/specimens.hpp"
#include "harness/suite/emission/ptx_statement.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>

namespace warpbound::harness {

namespace {

const std::vector<std::int64_t> chain_counts{1, 2, 4, 8, 16};
const std::vector<std::int64_t> pair_counts{1, 2, 4, 8};

/// Classes whose chains and pairs the experiments of V14 have.
bool is_of_voudouris(const Specimen& of) {
    using assembly::OpcodeClass;
    return of.opcode_class == OpcodeClass::FloatAdd ||
           of.opcode_class == OpcodeClass::FloatMultiply ||
           of.opcode_class == OpcodeClass::FloatMultiplyAdd ||
           of.opcode_class == OpcodeClass::SpecialFunction;
}

/// Computes from registers.
bool is_arithmetic(const Specimen& of) {
    return of.has_result && of.text.find("R2") != std::string_view::npos;
}

/// Position in its text of the source register that links a chain; npos: it has no such source, or
/// no result.
std::size_t link_of(const Specimen& of) {
    if (!of.has_result) return std::string_view::npos;
    const std::size_t address = of.text.find("[R4]");
    return address != std::string_view::npos ? address + 1 : of.text.find("R2");
}

/// The PTX with what the operation before wrote in the place of the first operand, where that is
/// the register that it writes itself. Empty: it reads no such register, or a pair where the other
/// is none.
std::string chained(std::string ptx, int destination, const std::string& before) {
    const std::size_t comma = ptx.find(", %");
    if (comma == std::string::npos) return {};
    const std::size_t begin = comma + 2;
    const std::string own = ptx.substr(begin, ptx.find_first_of(",;", begin) - begin);
    const auto is_pair = [](const std::string& reg) { return reg.starts_with("%fd"); };
    if (!own.ends_with(std::to_string(destination))) return {};
    if (before.empty()) return ptx;
    if (is_pair(own) != is_pair(before)) return {};
    return ptx.replace(begin, own.size(), before);
}

/// `count` operations, alternating between the classes. Doubles take two registers.
Region alternating(std::span<const Specimen* const> classes, std::int64_t count, bool dependent) {
    Region region;
    std::string before; // The register that the operation before wrote.
    for (int i = 0; i < static_cast<int>(count); ++i) {
        const Specimen& of = *classes[static_cast<std::size_t>(i) % classes.size()];
        const int destination = first_register + 2 * i;
        Operation one = specimen(of, destination);
        if (dependent && i > 0) {
            // The last match: a destination may begin with the same digit.
            const std::size_t source = one.text.rfind(of.text.substr(link_of(of), 2));
            one.sources = {destination - 2};
            one.text.replace(source, 2, fmt::format("R{}", destination - 2));
        }
        // A compiler knows results of such a chain before it runs.
        one.needs_assembler = one.needs_assembler || dependent;
        if (dependent) one.ptx = chained(one.ptx, destination, before);
        // The last one: a conversion passes its result on under another name.
        if (const auto effects = effects_of_ptx(one.ptx); !effects.writes.empty())
            before = effects.writes.back().name();
        region.timed.push_back(std::move(one));
    }
    return region;
}

/// A dependence chain for each opcode class; only those of V14 have PTX.
void add_chains(std::vector<Benchmark>& all) {
    for (const auto& of : specimens()) {
        if (is_of_voudouris(of)) continue;
        const std::string name{to_string(of.opcode_class)};
        for (const bool dependent : {false, true}) {
            if (dependent && link_of(of) == std::string_view::npos) continue;
            Benchmark benchmark{
                fmt::format("{}-{}", dependent ? "dependent" : "independent", name),
                fmt::format("How long do n {} {} take?", dependent ? "dependent" : "independent",
                            name),
                dependent ? "linear in n, the slope is the latency"
                          : "linear in n, the slope is the larger of same-warp interval and "
                            "initiation, while buffers are not full",
                dependent ? "V14 Table 20" : "V14 Table 19",
                {{"n", chain_counts}},
                [&of, dependent](const Axes& axes, const models::Architecture&) {
                    Region region =
                        alternating(std::array{&of}, axis_value(axes, "n", 1), dependent);
                    return is_arithmetic(of) ? region : listing_only(std::move(region));
                }};
            if (dependent && is_arithmetic(of))
                benchmark.calibrates = {path_of(of.opcode_class, "latency")};
            all.push_back(interlocked(std::move(benchmark)));
        }
    }
}

/// Two alternating classes, for every pair that V14 does not have. Independent operations of
/// different classes have no order in PTX that a compiler keeps.
void add_pairs_of_classes(std::vector<Benchmark>& all) {
    const auto known = specimens();
    for (std::size_t i = 0; i < known.size(); ++i)
        for (std::size_t j = i + 1; j < known.size(); ++j)
            for (const bool dependent : {false, true}) {
                const std::array both{&known[i], &known[j]};
                if (is_of_voudouris(*both[0]) && is_of_voudouris(*both[1])) continue;
                if (dependent && (link_of(*both[0]) == std::string_view::npos ||
                                  link_of(*both[1]) == std::string_view::npos))
                    continue;
                const std::string_view dependence = dependent ? "dependent" : "independent";
                const std::string names = fmt::format("{}-{}", to_string(both[0]->opcode_class),
                                                      to_string(both[1]->opcode_class));
                all.push_back(interlocked(
                    {fmt::format("{}-pairs-{}", dependence, names),
                     fmt::format("How long do n {} pairs of {} and {} take?", dependence,
                                 to_string(both[0]->opcode_class),
                                 to_string(both[1]->opcode_class)),
                     dependent ? "linear in n, the slope is the sum of both latencies"
                               : "linear in n, while buffers are not full; the slope is the "
                                 "largest of two same-warp intervals and the port occupancies",
                     "V14 5.1; C4, C7",
                     {{"n", pair_counts}},
                     [both, dependent](const Axes& axes, const models::Architecture&) {
                         return listing_only(
                             alternating(both, 2 * axis_value(axes, "n", 1), dependent));
                     }}));
            }
}

void add_mixed_pairs(std::vector<Benchmark>& all) {
    const std::vector<std::string> names{"add", "mul", "mad", "cos"};
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = i + 1; j < names.size(); ++j)
            for (const bool dependent : {false, true})
                all.push_back(
                    {fmt::format("{}-pairs-{}-{}", dependent ? "dependent" : "independent",
                                 names[i], names[j]),
                     fmt::format("How long do n pairs of {} and {} take{}?", names[i], names[j],
                                 dependent ? " in a chain" : ""),
                     dependent ? "linear in n, the slope is the sum of both latencies"
                               : "24 + 12 n on Fermi",
                     "V14 5.1",
                     {{"n", pair_counts}},
                     [first = names[i], second = names[j], dependent](const Axes& axes,
                                                                      const models::Architecture&) {
                         Region region;
                         for (int k = 0; k < static_cast<int>(2 * axis_value(axes, "n", 1)); ++k)
                             region.timed.push_back(arithmetic_operation(
                                 k % 2 == 0 ? first : second, first_register + k,
                                 dependent && k > 0 ? first_register + k - 1 : 2));
                         return dependent ? region : listing_only(std::move(region));
                     }});
}

/// Independent additions that cycle through the registers.
std::vector<Operation> additions(std::int64_t count) {
    constexpr int registers = 32;
    std::vector<Operation> operations;
    for (std::int64_t i = 0; i < count; ++i)
        operations.push_back(
            arithmetic_operation("add", first_register + static_cast<int>(i % registers), 2));
    return operations;
}

void add_warp_contention(std::vector<Benchmark>& all) {
    all.push_back({"granularity",
                   "What does a loop cost whose body has so many additions?",
                   "trips x (operations + the time of the branch)",
                   "V14 5.1; G17 4.2",
                   {{"operations", one_to(32)}},
                   [](const Axes& axes, const models::Architecture&) {
                       Region region;
                       region.timed = additions(axis_value(axes, "operations", 1));
                       region.trips = 16;
                       return region;
                   }});
    Benchmark issue{"warps-add",
                    "When do warps with equal additions start and end?",
                    "starts an issue slot apart; the ends show the issue order",
                    "V14 Tables 5, 6, Fig. 17 to 20",
                    {{"warps", one_to(32)}},
                    [](const Axes&, const models::Architecture&) {
                        Region region;
                        region.timed = additions(16);
                        return region;
                    }};
    issue.quantity = Quantity::Clocks;
    all.push_back(std::move(issue));
    for (const std::string name : {"add", "mul", "mad", "cos"}) {
        Benchmark unit{"unit-" + name,
                       fmt::format("How does the time of a chain of {} grow with the warps that "
                                   "share the unit?",
                                   name),
                       "fu(c) = max(1, t / (m P1) x ceil(c / s)); the slope shows the bottleneck's "
                       "throughput",
                       "G23 eq. 3.4 to 3.7",
                       {{"warps", one_to(32)}},
                       [name](const Axes&, const models::Architecture&) {
                           Region region;
                           for (int i = 0; i < 32; ++i)
                               region.timed.push_back(arithmetic_operation(
                                   name, first_register + i, i > 0 ? first_register + i - 1 : 2));
                           return region;
                       }};
        unit.quantity = Quantity::Clocks;
        unit.picture = Picture::UnitShare;
        all.push_back(std::move(unit));
    }
}

} // namespace

std::vector<Benchmark> issue_benchmarks() {
    std::vector<Benchmark> all;
    add_chains(all);
    add_mixed_pairs(all);
    add_pairs_of_classes(all);
    add_warp_contention(all);
    return all;
}

} // namespace warpbound::harness
