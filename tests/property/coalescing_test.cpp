/// \file
/// Derived transactions and uniformity, compared with an interpreter that runs every thread of a
/// block.

#include "analyzer/flow/thread_facts.hpp"
#include "assembly/flow/post_dominators.hpp"
#include "assembly/isa/reader.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/support/address_writer.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/lane_interpreter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warpbound::tests {
namespace {

/// Transactions with 32 banks of 4 bytes, or lines of 128 bytes; nothing where a lane is not
/// aligned.
std::optional<std::int64_t> transactions_of(const assembly::Instruction& instruction,
                                            const std::map<std::size_t, std::uint32_t>& lanes) {
    const auto& memory = *instruction.effects.memory;
    const auto bytes = static_cast<std::uint32_t>(memory.bytes_per_lane);
    for (const auto& [lane, address] : lanes)
        if (address % bytes != 0) return std::nullopt;
    if (memory.space != assembly::StateSpace::Shared) {
        std::set<std::uint32_t> lines;
        for (const auto& [lane, address] : lanes)
            lines.insert(address / 128);
        return static_cast<std::int64_t>(lines.size());
    }
    const bool is_atomic = instruction.mnemonic == "ATOMS";
    // Groups of lanes whose words fill all banks once.
    std::map<std::size_t, std::map<std::uint32_t, std::multiset<std::uint32_t>>> groups;
    const std::size_t group = 32 / std::max<std::size_t>(1, bytes / 4);
    for (const auto& [lane, address] : lanes)
        for (std::uint32_t word = address / 4; word <= (address + bytes - 1) / 4; ++word)
            groups[lane / group][word % 32].insert(word);
    std::int64_t transactions = 0;
    for (const auto& [number, banks] : groups) {
        std::size_t most = 0;
        for (const auto& [bank, words] : banks)
            most = std::max(most, is_atomic
                                      ? words.size()
                                      : std::set<std::uint32_t>(words.begin(), words.end()).size());
        transactions += static_cast<std::int64_t>(most);
    }
    return transactions;
}

using analyzer::Uniformity;
using Warp = std::vector<LaneRun>;

/// Whether the lanes of a warp took the same path until they exited.
bool never_diverges(const Warp& warp) {
    const auto longest =
        std::max_element(warp.begin(), warp.end(), [](const LaneRun& a, const LaneRun& b) {
            return a.path.size() < b.path.size();
        });
    return std::all_of(warp.begin(), warp.end(), [&](const LaneRun& lane) {
        return lane.steps.size() <= longest->steps.size() &&
               std::equal(lane.path.begin(), lane.path.end(), longest->path.begin()) &&
               std::equal(lane.steps.begin(), lane.steps.end(), longest->steps.begin(),
                          [](const LaneStep& a, const LaneStep& b) {
                              return a.instruction == b.instruction;
                          });
    });
}

/// Moreover all predicates were uniform.
bool all_uniform(const Warp& warp) {
    return never_diverges(warp) && std::all_of(warp.begin(), warp.end(), [&](const LaneRun& lane) {
               return lane.steps.size() == warp[0].steps.size() &&
                      std::equal(lane.steps.begin(), lane.steps.end(), warp[0].steps.begin(),
                                 [](const LaneStep& a, const LaneStep& b) {
                                     return a.executes == b.executes;
                                 });
           });
}

class ThreadFactChecks {
public:
    explicit ThreadFactChecks(const assembly::Function& function) : function_{function} {}

    /// Step by step, for a warp that never diverges.
    void check_converged(const analyzer::ThreadFacts& facts, const Warp& warp) {
        std::size_t steps = 0;
        for (const LaneRun& lane : warp)
            steps = std::max(steps, lane.steps.size());
        for (std::size_t step = 0; step < steps; ++step) {
            std::map<std::size_t, std::uint32_t> accessing;
            std::set<bool> truths;
            std::size_t instruction = 0;
            for (std::size_t lane = 0; lane < warp.size(); ++lane) {
                if (step >= warp[lane].steps.size()) continue;
                const LaneStep& here = warp[lane].steps[step];
                instruction = here.instruction;
                truths.insert(here.executes);
                if (here.executes) accessing[lane] = here.address;
            }
            if (facts.uniformity[instruction] == Uniformity::Uniform) {
                ASSERT_EQ(truths.size(), 1U) << address_text(instruction);
            }
            check(facts, instruction, accessing);
        }
    }

    /// For a warp that may diverge: the lanes that are together in a block, where those that
    /// diverge reconverge at the immediate post-dominator.
    void check_diverging(const analyzer::ThreadFacts& facts, const Warp& warp,
                         const assembly::ControlFlowGraph& graph) {
        graph_ = &graph;
        above_ = assembly::immediate_post_dominators(graph);
        at_.assign(warp.size(), {});
        std::set<std::size_t> lanes;
        for (std::size_t lane = 0; lane < warp.size(); ++lane)
            lanes.insert(lane);
        follow(facts, warp, lanes, std::nullopt);
    }

    /// A divergent instruction diverges in some warp, if all lanes of all warps reach it.
    void check_divergent(const analyzer::ThreadFacts& facts, const std::vector<Warp>& warps) {
        for (std::size_t i = 0; i < facts.uniformity.size(); ++i) {
            if (facts.uniformity[i] != Uniformity::Divergent) continue;
            bool all_reach = true;
            bool some_diverges = false;
            for (const Warp& warp : warps) {
                std::set<bool> truths;
                for (const LaneRun& lane : warp) {
                    const auto step =
                        std::find_if(lane.steps.begin(), lane.steps.end(),
                                     [&](const LaneStep& at) { return at.instruction == i; });
                    if (step == lane.steps.end())
                        all_reach = false;
                    else
                        truths.insert(step->executes);
                }
                some_diverges = some_diverges || truths.size() == 2;
            }
            if (!all_reach) continue;
            ++divergent_;
            ASSERT_TRUE(some_diverges) << address_text(i);
        }
    }

    [[nodiscard]] std::size_t checked() const { return checked_; }
    [[nodiscard]] std::size_t attained() const { return attained_; }
    [[nodiscard]] std::size_t divergent() const { return divergent_; }

private:
    /// How far a lane has come in its run.
    struct Position {
        std::size_t block = 0; ///< Index into `LaneRun::path`.
        std::size_t step = 0;  ///< Index into `LaneRun::steps`.
    };

    /// Lanes that are in one block go on until they end or come to `until`; returns the latter.
    std::set<std::size_t> follow(const analyzer::ThreadFacts& facts, const Warp& warp,
                                 std::set<std::size_t> lanes, std::optional<std::size_t> until) {
        while (!lanes.empty()) {
            const std::size_t block = warp[*lanes.begin()].path[at_[*lanes.begin()].block];
            if (block == until) return lanes;
            execute_block(facts, warp, lanes, block);
            std::map<std::size_t, std::set<std::size_t>> next;
            for (const std::size_t lane : lanes)
                if (++at_[lane].block < warp[lane].path.size())
                    next[warp[lane].path[at_[lane].block]].insert(lane);
            lanes.clear();
            if (next.size() == 1) lanes = next.begin()->second;
            if (next.size() < 2) continue;
            for (const auto& [to, group] : next)
                lanes.merge(follow(facts, warp, group, above_[block]));
        }
        return lanes;
    }

    void execute_block(const analyzer::ThreadFacts& facts, const Warp& warp,
                       const std::set<std::size_t>& lanes, std::size_t block) {
        std::map<std::size_t, std::set<bool>> truths;
        std::map<std::size_t, std::map<std::size_t, std::uint32_t>> accesses;
        for (const std::size_t lane : lanes) {
            const auto& steps = warp[lane].steps;
            for (std::optional<std::size_t> last; at_[lane].step < steps.size(); ++at_[lane].step) {
                const LaneStep& step = steps[at_[lane].step];
                if (step.instruction < graph_->blocks[block].first ||
                    step.instruction > graph_->blocks[block].last ||
                    (last && step.instruction <= *last))
                    break;
                last = step.instruction;
                truths[step.instruction].insert(step.executes);
                if (step.executes) accesses[step.instruction][lane] = step.address;
            }
        }
        for (const auto& [instruction, values] : truths)
            if (facts.uniformity[instruction] == Uniformity::Uniform) {
                ASSERT_EQ(values.size(), 1U) << address_text(instruction);
            }
        for (const auto& [instruction, accessing] : accesses)
            check(facts, instruction, accessing);
    }

    [[nodiscard]] std::string address_text(std::size_t instruction) const {
        return fmt::format("at 0x{:04x}", function_.instructions[instruction].address);
    }

    void check(const analyzer::ThreadFacts& facts, std::size_t instruction,
               const std::map<std::size_t, std::uint32_t>& accessing) {
        const auto derived =
            std::find_if(facts.accesses.transactions.begin(), facts.accesses.transactions.end(),
                         [&](const auto& of) { return of.instruction == instruction; });
        if (derived == facts.accesses.transactions.end() || accessing.empty()) return;
        const auto counted = transactions_of(function_.instructions[instruction], accessing);
        if (!counted) return;
        ++checked_;
        if (*counted == derived->transactions.hi) ++attained_;
        ASSERT_LE(*counted, derived->transactions.hi)
            << address_text(instruction) << ": " << derived->reason;
        ASSERT_GE(*counted, derived->transactions.lo)
            << address_text(instruction) << ": " << derived->reason;
    }

    const assembly::Function& function_;
    const assembly::ControlFlowGraph* graph_ = nullptr;
    std::vector<std::optional<std::size_t>> above_; ///< Immediate post-dominators.
    std::vector<Position> at_;                      ///< By lane.
    std::size_t checked_ = 0;
    std::size_t attained_ = 0;
    std::size_t divergent_ = 0;
};

std::size_t uniform_branches(const assembly::Function& function,
                             const analyzer::ThreadFacts& facts) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < function.instructions.size(); ++i)
        count += function.instructions[i].control_flow == assembly::ControlFlow::Branch &&
                         facts.uniformity[i] == Uniformity::Uniform
                     ? 1U
                     : 0U;
    return count;
}

TEST(Coalescing, HoldsForEveryThreadOfRandomCode) {
    std::size_t derived = 0;
    std::size_t never_diverging = 0;
    std::size_t checked = 0;
    std::size_t attained = 0;
    std::size_t divergent = 0;
    std::size_t by_execution = 0;
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 300));
    const auto architecture = models::load_architecture("turing-t4");
    ASSERT_TRUE(architecture);
    for_seeds(cases, [&](RandomSource& random_source) {
        const std::string text =
            AddressWriter{random_source, random_source.whole(0, 1) == 1}.write();
        const auto program = assembly::read_program({"random", text});
        ASSERT_TRUE(program) << to_string(program.error()) << text;
        const assembly::Function& function = program.value().functions.front();
        const auto graph = assembly::build_control_flow_graph(function);
        ASSERT_TRUE(graph) << to_string(graph.error()) << text;
        static const analyzer::BlockShape shapes[] = {{{32, 1, 1}}, {{16, 2, 1}}, {{8, 8, 1}},
                                                      {{40, 1, 1}}, {{4, 4, 4}},  {{3, 11, 1}},
                                                      {{96, 1, 1}}, {{7, 1, 1}}};
        const analyzer::BlockShape& shape = shapes[random_source.whole(0, 7)];
        SCOPED_TRACE(fmt::format("{} x {} x {}\n{}", shape.threads[0], shape.threads[1],
                                 shape.threads[2], text));
        const auto derive = [&](bool all_stated_uniform,
                                const analyzer::AbstractRun* run = nullptr) {
            const analyzer::UniformInstructions stated(function.instructions.size(),
                                                       all_stated_uniform);
            return analyzer::derive_thread_facts(function, graph.value(), shape,
                                                 architecture.value(), stated, {}, run,
                                                 analyzer::LastBlock{20, 0, 0});
        };
        const auto without_run = derive(false);
        models::Launch launch{21, shape.count()};
        launch.shape = shape;
        const auto abstract_run =
            analyzer::execute_abstractly(function, graph.value(), launch, without_run.shared);
        const auto if_diverging = derive(false, &abstract_run);
        by_execution +=
            uniform_branches(function, if_diverging) - uniform_branches(function, without_run);
        const auto if_converged = derive(true);
        derived += if_diverging.accesses.transactions.size();
        never_diverging += if_diverging.always_uniform ? 1U : 0U;
        ThreadFactChecks checks{function};
        for (int run = 0; run < 2; ++run) {
            LaneInputs inputs;
            for (const std::int64_t offset : {0x160, 0x164})
                inputs.constants[offset] = static_cast<std::uint32_t>(
                    (random_source.whole(0, 1) == 1 ? 128 : 1) * random_source.whole(0, 40));
            for (const std::int64_t offset : {0x168, 0x16c})
                inputs.constants[offset] =
                    static_cast<std::uint32_t>(4 * random_source.whole(0, 64));
            inputs.special["SR_CTAID.X"] = static_cast<std::uint32_t>(random_source.whole(0, 20));
            inputs.memory = static_cast<std::uint32_t>(random_source.whole(0, 1 << 20));
            std::vector<Warp> warps;
            for (std::int64_t thread = 0; thread < shape.count(); ++thread) {
                const auto count = [](std::int64_t n) { return static_cast<std::uint32_t>(n); };
                inputs.special["SR_TID.X"] = count(thread % shape.threads[0]);
                inputs.special["SR_TID.Y"] = count(thread / shape.threads[0] % shape.threads[1]);
                inputs.special["SR_TID.Z"] = count(thread / shape.threads[0] / shape.threads[1]);
                inputs.special["SR_LANEID"] = count(thread % 32);
                if (thread % 32 == 0) warps.emplace_back();
                warps.back().push_back(
                    LaneInterpreter{function, graph.value(), random_source, {}, inputs}.run(2'000));
                ASSERT_TRUE(warps.back().back().ended);
            }
            bool uniform_run = true;
            for (const Warp& warp : warps) {
                if (if_diverging.always_uniform) {
                    ASSERT_TRUE(never_diverges(warp));
                    checks.check_converged(if_diverging, warp);
                } else {
                    checks.check_diverging(if_diverging, warp, graph.value());
                }
                uniform_run = uniform_run && all_uniform(warp);
            }
            checks.check_divergent(if_diverging, warps);
            for (const Warp& warp : warps)
                if (uniform_run) checks.check_converged(if_converged, warp);
            if (testing::Test::HasFailure()) return;
        }
        checked += checks.checked();
        attained += checks.attained();
        divergent += checks.divergent();
    });
    EXPECT_GT(derived, static_cast<std::size_t>(cases));
    EXPECT_GT(never_diverging, static_cast<std::size_t>(cases) / 10);
    EXPECT_GT(attained, checked / 4);
    EXPECT_GT(divergent, static_cast<std::size_t>(cases) / 40);
    EXPECT_GT(by_execution, static_cast<std::size_t>(cases) / 20);
    RecordProperty("by_execution", static_cast<int>(by_execution));
    RecordProperty("derived", static_cast<int>(derived));
    RecordProperty("never_diverging", static_cast<int>(never_diverging));
    RecordProperty("checked", static_cast<int>(checked));
    RecordProperty("attained", static_cast<int>(attained));
    RecordProperty("divergent", static_cast<int>(divergent));
}

} // namespace
} // namespace warpbound::tests
