#include "models/formulas/volkov.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/queues.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <cmath>

namespace warpbound::models::volkov {
namespace {

constexpr double bits_per_byte = 8;

std::optional<Failure> objection(const Warp& warp, std::int64_t occupancy, const Machine& machine) {
    InputCheck check{"volkov"};
    for (const auto& unit : warp.units)
        check.not_negative("cycles of a unit", unit.cycles);
    return check.count("multiprocessors", machine.multiprocessors, 1)
        .positive("clock", machine.clock)
        .positive("cores", machine.cores)
        .positive("threads of a warp", machine.warp_size)
        .positive("schedulers", machine.schedulers)
        .positive("DRAM bytes per cycle", machine.dram_bytes)
        .within("knee", machine.knee, 0.5, 1)
        .not_negative("CUDA core instructions", warp.cuda_instructions)
        .positive("issued instructions", warp.issued_instructions)
        .not_negative("bytes", warp.bytes)
        .positive("latency of a warp", warp.latency)
        .count("resident warps", occupancy, 1)
        .failure();
}

/// Cycles per warp when the latency allows one each `latency` cycles and the busiest resource one
/// each `busiest`.
double saturating(double latency, double busiest, double knee) {
    const double larger = std::max(latency, busiest);
    if (knee == 1) return larger;
    const double power = std::log(2.0) / -std::log(knee);
    return larger * std::pow(1 + std::pow(std::min(latency, busiest) / larger, power), 1 / power);
}

} // namespace

Result<double> dram_bytes_per_cycle(double memory_clock, double bus_bits, double data_rate,
                                    std::int64_t multiprocessors, double clock) {
    if (const auto wrong = InputCheck{"volkov"}
                               .positive("memory clock", memory_clock)
                               .positive("bus width", bus_bits)
                               .positive("data rate", data_rate)
                               .count("multiprocessors", multiprocessors, 1)
                               .positive("clock", clock)
                               .failure())
        return *wrong;
    return memory_clock * (bus_bits / bits_per_byte) * data_rate / (real(multiprocessors) * clock);
}

std::string_view to_string(Limit limit) {
    switch (limit) {
    case Limit::Latency:
        return "latency";
    case Limit::Cores:
        return "cores";
    case Limit::Issue:
        return "issue";
    case Limit::Memory:
        return "memory";
    case Limit::Unit:
        break;
    }
    return "unit";
}

Result<WarpThroughput> warp_throughput(const Warp& warp, std::int64_t occupancy,
                                       const Machine& machine) {
    if (const auto wrong = objection(warp, occupancy, machine)) return *wrong;
    WarpThroughput found{.throughput = Estimate<WarpsPerCycle>{0},
                         .latency = warp.latency / real(occupancy),
                         .cores = machine.warp_size * warp.cuda_instructions / machine.cores,
                         .issue = warp.issued_instructions / machine.schedulers,
                         .memory = warp.bytes / machine.dram_bytes};
    for (const auto& unit : warp.units) {
        if (unit.cycles <= found.units) continue;
        found.units = unit.cycles;
        found.unit = unit.name;
    }
    const double busiest = std::max({found.cores, found.issue, found.memory, found.units});
    const double slowest = std::max(found.latency, busiest);
    found.throughput =
        Estimate<WarpsPerCycle>{1 / saturating(found.latency, busiest, machine.knee)};
    found.limit = found.latency == slowest  ? Limit::Latency
                  : found.cores == slowest  ? Limit::Cores
                  : found.issue == slowest  ? Limit::Issue
                  : found.memory == slowest ? Limit::Memory
                                            : Limit::Unit;
    return found;
}

Result<KernelTime> kernel_time(const Launch& launch, const Warp& warp, std::int64_t occupancy,
                               const Machine& machine, double lambda) {
    if (const auto wrong = InputCheck{"volkov"}
                               .count("blocks", launch.blocks, 1)
                               .count("threads per block", launch.threads, 1)
                               .positive("lambda", lambda)
                               .failure())
        return *wrong;
    const auto throughput = warp_throughput(warp, occupancy, machine);
    if (!throughput) return throughput.as_failure();
    const double warps = real(launch.blocks) * std::ceil(real(launch.threads) / machine.warp_size);
    const double rate =
        throughput.value().throughput.value() * real(machine.multiprocessors) * machine.clock;
    return KernelTime{.time = Estimate<Seconds>{warps / (rate * lambda)},
                      .warps = warps,
                      .throughput = throughput.value()};
}

std::vector<ExplainedSymbol> explain(const Warp& warp, std::int64_t occupancy,
                                     const Machine& machine, double lambda,
                                     const KernelTime& result) {
    const WarpThroughput& throughput = result.throughput;
    std::vector<ExplainedSymbol> symbols{
        {"warps", result.warps, "warps", "G17 eq. 4.2"},
        {"INS_cuda", warp.cuda_instructions, "instructions/warp", "kernel"},
        {"INS_issued", warp.issued_instructions, "instructions/warp", "kernel"},
        {"bytes", warp.bytes, "bytes/warp", "kernel"},
        {"latency_bound", warp.latency, "cycles", "G17 4.1"},
        {"occ", real(occupancy), "warps", "launch"},
        {"SMs", real(machine.multiprocessors), "1", "machine"},
        {"f", machine.clock, "cycles/s", "machine"},
        {"latency_bound/occ", throughput.latency, "cycles/warp", "G17 eq. 4.3"},
        {"CPW cores", throughput.cores, "cycles/warp", "G17 eq. 4.5"},
        {"CPW issue", throughput.issue, "cycles/warp", "G17 eq. 4.5"},
        {"CPW memory", throughput.memory, "cycles/warp", "G17 eq. 4.5"},
    };
    if (warp.bytes > 0)
        symbols.push_back({"BW_cycle", machine.dram_bytes, "bytes/cycle", "G17 eq. 4.7"});
    if (!throughput.unit.empty())
        symbols.push_back({"CPW " + throughput.unit, throughput.units, "cycles/warp",
                           "busiest further unit, our extension"});
    if (machine.knee != 1)
        symbols.push_back({"knee", machine.knee, "1", "our extension, after Volkov 2016"});
    symbols.insert(symbols.end(),
                   {{"wt", throughput.throughput.value(), "warps/cycle", "G17 eq. 4.3"},
                    {"lambda", lambda, "1", "calibration"},
                    {"T_k", result.time.value(), "s", "G17 eq. 4.1"}});
    return symbols;
}

Result<Estimate<InstructionsPerCycle>> memory_throughput(double warps, const Balance& balance) {
    if (const auto wrong = InputCheck{"volkov"}
                               .positive("warps", warps)
                               .not_negative("alpha", balance.alpha)
                               .positive("memory latency", balance.memory_latency)
                               .positive("ALU latency", balance.alu_latency)
                               .positive("memory throughput", balance.memory_throughput)
                               .positive("ALU throughput", balance.alu_throughput)
                               .positive("issue throughput", balance.issue_throughput)
                               .failure())
        return *wrong;
    double throughput =
        std::min({warps / (balance.memory_latency + balance.alpha * balance.alu_latency),
                  balance.memory_throughput, balance.issue_throughput / (balance.alpha + 1)});
    if (balance.alpha > 0)
        throughput = std::min(throughput, balance.alu_throughput / balance.alpha);
    return Estimate<InstructionsPerCycle>{throughput};
}

Result<double> warps_needed(double latency, double throughput) {
    if (const auto wrong = InputCheck{"volkov"}
                               .positive("latency", latency)
                               .positive("throughput", throughput)
                               .failure())
        return *wrong;
    return queues::requests_in_system(throughput, latency);
}

} // namespace warpbound::models::volkov
