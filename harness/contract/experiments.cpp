#include "harness/contract/experiments.hpp"

#include "harness/contract/contract_values.hpp"
#include "harness/suite/benchmarks/contract_benchmarks.hpp"
#include "models/architecture/value_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::harness::contract {

namespace {

using models::Interval;
using Requirements = Result<std::vector<Requirement>>;

/// A loop whose body is `n` operations that follow each other at a distance.
struct Loop {
    std::string benchmark;
    BodyLengths lengths;
    Interval distance;
    std::string distance_text; ///< "latency 4..6"
    /// Distances of an iteration beside those of the loop's end: n - 1 of a chain, n otherwise.
    std::int64_t ends = 0;
};

std::string point_of(const std::string& benchmark, std::int64_t n) {
    return fmt::format("{}/n={}", benchmark, n);
}

/// The longer body lasts its distances at least; it is longer than the shorter one by the others at
/// most, where the description says what the loop adds.
std::vector<Requirement> of_loop(ContractValues& values, const Loop& loop, bool with_upper) {
    const auto& [few, many] = loop.lengths;
    const std::int64_t inner = many - loop.ends;
    Requirement least;
    least.point = point_of(loop.benchmark, many);
    least.at_least = contract_trips * inner * loop.distance.lo - values.clock_error();
    least.relation = fmt::format("at least {} x {} x {}, less {} of the clock reads",
                                 contract_trips, inner, loop.distance_text, values.clock_error());
    std::vector<Requirement> all{least};
    if (!with_upper) return all;
    const auto error = loop_error(values, many, false);
    if (!error) return all;
    Requirement most;
    most.point = least.point;
    most.less = point_of(loop.benchmark, few);
    most.at_most = contract_trips *
                       (many * loop.distance.hi - few * loop.distance.lo + error->each_iteration) +
                   error->once + 2 * values.clock_error();
    most.relation = fmt::format(
        "at most {} x ({} - {}) x {}, with {} of each iteration, {} of the fetch and {} of the "
        "clock reads",
        contract_trips, many, few, loop.distance_text, error->each_iteration, error->once,
        2 * values.clock_error());
    all.push_back(std::move(most));
    return all;
}

Requirements checked(ContractValues& values, std::vector<Requirement> all) {
    if (values.missing()) return *values.missing();
    return all;
}

/// A chain: on machines with interlocks an operation issues a gap after the one before at the
/// earliest.
Requirements require_chain(const models::Architecture& architecture, const std::string& benchmark,
                           const std::string& opcode_class) {
    ContractValues values{architecture};
    Interval distance = values.of(fmt::format("classes/{}/latency", opcode_class));
    const std::string text = "latency " + text_of(distance);
    if (values.interlocks()) {
        const auto gap = values.gap();
        distance.lo = std::max(distance.lo, gap.lo);
        distance.hi = std::max(distance.hi, gap.hi);
    }
    return checked(values, of_loop(values, {benchmark, chain_lengths, distance, text, 1}, true));
}

Requirements require_chain_add(const models::Architecture& architecture, const ContractSeries&) {
    return require_chain(architecture, "contract-chain-add", "float-add");
}
Requirements require_chain_mul(const models::Architecture& architecture, const ContractSeries&) {
    return require_chain(architecture, "contract-chain-mul", "float-multiply");
}
Requirements require_chain_mad(const models::Architecture& architecture, const ContractSeries&) {
    return require_chain(architecture, "contract-chain-mad", "float-multiply-add");
}

/// A result of variable latency: behind it at least two cycles, and at most the largest stall count
/// where the latency is shorter.
Requirements require_chain_cos(const models::Architecture& architecture, const ContractSeries&) {
    ContractValues values{architecture};
    Interval distance = values.of("classes/special-function/latency");
    const std::string text = "latency " + text_of(distance);
    const auto gap = values.gap();
    if (values.interlocks()) distance.lo = std::max(distance.lo, gap.lo);
    distance.hi = std::max(distance.hi, gap.hi);
    return checked(values,
                   of_loop(values, {"contract-chain-cos", chain_lengths, distance, text, 1}, true));
}

/// Independent operations: a compiler chooses the stall counts, so that only interlocks bound them
/// from above.
Requirements require_independent(const models::Architecture& architecture, const ContractSeries&) {
    ContractValues values{architecture};
    const auto initiation = values.of("classes/float-add/initiation");
    Interval distance = values.gap();
    distance.lo = std::max(distance.lo, initiation.lo);
    distance.hi = std::max(distance.hi, initiation.hi);
    const std::string text =
        fmt::format("the larger of gap {} and initiation {}",
                    values.interlocks() ? text_of(values.gap()) : "1", text_of(initiation));
    return checked(values,
                   of_loop(values, {"contract-independent", chain_lengths, distance, text, 1},
                           values.interlocks()));
}

Requirements require_barrier(const models::Architecture& architecture, const ContractSeries&) {
    ContractValues values{architecture};
    Interval distance = values.of("classes/barrier/latency");
    const std::string text = "latency " + text_of(distance);
    const auto gap = values.gap();
    if (values.interlocks()) distance.lo = std::max(distance.lo, gap.lo);
    distance.hi = std::max(distance.hi, gap.hi);
    return checked(values,
                   of_loop(values, {"contract-barrier", barrier_lengths, distance, text, 0}, true));
}

/// The operations of all warps that share a port follow each other at its initiation interval.
Requirements require_port(const models::Architecture& architecture, const std::string& benchmark,
                          assembly::OpcodeClass opcode_class) {
    ContractValues values{architecture};
    const std::string path = fmt::format("classes/{}", assembly::to_string(opcode_class));
    const auto initiation = values.of(path + "/initiation");
    const auto schedulers = values.of("schedulers/count");
    if (values.missing()) return *values.missing();
    const auto unit = architecture.unit_index(architecture.classes.at(opcode_class).unit);
    if (!unit) return Failure{path + " has no unit", architecture.name};
    const auto scope = architecture.units[*unit].scope;
    const std::int64_t users =
        scope == models::UnitScope::Core ? contract_warps
        : scope == models::UnitScope::Partition
            ? (contract_warps + schedulers.hi - 1) / std::max<std::int64_t>(schedulers.hi, 1)
            : 1;
    const std::int64_t uses = users * port_operations * port_trips;
    Requirement least;
    least.point = fmt::format("{}/warps={}", benchmark, contract_warps);
    least.at_least = (uses - 1) * initiation.lo - values.clock_error();
    least.relation = fmt::format("at least ({} uses of a port by {} warps - 1) x initiation {}, "
                                 "less {} of the clock reads",
                                 uses, users, text_of(initiation), values.clock_error());
    return checked(values, {least});
}

Requirements require_port_add(const models::Architecture& architecture, const ContractSeries&) {
    return require_port(architecture, "contract-port-add", assembly::OpcodeClass::FloatAdd);
}
Requirements require_port_cos(const models::Architecture& architecture, const ContractSeries&) {
    return require_port(architecture, "contract-port-cos", assembly::OpcodeClass::SpecialFunction);
}

/// Instructions that are predicated off take a gap each, and nothing more.
Requirements require_off(const models::Architecture& architecture, const ContractSeries&) {
    constexpr std::int64_t few = 8; // Of the points of `switched-off`.
    constexpr std::int64_t many = 32;
    ContractValues values{architecture};
    const auto gap = values.gap();
    const std::int64_t error = 2 * values.clock_error();
    Requirement both;
    both.point = fmt::format("switched-off/n={}", many);
    both.less = fmt::format("switched-off/n={}", few);
    both.at_least = many * gap.lo - few * gap.hi - error;
    if (architecture.imperfect_parts().empty()) both.at_most = many * gap.hi - few * gap.lo + error;
    both.relation = fmt::format("({} - {}) x gap {}, within {} of the clock reads", many, few,
                                text_of(gap), error);
    return checked(values, {both});
}

constexpr std::string_view chain_relation = "a loop over a chain takes iterations x operations x "
                                            "latency";
constexpr std::string_view port_relation =
    "operations of warps that share a port follow each other at its initiation interval";

constexpr auto experiments = std::to_array<Experiment>({
    {"contract-chain-add", "C5,C13", Machines::Interlocked, chain_relation,
     "classes/float-add/latency, schedulers/same-warp-interval", require_chain_add},
    {"contract-chain-add", "C13", Machines::Encoded, chain_relation, "classes/float-add/latency",
     require_chain_add},
    {"contract-chain-mul", "C5,C13", Machines::Interlocked, chain_relation,
     "classes/float-multiply/latency, schedulers/same-warp-interval", require_chain_mul},
    {"contract-chain-mul", "C13", Machines::Encoded, chain_relation,
     "classes/float-multiply/latency", require_chain_mul},
    {"contract-chain-mad", "C5,C13", Machines::Interlocked, chain_relation,
     "classes/float-multiply-add/latency, schedulers/same-warp-interval", require_chain_mad},
    {"contract-chain-mad", "C13", Machines::Encoded, chain_relation,
     "classes/float-multiply-add/latency", require_chain_mad},
    {"contract-chain-cos", "C5,C13", Machines::Interlocked, chain_relation,
     "classes/special-function/latency, schedulers/same-warp-interval", require_chain_cos},
    {"contract-chain-cos", "C6,C13", Machines::Encoded,
     "a consumer that waits for a scoreboard issues a latency after its producer",
     "classes/special-function/latency", require_chain_cos},
    {"contract-independent", "C4", Machines::All,
     "independent operations of a warp issue a gap apart, and no sooner than their port is free",
     "schedulers/same-warp-interval, classes/float-add/initiation", require_independent},
    {"contract-port-add", "C7,C12", Machines::All, port_relation,
     "classes/float-add/initiation, schedulers/count, units", require_port_add},
    {"contract-port-cos", "C7,C12", Machines::All, port_relation,
     "classes/special-function/initiation, schedulers/count, units", require_port_cos},
    {"contract-barrier", "C9", Machines::All,
     "a warp goes on a latency after the last arrival at a barrier, which is its own",
     "classes/barrier/latency", require_barrier},
    {"switched-off", "C11", Machines::Interlocked,
     "instructions that are predicated off take a gap each", "schedulers/same-warp-interval",
     require_off},
    {"contract-conflict", "C13,C22", Machines::All,
     "a shared load whose lanes meet n times on a bank has its result (n - 1) x pass cost later",
     "classes/load-shared/latency, pass-cost, initiation", require_conflicts},
    {"contract-stores", "C8,C15", Machines::All,
     "all stores but those that the write buffer holds have drained before the last one issues",
     "write-buffer/entries, write-buffer/drain", require_stores},
    {"contract-chase", "C16", Machines::All,
     "no load of a pointer chase is faster than the fastest level",
     "memories/l1/latency, memories/l2/latency, memories/dram/latency", require_chase},
    {"resident-warps", "C20,C30", Machines::All, "the blocks on an SM are those of the limits",
     "limits/max-warps, limits/max-blocks, registers, shared memory", require_residency},
    {"contract-registers", "C20,C30", Machines::All, "the blocks on an SM are those of the limits",
     "limits/registers, register-granularity, register-partitions", require_residency},
    {"contract-shared-memory", "C20,C30", Machines::All,
     "the blocks on an SM are those of the limits",
     "limits/shared-memory, shared-granularity, shared-reserved", require_residency},
});

} // namespace

std::span<const Experiment> contract_experiments() {
    return experiments;
}

bool tests(const Experiment& experiment, std::string_view rule) {
    std::string_view rest = experiment.rules;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        if (rest.substr(0, comma) == rule) return true;
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return false;
}

std::string not_for(const Experiment& experiment, const models::Architecture& architecture) {
    const bool interlocks = architecture.issue_control == models::IssueControl::Interlocked;
    if (experiment.machines == Machines::Interlocked && !interlocks)
        return fmt::format("its experiment is for machines with interlocks; {} has encoded control "
                           "fields",
                           architecture.name);
    if (experiment.machines == Machines::Encoded && interlocks)
        return fmt::format("its experiment is for machines with encoded control fields; {} has "
                           "interlocks",
                           architecture.name);
    return {};
}

} // namespace warpbound::harness::contract
