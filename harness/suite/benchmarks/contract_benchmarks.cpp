#include "harness/suite/benchmarks/contract_benchmarks.hpp"

#include "harness/suite/benchmarks/accesses.hpp"
#include "harness/suite/benchmarks/calibration_benchmarks.hpp"
#include "harness/suite/benchmarks/specimens.hpp"

#include <fmt/format.h>

namespace warpbound::harness {

namespace {

using assembly::OpcodeClass;

constexpr std::int64_t contract_runs = 20;
/// Registers that independent operations take in turn: each has its result long before it is read.
constexpr int turn_registers = 8;

/// `result` = `result` op R3: in PTX, too, each operation needs the value before it, across
/// iterations as well, so that no compiler moves it out of the loop.
Operation accumulating(const std::string& name, int result) {
    const char* const mnemonic = name == "add" ? "FADD" : name == "mul" ? "FMUL" : "FFMA";
    if (name == "cos")
        return {fmt::format("MUFU.COS R{0}, R{0}", result),
                OpcodeClass::SpecialFunction,
                result,
                {result},
                {},
                fmt::format("ex2.approx.ftz.f32 %f{0}, %f{0};", result)};
    if (name == "mad")
        return {fmt::format("FFMA R{0}, R{0}, R3, R3", result),
                OpcodeClass::FloatMultiplyAdd,
                result,
                {result},
                {},
                fmt::format("fma.rn.f32 %f{0}, %f{0}, %f3, %f3;", result)};
    return {fmt::format("{1} R{0}, R{0}, R3", result, mnemonic),
            name == "add" ? OpcodeClass::FloatAdd : OpcodeClass::FloatMultiply,
            result,
            {result},
            {},
            fmt::format("{1}.rn.f32 %f{0}, %f{0}, %f3;", result, name)};
}

Region accumulate(const std::string& name, std::int64_t count, int registers, std::int64_t trips) {
    Region region;
    for (int i = 0; i < static_cast<int>(count); ++i)
        region.timed.push_back(accumulating(name, first_register + i % registers));
    region.trips = trips;
    return region;
}

Benchmark with_few_runs(Benchmark benchmark) {
    benchmark.most_runs = contract_runs;
    return benchmark;
}

Benchmark clocks_of_port(Benchmark benchmark) {
    benchmark.quantity = Quantity::Clocks;
    return with_few_runs(std::move(benchmark));
}

void add_contract_issue(std::vector<Benchmark>& all) {
    const std::vector<std::int64_t> lengths{chain_lengths.few, chain_lengths.many};
    for (const std::string name : {"add", "mul", "mad", "cos"})
        all.push_back(with_few_runs(
            {"contract-chain-" + name,
             fmt::format("How long does a loop over n {} take, each of which needs the one before?",
                         name),
             "iterations x n x latency",
             "C5, C6, C13",
             {{"n", lengths}},
             [name](const Axes& axes, const models::Architecture&) {
                 return accumulate(name, axis_value(axes, "n", 1), 1, contract_trips);
             }}));
    all.push_back(with_few_runs(
        {"contract-independent",
         "How long does a loop over n additions take that need none before?",
         "iterations x n x the larger of gap and initiation",
         "C4",
         {{"n", lengths}},
         [](const Axes& axes, const models::Architecture&) {
             return accumulate("add", axis_value(axes, "n", 1), turn_registers, contract_trips);
         }}));
    for (const std::string name : {"add", "cos"})
        all.push_back(clocks_of_port(
            {"contract-port-" + name,
             fmt::format("How long do {} of many warps share their ports?", name),
             "at least operations of a port x initiation",
             "C7, C12",
             {{"warps", {contract_warps}}},
             [name](const Axes&, const models::Architecture&) {
                 return accumulate(name, port_operations, turn_registers, port_trips);
             }}));
    all.push_back(with_few_runs({"contract-barrier",
                                 "How long does a loop over n barriers of one warp take?",
                                 "iterations x n x latency of the barrier",
                                 "C9",
                                 {{"n", {barrier_lengths.few, barrier_lengths.many}}},
                                 [](const Axes& axes, const models::Architecture&) {
                                     Region region;
                                     // Reads an initial value: the lane is then known before the
                                     // clock is read, and not computed behind it (ptxas 13.0).
                                     region.before = {accumulating("add", first_register)};
                                     region.timed.assign(
                                         static_cast<std::size_t>(axis_value(axes, "n", 1)),
                                         as_ptx({"BAR.SYNC 0x0", OpcodeClass::Barrier, -1, {}},
                                                "bar.sync 0;"));
                                     region.trips = contract_trips;
                                     return region;
                                 }}));
}

void add_contract_memory(std::vector<Benchmark>& all) {
    all.push_back(with_few_runs(
        {"contract-conflict",
         "How long does a loop over a shared load take whose lanes meet n times "
         "on a bank?",
         "(n - 1) x pass cost more for each iteration",
         "C13, C22",
         {{"n", {conflict_degrees.few, conflict_degrees.many}}},
         [](const Axes& axes, const models::Architecture&) {
             Region region;
             Operation sum = arithmetic_operation("add", first_register + 1, first_register);
             sum.ptx =
                 fmt::format("add.rn.f32 %f{0}, %f{0}, %f{1};", first_register + 1, first_register);
             region.timed = {shared_load(first_register, axis_value(axes, "n", 1)), std::move(sum)};
             region.trips = contract_trips;
             return region;
         }}));
    all.push_back(clocks_of_port({"contract-stores",
                                  "How long do stores of many warps wait for the write buffer?",
                                  "at least (stores - entries) x drain",
                                  "C8, C15",
                                  {{"warps", {contract_warps}}},
                                  [](const Axes&, const models::Architecture& architecture) {
                                      Region region;
                                      region.timed.assign(contract_stores,
                                                          global_store(architecture, 1));
                                      return region;
                                  }}));
    all.push_back(with_few_runs(
        {"contract-chase",
         "How long does each load of a pointer chase take, twice over a footprint?",
         "at least the latency of the nearest level",
         "C16",
         {},
         [](const Axes&, const models::Architecture& architecture) {
             models::AddressPattern pattern;
             pattern.iteration_stride = static_cast<std::uint64_t>(chase_stride);
             pattern.footprint = static_cast<std::uint64_t>(chase_footprint);
             Operation load =
                 as_ptx(global_load(architecture, first_register, 1),
                        fmt::format("ld.global.u64 %walk_by_{0}, [%walk_by_{0}];", chase_stride));
             Operation add = arithmetic_operation("add", first_register + 1, first_register);
             add.ptx = fmt::format("cvt.u32.u64 %part, %walk_by_{}; add.rn.f32 %f9, %f9, %part;",
                                   chase_stride);
             Region region;
             region.timed = {patterned(std::move(load), pattern, models::MemoryLevel::Any),
                             std::move(add)};
             region.trips = 2 * chase_footprint / chase_stride;
             return region;
         }}));
}

void add_contract_residency(std::vector<Benchmark>& all) {
    // The region of the residency benchmarks of the calibration suite.
    const auto region = [](const Axes& axes, const models::Architecture& architecture) {
        for (const Benchmark& known : calibration_benchmarks())
            if (known.name == "resident-warps") return known.region(axes, architecture);
        return Region{};
    };
    const auto add = [&](const std::string& name, const std::string& question,
                         std::vector<std::pair<std::string, std::vector<std::int64_t>>> axes) {
        axes.push_back({"blocks", {resident_at_most}});
        Benchmark benchmark{name,       question,        "N_slot, by the occupancy limit",
                            "C20, C30", std::move(axes), region};
        benchmark.quantity = Quantity::ResidentBlocks;
        benchmark.picture = Picture::Residency;
        benchmark.most_runs = 2;
        all.push_back(std::move(benchmark));
    };
    add("contract-registers", "How many blocks are on an SM at once, by registers of a thread?",
        {{"registers", {contract_registers.begin(), contract_registers.end()}},
         {"warps", {contract_register_warps}}});
    add("contract-shared-memory", "How many blocks are on an SM at once, by bytes of each?",
        {{"shared-memory", {contract_bytes.begin(), contract_bytes.end()}}, {"warps", {1}}});
}

} // namespace

std::vector<Benchmark> contract_benchmarks() {
    std::vector<Benchmark> all;
    add_contract_issue(all);
    add_contract_memory(all);
    add_contract_residency(all);
    return all;
}

} // namespace warpbound::harness
