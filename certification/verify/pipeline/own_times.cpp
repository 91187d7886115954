#include "certification/verify/pipeline/own_times.hpp"

#include "assembly/isa/kernel_names.hpp"
#include "certification/verify/bundle_json.hpp"
#include "certification/verify/memory/shared_bytes.hpp"
#include "certification/verify/pipeline/exact.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

namespace warpbound::certification::verify {

namespace {

using models::PipelineStage;

struct Range {
    Exact lo = 0;
    Exact hi = 0;
};

/// A value of the described machine that the time of a stage follows from.
Range described(const TimeSources& sources, const ClaimedStage& claimed,
                const models::ValueGroup& group, const char* path, const std::string& value) {
    const auto known = models::require(*sources.machine, group, path, value);
    if (!known) incomplete(claimed.where + ": " + known.error().what);
    if (known.value().lo < 0) refuted(fmt::format("{}: {}/{} < 0", claimed.where, path, value));
    return {known.value().lo, known.value().hi};
}

/// C36: start-up, then bytes at so many bytes per ms.
Range copy_time(const PipelineStage& stage, const ClaimedStage& claimed,
                const TimeSources& sources) {
    const std::string direction =
        stage.kind == models::StageKind::CopyToDevice ? "host-to-device" : "device-to-host";
    const auto& group = sources.machine->transfers;
    const Range start = described(sources, claimed, group, "transfers", direction + "-start");
    const Range rate = described(sources, claimed, group, "transfers", direction + "-bandwidth");
    if (rate.lo < 1) refuted(claimed.where + ": a copy at no bandwidth");
    const Exact scaled = product(stage.bytes, 1'000'000);
    return {sum(start.lo, scaled / rate.hi), sum(start.hi, quotient_up(scaled, rate.lo))};
}

const KernelCase& kernel_case(const ClaimedStage& claimed, const TimeSources& sources) {
    for (const auto& kernel : sources.kernels.kernels)
        if (kernel->id == claimed.kernel) return *kernel;
    incomplete(fmt::format("{}: kernel '{}' is not in the bundle of kernels", claimed.where,
                           claimed.kernel));
}

/// The kernel of the bundle inside is the one that the description states: launch, policy, SMs,
/// machine, and no facts about its flow that nobody states. Its code is that of the bundle.
void check_is_stated_kernel(const models::PipelineSystem& system, const PipelineStage& stage,
                            const ClaimedStage& claimed, const TimeSources& sources) {
    const KernelCase& kernel = kernel_case(claimed, sources);
    const auto differs = [&](const char* what) {
        refuted(fmt::format("{}: {} of {} is not what the description states", claimed.where, what,
                            kernel.id));
    };
    if (models::to_string(kernel.launch) != models::to_string(stage.code->launch))
        differs("the launch");
    const auto policy = models::read_policy(stage.code->policy);
    if (!policy || models::to_string(policy.value()) != models::to_string(kernel.policy))
        differs("the policy");
    if (kernel.multiprocessors != system.servers[*stage.server].multiprocessors)
        differs("the number of SMs");
    std::vector<std::string> names;
    for (const auto& function : kernel.program.functions)
        names.push_back(function.name);
    const auto named = assembly::find_kernel_name(names, stage.code->kernel);
    if (!named || names[named.value()] != kernel.function->name) differs("the name");
    if (sources.kernel_files.at(kernel.architecture_path) != sources.machine_text)
        differs("the machine");
    const std::string path = "inputs/" + kernel.id + "/launch.json";
    const auto launch = read_json(sources.kernel_files.at(path), path, Verdict::Incomplete);
    const bool from_comments = launch.contains("sources") && !launch.at("sources").empty();
    const bool has_facts = launch.contains("flow-facts");
    const bool states_facts = !stage.code->flow_facts.empty();
    if ((has_facts && !states_facts && !from_comments) || (!has_facts && states_facts))
        differs("the presence of flow facts");
}

/// Cycles of the kernel with those of its launch, unless the cost of the launch is stated.
Range kernel_cycles(const PipelineStage& stage, const ClaimedStage& claimed,
                    const TimeSources& sources) {
    std::optional<Exact> lower;
    std::optional<Exact> upper;
    for (const ClaimRow& claim : kernel_case(claimed, sources).claims)
        if (claim.quantity == "execution-time") {
            if (claim.loaded) // Another stage may load the same data meanwhile.
                refuted(claimed.where + ": its kernel's bound assumes that it runs alone (S79)");
            (claim.upper ? upper : lower) = claim.value;
        }
    if (!lower || !upper || *lower < 0 || *upper < *lower)
        incomplete(claimed.where + ": no bounds on the execution time of " + claimed.kernel);
    Range cycles{*lower, *upper};
    if (stage.cost) return cycles;
    const Range launch = described(sources, claimed, sources.machine->blocks, "blocks", "launch");
    return {sum(cycles.lo, launch.lo), sum(cycles.hi, launch.hi)};
}

Range kernel_time(const models::PipelineSystem& system, PipelineStage& stage,
                  const ClaimedStage& claimed, const TimeSources& sources) {
    check_is_stated_kernel(system, stage, claimed, sources);
    const Range cycles = kernel_cycles(stage, claimed, sources);
    if (!claimed.cycles || claimed.cycles->first != cycles.lo ||
        claimed.cycles->second != cycles.hi)
        refuted(fmt::format("{}: {} takes {} to {} cycles with its launch, as its bundle claims",
                            claimed.where, claimed.kernel, digits(cycles.lo), digits(cycles.hi)));
    if (!system.clock || system.clock->lo < 1) incomplete("no clock is known");
    constexpr Exact second = 1'000'000'000;
    Range time{product(cycles.lo, second) / system.clock->hi,
               quotient_up(product(cycles.hi, second), system.clock->lo)};
    if (stage.cost) {
        time.lo = sum(time.lo, stage.cost->lower().count());
        time.hi = sum(time.hi, stage.cost->upper().count());
    }
    return time;
}

/// S65: what is not stated is claimed, no lower than the kernel of the bundle allows.
void check_traffic(PipelineStage& stage, const ClaimedStage& claimed, const TimeSources& sources) {
    std::optional<models::PerMemory<std::int64_t>> most;
    for (std::size_t m = 0; m < models::shared_memories.size(); ++m) {
        const auto& bytes = claimed.traffic.at(m);
        if (!bytes) continue;
        if (stage.traffic.at(m) || !stage.code)
            refuted(claimed.where + ": traffic that its description states does not follow from "
                                    "code");
        if (!most) most = most_shared_bytes(kernel_case(claimed, sources));
        if (*bytes < most->at(m))
            refuted(fmt::format("{}: may move {} bytes at the {}, {} is claimed", claimed.where,
                                most->at(m), models::shared_memories.at(m), *bytes));
        stage.traffic.at(m) = *bytes;
    }
}

std::string basis_of(const PipelineStage& stage) {
    if (!stage.time) return "bounded";
    return stage.basis == models::TimeBasis::Measured ? "measured" : "stated";
}

void check_stage(const models::PipelineSystem& system, PipelineStage& stage,
                 const ClaimedStage& claimed, const TimeSources& sources) {
    if (claimed.basis != basis_of(stage) || claimed.source != stage.source)
        refuted(fmt::format("{}: its time is {}, or has another source than claimed", claimed.where,
                            basis_of(stage)));
    if (claimed.kernel.empty() != !stage.code.has_value())
        refuted(claimed.where + ": a kernel where none is described, or none where one is");
    Range time;
    if (stage.time)
        time = {stage.time->lower().count(), stage.time->upper().count()};
    else if (!sources.machine)
        incomplete(claimed.where + ": the bundle has no description of the machine");
    else
        time = stage.code ? kernel_time(system, stage, claimed, sources)
                          : copy_time(stage, claimed, sources);
    if (time.lo != claimed.own_lower || time.hi != claimed.own_upper)
        refuted(fmt::format("{}: its own time is {} to {} ns, {} to {} is claimed", claimed.where,
                            digits(time.lo), digits(time.hi), claimed.own_lower,
                            claimed.own_upper));
    stage.time.emplace(models::Nanoseconds{claimed.own_lower},
                       models::Nanoseconds{claimed.own_upper});
    check_traffic(stage, claimed, sources);
}

/// The stated clock, else that of the machine, where a time follows from the machine.
void check_clock(models::PipelineSystem& system, const ClaimedPipelines& claims,
                 const TimeSources& sources) {
    const bool is_stated = system.clock.has_value();
    if (!is_stated && sources.machine)
        if (const auto clock = models::described_clock(*sources.machine))
            system.clock = clock->range;
    if (claims.clock != system.clock)
        refuted("the clock is not that of the description or of the machine");
}

/// K1, K2, .. are the kernels of the description in its order. Stages with the same code have the
/// same one and no others do: a kernel of another file may have the same name and launch.
void check_kernel_ids(const models::PipelineSystem& system, const ClaimedPipelines& claims) {
    using Code =
        std::tuple<std::string, std::string, std::string, std::string, std::string, std::int64_t>;
    std::map<Code, std::string> ids;
    for (std::size_t p = 0; p < system.pipelines.size(); ++p)
        for (std::size_t i = 0; i < system.pipelines[p].stages.size(); ++i) {
            const PipelineStage& stage = system.pipelines[p].stages[i];
            if (!stage.code) continue;
            const auto& code = *stage.code;
            const std::string next = fmt::format("K{}", ids.size() + 1);
            const auto& id = ids.try_emplace({code.file, code.kernel, code.flow_facts, code.policy,
                                              models::to_string(code.launch),
                                              system.servers[*stage.server].multiprocessors},
                                             next)
                                 .first->second;
            const ClaimedStage& claimed = claims.pipelines[p].stages[i];
            if (claimed.kernel != id)
                refuted(fmt::format("{}: its code is {} of the bundle of kernels, '{}' is claimed",
                                    claimed.where, id, claimed.kernel));
        }
}

/// Every kernel of the bundle inside is one of a stage: nothing else is claimed there.
void check_all_kernels_are_used(const ClaimedPipelines& claims, const TimeSources& sources) {
    std::set<std::string> used;
    for (const auto& pipeline : claims.pipelines)
        for (const auto& stage : pipeline.stages)
            used.insert(stage.kernel);
    for (const auto& kernel : sources.kernels.kernels)
        if (used.count(kernel->id) == 0)
            incomplete(kernel->id + " of the bundle of kernels belongs to no stage");
}

} // namespace

void check_own_times(models::PipelineSystem& system, const ClaimedPipelines& claims,
                     const TimeSources& sources) {
    check_clock(system, claims, sources);
    check_kernel_ids(system, claims);
    for (std::size_t p = 0; p < system.pipelines.size(); ++p)
        for (std::size_t i = 0; i < system.pipelines[p].stages.size(); ++i)
            check_stage(system, system.pipelines[p].stages[i], claims.pipelines[p].stages[i],
                        sources);
    check_all_kernels_are_used(claims, sources);
}

} // namespace warpbound::certification::verify
