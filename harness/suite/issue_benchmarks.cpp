#include "harness/suite/accesses.hpp"
#include "harness/suite/specimens.hpp"

#include <fmt/format.h>

namespace warpbound::harness {

namespace {

const std::vector<std::int64_t> chain_counts{1, 2, 4, 8, 16};

/// Classes whose chains the experiments of V14 do not have: arithmetic without a memory access.
bool has_chain(const Specimen& of) {
    using assembly::OpcodeClass;
    switch (of.opcode_class) {
    case OpcodeClass::IntegerAdd:
    case OpcodeClass::IntegerMultiply:
    case OpcodeClass::Logic:
    case OpcodeClass::Shift:
    case OpcodeClass::Move:
    case OpcodeClass::IntegerCompare:
    case OpcodeClass::FloatCompare:
    case OpcodeClass::Double:
    case OpcodeClass::Conversion:
    case OpcodeClass::BitCount:
        return true;
    default:
        return false;
    }
}

/// Doubles take two registers.
Region chain(const Specimen& of, std::int64_t n, bool dependent) {
    Region region;
    for (int i = 0; i < static_cast<int>(n); ++i) {
        const int destination = first_register + 2 * i;
        Operation one = specimen(of, destination);
        if (dependent && i > 0) {
            one.sources = {destination - 2};
            constexpr std::string_view source = ", R2";
            one.text.replace(one.text.find(source), source.size(),
                             fmt::format(", R{}", destination - 2));
        }
        region.timed.push_back(std::move(one));
    }
    return region;
}

/// For each opcode class its chain; PTX chains are those of V14 only.
void add_chains(std::vector<Benchmark>& all) {
    for (const auto& of : specimens()) {
        if (!has_chain(of)) continue;
        const std::string name{to_string(of.opcode_class)};
        for (const bool dependent : {false, true}) {
            Benchmark benchmark{
                fmt::format("{}-{}", dependent ? "dependent" : "independent", name),
                fmt::format("How long do n {} {} take?", dependent ? "dependent" : "independent",
                            name),
                dependent ? "linear in n, the slope is the latency"
                          : "linear in n, the slope is the larger of same-warp interval and "
                            "initiation",
                dependent ? "V14 Table 20" : "V14 Table 19",
                {{"n", chain_counts}},
                [&of, dependent](const Axes& axes, const models::Architecture&) {
                    Region region = chain(of, axis_value(axes, "n", 1), dependent);
                    if (dependent)
                        for (auto& one : region.timed)
                            one.ptx.clear();
                    return region;
                }};
            if (dependent) benchmark.calibrates = {path_of(of.opcode_class, "latency")};
            all.push_back(interlocked(std::move(benchmark)));
        }
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
                     {{"n", {1, 2, 4, 8}}},
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

/// Independent additions on so many registers in turn.
std::vector<Operation> additions(std::int64_t count) {
    constexpr int registers = 32;
    std::vector<Operation> operations;
    for (std::int64_t i = 0; i < count; ++i)
        operations.push_back(
            arithmetic_operation("add", first_register + static_cast<int>(i % registers), 2));
    return operations;
}

void add_crowding(std::vector<Benchmark>& all) {
    all.push_back({"granularity",
                   "What does a loop cost whose body has so many additions?",
                   "trips x (operations + what the branch takes)",
                   "V14 5.1; G17 4.2",
                   {{"operations", one_to(32)}},
                   [](const Axes& axes, const models::Architecture&) {
                       Region region;
                       region.timed = additions(axis_value(axes, "operations", 1));
                       region.trips = 16;
                       return region;
                   }});
    Benchmark issue{"warps-add",
                    "When do so many warps start and end that add the same?",
                    "starts an issue slot apart; the ends show whose turn it is",
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
    add_crowding(all);
    return all;
}

} // namespace warpbound::harness
