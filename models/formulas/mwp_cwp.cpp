#include "models/formulas/mwp_cwp.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace warpbound::models::mwp_cwp {
namespace {

double memory_instructions(const Kernel& kernel) {
    return kernel.coalesced + kernel.uncoalesced;
}

std::optional<Failure> objection(const Kernel& kernel, const Machine& machine,
                                 const Residency& residency) {
    InputCheck check{"mwp-cwp"};
    check.positive("instructions", kernel.instructions)
        .not_negative("coalesced memory instructions", kernel.coalesced)
        .not_negative("uncoalesced memory instructions", kernel.uncoalesced)
        .not_negative("synchronisations", kernel.synchronisations)
        .require(memory_instructions(kernel) <= kernel.instructions,
                 "more memory instructions than instructions")
        .positive("issue cycles", machine.issue_cycles)
        .count("blocks", residency.blocks, 1)
        .count("active blocks per SM", residency.blocks_per_sm, 1)
        .count("active SMs", residency.multiprocessors, 1)
        .count("active warps per SM", residency.warps, 1);
    if (memory_instructions(kernel) > 0)
        check.positive("memory latency", machine.memory_latency)
            .positive("bytes per load", kernel.bytes_per_load)
            .positive("clock", machine.clock)
            .positive("bandwidth", machine.bandwidth);
    if (kernel.coalesced > 0)
        check.positive("departure delay of coalesced accesses", machine.departure_coalesced);
    if (kernel.uncoalesced > 0)
        check.positive("departure delay of uncoalesced accesses", machine.departure_uncoalesced)
            .within("transactions of an uncoalesced access", kernel.transactions, 1, 1e6);
    if (!check.failure())
        check.require(residency.blocks / residency.blocks_per_sm >= residency.multiprocessors,
                      "more active blocks than blocks in the grid");
    return check.failure();
}

/// Requires: memory instructions.
Overlap overlap_of(const Kernel& kernel, const Machine& machine, const Residency& residency,
                   double computation) {
    const double count = memory_instructions(kernel);
    const double uncoalesced_share = kernel.uncoalesced / count;
    const double coalesced_share = 1 - uncoalesced_share;
    const double uncoalesced_latency =
        machine.memory_latency + (kernel.transactions - 1) * machine.departure_uncoalesced;
    const double n = real(residency.warps);

    Overlap found;
    found.memory_latency =
        uncoalesced_latency * uncoalesced_share + machine.memory_latency * coalesced_share;
    found.departure_delay =
        machine.departure_uncoalesced * kernel.transactions * uncoalesced_share +
        machine.departure_coalesced * coalesced_share;
    found.memory_cycles =
        uncoalesced_latency * kernel.uncoalesced + machine.memory_latency * kernel.coalesced;
    found.mwp_full = found.memory_latency / found.departure_delay;
    const double bandwidth_of_warp = machine.clock * kernel.bytes_per_load / found.memory_latency;
    found.mwp_peak = machine.bandwidth / (bandwidth_of_warp * real(residency.multiprocessors));
    found.mwp = std::min({found.mwp_full, found.mwp_peak, n});
    found.cwp_full = (found.memory_cycles + computation) / computation;
    found.cwp = std::min(found.cwp_full, n);

    const double per_access = computation / count;
    found.too_few_warps = found.memory_cycles + computation + per_access * (found.mwp - 1);
    found.memory_bound = found.memory_cycles * n / found.mwp + per_access * (found.mwp - 1);
    found.compute_bound = found.memory_latency + computation * n;
    return found;
}

Case case_of(const Overlap& overlap, double computation, std::int64_t warps) {
    const double n = real(warps);
    if (overlap.mwp == n && overlap.cwp == n) return Case::TooFewWarps;
    if (overlap.cwp >= overlap.mwp || computation > overlap.memory_cycles) return Case::MemoryBound;
    return Case::ComputeBound;
}

double time_of(const Overlap& overlap, Case which) {
    switch (which) {
    case Case::TooFewWarps:
        return overlap.too_few_warps;
    case Case::MemoryBound:
        return overlap.memory_bound;
    default:
        return overlap.compute_bound;
    }
}

} // namespace

std::string_view to_string(Case which) {
    switch (which) {
    case Case::TooFewWarps:
        return "too few warps";
    case Case::MemoryBound:
        return "memory bound";
    case Case::ComputeBound:
        return "compute bound";
    case Case::NoMemory:
        break;
    }
    return "no memory instructions";
}

Result<KernelTime> kernel_time(const Kernel& kernel, const Machine& machine,
                               const Residency& residency) {
    if (const auto wrong = objection(kernel, machine, residency)) return *wrong;
    KernelTime found{.time = Estimate<Cycles>{0}, .overlap = {}};
    found.computation = machine.issue_cycles * kernel.instructions;
    found.repetitions =
        real(residency.blocks) / real(residency.blocks_per_sm) / real(residency.multiprocessors);
    if (memory_instructions(kernel) == 0) {
        found.time =
            Estimate<Cycles>{found.computation * real(residency.warps) * found.repetitions};
        return found;
    }
    const Overlap overlap = overlap_of(kernel, machine, residency, found.computation);
    if (overlap.mwp < 1)
        return Failure{.what = fmt::format("mwp-cwp: MWP is {:.3f}; expected at least 1 (clock in "
                                           "Hz, bandwidth in bytes/s?)",
                                           overlap.mwp),
                       .where = {}};
    found.which = case_of(overlap, found.computation, residency.warps);
    found.synchronisation = overlap.departure_delay * (overlap.mwp - 1) * kernel.synchronisations *
                            real(residency.blocks_per_sm) * found.repetitions;
    found.time =
        Estimate<Cycles>{time_of(overlap, found.which) * found.repetitions + found.synchronisation};
    found.overlap = overlap;
    return found;
}

std::vector<ExplainedSymbol> explain(const Kernel& kernel, const Machine& machine,
                                     const Residency& residency, const KernelTime& result) {
    std::vector<ExplainedSymbol> symbols{
        {"#Total_insts", kernel.instructions, "instructions/warp", "kernel"},
        {"#Mem_insts", memory_instructions(kernel), "instructions/warp", "kernel"},
        {"#synch_insts", kernel.synchronisations, "instructions/warp", "kernel"},
        {"#Issue_cycles", machine.issue_cycles, "cycles/instruction", "machine"},
        {"N", real(residency.warps), "warps", "launch"},
        {"#Rep", result.repetitions, "1", "HK09"},
        {"Comp_cycles", result.computation, "cycles", "HK09"},
    };
    if (const auto& overlap = result.overlap) {
        const std::vector<ExplainedSymbol> waits{
            {"Mem_LD", machine.memory_latency, "cycles", "machine"},
            {"Mem_L", overlap->memory_latency, "cycles", "HK09"},
            {"Departure_delay", overlap->departure_delay, "cycles", "HK09"},
            {"Mem_cycles", overlap->memory_cycles, "cycles", "HK09"},
            {"MWP_full", overlap->mwp_full, "warps", "HK09"},
            {"MWP_peak_BW", overlap->mwp_peak, "warps", "HK09"},
            {"MWP", overlap->mwp, "warps", "HK09"},
            {"CWP_full", overlap->cwp_full, "warps", "HK09"},
            {"CWP", overlap->cwp, "warps", "HK09"},
            {"Synch_cost", result.synchronisation, "cycles", "HK09"},
        };
        symbols.insert(symbols.end(), waits.begin(), waits.end());
    }
    symbols.push_back(
        {"time", result.time.value(), "cycles", fmt::format("HK09, {}", to_string(result.which))});
    return symbols;
}

} // namespace warpbound::models::mwp_cwp
