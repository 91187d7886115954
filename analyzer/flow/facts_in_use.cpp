#include "analyzer/flow/facts_in_use.hpp"

#include "analyzer/flow/loop_bounds.hpp"
#include "analyzer/flow/thread_facts.hpp"
#include "assembly/support/stop_token.hpp"
#include "models/facts/divergence_default.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound::analyzer {

namespace {

using models::CountRange;
using models::FlowFacts;

constexpr models::FactSource if_lanes_are_near{models::FactOrigin::Static,
                                               models::FactStatus::Unchecked, 0};

Failure refuted(const FlowFacts& facts, const models::FactSource& from, std::string what) {
    return Failure{std::move(what), facts.name, from.line, 0};
}

std::string text_of(const CountRange& range) {
    return range.min == range.max ? fmt::format("{}", range.min)
                                  : fmt::format("{}..{}", range.min, range.max);
}

/// A copy whose thread indices and block extents are unknown values.
assembly::Function without_thread_indices(const assembly::Function& function) {
    assembly::Function replaced = function;
    for (assembly::Instruction& instruction : replaced.instructions)
        for (assembly::Operand& operand : instruction.operands)
            if (auto* reg = std::get_if<assembly::SpecialRegisterOperand>(&operand);
                reg != nullptr &&
                (reg->name.starts_with("SR_TID") || reg->name.starts_with("SR_NTID")))
                reg->name = "SR_UNKNOWN";
    return replaced;
}

/// The stated facts, and what is added to them.
class FactsInUse {
public:
    FactsInUse(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
               const models::Architecture& architecture, const models::Launch& launch,
               FlowFacts stated)
        : function_{function}, graph_{graph}, architecture_{architecture}, launch_{launch},
          facts_{std::move(stated)}, knows_shape_{launch.shape || !reads_block_shape(function)} {}

    Result<FlowFacts> complete() {
        if (auto checked = models::check_written_for(facts_, launch_); !checked)
            return checked.as_failure();
        const ThreadFacts threads =
            unless_stopped([&] { return thread_facts(); }).value_or(nothing_known());
        if (auto added = add_uniformity(threads); !added) return added.as_failure();
        if (auto added = add_transactions(threads); !added) return added.as_failure();
        if (auto added = add_loops(threads.stays_converged); !added) return added.as_failure();
        if (auto rest = models::assume_divergence(function_, graph_, facts_); !rest)
            return rest.as_failure();
        return std::move(facts_);
    }

private:
    [[nodiscard]] ThreadFacts thread_facts() const {
        UniformInstructions stated(function_.instructions.size(), false);
        for (const auto& fact : facts_.uniforms)
            if (const auto index = function_.index_of(fact.at)) stated[*index] = true;
        const models::BlockShape shape = models::block_shape_of(launch_);
        if (!knows_shape_)
            return derive_thread_facts(without_thread_indices(function_), graph_, shape,
                                       architecture_, stated);
        return derive_thread_facts(function_, graph_, shape, architecture_, stated,
                                   block_extents(function_.target, shape));
    }

    [[nodiscard]] ThreadFacts nothing_known() const {
        ThreadFacts facts;
        facts.uniformity.resize(function_.instructions.size(), Uniformity::Unknown);
        return facts;
    }

    Result<void> add_uniformity(const ThreadFacts& threads) {
        for (const auto& fact : facts_.uniforms) {
            const auto index = function_.index_of(fact.at);
            if (index && threads.uniformity[*index] == Uniformity::Divergent)
                return refuted(facts_, fact.from,
                               fmt::format("0x{:04x} is stated to be uniform, but in blocks of {} "
                                           "threads lanes of a warp differ there; expected no "
                                           "<uniform> at this address",
                                           fact.at, to_string(models::block_shape_of(launch_))));
        }
        std::set<std::int64_t> stated;
        for (const auto& fact : facts_.uniforms)
            stated.insert(fact.at);
        for (const auto& fact : facts_.divergents)
            stated.insert(fact.at);
        const std::vector<bool> deciding = models::deciding_instructions(function_, graph_);
        for (std::size_t i = 0; i < deciding.size(); ++i)
            if (const std::int64_t at = function_.instructions[i].address;
                deciding[i] && threads.uniformity[i] == Uniformity::Uniform &&
                stated.count(at) == 0)
                facts_.uniforms.push_back({at, models::from_code});
        return boost::outcome_v2::success();
    }

    Result<void> add_transactions(const ThreadFacts& threads) {
        std::map<std::int64_t, std::size_t> known;
        for (std::size_t i = 0; i < facts_.memory.size(); ++i)
            known.emplace(facts_.memory[i].at, i);
        for (const DerivedTransactions& derived : threads.accesses.transactions) {
            const assembly::Instruction& access = function_.instructions[derived.instruction];
            const bool shared = access.effects.memory->space == assembly::StateSpace::Shared;
            const auto found = known.find(access.address);
            if (found == known.end()) {
                models::MemoryFact fact;
                fact.at = access.address;
                fact.from = shared ? models::from_code : if_lanes_are_near;
                count_of(fact, shared) =
                    CountRange{derived.transactions.lo, derived.transactions.hi};
                facts_.memory.push_back(fact);
            } else if (auto added = narrow(facts_.memory[found->second], shared, derived); !added) {
                return added.as_failure();
            }
        }
        return boost::outcome_v2::success();
    }

    static std::optional<CountRange>& count_of(models::MemoryFact& fact, bool shared) {
        return shared ? fact.conflict_degree : fact.transactions;
    }

    /// A stated count keeps its source where it says more than the code does.
    Result<void> narrow(models::MemoryFact& fact, bool shared, const DerivedTransactions& derived) {
        if (fact.pattern) return boost::outcome_v2::success();
        std::optional<CountRange>& count = count_of(fact, shared);
        const CountRange of_code{derived.transactions.lo, derived.transactions.hi};
        const CountRange both{std::max(count.value_or(of_code).min, of_code.min),
                              std::min(count.value_or(of_code).max, of_code.max)};
        if (both.min > both.max)
            return refuted(facts_, fact.from,
                           fmt::format("the access at 0x{:04x} is stated to have {} {}, but {} "
                                       "follows from the code: {}",
                                       fact.at, shared ? "conflict-degree" : "transactions",
                                       text_of(*count), text_of(of_code), derived.reason));
        if (both == of_code && fact.level == models::MemoryLevel::Any)
            fact.from = shared ? models::from_code : if_lanes_are_near;
        count = both;
        return boost::outcome_v2::success();
    }

    Result<void> add_loops(bool stays_converged) {
        const auto loops = derive_loops(
            knows_shape_
                ? with_parameters(function_,
                                  block_extents(function_.target, models::block_shape_of(launch_)))
                : function_,
            graph_, stays_converged ? Convergence::Converged : Convergence::MayDiverge);
        for (const auto& [header, derived] : bounds_in_every_context(graph_, loops)) {
            const auto stated = std::find_if(
                facts_.loops.begin(), facts_.loops.end(),
                [at = header](const models::LoopFact& fact) { return fact.header == at; });
            if (stated == facts_.loops.end()) {
                facts_.loops.push_back({header, derived.min, derived.max, models::from_code});
                continue;
            }
            if (stated->max == 0) continue; // Never executed.
            if (stated->max < derived.min || stated->min > derived.max)
                return refuted(facts_, stated->from,
                               fmt::format("the header at 0x{:04x} is stated to execute {}..{} "
                                           "times, but {}..{} follow from the code: {}",
                                           header, stated->min, stated->max, derived.min,
                                           derived.max, derived.reason));
            if (derived.min >= stated->min && derived.max <= stated->max)
                stated->from = models::from_code;
            stated->min = std::max(stated->min, derived.min);
            stated->max = std::min(stated->max, derived.max);
        }
        return boost::outcome_v2::success();
    }

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    const models::Architecture& architecture_;
    const models::Launch& launch_;
    FlowFacts facts_;
    bool knows_shape_;
};

} // namespace

bool reads_block_shape(const assembly::Function& function) {
    const auto reads = [](const assembly::Operand& operand) {
        const auto* reg = std::get_if<assembly::SpecialRegisterOperand>(&operand);
        return reg != nullptr && (reg->name == "SR_TID" || reg->name.starts_with("SR_TID.Y") ||
                                  reg->name.starts_with("SR_TID.Z"));
    };
    return std::any_of(function.instructions.begin(), function.instructions.end(),
                       [&](const assembly::Instruction& instruction) {
                           return std::any_of(instruction.operands.begin(),
                                              instruction.operands.end(), reads);
                       });
}

Result<models::FlowFacts> facts_in_use(const assembly::Function& function,
                                       const assembly::ControlFlowGraph& graph,
                                       const models::Architecture& architecture,
                                       const models::Launch& launch, models::FlowFacts stated) {
    return FactsInUse{function, graph, architecture, launch, std::move(stated)}.complete();
}

} // namespace warpbound::analyzer
