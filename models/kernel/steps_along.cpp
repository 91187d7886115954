/// \file
/// The executed instructions of a warp along a path.
#include "models/architecture/instruction_timing.hpp"
#include "models/kernel/kernel_profile.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace warpbound::models {
namespace {

using assembly::Instruction;

/// Numbers the registers of a program in the order of their first use, so that what is known of
/// each lies in one short array.
class RegisterNumbers {
public:
    std::uint16_t of(const assembly::Register& reg) {
        std::uint16_t& number = numbers_.at(static_cast<std::size_t>(reg.file) * registers_of_file +
                                            static_cast<std::size_t>(reg.index));
        if (number == 0) number = ++used_;
        return number - 1;
    }
    [[nodiscard]] std::size_t size() const { return used_; }

private:
    static constexpr std::size_t files = 6;
    static constexpr std::size_t registers_of_file = 256;
    std::array<std::uint16_t, files * registers_of_file> numbers_{}; ///< One more; 0: none yet.
    std::uint16_t used_ = 0;
};

/// What an instruction waits for and produces, the same at each of its executions.
struct Traffic {
    std::span<const std::uint16_t> reads{}; ///< Registers, by their numbers.
    std::span<const std::uint16_t> writes{};
    bool guarded = false;
    std::optional<int> announces{}; ///< Scoreboard that its result releases.
    std::uint8_t wait_mask = 0;
};

/// The instructions of a function as far as a path has come to them.
class KnownInstructions {
public:
    explicit KnownInstructions(const assembly::Function& function)
        : function_{function}, known_(function.instructions.size()) {}

    /// Finds out about an instruction that the path comes to.
    void meet(std::size_t index) {
        Known& known = known_[index];
        if (known.met) return;
        known.met = true;
        known.first = numbers_.size();
        const auto& effects = function_.instructions[index].effects;
        for (const auto* registers : {&effects.reads, &effects.writes})
            for (const auto& reg : *registers)
                numbers_.push_back(registers_.of(reg));
    }
    /// Requires: it was met.
    [[nodiscard]] Traffic traffic(std::size_t index) const {
        const Instruction& instruction = function_.instructions[index];
        const auto& effects = instruction.effects;
        const auto all = std::span{numbers_}.subspan(known_[index].first,
                                                     effects.reads.size() + effects.writes.size());
        return {.reads = all.first(effects.reads.size()),
                .writes = all.subspan(effects.reads.size()),
                .guarded = assembly::is_guarded(instruction),
                .announces =
                    instruction.control ? instruction.control->write_barrier : std::nullopt,
                .wait_mask = instruction.control ? instruction.control->wait_mask : std::uint8_t{}};
    }
    /// What it was executed as last.
    std::optional<Steps::Kind>& last(std::size_t index) { return known_[index].last; }
    [[nodiscard]] std::size_t registers() const { return registers_.size(); }

private:
    struct Known {
        std::size_t first = 0; ///< Its registers in `numbers_`: reads, then writes.
        std::optional<Steps::Kind> last{};
        bool met = false;
    };

    const assembly::Function& function_;
    RegisterNumbers registers_;
    std::vector<std::uint16_t> numbers_;
    std::vector<Known> known_;
};

/// The step of an instruction, but for what other steps decide.
void describe(const assembly::Function& function, std::size_t index, const FlowFacts& facts,
              ProfileStep& step) {
    const Instruction& instruction = function.instructions[index];
    step = {.opcode_class = instruction.opcode_class, .distances = std::move(step.distances)};
    if (counts_passes(instruction)) {
        const MemoryFact* const fact = facts.memory_at(instruction.address);
        const bool shared = is_shared_access(step.opcode_class);
        step.passes.reset();
        if (fact != nullptr) {
            step.passes = shared ? fact->conflict_degree : fact->transactions;
            if (!shared) step.level = fact->level;
            step.pattern = fact->pattern;
        }
        if (!step.passes) step.address = instruction.address;
        if (instruction.effects.memory)
            step.bytes_per_lane = instruction.effects.memory->bytes_per_lane;
    }
    if (instruction.control)
        step.stall = instruction.control->dual_issue
                         ? instruction.control->stall
                         : std::max<std::int64_t>(instruction.control->stall, 1);
}

/// Whether an instruction issues together with the one before it: the pair is marked at its first
/// instruction, and only a stall of 0 issues it together.
bool is_paired(const assembly::Function& function, std::size_t index) {
    const auto& before = function.instructions[index - 1].control;
    return before && before->dual_issue && before->stall == 0;
}

constexpr std::size_t most_writers = 8; // Kept of one register or scoreboard.
/// A producer farther back than this delays nobody once somebody has waited for it: left out.
constexpr std::int64_t far_back = 64;

/// The last steps that wrote a register or announced on a scoreboard.
class Writers {
public:
    void clear() { count_ = 0; }
    void add(std::int64_t here) {
        if (count_ == most_writers)
            std::shift_left(writers_.begin(), writers_.end(), 1);
        else
            ++count_;
        writers_.at(count_ - 1) = {.position = here, .waited = false};
    }
    /// The step at `here` waits for all of them.
    void wait(std::int64_t here, std::vector<std::int64_t>& distances) {
        for (Writer& writer : std::span{writers_}.first(count_)) {
            const std::int64_t distance = here - writer.position;
            if (writer.waited && distance > far_back) continue;
            distances.push_back(distance);
            writer.waited = true;
        }
    }

private:
    struct Writer {
        std::int64_t position = 0;
        bool waited = false; ///< A later step waited for it.
    };
    std::array<Writer, most_writers> writers_{}; ///< Positions increase.
    std::size_t count_ = 0;
};

/// Steps that later ones may wait for.
class Producers {
public:
    /// Room for registers of numbers below this.
    void make_room(std::size_t registers) {
        if (registers > writers_.size()) writers_.resize(registers);
    }
    /// Distances to what a step waits for at position `here`; valid until the next call.
    std::vector<std::int64_t>& distances(const Traffic& traffic, std::int64_t here);
    /// Notes what the step at `here` produces.
    void note(const Traffic& traffic, std::int64_t here);

private:
    /// By register number. A guarded writer does not hide those before it.
    std::vector<Writers> writers_;
    /// Since the last wait for the scoreboard.
    std::array<Writers, assembly::scoreboard_count> announced_;
    std::vector<std::int64_t> distances_;
};

std::vector<std::int64_t>& Producers::distances(const Traffic& traffic, std::int64_t here) {
    distances_.clear();
    for (const std::size_t reg : traffic.reads)
        writers_[reg].wait(here, distances_);
    for (std::size_t board = 0; traffic.wait_mask != 0 && board < announced_.size(); ++board) {
        if (((unsigned{traffic.wait_mask} >> board) & 1U) == 0) continue;
        announced_.at(board).wait(here, distances_);
        announced_.at(board).clear();
    }
    if (distances_.size() > 1) {
        std::ranges::sort(distances_);
        distances_.erase(std::unique(distances_.begin(), distances_.end()), distances_.end());
    }
    return distances_;
}

void Producers::note(const Traffic& traffic, std::int64_t here) {
    for (const std::size_t reg : traffic.writes) {
        if (!traffic.guarded) writers_[reg].clear();
        writers_[reg].add(here);
    }
    if (traffic.announces) announced_.at(static_cast<std::size_t>(*traffic.announces)).add(here);
}

/// Whether control is transferred between two blocks of a path; nothing when no edge joins them.
std::optional<bool> transfer_between(const assembly::ControlFlowGraph& graph, std::size_t from,
                                     std::size_t to) {
    std::optional<bool> transfers;
    for (const std::size_t edge : graph.blocks[from].out)
        if (graph.edges[edge].to == to)
            transfers =
                transfers.value_or(false) || graph.edges[edge].kind == assembly::EdgeKind::Taken;
    return transfers;
}

/// Follows a path block by block. Turns of a loop that can only be like the two before are not
/// followed.
class PathFollower {
public:
    PathFollower(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                 std::span<const std::size_t> path, const FlowFacts& facts)
        : function_{function}, graph_{graph}, path_{path}, facts_{facts}, instructions_{function},
          visited_(graph.blocks.size()) {}

    Result<Steps> follow() {
        for (std::size_t place = 0; place < path_.size(); ++place) {
            if (const auto wrong = objection(place)) return *wrong;
            if (place > 0 && path_[place] <= path_[place - 1]) {
                const auto skipped = skip_at(place);
                if (!skipped) return skipped.as_failure();
                place += skipped.value();
            }
            if (const auto wrong = visit(place)) return *wrong;
        }
        return std::move(steps_);
    }

private:
    /// Where a block was entered last.
    struct Visit {
        std::size_t place = 0;
        std::size_t step = 0;
    };

    [[nodiscard]] Failure too_long() const {
        return Failure{fmt::format("a warp executes more than {} instructions", profile_step_limit),
                       function_.name};
    }

    [[nodiscard]] std::optional<Failure> objection(std::size_t place) const {
        if (path_[place] < graph_.blocks.size() && (place > 0 || path_[place] == 0))
            return std::nullopt;
        return Failure{fmt::format("place {} of the path is block {}, which is not there", place,
                                   path_[place]),
                       function_.name};
    }

    std::optional<Failure> visit(std::size_t place) {
        const bool last = place + 1 == path_.size();
        const auto transfers =
            last ? std::optional{false} : transfer_between(graph_, path_[place], path_[place + 1]);
        if (!transfers)
            return Failure{fmt::format("no edge leads from block {} to block {} at place {} of the "
                                       "path",
                                       path_[place], path_[place + 1], place),
                           function_.name};
        const auto& block = graph_.blocks[path_[place]];
        if (steps_.size() + (block.last - block.first + 1) > profile_step_limit) return too_long();
        visited_[path_[place]] = Visit{place, steps_.size()};
        for (std::size_t at = block.first; at <= block.last; ++at) {
            instructions_.meet(at);
            producers_.make_room(instructions_.registers());
            const auto here = static_cast<std::int64_t>(steps_.size());
            const Traffic traffic = instructions_.traffic(at);
            steps_.push_back(kind_of(at, producers_.distances(traffic, here),
                                     at == block.last && *transfers,
                                     at != block.first && is_paired(function_, at)));
            producers_.note(traffic, here);
        }
        return std::nullopt;
    }

    /// The kind of a step that waits for these and does or does not transfer control. In a loop it
    /// is mostly that of the turn before.
    Steps::Kind kind_of(std::size_t index, std::vector<std::int64_t>& distances, bool transfers,
                        bool dual_issued) {
        auto& last = instructions_.last(index);
        if (last) {
            const ProfileStep& before = steps_.kinds()[*last];
            if (before.transfers == transfers && before.dual_issued == dual_issued &&
                std::ranges::equal(before.distances, distances))
                return *last;
        }
        describe(function_, index, facts_, step_);
        step_.distances.swap(distances);
        step_.transfers = transfers;
        step_.dual_issued = dual_issued;
        last = steps_.kind_of(step_);
        return *last;
    }

    /// Appends turns of a loop without following them, from the place on that starts one: when the
    /// last two turns gave the same steps, further turns along the same blocks give them again. The
    /// last of all is left, since it may end otherwise. Returns how many places these turns are.
    Result<std::size_t> skip_at(std::size_t place) {
        const auto& before = visited_[path_[place]];
        if (!before) return std::size_t{0};
        const std::size_t blocks = place - before->place;
        const std::size_t length = steps_.size() - before->step;
        const auto order = steps_.order();
        if (before->step < length ||
            !std::ranges::equal(order.last(length), order.last(2 * length).first(length)))
            return std::size_t{0};
        std::size_t end = place;
        while (end < path_.size() && path_[end] == path_[end - blocks])
            ++end;
        const std::size_t turns = (end - place) / blocks;
        if (turns <= most_writers + 1) return std::size_t{0};
        const std::size_t skipped = turns - 1;
        if (skipped > (profile_step_limit - steps_.size()) / length) return too_long();
        steps_.repeat_last(length, skipped);
        note_again(std::span{path_}.subspan(before->place, blocks), length);
        return skipped * blocks;
    }

    /// Notes what the last turns produced: as many as a register keeps writers, so that nothing of
    /// earlier ones is left.
    void note_again(std::span<const std::size_t> turn, std::size_t length) {
        auto here = static_cast<std::int64_t>(steps_.size() - most_writers * length);
        for (std::size_t turns = 0; turns < most_writers; ++turns)
            for (const std::size_t block : turn)
                for (std::size_t at = graph_.blocks[block].first; at <= graph_.blocks[block].last;
                     ++at, ++here) {
                    const Traffic traffic = instructions_.traffic(at);
                    (void)producers_.distances(traffic, here);
                    producers_.note(traffic, here);
                }
    }

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    std::span<const std::size_t> path_;
    const FlowFacts& facts_;
    KnownInstructions instructions_;
    std::vector<std::optional<Visit>> visited_; ///< By block.
    Producers producers_;
    Steps steps_;
    ProfileStep step_; ///< Being made.
};

} // namespace

Result<Steps> steps_along(const assembly::Function& function,
                          const assembly::ControlFlowGraph& graph,
                          std::span<const std::size_t> path, const FlowFacts& facts) {
    return PathFollower{function, graph, path, facts}.follow();
}

} // namespace warpbound::models
