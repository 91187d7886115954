#include "certification/verify/divergence/warp_cfg.hpp"

#include "certification/verify/divergence/warp_states.hpp"
#include "certification/verify/interference/launch_geometry.hpp"
#include "certification/verify/interference/residency.hpp"
#include "certification/verify/machine_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::certification::verify {

namespace {

constexpr std::size_t most_pairs = 1'000'000;

[[noreturn]] void fail(const KernelCase& kernel, const std::string& what) {
    throw Finding{Verdict::Failed, kernel.id + ": " + what};
}

/// That each step from a state is one from a copy of the same block, to a copy from which each of
/// its steps is one again, and so on.
class Relation {
public:
    Relation(const KernelCase& kernel, const ControlFlow& copies, const WarpStates& lanes)
        : kernel_{kernel}, copies_{copies}, states_{lanes.states}, known_{lanes.known} {}

    void check() {
        add(0, 0);
        for (std::size_t pair = 0; pair < pairs_.size(); ++pair)
            expand(pair);
        for (std::size_t i = 0; i < open_.size(); ++i)
            drop(open_[i]);
        if (!pairs_.front().dropped) return;
        fail(kernel_,
             fmt::format("lanes in turn: {}{}", pairs_.front().lacks,
                         known_ == Waiting::Each
                             ? ""
                             : "; or lanes may part in more ways than this check follows"));
    }

private:
    /// A state, a copy of its block, and which pairs each step may lead to.
    struct Pair {
        std::size_t state = 0;
        std::size_t copy = 0;
        std::vector<std::size_t> left; ///< Per step: pairs that were not dropped.
        std::vector<std::pair<std::size_t, std::size_t>> used_by; ///< Pair and its step.
        bool dropped = false;
        std::string lacks; ///< Why.
    };

    std::size_t add(std::size_t state, std::size_t copy) {
        const auto [known, fresh] = index_.emplace(std::pair{state, copy}, pairs_.size());
        if (fresh) {
            if (pairs_.size() == most_pairs)
                fail(kernel_, "lanes may part in more ways than this check follows");
            pairs_.push_back({state, copy, {}, {}, false, {}});
        }
        return known->second;
    }

    void expand(std::size_t pair) {
        const auto& state = states_[pairs_[pair].state];
        const std::size_t copy = pairs_[pair].copy;
        if (state.ends && !copies_.blocks[copy].exits)
            open(pair, "a path does not end where all lanes have");
        for (std::size_t step = 0; step < state.next.size(); ++step) {
            const std::size_t block = states_[state.next[step]].block;
            std::size_t ways = 0;
            for (const std::size_t to : copies_.blocks[copy].successors)
                if (kernel_.in_turn[to].of == block) {
                    const std::size_t next = add(state.next[step], to);
                    pairs_[next].used_by.emplace_back(pair, step);
                    ++ways;
                }
            pairs_[pair].left.push_back(ways);
            if (ways == 0) lose(pair, step);
        }
    }

    void lose(std::size_t pair, std::size_t step) {
        const auto& state = states_[pairs_[pair].state];
        open(pair, fmt::format("the way of lanes from 0x{:04x} to 0x{:04x} is missing in a copy",
                               kernel_.blocks[state.block].first,
                               kernel_.blocks[states_[state.next[step]].block].first));
    }
    void open(std::size_t pair, std::string lacks) {
        if (!pairs_[pair].lacks.empty()) return;
        pairs_[pair].lacks = std::move(lacks);
        open_.push_back(pair);
    }

    void drop(std::size_t pair) {
        pairs_[pair].dropped = true;
        for (const auto& [before, step] : pairs_[pair].used_by)
            if (--pairs_[before].left[step] == 0) open(before, pairs_[pair].lacks);
    }

    const KernelCase& kernel_;
    const ControlFlow& copies_;
    const std::vector<WarpStates::State>& states_;
    Waiting known_;
    std::vector<Pair> pairs_;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> index_;
    std::vector<std::size_t> open_; ///< To be dropped, once each.
};

ControlFlow flow_of_copies(const KernelCase& kernel, const ControlFlow& of_code) {
    if (kernel.in_turn.empty()) fail(kernel, "lanes may part, and no copies of blocks are given");
    ControlFlow copies;
    for (const SerializedBlockRow& copy : kernel.in_turn) {
        const BlockRow& block = kernel.blocks[copy.of];
        copies.blocks.push_back({block.first, block.last, block.exits, copy.successors});
        copies.first.push_back(of_code.first[copy.of]);
        copies.last.push_back(of_code.last[copy.of]);
        copies.never.push_back(of_code.never[copy.of]);
    }
    if (kernel.in_turn.front().of != 0) fail(kernel, "copy 0 is not of the entry");
    return copies;
}

std::vector<std::size_t> copies_of_blocks(const KernelCase& kernel) {
    std::vector<std::size_t> copies(kernel.blocks.size(), 0);
    for (const SerializedBlockRow& copy : kernel.in_turn)
        ++copies[copy.of];
    return copies;
}

/// At a barrier the path of one warp goes over into that of another: both are at the same copy.
void check_barriers(const KernelCase& kernel, const ControlFlow& of_code) {
    const std::vector<std::size_t> copies = copies_of_blocks(kernel);
    for (std::size_t block = 0; block < copies.size(); ++block)
        for (std::size_t i = of_code.first[block]; i <= of_code.last[block]; ++i)
            if (copies[block] > 1 &&
                assembly::synchronizes_threads(kernel.function->instructions[i]))
                fail(kernel, fmt::format("the block of the barrier at 0x{:04x} has several copies",
                                         kernel.function->instructions[i].address));
}

/// How often a lane executes the branch behind which such groups part, while they wait.
std::int64_t most_groups(const ControlFlow& of_code, const WarpStates& lanes,
                         const std::pair<std::size_t, std::size_t>& group) {
    const auto turned = lanes.turned.find(group);
    std::int64_t most = 1;
    for (const CheckedLoop& loop : of_code.loops)
        if (turned != lanes.turned.end() && loop.blocks.count(group.first) != 0 &&
            turned->second.count(loop.header) != 0)
            most = models::times(most, loop.max_back_edges + 1);
    return most;
}

/// The block ends where lanes may part.
bool may_part(const KernelCase& kernel, const ControlFlow& of_code, std::size_t block) {
    const auto& facts = kernel.facts.divergents;
    return std::any_of(facts.begin(), facts.end(), [&](const models::DivergentFact& fact) {
        return fact.at == kernel.function->instructions[of_code.last[block]].address;
    });
}

/// To the head of the sequence lanes come in turn only, or by their way from such of its blocks to
/// which they come in turn.
bool comes_by_turn(const KernelCase& kernel, const CheckedLoop& sequence) {
    std::set<std::size_t> blocks;
    for (const std::size_t copy : sequence.blocks)
        blocks.insert(kernel.in_turn[copy].of);
    std::set<std::size_t> seen{sequence.header};
    std::vector<std::size_t> work{sequence.header};
    while (!work.empty()) {
        const std::size_t at = work.back();
        work.pop_back();
        const std::size_t of = kernel.in_turn[at].of;
        for (std::size_t copy = 0; copy < kernel.in_turn.size(); ++copy) {
            const auto& to = kernel.in_turn[copy].successors;
            const auto& code = kernel.blocks[kernel.in_turn[copy].of].successors;
            if (sequence.blocks.count(copy) != 0 ||
                std::find(to.begin(), to.end(), at) == to.end() ||
                std::find(code.begin(), code.end(), of) == code.end())
                continue;
            if (copy == 0 || blocks.count(kernel.in_turn[copy].of) == 0) return false;
            if (seen.insert(copy).second) work.push_back(copy);
        }
    }
    return true;
}

/// How often lanes come to the head of a sequence of copies one group behind the other, when no
/// further group parts for it meanwhile: those that wait for their turn parted from each lane that
/// went on one by one, each when it passed the branch. Behind several branches they may come by
/// several ways to the head, which nobody executes twice.
std::int64_t most_behind(const KernelCase& kernel, const ControlFlow& of_code,
                         const WarpStates& lanes, const CheckedLoop& sequence) {
    const std::size_t start = kernel.in_turn[sequence.header].of;
    // Those who come one behind the other are a lane at least each time, and never the same.
    const std::int64_t lanes_of_warp =
        exact_number(kernel, kernel.architecture.geometry, "geometry", "warp-size");
    std::set<std::size_t> blocks;
    for (const std::size_t copy : sequence.blocks)
        blocks.insert(kernel.in_turn[copy].of);
    std::set<std::size_t> before;
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block)
        if (const auto& to = kernel.blocks[block].successors;
            !of_code.never[block] && std::find(to.begin(), to.end(), start) != to.end())
            before.insert(block);
    const auto is_inside = [&](std::size_t block) { return blocks.count(block) != 0; };
    const bool part_meanwhile = std::any_of(before.begin(), before.end(), is_inside);
    if (before.size() == 1 && !part_meanwhile && lanes.behind_points.count(start) == 0)
        return std::min(lanes_of_warp, most_groups(of_code, lanes, {*before.begin(), start})) - 1;
    const auto& behind = kernel.blocks[start].successors;
    if (std::any_of(behind.begin(), behind.end(), is_inside) ||
        std::any_of(lanes.behind_points.begin(), lanes.behind_points.end(), is_inside) ||
        std::any_of(blocks.begin(), blocks.end(),
                    [&](std::size_t block) { return may_part(kernel, of_code, block); }))
        fail(kernel, fmt::format("lanes may come to 0x{:04x} again and again in turn",
                                 kernel.blocks[start].first));
    models::Cycles most{0};
    for (const auto& group : lanes.groups)
        if (is_inside(group.second)) most += models::Cycles{most_groups(of_code, lanes, group)};
    // A group that comes first passed its branch once more than others of its kind are left.
    const std::int64_t first = comes_by_turn(kernel, sequence) ? 1 : 0;
    return std::min(lanes_of_warp - 1, most.count() - first);
}

const CheckedLoop* loop_at(const ControlFlow& of_code, std::size_t header) {
    const auto known = std::find_if(of_code.loops.begin(), of_code.loops.end(),
                                    [&](const CheckedLoop& loop) { return loop.header == header; });
    return known == of_code.loops.end() ? nullptr : &*known;
}

/// No lane may leave the loop and enter it again in a stay in its copies.
bool stays_inside(const KernelCase& kernel, const CheckedLoop& loop, const CheckedLoop& copies) {
    return std::none_of(copies.blocks.begin(), copies.blocks.end(), [&](std::size_t copy) {
        const std::size_t block = kernel.in_turn[copy].of;
        const auto& to = kernel.blocks[block].successors;
        return loop.blocks.count(block) == 0 &&
               std::find(to.begin(), to.end(), loop.header) != to.end();
    });
}

/// All loops of copies around it are copies of loops around the loop.
bool nests_alike(const KernelCase& kernel, const ControlFlow& of_code, const ControlFlow& copies,
                 const CheckedLoop& loop) {
    return std::all_of(copies.loops.begin(), copies.loops.end(), [&](const CheckedLoop& around) {
        if (around.blocks.count(loop.header) == 0) return true;
        const CheckedLoop* known = loop_at(of_code, kernel.in_turn[around.header].of);
        return known != nullptr && known->blocks.count(kernel.in_turn[loop.header].of) != 0;
    });
}

/// All copies of a loop turn as the loop does.
void bound_loops(const KernelCase& kernel, const ControlFlow& of_code, const WarpStates& lanes,
                 ControlFlow& copies) {
    const std::vector<std::size_t> copies_of = copies_of_blocks(kernel);
    for (CheckedLoop& loop : copies.loops) {
        const SerializedBlockRow& copy = kernel.in_turn[loop.header];
        const std::int64_t address = kernel.blocks[copy.of].first;
        if (copy.repeated) {
            if (*copy.repeated < most_behind(kernel, of_code, lanes, loop))
                fail(kernel,
                     fmt::format("lanes may come to 0x{:04x} more often in turn than a copy says",
                                 address));
            loop.max_back_edges = *copy.repeated;
            continue;
        }
        const CheckedLoop* known = loop_at(of_code, copy.of);
        if (known == nullptr || !stays_inside(kernel, *known, loop))
            fail(kernel,
                 fmt::format("copies of blocks turn at 0x{:04x} where the code does not", address));
        loop.max_back_edges = known->max_back_edges;
        if (copy.together && copies_of[copy.of] == 1 && nests_alike(kernel, of_code, copies, loop))
            loop.min_back_edges = known->min_back_edges;
    }
}

void check_together(const KernelCase& kernel, const WarpStates& lanes) {
    std::vector<bool> together(kernel.blocks.size(), true);
    for (const WarpStates::State& state : lanes.states)
        together[state.block] = together[state.block] && state.together;
    for (const SerializedBlockRow& copy : kernel.in_turn)
        if (copy.together && !together[copy.of])
            fail(kernel, fmt::format("some lanes may execute 0x{:04x} while others are elsewhere",
                                     kernel.blocks[copy.of].first));
}

} // namespace

SideFlows check_flows(const KernelCase& kernel) {
    SideFlows flows{check_control_flow(kernel), std::nullopt};
    if (kernel.facts.divergents.empty()) {
        if (!kernel.in_turn.empty())
            fail(kernel, "copies of blocks are given, and no fact says that lanes may part");
        return flows;
    }
    const WarpStates lanes = follow_lanes(kernel, flows.of_code);
    flows.of_warp = flow_of_copies(kernel, flows.of_code);
    Relation{kernel, *flows.of_warp, lanes}.check();
    find_order_and_loops(kernel.id, *flows.of_warp);
    check_together(kernel, lanes);
    check_barriers(kernel, flows.of_code);
    bound_loops(kernel, flows.of_code, lanes, *flows.of_warp);
    return flows;
}

} // namespace warpbound::certification::verify
