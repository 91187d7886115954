#include "harness/trace/stream_match.hpp"

#include "harness/trace/issue_match.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace warpbound::harness::trace {

namespace {

using assembly::ControlFlow;
using assembly::EdgeKind;
using assembly::Instruction;

/// From sm_70 on threads arrive at barriers individually (C9).
constexpr int threads_arrive_sm = 70;

/// An LDGSTS is recorded as two lines, one per address; the second line has the global address.
bool is_repeated(const std::vector<TracedIssue>& issues, std::size_t index) {
    return index + 1 < issues.size() && issues[index].opcode.rfind("LDGSTS", 0) == 0 &&
           issues[index + 1].opcode == issues[index].opcode &&
           issues[index + 1].address == issues[index].address &&
           issues[index + 1].mask == issues[index].mask;
}

/// Follows the lanes of one warp through the control-flow graph.
class StreamMatcher {
public:
    StreamMatcher(const Listing& listing, const TracedWarpSource& source)
        : function_{*listing.function}, graph_{*listing.graph}, listing_{listing}, source_{source},
          issues_{source.warp->issues}, live_{source.lanes} {
        groups_.push_back({live_, 0, graph_.blocks.front().first, Left::Inside});
    }

    Result<RecordedWarp> follow() {
        if (issues_.empty())
            return Failure{fmt::format("{} has no instructions; expected a recording of every warp "
                                       "to its end",
                                       source_.name),
                           source_.file};
        for (at_ = 0; at_ < issues_.size(); ++at_) {
            if (is_repeated(issues_, at_)) continue;
            const auto taken = take();
            if (!taken) return taken.as_failure();
        }
        --at_;
        if (live_ != 0)
            return refuse(
                fmt::format("the recording of {} ends before lanes 0x{:08x}, which continue at {}",
                            source_.name, live_, next_addresses()));
        return std::move(out_);
    }

private:
    /// How lanes left their block: still inside, or by which type of edge.
    enum class Left { Inside, Fell, Taken, Either };
    /// Lanes at the same program point.
    struct Group {
        RecordedLanes lanes = 0;
        std::size_t block = 0;
        std::size_t next = 0; ///< The next instruction, for Inside.
        Left left = Left::Inside;
    };
    /// The lanes that can issue an instruction together, as one group.
    struct Candidates {
        std::size_t block = 0;
        RecordedLanes lanes = 0;
    };

    [[nodiscard]] const TracedIssue& issue() const { return issues_[at_]; }
    [[nodiscard]] Failure refuse(std::string what) const {
        return Failure{std::move(what), source_.file, (*source_.lines)[at_], 1};
    }
    /// The index of the recorded instruction in the listing.
    Result<std::size_t> find() const {
        const auto index = match_issue(function_, listing_.file, issue());
        if (!index) return refuse(index.error().what);
        return index.value();
    }

    static bool follows(EdgeKind kind, Left left) {
        return left == Left::Either || (kind == EdgeKind::Taken) == (left == Left::Taken);
    }
    /// The block in which a group is when it issues the instruction, and the type of the edge by
    /// which it entered; none inside its block.
    struct Arrival {
        std::size_t block = 0;
        std::optional<EdgeKind> by;
    };
    [[nodiscard]] std::optional<Arrival> arrival(const Group& group, std::size_t index) const {
        if (group.left == Left::Inside)
            return group.next == index ? std::optional{Arrival{group.block, {}}} : std::nullopt;
        std::optional<Arrival> found;
        for (const std::size_t number : graph_.blocks[group.block].out) {
            const assembly::Edge& edge = graph_.edges[number];
            // If both edge types lead there, it counts as a control transfer.
            if (follows(edge.kind, group.left) && graph_.blocks[edge.to].first == index)
                found = Arrival{edge.to, edge.kind};
        }
        return found;
    }

    /// The lanes that can issue the instruction. Among several blocks (inlined copies of called
    /// code) the one that contains recorded lanes.
    [[nodiscard]] std::optional<Candidates> candidates(std::size_t index) const {
        std::optional<std::size_t> block;
        bool certain = false;
        for (const Group& group : groups_) {
            const auto here = arrival(group, index);
            if (!here || certain) continue;
            const bool recorded =
                (group.lanes & (issue().mask != 0 ? issue().mask : last_lanes_)) != 0;
            if (!block || recorded) block = here->block;
            certain = recorded;
        }
        if (!block) return std::nullopt;
        Candidates found{*block, 0};
        for (const Group& group : groups_)
            if (const auto here = arrival(group, index); here && here->block == *block)
                found.lanes |= group.lanes;
        return found;
    }

    /// The addresses at which the live lanes continue.
    [[nodiscard]] std::string next_addresses() const {
        std::set<std::string> addresses;
        const auto name = [this](std::size_t index) {
            return fmt::format("0x{:04x}", function_.instructions[index].address);
        };
        for (const Group& group : groups_) {
            if (group.left == Left::Inside) addresses.insert(name(group.next));
            if (group.left == Left::Inside) continue;
            for (const std::size_t number : graph_.blocks[group.block].out)
                if (follows(graph_.edges[number].kind, group.left))
                    addresses.insert(name(graph_.blocks[graph_.edges[number].to].first));
        }
        return addresses.empty() ? "no instruction"
                                 : fmt::format("{}", fmt::join(addresses, " or "));
    }

    /// C55: the lanes that issue the instruction, whether predicated off or not.
    [[nodiscard]] RecordedLanes issuing(std::size_t index, const Candidates& able) const {
        if (!assembly::is_guarded(function_.instructions[index])) return issue().mask;
        if (!out_.stretches.empty()) {
            const RecordedStretch& before = out_.stretches.back();
            if (before.block == able.block && before.last + 1 == index &&
                (before.lanes & able.lanes) != 0)
                return before.lanes;
        }
        std::size_t block = able.block;
        std::size_t record = at_;
        for (std::size_t ahead = index + 1;; ++ahead) {
            if (ahead > graph_.blocks[block].last) {
                const auto below = only_fall_through(block);
                if (!below) break;
                block = *below;
            }
            ++record;
            while (is_repeated(issues_, record))
                ++record;
            const Instruction& instruction = function_.instructions[ahead];
            if (record >= issues_.size() || issues_[record].address != instruction.address) break;
            if (assembly::is_guarded(instruction)) continue;
            const RecordedLanes lanes = issues_[record].mask;
            if (block == able.block) return lanes;
            // At the beginning of a block the lanes may have reconverged with others.
            if ((lanes & able.lanes) != 0) return lanes & able.lanes;
            break;
        }
        return able.lanes;
    }

    /// The next block in the text, if it is the only successor.
    [[nodiscard]] std::optional<std::size_t> only_fall_through(std::size_t block) const {
        const auto& out = graph_.blocks[block].out;
        const Instruction& last = function_.instructions[graph_.blocks[block].last];
        const bool leaves = last.control_flow == ControlFlow::Exit ||
                            assembly::transfers_control(last.control_flow);
        if (out.size() != 1 || leaves) return std::nullopt;
        const assembly::Edge& edge = graph_.edges[out.front()];
        const bool below = edge.kind == EdgeKind::FallThrough &&
                           graph_.blocks[edge.to].first == graph_.blocks[block].last + 1;
        return below ? std::optional{edge.to} : std::nullopt;
    }

    Result<void> check_lanes(const Instruction& instruction, const std::optional<Candidates>& able,
                             RecordedLanes lanes) const {
        const RecordedLanes mask = issue().mask;
        const auto at = [&] {
            return fmt::format("{} at 0x{:04x}", issue().opcode, issue().address);
        };
        if ((mask & ~source_.lanes) != 0)
            return refuse(fmt::format("{}: lanes 0x{:08x} are not of {}, which has 0x{:08x}", at(),
                                      mask & ~source_.lanes, source_.name, source_.lanes));
        if ((mask & ~live_) != 0)
            return refuse(fmt::format("{}: lanes 0x{:08x} have exited", at(), mask & ~live_));
        if (!able)
            return refuse(fmt::format("{}: no lane of {} can be there; they continue at {}", at(),
                                      source_.name, next_addresses()));
        if (lanes == 0)
            return refuse(fmt::format("{}: it is recorded for no lane and has no guard", at()));
        if (const RecordedLanes lost = (lanes | mask) & ~able->lanes; lost != 0)
            return refuse(
                fmt::format("{}: lanes 0x{:08x} of {} cannot be there; lanes continue at {}", at(),
                            lost, source_.name, next_addresses()));
        if ((mask & ~lanes) != 0)
            return refuse(fmt::format("{}: it executes for lanes 0x{:08x}, which do not issue it "
                                      "with the others",
                                      at(), mask & ~lanes));
        if (instruction.guard && instruction.guard->never() && mask != 0)
            return refuse(fmt::format("{}: it executes in spite of @!PT", at()));
        const bool waits = assembly::synchronizes_threads(instruction);
        if (waits && function_.target.sm >= threads_arrive_sm &&
            (lanes != live_ || (mask != 0 && mask != live_)))
            return refuse(fmt::format("{}: lanes 0x{:08x} of 0x{:08x} reach it; from sm_70 on, "
                                      "where threads arrive individually, that is not simulated",
                                      at(), mask, live_));
        return boost::outcome_v2::success();
    }

    Result<void> take() {
        const auto found = find();
        if (!found) return found.as_failure();
        const std::size_t index = found.value();
        const Instruction& instruction = function_.instructions[index];
        const auto able = candidates(index);
        const RecordedLanes lanes = able ? issuing(index, *able) : 0;
        const auto checked = check_lanes(instruction, able, lanes);
        if (!checked) return checked.as_failure();
        add_to_stretch(index, able->block, lanes);
        if (guard_decides_execution(instruction)) out_.executing.push_back(issue().mask);
        if (issue().mask != 0 && has_recorded_addresses(instruction)) {
            const auto added = add_access();
            if (!added) return added.as_failure();
        }
        move(index, able->block, lanes);
        return boost::outcome_v2::success();
    }

    /// Adds the instruction to the current stretch and removes the lanes from their groups.
    /// `transferred` by C41.
    void add_to_stretch(std::size_t index, std::size_t block, RecordedLanes lanes) {
        RecordedLanes fell = 0;
        RecordedLanes moved = 0;
        for (Group& group : groups_) {
            const RecordedLanes going = group.lanes & lanes;
            if (going == 0) continue;
            const bool by_transfer = arrival(group, index)->by == EdgeKind::Taken;
            (by_transfer ? moved : fell) |= going & last_lanes_;
            group.lanes &= ~going;
        }
        std::erase_if(groups_, [](const Group& group) { return group.lanes == 0; });
        if (!out_.stretches.empty()) {
            RecordedStretch& before = out_.stretches.back();
            if (before.block == block && before.lanes == lanes && before.last + 1 == index) {
                ++before.last;
                return;
            }
        }
        out_.stretches.push_back({.block = static_cast<std::uint32_t>(block),
                                  .first = static_cast<std::uint32_t>(index),
                                  .last = static_cast<std::uint32_t>(index),
                                  .lanes = lanes,
                                  .transferred = fell == 0 || moved != 0});
    }

    Result<void> add_access() {
        if (issue().width == 0)
            return refuse(fmt::format("{} at 0x{:04x} executes without addresses", issue().opcode,
                                      issue().address));
        const auto addresses = addresses_of(issue());
        RecordedAccess access{.base = addresses.front(), .stride = 0, .active = issue().mask};
        const std::uint64_t stride = addresses.size() > 1 ? addresses[1] - addresses[0] : 0;
        access.stride = static_cast<std::int64_t>(stride);
        for (std::size_t lane = 2; lane < addresses.size(); ++lane)
            if (addresses[lane] - addresses[lane - 1] != stride)
                access.first = static_cast<std::uint32_t>(out_.listed.size());
        if (access.first != RecordedAccess::none) {
            if (out_.listed.size() + addresses.size() >= RecordedAccess::none)
                return refuse(
                    fmt::format("{} accesses too many addresses without a stride", source_.name));
            out_.listed.insert(out_.listed.end(), addresses.begin(), addresses.end());
        }
        out_.accesses.push_back(access);
        return boost::outcome_v2::success();
    }

    /// Moves the lanes past the instruction.
    void move(std::size_t index, std::size_t block, RecordedLanes lanes) {
        last_lanes_ = lanes;
        if (index != graph_.blocks[block].last) {
            groups_.push_back({lanes, block, index + 1, Left::Inside});
            return;
        }
        const Instruction& instruction = function_.instructions[index];
        const bool exits = instruction.control_flow == ControlFlow::Exit;
        RecordedLanes taken = 0;
        if (exits || assembly::transfers_control(instruction.control_flow))
            taken = assembly::is_guarded(instruction) ? issue().mask : lanes;
        const RecordedLanes fell = lanes & ~taken;
        if (fell != 0) groups_.push_back({fell, block, 0, Left::Fell});
        if (taken == 0) return;
        if (exits) {
            live_ &= ~taken;
            last_lanes_ &= ~taken;
            return;
        }
        // Without a guard an operand may decide, or a convergence barrier falls through.
        bool may_take = false;
        bool may_fall = false;
        for (const std::size_t number : graph_.blocks[block].out)
            (graph_.edges[number].kind == EdgeKind::Taken ? may_take : may_fall) = true;
        const Left left = !may_take                                        ? Left::Fell
                          : may_fall && !assembly::is_guarded(instruction) ? Left::Either
                                                                           : Left::Taken;
        groups_.push_back({taken, block, 0, left});
    }

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    const Listing& listing_;
    const TracedWarpSource& source_;
    const std::vector<TracedIssue>& issues_;
    std::size_t at_ = 0;
    RecordedLanes live_;
    RecordedLanes last_lanes_ = 0; ///< Live lanes that issued last.
    std::vector<Group> groups_;
    RecordedWarp out_;
};

} // namespace

Result<RecordedWarp> match_stream(const Listing& listing, const TracedWarpSource& source) {

    return StreamMatcher{listing, source}.follow();
}

} // namespace warpbound::harness::trace
