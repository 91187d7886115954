#include "analyzer/pipeline/latency.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpbound::analyzer {

namespace {

using models::Pipeline;
using models::PipelineStage;
using models::PipelineSystem;
using models::ServerOrder;
using models::StageKind;
using models::TimeBasis;

class Register {
public:
    void add(AssumptionSubject subject, std::string text, std::vector<StageName> stages = {}) {
        register_.push_back({{fmt::format("P{}", register_.size() + 1), std::move(text),
                              AssumptionStatus::Unchecked, subject},
                             std::move(stages)});
    }
    std::vector<PipelineAssumption> take() { return std::move(register_); }

private:
    std::vector<PipelineAssumption> register_;
};

bool any_server(const PipelineSystem& system, ServerOrder order) {
    for (const auto& server : system.servers)
        if (server.order == order) return true;
    return false;
}

std::string names_of(const PipelineSystem& system, ServerOrder order) {
    std::string names;
    for (const auto& server : system.servers)
        if (server.order == order) names += (names.empty() ? "'" : ", '") + server.name + "'";
    return names;
}

/// The command that tests these rules on a device.
std::string test_of(std::string_view rules) {
    return fmt::format(" To test it: warpbound hypotheses --device cuda:0 --rule {}.", rules);
}

void queueing_rules(const PipelineSystem& system, Register& sum) {
    sum.add(
        AssumptionSubject::Machine,
        std::string{
            "An operation enters the queue of its engine as soon as all stages before it and all "
            "earlier operations of its stream have ended (rules G1, G2, G4 and C1 to C4 of Amert "
            "et al., RTSS 2017); an engine with a waiting operation does not idle."} +
            test_of("G1,G2,G4,C1,C2,C3,C4,N1,N2,Q7"));
    if (any_server(system, ServerOrder::Any))
        sum.add(
            AssumptionSubject::Machine,
            fmt::format("Operations that overlap in {} all end no later, and move no more bytes "
                        "at the L2 and the DRAM, than if they were executed one after another "
                        "in some order (under rules G3 and X1 the blocks of the next kernel "
                        "may start beside the last ones of a kernel).",
                        names_of(system, ServerOrder::Any)) +
                test_of("G3,X1,Q1"));
    if (any_server(system, ServerOrder::Fifo))
        sum.add(AssumptionSubject::Machine,
                fmt::format("{}: one operation at a time, in the order of arrival, none "
                            "interrupted (rules X1 and C1 to C4; a kernel that starts beside the "
                            "last blocks of another, rule G3, breaks it).",
                            names_of(system, ServerOrder::Fifo)) +
                    test_of("Q1,Q2,Q3,Q4,X1,C1,C2"));
    if (any_server(system, ServerOrder::Priority))
        sum.add(AssumptionSubject::Machine,
                fmt::format("{}: one operation at a time, the most urgent first, none interrupted "
                            "(rules A1 and A2; more blocks than fit at once let a more urgent "
                            "kernel in between, which breaks it).",
                            names_of(system, ServerOrder::Priority)) +
                    test_of("A1,A2,Q1,Q3,Q4"));
    sum.add(
        AssumptionSubject::Machine,
        std::string{"The SMs of a partition execute only kernels of that partition, and kernels of "
                    "different partitions delay each other in the L2 and in DRAM at most; copies "
                    "run beside "
                    "kernels."} +
            test_of("Q5,Q6"));
}

void memory_rules(const PipelineSystem& system, Register& sum) {
    if (system.memory.is_excluded) {
        sum.add(AssumptionSubject::User,
                "Operations of different engines and partitions do not delay each other in "
                "memory (memory-interference=\"none\").");
        return;
    }
    sum.add(
        AssumptionSubject::Machine,
        "A transaction that a shared memory serves for others delays an operation only while it "
        "is served.");
    sum.add(AssumptionSubject::User,
            "The shared memories serve at least the stated bandwidth, and the stated and derived "
            "traffic and budgets hold, write-backs included; traffic of a stage is served until "
            "it ends. Host tasks move no data of their own in these memories.");
    if (system.memory.keeps_lines)
        sum.add(AssumptionSubject::User,
                "No operation evicts lines of the L2 that an operation of another partition or "
                "engine uses again (l2-lines=\"kept\": a partitioned L2, or no reuse).");
}

/// What follows from code: the bytes at each memory.
void derived_traffic(const PipelineSystem& system, Register& sum) {
    for (const Pipeline& pipeline : system.pipelines)
        for (const PipelineStage& stage : pipeline.stages) {
            const auto [l2, dram] = stage.is_traffic_derived;
            if (!l2 && !dram) continue;
            sum.add(AssumptionSubject::Machine,
                    fmt::format("A launch of stage '{}' of '{}' moves at most {}{}{}, as follows "
                                "from its code under the assumptions of its bound: an access "
                                "moves one line, fills at most one and evicts at most one.",
                                stage.name, pipeline.name,
                                l2 ? fmt::format("{} bytes at the L2", *stage.traffic[0]) : "",
                                l2 && dram ? " and " : "",
                                dram ? fmt::format("{} bytes at the DRAM", *stage.traffic[1]) : ""),
                    {{pipeline.name, stage.name}});
        }
}

/// What a time rests on beside the bounds of its code. `range`: of the stage.
std::string described(const PipelineSystem& system, const PipelineStage& stage,
                      const std::string& name, const std::string& range) {
    if (!stage.code)
        return fmt::format("The time of {} is {} when nothing else uses the device, as machine "
                           "'{}' describes copies.",
                           name, range, system.machine);
    if (!stage.cost)
        return fmt::format("A launch of {} costs what machine '{}' describes (blocks/launch), in "
                           "addition to the time of its code.",
                           name, system.machine);
    return fmt::format("A launch of {} costs {} to {} in addition to the time of its code, as "
                       "stated.",
                       name, models::to_string(stage.cost->lower()),
                       models::to_string(stage.cost->upper()));
}

void times_of_stages(const PipelineSystem& system, Register& sum) {
    std::vector<StageName> host;
    for (const Pipeline& pipeline : system.pipelines)
        for (const PipelineStage& stage : pipeline.stages) {
            const StageName own{pipeline.name, stage.name};
            if (stage.kind == StageKind::Host) host.push_back(own);
            const auto name = fmt::format("stage '{}' of '{}'", stage.name, pipeline.name);
            const auto range = fmt::format("{} to {}", models::to_string(stage.time->lower()),
                                           models::to_string(stage.time->upper()));
            if (stage.basis == TimeBasis::Bounded)
                sum.add(stage.cost ? AssumptionSubject::User : AssumptionSubject::Machine,
                        described(system, stage, name, range), {own});
            else if (stage.basis == TimeBasis::Measured)
                sum.add(AssumptionSubject::User,
                        fmt::format("The time of {} never leaves {}, which was measured ({}): an "
                                    "observation is no bound.",
                                    name, range, stage.source),
                        {own});
            else
                sum.add(AssumptionSubject::User,
                        fmt::format("The time of {} is {} when nothing else uses the device, as "
                                    "stated{}.",
                                    name, range,
                                    stage.source.empty() ? "" : " (" + stage.source + ")"),
                        {own});
        }
    if (!host.empty())
        sum.add(AssumptionSubject::User,
                "The times of host tasks are response times: they contain whatever else runs on "
                "the processors.",
                std::move(host));
}

void releases(const PipelineSystem& system, Register& sum) {
    for (const Pipeline& pipeline : system.pipelines)
        sum.add(AssumptionSubject::User,
                fmt::format(
                    "Jobs of '{}' are released {} {} apart, each at most {} late.{}", pipeline.name,
                    pipeline.is_periodic ? "exactly" : "at least",
                    models::to_string(pipeline.distance), models::to_string(pipeline.jitter),
                    pipeline.overlaps ? " Each job issues its operations in streams that hold no "
                                        "operation of another job (a pool of streams)."
                                      : " A job starts when the one before has ended."));
}

} // namespace

std::string to_string(const StageName& name) {
    return name.pipeline + "/" + name.stage;
}

std::vector<PipelineAssumption> pipeline_assumptions(const PipelineSystem& system) {
    Register sum;
    queueing_rules(system, sum);
    memory_rules(system, sum);
    derived_traffic(system, sum);
    times_of_stages(system, sum);
    releases(system, sum);
    if (system.clients.empty())
        sum.add(AssumptionSubject::User, "Nothing else uses the device.");
    else
        sum.add(AssumptionSubject::User,
                "Nothing but the stated pipelines and clients uses the device; an operation of a "
                "client takes no longer and comes no more often than stated.");
    if (system.clock)
        sum.add(AssumptionSubject::User,
                fmt::format("The core clock stays within {}.", to_string(*system.clock)));
    sum.add(AssumptionSubject::NotModelled,
            "No time slicing between processes, no preemption, no page faults, no errors of "
            "memory that are corrected, no reset.");
    return sum.take();
}

} // namespace warpbound::analyzer
