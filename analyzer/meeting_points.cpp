#include "analyzer/meeting_points.hpp"

#include "assembly/flow/post_dominators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::Instruction;

/// A point that active lanes have joined.
struct Point {
    ControlFlow kind = ControlFlow::None; ///< Of the instruction that made it.
    int reg = -1;                         ///< Of BSSY.
    std::size_t made_in = 0;              ///< Block.
    friend bool operator==(const Point&, const Point&) = default;
};
using Points = std::vector<Point>; ///< Innermost last.

bool makes_point(ControlFlow flow) {
    return flow == ControlFlow::PushReconvergence || flow == ControlFlow::PushBreak ||
           flow == ControlFlow::PushContinue || flow == ControlFlow::ConvergenceSet;
}

/// What made the points at which the instruction arrives.
std::optional<ControlFlow> arrives_at(ControlFlow flow) {
    switch (flow) {
    case ControlFlow::PopReconvergence:
        return ControlFlow::PushReconvergence;
    case ControlFlow::PopBreak:
        return ControlFlow::PushBreak;
    case ControlFlow::PopContinue:
        return ControlFlow::PushContinue;
    case ControlFlow::ConvergenceWait:
        return ControlFlow::ConvergenceSet;
    default:
        return std::nullopt;
    }
}

int barrier_register(const Instruction& instruction) {
    for (const auto& operand : instruction.operands)
        if (const auto* reg = std::get_if<assembly::RegisterOperand>(&operand);
            reg != nullptr && reg->file == assembly::RegisterFile::Barrier && reg->index)
            return *reg->index;
    return -1;
}

class Finder {
public:
    explicit Finder(const Problem& problem)
        : problem_{problem}, function_{*problem.request.function}, graph_{*problem.request.graph},
          before_(graph_.blocks.size()), behind_(graph_.blocks.size()) {}

    Result<MeetingPoints> find() {
        if (auto checked = check_code(); !checked) return checked.as_failure();
        if (auto followed = follow_points(); !followed) return followed.as_failure();
        for (const auto& fact : problem_.request.facts->divergents)
            if (auto added = add(fact); !added) return added.as_failure();
        std::stable_sort(found_.partings.begin(), found_.partings.end(),
                         [](const Parting& a, const Parting& b) {
                             return std::pair{a.region.size(), !a.leaving.has_value()} >
                                    std::pair{b.region.size(), !b.leaving.has_value()};
                         });
        for (const Parting& a : found_.partings)
            for (const Parting& b : found_.partings)
                if (a.leaving && b.leaving && a.block != b.block && a.region.count(b.block) != 0)
                    return refuse(graph_.blocks[b.block].last,
                                  "lanes may leave a loop at several places before they meet, "
                                  "which is not bounded");
        return std::move(found_);
    }

private:
    [[nodiscard]] Failure refuse(std::size_t instruction, const std::string& what) const {
        const Instruction& at = function_.instructions[instruction];
        return Failure{fmt::format("0x{:04x}: {}", at.address, what), function_.name,
                       at.position.line, at.position.column};
    }
    [[nodiscard]] const Instruction& last_of(std::size_t block) const {
        return function_.instructions[graph_.blocks[block].last];
    }
    /// On a path that the facts allow; known when the points have been followed. `Problem::used` is
    /// about instructions, which the copies of called code share.
    [[nodiscard]] bool is_reached(std::size_t block) const { return before_[block].has_value(); }

    Result<void> check_code() const {
        for (std::size_t i = 0; i < problem_.used.size(); ++i) {
            if (!problem_.used[i]) continue;
            const Instruction& instruction = function_.instructions[i];
            const bool clears = instruction.mnemonic == "BMOV" && instruction.has_modifier("CLEAR");
            if (instruction.opcode_class == assembly::OpcodeClass::Barrier ||
                instruction.mnemonic == "WARPSYNC")
                return refuse(i, "barriers are not bounded in a kernel whose lanes may part");
            if (clears || instruction.control_flow == ControlFlow::ConvergenceBreak)
                return refuse(i, "leaving a point is not bounded where lanes may part");
            const models::MemoryFact* fact = problem_.request.facts->memory_at(instruction.address);
            if (fact != nullptr && fact->pattern)
                return refuse(i, "an address pattern is not bounded in a kernel whose lanes may "
                                 "part; state the passes");
        }
        return boost::outcome_v2::success();
    }

    /// The points that lanes are in at the beginning of each block.
    Result<void> follow_points() {
        before_[0] = Points{};
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            if (!is_reached(block)) continue;
            Points points = *before_[block];
            for (std::size_t i = graph_.blocks[block].first; i <= graph_.blocks[block].last; ++i)
                if (makes_point(function_.instructions[i].control_flow))
                    if (auto joined = join(points, i, block); !joined) return joined.as_failure();
            behind_[block] = points;
            for (const std::size_t edge : graph_.blocks[block].out) {
                const std::size_t to = graph_.edges[edge].to;
                if (problem_.facts.never[to]) continue;
                const auto next = along(points, edge);
                if (!next) return next.as_failure();
                if (!is_reached(to)) {
                    before_[to] = next.value();
                } else if (*before_[to] != next.value()) {
                    return refuse(graph_.blocks[to].first,
                                  "ways come here from different points at which lanes meet; not "
                                  "bounded where lanes may part");
                }
            }
        }
        return boost::outcome_v2::success();
    }

    Result<void> join(Points& points, std::size_t instruction, std::size_t block) const {
        const Instruction& at = function_.instructions[instruction];
        if (at.guard && !at.guard->always())
            return refuse(instruction, "a guarded join is not bounded where lanes may part");
        const Point point{at.control_flow, barrier_register(at), block};
        for (const Point& open : points)
            if (open.kind == ControlFlow::ConvergenceSet && point.reg >= 0 && open.reg == point.reg)
                return refuse(instruction,
                              "the barrier register is in use; not bounded where lanes may part");
        points.push_back(point);
        return boost::outcome_v2::success();
    }

    /// The points behind an edge: lanes that are transferred by an arrival leave its point and
    /// those inside it.
    Result<Points> along(Points points, std::size_t edge) {
        const std::size_t block = graph_.edges[edge].from;
        const Instruction& last = last_of(block);
        const auto kind = arrives_at(last.control_flow);
        const bool waits = last.control_flow == ControlFlow::ConvergenceWait;
        if (!kind || (!waits && graph_.edges[edge].kind != assembly::EdgeKind::Taken))
            return points;
        const int reg = barrier_register(last);
        while (!points.empty() &&
               (points.back().kind != *kind || (waits && points.back().reg != reg))) {
            if (waits || points.back().kind == ControlFlow::ConvergenceSet)
                return refuse(graph_.blocks[block].last,
                              "lanes arrive at a point that is not the innermost; not bounded "
                              "where lanes may part");
            points.pop_back();
        }
        if (points.empty())
            return refuse(graph_.blocks[block].last, "no point is joined at which lanes arrive");
        arrival_of_[edge] = points.back();
        found_.arrivals.insert(edge);
        points.pop_back();
        return points;
    }

    Result<void> add(const models::DivergentFact& fact) {
        const auto index = function_.index_of(fact.at);
        const auto refuse_fact = [&](const std::string& what) {
            return Failure{fmt::format("0x{:04x}: {}", fact.at, what), problem_.request.facts->name,
                           fact.from.line, 0};
        };
        if (!index)
            return refuse_fact("no instruction stands here, where lanes are stated to part");
        bool decides =
            function_.instructions[*index].guard && !function_.instructions[*index].guard->always();
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            const auto& code = graph_.blocks[block];
            if (code.last != *index || !is_reached(block)) continue;
            const auto ways =
                std::count_if(code.out.begin(), code.out.end(),
                              [&](std::size_t edge) { return is_reached(graph_.edges[edge].to); });
            // EXIT, of which some lanes end and the others go on, or a branch that all take alike.
            if (ways < 2) {
                decides = decides || code.out.size() >= 2;
                continue;
            }
            decides = true;
            if (code.out.size() > 2 || code.exits)
                return refuse(*index, "lanes may part to more than two ways, which is not bounded");
            if (auto added = add_parting(block); !added) return added.as_failure();
        }
        if (!decides) return refuse_fact("nothing is decided where lanes are stated to part");
        return boost::outcome_v2::success();
    }

    Result<void> add_parting(std::size_t block) {
        Parting parting{block, std::nullopt, {}, false, std::nullopt};
        const std::size_t last = graph_.blocks[block].last;
        std::optional<Point> point;
        for (const std::size_t edge : graph_.blocks[block].out)
            if (const auto arrival = arrival_of_.find(edge); arrival != arrival_of_.end())
                point = arrival->second;
        if (!point && !behind_[block]->empty()) point = behind_[block]->back();
        if (point) {
            for (const auto& [edge, of] : arrival_of_) {
                if (of != *point) continue;
                const std::size_t to = graph_.edges[edge].to;
                if (parting.meeting && *parting.meeting != to)
                    return refuse(last, "the lanes that part here go on at several places behind "
                                        "their point, which is not bounded");
                parting.meeting = to;
            }
        } else {
            parting.meeting = assembly::immediate_post_dominators(graph_)[block];
        }
        std::set<std::size_t> waiting; // blocks before which lanes may wait for the others
        if (parting.meeting) waiting.insert(*parting.meeting);
        std::vector<std::size_t> work;
        const auto step = [&](std::size_t edge) {
            const std::size_t to = graph_.edges[edge].to;
            if (!is_reached(to)) return true;
            const bool arrives = arrival_of_.count(edge) != 0;
            if (parting.meeting == to) {
                if (point && (!arrives || arrival_of_.at(edge) != *point)) return false;
                if (!point && *before_[to] != *behind_[block]) return false;
                return true;
            }
            // Arriving at a point around the parting, the lanes wait there.
            if (arrives && std::find(behind_[block]->begin(), behind_[block]->end(),
                                     arrival_of_.at(edge)) != behind_[block]->end()) {
                waiting.insert(to);
                return true;
            }
            if (parting.region.insert(to).second) work.push_back(to);
            return true;
        };
        for (const std::size_t edge : graph_.blocks[block].out) {
            if (graph_.edges[edge].to == parting.meeting) parting.one_sided = true;
            if (!step(edge)) return no_arrival(last);
        }
        while (!work.empty()) {
            const std::size_t at = work.back();
            work.pop_back();
            for (const std::size_t edge : graph_.blocks[at].out)
                if (!step(edge)) return no_arrival(last);
        }
        if (!parting.one_sided && parting.region.count(block) != 0) {
            parting.leaving = leaving_of(parting);
            if (!parting.leaving)
                return refuse(last, "lanes that part here may come here again before they meet, "
                                    "which is not bounded");
        }
        if (std::any_of(waiting.begin(), waiting.end(),
                        [&](std::size_t at) { return turns_before(block, at); }))
            return refuse(last, "lanes may turn a loop while others wait for them inside it, which "
                                "is not bounded");
        found_.partings.push_back(std::move(parting));
        return boost::outcome_v2::success();
    }

    /// From behind the block, the header of a loop around `place` may be executed before `place`:
    /// the loop's bound is that of a lane, and lanes that wait there do not count these turns.
    [[nodiscard]] bool turns_before(std::size_t block, std::size_t place) const {
        std::vector<bool> seen(graph_.blocks.size(), false);
        std::vector<std::size_t> work{block};
        while (!work.empty()) {
            const std::size_t at = work.back();
            work.pop_back();
            for (const std::size_t edge : graph_.blocks[at].out) {
                const std::size_t to = graph_.edges[edge].to;
                if (to == place || seen[to] || !is_reached(to)) continue;
                seen[to] = true;
                work.push_back(to);
            }
        }
        return std::any_of(graph_.loops.begin(), graph_.loops.end(), [&](const auto& loop) {
            return seen[loop.header] &&
                   std::binary_search(loop.blocks.begin(), loop.blocks.end(), place);
        });
    }

    /// The way of a turning branch that does not come to it again; nothing when both do, or when
    /// the turns cannot be counted.
    [[nodiscard]] std::optional<Parting::Leaving> leaving_of(const Parting& parting) const {
        for (const std::size_t way : graph_.blocks[parting.block].out) {
            if (!is_reached(graph_.edges[way].to)) continue;
            Parting::Leaving leaving{graph_.edges[way].to, {graph_.edges[way].to}, 1};
            std::vector<std::size_t> work{leaving.start};
            while (!work.empty()) {
                const std::size_t at = work.back();
                work.pop_back();
                for (const std::size_t edge : graph_.blocks[at].out) {
                    const std::size_t to = graph_.edges[edge].to;
                    if (parting.region.count(to) != 0 && is_reached(to) &&
                        leaving.region.insert(to).second)
                        work.push_back(to);
                }
            }
            if (leaving.region.count(parting.block) != 0) continue;
            if (std::any_of(
                    graph_.loops.begin(), graph_.loops.end(),
                    [&](const assembly::Loop& loop) { return loop.header == leaving.start; }))
                return std::nullopt;
            for (std::size_t loop = 0; loop < graph_.loops.size(); ++loop) {
                const auto& blocks = graph_.loops[loop].blocks;
                const auto inside = [&](std::size_t block) {
                    return std::binary_search(blocks.begin(), blocks.end(), block);
                };
                if (!inside(parting.block) || parting.region.count(graph_.loops[loop].header) == 0)
                    continue;
                constexpr std::int64_t most = std::int64_t{1} << 40;
                const std::int64_t turns = problem_.facts.loops[loop].max;
                if (turns >= most / leaving.most) return std::nullopt;
                leaving.most *= turns + 1;
            }
            return leaving;
        }
        return std::nullopt;
    }

    [[nodiscard]] Failure no_arrival(std::size_t last) const {
        return refuse(last, "lanes that part here may come behind their point without arriving at "
                            "it, which is not bounded");
    }

    const Problem& problem_;
    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    std::vector<std::optional<Points>> before_; ///< Per block.
    std::vector<std::optional<Points>> behind_; ///< Before its last instruction has an effect.
    std::map<std::size_t, Point> arrival_of_;   ///< By edge.
    MeetingPoints found_;
};

} // namespace

Result<MeetingPoints> meeting_points(const Problem& problem) {
    return Finder{problem}.find();
}

} // namespace warpbound::analyzer
