#include "analyzer/flow/facts_in_use.hpp"

#include "analyzer/flow/abstract_execution.hpp"
#include "analyzer/flow/excluded_paths.hpp"
#include "analyzer/flow/execution_by_index.hpp"
#include "analyzer/flow/loop_bounds.hpp"
#include "analyzer/flow/representative_threads.hpp"
#include "analyzer/flow/thread_facts.hpp"
#include "analyzer/value/value_code.hpp"
#include "assembly/isa/branch_guard.hpp"
#include "assembly/isa/register_roles.hpp"
#include "assembly/isa/source_places.hpp"
#include "assembly/support/stop_token.hpp"
#include "models/facts/barrier_rule.hpp"
#include "models/facts/divergence_default.hpp"
#include "models/facts/normal_ends.hpp"

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

/// Of abstract executions and analyses of threads, each with what the one before found.
constexpr int most_rounds = 3;

bool follows_from_code(const models::FactSource& from) {
    return from == models::from_code || from == models::from_arguments;
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
          facts_{std::move(stated)}, values_{value_code(function, graph)},
          knows_shape_{launch.shape || !reads_block_shape(values_.function)} {}

    Result<FlowFacts> complete() {
        if (auto checked = models::check_written_for(facts_, launch_); !checked)
            return checked.as_failure();
        models::assume_normal_ends(function_, graph_, facts_);
        if (auto derived = derive(); !derived) return derived.as_failure();
        if (auto rest = models::assume_divergence(function_, graph_, facts_); !rest)
            return rest.as_failure();
        if (!facts_.representative && !is_amd(function_.target)) add_representatives();
        return std::move(facts_);
    }

private:
    /// What follows from the values of registers.
    Result<void> derive() {
        if (!has_value_code(function_, graph_)) return boost::outcome_v2::success();
        Basis basis = code_alone();
        const bool states_uniformity = !facts_.uniforms.empty();
        if (auto added = add(basis); !added) return added;
        basis.takes_statements = true;
        basis.proved = basis.if_near = models::from_statements;
        if (states_uniformity)
            if (auto added = add(basis); !added) return added;
        if (!launch_.arguments.empty()) {
            auto with_arguments = code_with_arguments();
            if (!with_arguments) return with_arguments.as_failure();
            basis = std::move(with_arguments).value();
            if (auto added = add(basis); !added) return added;
        }
        if (!is_amd(function_.target) && add_decided_by_rule()) {
            basis.proved = basis.if_near = models::by_barrier_rule;
            if (auto added = add(basis); !added) return added;
        }
        return boost::outcome_v2::success();
    }

    /// What facts are derived from, and the sources that they then have.
    struct Basis {
        KernelParameters words;
        models::FactSource proved;
        models::FactSource if_near;
        bool takes_statements = false; ///< Stated `<uniform>` facts count.
        /// All words of the launch are there: bounds by index are worth their time.
        bool is_complete = false;
    };

    [[nodiscard]] Basis code_alone() const {
        return {launch_words(values_.function, launch_), models::from_code, if_lanes_are_near,
                false, launch_.arguments.empty()};
    }

    /// Refuses arguments that contradict the shapes of the launch.
    [[nodiscard]] Result<Basis> code_with_arguments() const {
        Basis basis{launch_words(values_.function, launch_), models::from_arguments,
                    models::from_arguments, true, true};
        for (const auto& [offset, word] : launch_.arguments) {
            const auto [at, is_new] = basis.words.emplace(offset, word);
            if (!is_new && at->second != word)
                return Failure{.what = fmt::format("the argument {} contradicts the launch {}, "
                                                   "whose shapes make that word {}",
                                                   models::to_string({{offset, word}}),
                                                   models::to_string(launch_), at->second.value),
                               .where = facts_.name};
        }
        return basis;
    }

    /// What the abstract execution finds makes more branches uniform (S32b). Then less of what the
    /// warp's registers hold is unknown, and a further execution may find more.
    Result<void> add(const Basis& basis) {
        const assembly::Function code = with_parameters(code_of_threads(), basis.words);
        std::optional<AbstractRun> run;
        std::set<assembly::Register> unknown; // In the last abstract execution.
        for (int round = 0; round < most_rounds; ++round) {
            const auto found =
                unless_stopped([&] { return thread_facts(basis, run ? &*run : nullptr); });
            const ThreadFacts threads = found.value_or(nothing_known());
            of_threads_.reset();
            if (found) of_threads_ = OfThreads{code, threads.shared, basis.proved};
            if (auto added = add_thread_facts(threads, basis); !added) return added;
            const auto derived = derive_loops(code, values_.graph,
                                              threads.stays_converged ? Convergence::Converged
                                                                      : Convergence::MayDiverge);
            if (auto added = add_loops(derived, basis, {}); !added) return added;
            if (run && threads.shared == unknown) return boost::outcome_v2::success();
            unknown = threads.shared;
            run = unless_stopped(
                [&] { return execute_abstractly(code, values_.graph, launch_, unknown); });
            if (!run) return boost::outcome_v2::success();
            if (basis.is_complete && knows_shape_ && !is_amd(function_.target))
                bound_by_index(code, *run, derived, unknown);
            add_never_executed(graph_, *run, basis.proved, facts_);
            add_never_taken(graph_, *run, basis.proved, facts_);
            add_never_ending(graph_, *run, basis.proved, facts_);
            if (auto added = add_loops(run->loops, basis, run->reached); !added) return added;
            narrow(run->loops, derived);
        }
        return boost::outcome_v2::success();
    }

    /// Seeks bounds of loops that are not bounded otherwise.
    void bound_by_index(const assembly::Function& code, AbstractRun& run,
                        const std::vector<std::optional<DerivedLoop>>& derived,
                        const std::set<assembly::Register>& shared) const {
        std::vector<bool> known(graph_.loops.size(), false);
        for (std::size_t loop = 0; loop < known.size(); ++loop) {
            const std::int64_t header = graph_.blocks[graph_.loops[loop].header].address;
            known[loop] = derived[loop] ||
                          std::ranges::any_of(facts_.loops, [&](const models::LoopFact& fact) {
                              return fact.header == header;
                          });
        }
        unless_stopped([&] {
            bound_loops_by_index(run, code, values_.graph, launch_, shared, known);
            return true;
        });
    }

    void add_representatives() {
        const auto warp_size =
            models::require(architecture_, architecture_.geometry, "geometry", "warp-size");
        if (!of_threads_ || !warp_size || warp_size.value().lo != warp_size.value().hi) return;
        if (auto found = unless_stopped([&] {
                return representative_threads(of_threads_->code, values_.graph, launch_,
                                              warp_size.value().hi, of_threads_->shared,
                                              of_threads_->from);
            }))
            facts_.representative = std::move(*found);
    }

    /// Both hold.
    static void narrow(std::vector<std::optional<DerivedLoop>>& loops,
                       const std::vector<std::optional<DerivedLoop>>& others) {
        for (std::size_t loop = 0; loop < loops.size(); ++loop) {
            if (!loops[loop]) loops[loop] = others[loop];
            if (!loops[loop] || !others[loop]) continue;
            loops[loop]->min = std::max(loops[loop]->min, others[loop]->min);
            loops[loop]->max = std::min(loops[loop]->max, others[loop]->max);
        }
    }

    Result<void> add_thread_facts(const ThreadFacts& threads, const Basis& basis) {
        uniformity_ = threads.uniformity;
        if (is_amd(function_.target)) return add_transactions(threads, basis);
        if (auto added = add_uniformity(threads, basis); !added) return added;
        return add_transactions(threads, basis);
    }

    /// The code, without thread indices where they are not known.
    [[nodiscard]] assembly::Function code_of_threads() const {
        return knows_shape_ ? values_.function : without_thread_indices(values_.function);
    }

    /// Branches on which barriers depend and of which neither code nor user says how lanes decide:
    /// whether there are any.
    bool add_decided_by_rule() {
        const models::BarrierRule rule = models::barrier_rule(function_, graph_, facts_);
        bool any = false;
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            const std::size_t last = graph_.blocks[block].last;
            const std::int64_t at = function_.instructions[last].address;
            if (!rule.decides[block] || uniformity_[last] != Uniformity::Unknown ||
                facts_.is_divergent(at) || facts_.is_uniform(at))
                continue;
            facts_.uniforms.push_back({at, models::by_barrier_rule});
            any = true;
            for (std::size_t i = graph_.blocks[block].first; i < last; ++i)
                if (const std::int64_t barrier = function_.instructions[i].address;
                    assembly::barrier_if_taken(function_, i, last) &&
                    !facts_.is_divergent(barrier) && !facts_.is_uniform(barrier))
                    facts_.uniforms.push_back({barrier, models::by_barrier_rule});
        }
        return any;
    }

    [[nodiscard]] ThreadFacts thread_facts(const Basis& basis,
                                           const AbstractRun* run = nullptr) const {
        UniformInstructions stated(values_.stands_for.size(), false);
        for (const auto& fact : facts_.uniforms)
            if (const auto index = function_.index_of(fact.at);
                index && (basis.takes_statements || fact.from == models::from_code))
                for (std::size_t i = 0; i < stated.size(); ++i)
                    stated[i] = stated[i] || values_.stands_for[i] == index;
        const models::BlockShape shape = models::block_shape_of(launch_);
        return of_instructions(derive_thread_facts(code_of_threads(), values_.graph, shape,
                                                   architecture_, stated, basis.words, run,
                                                   last_block_of(launch_)));
    }

    /// Of the instructions what was found of the steps that stand for them.
    [[nodiscard]] ThreadFacts of_instructions(ThreadFacts facts) const {
        InstructionUniformity uniformity(function_.instructions.size());
        for (std::size_t i = 0; i < values_.stands_for.size(); ++i)
            if (const auto instruction = values_.stands_for[i])
                uniformity[*instruction] = facts.uniformity[i];
        facts.uniformity = std::move(uniformity);
        auto& accesses = facts.accesses.transactions;
        std::erase_if(accesses, [&](const DerivedTransactions& one) {
            return !values_.stands_for[one.instruction];
        });
        std::map<std::size_t, std::size_t> steps; // Of each access.
        for (std::size_t i = 0; i < values_.stands_for.size(); ++i)
            if (values_.stands_for[i] && values_.function.instructions[i].effects.memory)
                ++steps[*values_.stands_for[i]];
        std::map<std::size_t, std::pair<std::size_t, DerivedTransactions>> found;
        for (DerivedTransactions& one : accesses) {
            one.instruction = *values_.stands_for[one.instruction];
            const auto [entry, is_new] = found.emplace(one.instruction, std::pair{1, one});
            if (is_new) continue;
            ++entry->second.first;
            models::PassRange& sum = entry->second.second.transactions;
            sum = {std::max(sum.lo, one.transactions.lo), sum.hi + one.transactions.hi};
        }
        accesses.clear();
        for (auto& [instruction, counted] : found)
            if (counted.first == steps[instruction]) accesses.push_back(std::move(counted.second));
        return facts;
    }

    [[nodiscard]] ThreadFacts nothing_known() const {
        ThreadFacts facts;
        facts.uniformity.resize(function_.instructions.size(), Uniformity::Unknown);
        return facts;
    }

    Result<void> add_uniformity(const ThreadFacts& threads, const Basis& basis) {
        for (const auto& fact : facts_.uniforms) {
            const auto index = function_.index_of(fact.at);
            // Of code that is never executed, one basis may prove both.
            if (index && threads.uniformity[*index] == Uniformity::Divergent &&
                !follows_from_code(fact.from))
                return models::refused(
                    facts_, fact.from,
                    fmt::format("{} is stated to be uniform, but in blocks of {} "
                                "threads lanes of a warp differ there; expected no "
                                "<uniform> at this address",
                                assembly::place_of(function_, function_.instructions[*index]),
                                to_string(models::block_shape_of(launch_))));
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
                facts_.uniforms.push_back({at, basis.proved});
        return boost::outcome_v2::success();
    }

    Result<void> add_transactions(const ThreadFacts& threads, const Basis& basis) {
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
                fact.from = shared ? basis.proved : basis.if_near;
                count_of(fact, shared) =
                    CountRange{derived.transactions.lo, derived.transactions.hi};
                narrow_sectors(fact, derived);
                facts_.memory.push_back(fact);
            } else if (auto added = narrow(facts_.memory[found->second], shared, derived, basis);
                       !added) {
                return added.as_failure();
            }
        }
        return boost::outcome_v2::success();
    }

    static std::optional<CountRange>& count_of(models::MemoryFact& fact, bool shared) {
        return shared ? fact.conflict_degree : fact.transactions;
    }

    /// Whether a fact that is there already takes the source of the basis. `says_all`: the basis
    /// alone gives the whole fact. `narrows`: it adds something. What the code alone gives needs no
    /// arguments; a stated fact keeps its source where it says more than the basis.
    static bool takes_source(const Basis& basis, const models::FactSource& from, bool says_all,
                             bool narrows) {
        if (basis.proved == models::from_code) return says_all;
        return narrows && (says_all || from.line == 0);
    }

    Result<void> narrow(models::MemoryFact& fact, bool shared, const DerivedTransactions& derived,
                        const Basis& basis) {
        if (fact.pattern) return boost::outcome_v2::success();
        std::optional<CountRange>& count = count_of(fact, shared);
        const CountRange of_code{derived.transactions.lo, derived.transactions.hi};
        const CountRange both{std::max(count.value_or(of_code).min, of_code.min),
                              std::min(count.value_or(of_code).max, of_code.max)};
        if (both.min > both.max && fact.from.origin != models::FactOrigin::User)
            return boost::outcome_v2::success(); // It is never executed.
        if (both.min > both.max)
            return models::refused(
                facts_, fact.from,
                fmt::format("the access at 0x{:04x} is stated to have {} {}, but {} "
                            "follows from the code: {}",
                            fact.at, shared ? "conflict-degree" : "transactions", text_of(*count),
                            text_of(of_code), derived.reason));
        const bool says_all = both == of_code && fact.level == models::MemoryLevel::Any;
        if (takes_source(basis, fact.from, says_all, count != both))
            fact.from = shared ? basis.proved : basis.if_near;
        count = both;
        narrow_sectors(fact, derived);
        return boost::outcome_v2::success();
    }

    static void narrow_sectors(models::MemoryFact& fact, const DerivedTransactions& derived) {
        if (derived.most_sectors == 0) return;
        const CountRange stated = fact.sectors.value_or(CountRange{1, derived.most_sectors});
        fact.sectors = CountRange{std::min(stated.min, derived.most_sectors),
                                  std::min(stated.max, derived.most_sectors)};
    }

    Result<void> add_loops(const std::vector<std::optional<DerivedLoop>>& loops, const Basis& basis,
                           const std::vector<bool>& reached) {
        for (const auto& [header, derived] : bounds_in_every_context(graph_, loops, reached)) {
            const auto stated = std::find_if(
                facts_.loops.begin(), facts_.loops.end(),
                [at = header](const models::LoopFact& fact) { return fact.header == at; });
            if (stated == facts_.loops.end()) {
                facts_.loops.push_back({header, derived.min, derived.max, basis.proved});
                continue;
            }
            if (stated->max == 0) continue; // Never executed.
            const bool contradicts = stated->max < derived.min || stated->min > derived.max;
            if (contradicts && stated->from.origin != models::FactOrigin::User)
                continue; // Both hold where it is executed: it never is.
            if (contradicts)
                return models::refused(
                    facts_, stated->from,
                    fmt::format("the header at 0x{:04x} is stated to execute {}..{} "
                                "times, but {}..{} follow from the code: {}",
                                header, stated->min, stated->max, derived.min, derived.max,
                                derived.reason));
            const bool says_all = derived.min >= stated->min && derived.max <= stated->max;
            const bool narrows = derived.min > stated->min || derived.max < stated->max;
            if (takes_source(basis, stated->from, says_all, narrows)) stated->from = basis.proved;
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
    ValueCode values_;
    bool knows_shape_;
    InstructionUniformity uniformity_; ///< By the last basis.
    /// The code in which threads are followed, and registers that other lanes may write.
    struct OfThreads {
        assembly::Function code;
        std::set<assembly::Register> shared;
        models::FactSource from;
    };
    std::optional<OfThreads> of_threads_; ///< Of the last round of the last basis.
};

} // namespace

Result<models::FlowFacts> facts_in_use(const assembly::Function& function,
                                       const assembly::ControlFlowGraph& graph,
                                       const models::Architecture& architecture,
                                       const models::Launch& launch, models::FlowFacts stated) {
    return FactsInUse{function, graph, architecture, launch, std::move(stated)}.complete();
}

} // namespace warpbound::analyzer
