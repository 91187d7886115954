#include "certification/verify/lane_states.hpp"

#include "certification/verify/meeting_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <optional>

namespace warpbound::certification::verify {

namespace {

using Transfer = assembly::ControlFlow;

constexpr std::size_t most_states = 50'000;
constexpr std::size_t nobody = SIZE_MAX;

/// Something that the active lanes have behind them: lanes that wait for their turn, or a point
/// that they joined, and with them everybody who stands above it.
struct Entry {
    enum class Kind { Turn, Made, Behind } kind = Kind::Turn;
    /// Turn: block behind which they parted. Made: instruction that made the point. Behind: block
    /// at which all ways meet.
    std::size_t of = 0;
    /// Block where those go on who wait there.
    std::size_t at = nobody;
    /// Turn: one such group or more, one above the other.
    bool many = false;

    auto operator<=>(const Entry&) const = default;
};
using Stack = std::vector<Entry>;

bool makes_point(Transfer flow) {
    return flow == Transfer::PushReconvergence || flow == Transfer::PushBreak ||
           flow == Transfer::PushContinue || flow == Transfer::ConvergenceSet;
}

class Follower {
public:
    Follower(const KernelCase& kernel, const ControlFlow& flow)
        : kernel_{kernel}, flow_{flow}, code_{kernel.function->instructions}, meetings_{flow} {}

    LaneStates run() {
        found_.states.push_back({0, {}, false, true});
        stacks_.emplace_back();
        index_.emplace(std::pair{std::size_t{0}, Stack{}}, 0);
        for (std::size_t state = 0; state < stacks_.size(); ++state) {
            current_ = state;
            expand(found_.states[state].block, stacks_[state]);
            if (found_.states.size() > most_states)
                refuse(0, "lanes may part in more ways than this check follows");
        }
        return std::move(found_);
    }

private:
    [[noreturn]] void refuse(std::size_t instruction, const std::string& what) const {
        throw Finding{Verdict::Failed, fmt::format("{}: 0x{:04x}: {}", kernel_.id,
                                                   code_[instruction].address, what)};
    }

    // By value: states are added meanwhile.
    void expand(std::size_t block, Stack stack) {
        const std::size_t last = flow_.last[block];
        check_turns(block, stack);
        for (std::size_t i = flow_.first[block]; i <= last; ++i)
            pass(i, stack);
        if (flow_.blocks[block].exits) end(stack);
        std::set<std::size_t> ways;
        for (const std::size_t to : flow_.blocks[block].successors)
            if (!flow_.never[to]) ways.insert(to);
        for (const std::size_t way : ways)
            take(block, way, stack);
        if (ways.size() < 2 || !may_part(last)) return;
        if (ways.size() > 2 || flow_.blocks[block].exits)
            refuse(last, "lanes may part to more than two ways, which this check does not follow");
        part(block, *ways.begin(), *ways.rbegin(), stack);
        part(block, *ways.rbegin(), *ways.begin(), stack);
    }

    [[nodiscard]] bool may_part(std::size_t instruction) const {
        const auto& facts = kernel_.facts.divergents;
        return std::any_of(facts.begin(), facts.end(), [&](const models::DivergentFact& fact) {
            return fact.at == code_[instruction].address;
        });
    }

    /// Bounds of loops are those of lanes: nobody may wait inside one while others turn.
    void check_turns(std::size_t block, const Stack& stack) {
        for (const CheckedLoop& loop : flow_.loops) {
            if (loop.header != block) continue;
            for (const Entry& entry : stack) {
                if (entry.kind == Entry::Kind::Turn)
                    found_.turned[{entry.of, entry.at}].insert(block);
                if (entry.at != nobody && loop.blocks.count(entry.at) != 0)
                    refuse(flow_.first[block], "some lanes may turn this loop while others wait "
                                               "inside it, which this check does not follow");
            }
        }
    }

    [[nodiscard]] static bool all_are_here(const Stack& stack) {
        return std::all_of(stack.begin(), stack.end(),
                           [](const Entry& entry) { return entry.at == nobody; });
    }

    void pass(std::size_t i, Stack& stack) const {
        const assembly::Instruction& instruction = code_[i];
        const bool guarded = assembly::is_guarded(instruction);
        if (assembly::waits_for_others(instruction) && (guarded || !all_are_here(stack)))
            refuse(i, "some lanes may come to this barrier while others are elsewhere");
        if (instruction.control_flow == Transfer::ConvergenceBreak ||
            (instruction.mnemonic == "BMOV" && instruction.has_modifier("CLEAR")))
            refuse(i, "leaving a point is not followed where lanes may part");
        if (!makes_point(instruction.control_flow)) return;
        if (guarded) refuse(i, "a guarded join is not followed where lanes may part");
        for (const Entry& entry : stack)
            if (entry.kind == Entry::Kind::Made &&
                (entry.of == i ||
                 (is_set(i) && is_set(entry.of) && register_of(i) == register_of(entry.of))))
                refuse(i, "a point that lanes are in already, which this check does not follow");
        stack.push_back({Entry::Kind::Made, i, nobody});
    }

    [[nodiscard]] bool is_set(std::size_t i) const {
        return code_[i].control_flow == Transfer::ConvergenceSet;
    }
    [[nodiscard]] std::optional<int> register_of(std::size_t i) const {
        return assembly::barrier_register(code_[i]);
    }

    /// The active lanes go over the edge together.
    void take(std::size_t block, std::size_t way, Stack stack) {
        if (const auto point = arrival(block, way, stack))
            arrive(*point, way, std::move(stack));
        else
            go_on(way, std::move(stack));
    }

    /// Some go one way now, the others the other way later.
    void part(std::size_t block, std::size_t now, std::size_t later, Stack stack) {
        const std::size_t last = flow_.last[block];
        const bool in_made = std::any_of(stack.begin(), stack.end(), [](const Entry& entry) {
            return entry.kind == Entry::Kind::Made;
        });
        if (!in_made)
            if (const auto meeting = meetings_.behind(block)) {
                const auto point = innermost(stack);
                if (!point || !is_at(stack[*point], *meeting)) {
                    for (const Entry& entry : stack)
                        if (is_at(entry, *meeting))
                            refuse(last, "the ways from here meet where those around it do, which "
                                         "this check does not follow");
                    stack.push_back({Entry::Kind::Behind, *meeting, nobody});
                }
            }
        auto point = arrival(block, later, stack);
        if (const auto inner = innermost(stack); !point && inner && is_at(stack[*inner], later))
            point = inner;
        if (point) {
            wait_at(stack[*point], later, last);
        } else {
            push_turn({Entry::Kind::Turn, block, later}, stack, last);
        }
        take(block, now, std::move(stack));
    }

    /// Those of a later turn of a loop stand above those of the turns before.
    void push_turn(Entry turn, Stack& stack, std::size_t last) const {
        const auto same = std::find_if(stack.begin(), stack.end(), [&](const Entry& entry) {
            return entry.kind == turn.kind && entry.of == turn.of && entry.at == turn.at;
        });
        if (same != stack.end() && same + 1 != stack.end())
            refuse(last, "lanes may part here again before they meet, which this check does not "
                         "follow");
        turn.many = same != stack.end();
        if (turn.many) stack.pop_back();
        stack.push_back(turn);
    }

    [[nodiscard]] static std::optional<std::size_t> innermost(const Stack& stack) {
        for (std::size_t i = stack.size(); i-- > 0;)
            if (stack[i].kind != Entry::Kind::Turn) return i;
        return std::nullopt;
    }
    [[nodiscard]] static bool is_at(const Entry& point, std::size_t block) {
        return point.kind == Entry::Kind::Behind && point.of == block;
    }

    /// The point at which lanes arrive that go this way by the block's last instruction.
    std::optional<std::size_t> arrival(std::size_t block, std::size_t way,
                                       const Stack& stack) const {
        const std::size_t last = flow_.last[block];
        const auto kind = pushed_by(code_[last].control_flow);
        if (!kind) return std::nullopt;
        const bool waits = *kind == Transfer::ConvergenceSet;
        if (assembly::is_guarded(code_[last])) {
            const auto& to = flow_.blocks[block].successors;
            const auto falls = [&](std::size_t other) { return flow_.first[other] == last + 1; };
            if (waits || to.size() != 2 || falls(to.front()) == falls(to.back()))
                refuse(last, "a guarded arrival that this check does not follow");
            if (falls(way)) return std::nullopt;
        }
        for (std::size_t i = stack.size(); i-- > 0;) {
            if (stack[i].kind != Entry::Kind::Made) continue;
            const Transfer made = code_[stack[i].of].control_flow;
            if (made == *kind && (!waits || register_of(stack[i].of) == register_of(last))) {
                check_target(stack[i].of, last, way);
                return i;
            }
            if (waits || made == Transfer::ConvergenceSet)
                refuse(last, "lanes arrive at a point that is not the innermost, which this check "
                             "does not follow");
        }
        refuse(last, "no point is joined at which lanes arrive");
    }

    /// Lanes go on where the point's maker says; BSYNC on itself is passed.
    void check_target(std::size_t maker, std::size_t last, std::size_t way) const {
        const auto target = target_of(code_[maker]);
        std::optional<std::size_t> behind =
            target ? kernel_.function->index_of(*target) : std::nullopt;
        if (is_set(maker) && behind == last) behind = last + 1;
        if (behind != flow_.first[way]) refuse(last, "lanes go on elsewhere than their point says");
    }

    void wait_at(Entry& point, std::size_t behind, std::size_t last) const {
        if (point.at != nobody && point.at != behind)
            refuse(last, "lanes wait for each other at several places, which this check does not "
                         "follow");
        point.at = behind;
    }

    /// The active lanes have arrived at the point; `behind`: block where they go on.
    void arrive(std::size_t point, std::size_t behind, Stack stack) {
        while (stack.size() > point + 1) {
            const Entry top = stack.back();
            stack.pop_back();
            if (top.at == nobody) continue; // They leave it.
            wait_at(stack[point], behind, flow_.last[found_.states[current_].block]);
            return resume(top, std::move(stack));
        }
        wait_at(stack[point], behind, flow_.last[found_.states[current_].block]);
        stack.pop_back();
        found_.behind_points.insert(behind);
        go_on(behind, std::move(stack));
    }

    /// Those go on who waited there, with what stood below.
    void resume(const Entry& waited, Stack stack) {
        if (waited.kind != Entry::Kind::Turn) found_.behind_points.insert(waited.at);
        if (waited.many) {
            Stack more = stack;
            more.push_back(waited);
            go_on(waited.at, std::move(more));
        }
        go_on(waited.at, std::move(stack));
    }

    /// The active lanes come to the block.
    void go_on(std::size_t block, Stack stack) {
        for (std::size_t i = 0; i < stack.size(); ++i) {
            if (!is_at(stack[i], block)) continue;
            if (innermost(stack) != i)
                refuse(flow_.first[block], "lanes come behind a point in which they still are, "
                                           "which this check does not follow");
            return arrive(i, block, std::move(stack));
        }
        enter(block, std::move(stack));
    }

    /// The active lanes have ended.
    void end(Stack stack) {
        while (!stack.empty()) {
            const Entry top = stack.back();
            stack.pop_back();
            if (top.at != nobody) return resume(top, std::move(stack));
        }
        found_.states[current_].ends = true;
    }

    void enter(std::size_t block, Stack stack) {
        const auto [known, fresh] =
            index_.emplace(std::pair{block, std::move(stack)}, stacks_.size());
        if (fresh) {
            stacks_.push_back(known->first.second);
            found_.states.push_back({block, {}, false, all_are_here(stacks_.back())});
        }
        found_.states[current_].next.push_back(known->second);
    }

    const KernelCase& kernel_;
    const ControlFlow& flow_;
    const std::vector<assembly::Instruction>& code_;
    MeetingBlocks meetings_;
    LaneStates found_;
    std::vector<Stack> stacks_; ///< Per state.
    std::map<std::pair<std::size_t, Stack>, std::size_t> index_;
    std::size_t current_ = 0;
};

} // namespace

LaneStates follow_lanes(const KernelCase& kernel, const ControlFlow& flow) {
    return Follower{kernel, flow}.run();
}

} // namespace warpbound::certification::verify
