/// \file
/// The executed instructions of a warp along a path.
#include "assembly/amd/counters.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "models/kernel/kernel_profile.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace warpbound::models {
namespace {

using assembly::Instruction;

/// Numbers the registers of a program in the order of their first use, as indices into one short
/// array.
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
    static constexpr std::size_t files =
        static_cast<std::size_t>(assembly::RegisterFile::State) + 1;
    static constexpr std::size_t registers_of_file = 512;
    std::array<std::uint16_t, files * registers_of_file> numbers_{}; ///< One more; 0: none yet.
    std::uint16_t used_ = 0;
};

/// Registers and scoreboards that an instruction reads and writes, the same at each execution.
struct Operands {
    std::span<const std::uint16_t> reads{}; ///< Registers, by their numbers.
    std::span<const std::uint16_t> writes{};
    bool guarded = false;
    std::optional<int> announces{}; ///< Scoreboard that its result releases.
    std::uint8_t wait_mask = 0;
    /// Of AMD's code: waits until a scoreboard has at most so many operations outstanding.
    std::span<const assembly::amd::CountedWait> counted{};
};

/// The instructions of a function that a path has reached so far.
class KnownInstructions {
public:
    explicit KnownInstructions(const assembly::Function& function)
        : function_{function}, known_(function.instructions.size()) {}

    /// Adds an instruction that the path reaches.
    void reach(std::size_t index) {
        Known& known = known_[index];
        if (known.reached) return;
        known.reached = true;
        known.first = numbers_.size();
        const auto& effects = function_.instructions[index].effects;
        for (const auto* registers : {&effects.reads, &effects.writes})
            for (const auto& reg : *registers)
                numbers_.push_back(registers_.of(reg));
        if (assembly::is_amd(function_.target))
            known.counted =
                assembly::amd::counted_waits(function_.instructions[index], function_.target);
    }
    /// Requires: the instruction was reached.
    [[nodiscard]] Operands operands(std::size_t index) const {
        const Instruction& instruction = function_.instructions[index];
        const auto& effects = instruction.effects;
        const auto all = std::span{numbers_}.subspan(known_[index].first,
                                                     effects.reads.size() + effects.writes.size());
        return {.reads = all.first(effects.reads.size()),
                .writes = all.subspan(effects.reads.size()),
                .guarded = assembly::is_guarded(instruction),
                .announces =
                    instruction.control ? instruction.control->write_barrier : std::nullopt,
                .wait_mask = instruction.control ? instruction.control->wait_mask : std::uint8_t{},
                .counted = known_[index].counted};
    }
    /// Step kind of its last execution.
    std::optional<Steps::Kind>& last(std::size_t index) { return known_[index].last; }
    [[nodiscard]] std::size_t registers() const { return registers_.size(); }

private:
    struct Known {
        std::size_t first = 0; ///< Its registers in `numbers_`: reads, then writes.
        std::optional<Steps::Kind> last{};
        std::vector<assembly::amd::CountedWait> counted{};
        bool reached = false;
    };

    const assembly::Function& function_;
    RegisterNumbers registers_;
    std::vector<std::uint16_t> numbers_;
    std::vector<Known> known_;
};

/// Fills in the members of a step that do not depend on other steps.
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
    if (assembly::is_amd(function.target)) step.sleep = assembly::amd::units_of_sleep(instruction);
    if (instruction.control)
        step.stall = instruction.control->dual_issue
                         ? instruction.control->stall
                         : std::max<std::int64_t>(instruction.control->stall, 1);
}

/// Whether an instruction is dual-issued with the previous one: the pair is marked at its first
/// instruction, and only a stall of 0 issues both in one cycle.
bool is_paired(const assembly::Function& function, std::size_t index) {
    const auto& before = function.instructions[index - 1].control;
    return before && before->dual_issue && before->stall == 0;
}

constexpr std::size_t most_writers = 8; // Kept of one register, or scoreboard of NVIDIA.
/// Kept of a counter of AMD, which S_WAITCNT may leave outstanding but for the earliest.
constexpr std::size_t most_counted = 64;
/// A producer farther back than this, for which a step has already waited, delays nothing: left
/// out.
constexpr std::int64_t far_back = 64;

/// The last steps that wrote a register or announced on a scoreboard, at most `most`.
template <std::size_t most> class LastSteps {
public:
    void clear() { count_ = 0; }
    void add(std::int64_t here) {
        if (count_ == most)
            std::shift_left(writers_.begin(), writers_.end(), 1);
        else
            ++count_;
        writers_.at(count_ - 1) = {.position = here, .waited = false};
    }
    /// Keeps the last `outstanding`.
    void keep(std::size_t outstanding) {
        if (count_ <= outstanding) return;
        std::shift_left(writers_.begin(), writers_.begin() + static_cast<std::ptrdiff_t>(count_),
                        static_cast<std::ptrdiff_t>(count_ - outstanding));
        count_ = outstanding;
    }
    /// The step at `here` waits for all of them but the last `outstanding`.
    void wait(std::int64_t here, std::vector<std::int64_t>& distances,
              std::size_t outstanding = 0) {
        for (Writer& writer : std::span{writers_}.first(count_ - std::min(count_, outstanding))) {
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
    std::array<Writer, most> writers_{}; ///< Positions increase.
    std::size_t count_ = 0;
};
using Writers = LastSteps<most_writers>;
using Counted = LastSteps<most_counted>;

/// Steps that later steps may wait for.
class Producers {
public:
    explicit Producers(bool is_amd) : is_amd_{is_amd} {}
    /// Makes space for register numbers below `registers`.
    void reserve(std::size_t registers) {
        if (registers > writers_.size()) writers_.resize(registers);
    }
    /// Distances to the producers of a step at position `here`; valid until the next call.
    std::vector<std::int64_t>& distances(const Operands& operands, std::int64_t here);
    /// Records the results of the step at `here`.
    void note(const Operands& operands, std::int64_t here);

private:
    /// By register number. A guarded writer does not hide those before it.
    std::vector<Writers> writers_;
    /// Since the last wait for the scoreboard.
    std::array<Writers, assembly::scoreboard_count> announced_;
    std::array<Counted, assembly::scoreboard_count> counted_; ///< The same, of AMD's code.
    std::vector<std::int64_t> distances_;
    bool is_amd_ = false;
};

std::vector<std::int64_t>& Producers::distances(const Operands& operands, std::int64_t here) {
    distances_.clear();
    for (const std::size_t reg : operands.reads)
        writers_[reg].wait(here, distances_);
    for (std::size_t board = 0; operands.wait_mask != 0 && board < announced_.size(); ++board) {
        if (((unsigned{operands.wait_mask} >> board) & 1U) == 0) continue;
        announced_.at(board).wait(here, distances_);
        announced_.at(board).clear();
        counted_.at(board).wait(here, distances_);
        counted_.at(board).clear();
    }
    for (const auto& [board, most] : operands.counted) {
        Counted& counted = counted_.at(static_cast<std::size_t>(board));
        counted.wait(here, distances_, static_cast<std::size_t>(most));
        counted.keep(static_cast<std::size_t>(most));
    }
    if (distances_.size() > 1) {
        std::ranges::sort(distances_);
        distances_.erase(std::unique(distances_.begin(), distances_.end()), distances_.end());
    }
    return distances_;
}

void Producers::note(const Operands& operands, std::int64_t here) {
    for (const std::size_t reg : operands.writes) {
        if (!operands.guarded) writers_[reg].clear();
        writers_[reg].add(here);
    }
    if (!operands.announces) return;
    const auto board = static_cast<std::size_t>(*operands.announces);
    if (is_amd_)
        counted_.at(board).add(here);
    else
        announced_.at(board).add(here);
}

/// Whether control is transferred between two blocks of a path; none when no edge connects them.
std::optional<bool> transfer_between(const assembly::ControlFlowGraph& graph, std::size_t from,
                                     std::size_t to) {
    std::optional<bool> transfers;
    for (const std::size_t edge : graph.blocks[from].out)
        if (graph.edges[edge].to == to)
            transfers =
                transfers.value_or(false) || graph.edges[edge].kind == assembly::EdgeKind::Taken;
    return transfers;
}

/// Follows a path block by block. Iterations of a loop that must repeat the two previous ones are
/// not followed.
class PathFollower {
public:
    PathFollower(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                 std::span<const std::size_t> path, const FlowFacts& facts)
        : function_{function}, graph_{graph}, path_{path}, facts_{facts}, instructions_{function},
          visited_(graph.blocks.size()), producers_{is_amd(function.target)} {}

    Result<Steps> follow() {
        for (std::size_t position = 0; position < path_.size(); ++position) {
            if (const auto wrong = objection(position)) return *wrong;
            if (position > 0 && path_[position] <= path_[position - 1]) {
                const auto skipped = skip_at(position);
                if (!skipped) return skipped.as_failure();
                position += skipped.value();
            }
            if (const auto wrong = visit(position)) return *wrong;
        }
        return std::move(steps_);
    }

private:
    /// Last entry of a block: index in the path and number of its first step.
    struct Visit {
        std::size_t position = 0;
        std::size_t step = 0;
    };

    [[nodiscard]] Failure too_long() const {
        return Failure{fmt::format("a warp executes more than {} instructions", profile_step_limit),
                       function_.name};
    }

    [[nodiscard]] std::optional<Failure> objection(std::size_t position) const {
        if (path_[position] < graph_.blocks.size() && (position > 0 || path_[position] == 0))
            return std::nullopt;
        return Failure{fmt::format("position {} of the path is block {}, which does not exist or "
                                   "is not the entry",
                                   position, path_[position]),
                       function_.name};
    }

    std::optional<Failure> visit(std::size_t position) {
        const bool last = position + 1 == path_.size();
        const auto transfers = last
                                   ? std::optional{false}
                                   : transfer_between(graph_, path_[position], path_[position + 1]);
        if (!transfers)
            return Failure{fmt::format("no edge leads from block {} to block {} at position {} of "
                                       "the path",
                                       path_[position], path_[position + 1], position),
                           function_.name};
        const auto& block = graph_.blocks[path_[position]];
        if (steps_.size() + (block.last - block.first + 1) > profile_step_limit) return too_long();
        visited_[path_[position]] = Visit{position, steps_.size()};
        for (std::size_t at = block.first; at <= block.last; ++at) {
            instructions_.reach(at);
            producers_.reserve(instructions_.registers());
            const auto here = static_cast<std::int64_t>(steps_.size());
            const Operands operands = instructions_.operands(at);
            steps_.push_back(kind_of(at, producers_.distances(operands, here),
                                     at == block.last && *transfers,
                                     at != block.first && is_paired(function_, at)));
            producers_.note(operands, here);
        }
        return std::nullopt;
    }

    /// The step kind of an instruction with these producers, with or without transfer of control.
    /// In a loop it is mostly that of the previous iteration.
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

    /// Appends iterations of a loop without following them, from the position that starts one: if
    /// the last two iterations gave the same steps, further iterations along the same blocks give
    /// them again. The last iteration is not skipped, since it may end differently. Returns the
    /// number of path positions skipped.
    Result<std::size_t> skip_at(std::size_t position) {
        const auto& before = visited_[path_[position]];
        if (!before) return std::size_t{0};
        const std::size_t blocks = position - before->position;
        const std::size_t length = steps_.size() - before->step;
        const auto order = steps_.order();
        if (before->step < length ||
            !std::ranges::equal(order.last(length), order.last(2 * length).first(length)))
            return std::size_t{0};
        std::size_t end = position;
        while (end < path_.size() && path_[end] == path_[end - blocks])
            ++end;
        const std::size_t iterations = (end - position) / blocks;
        if (iterations <= most_writers + 1) return std::size_t{0};
        const std::size_t skipped = iterations - 1;
        if (skipped > (profile_step_limit - steps_.size()) / length) return too_long();
        steps_.repeat_last(length, skipped);
        note_again(std::span{path_}.subspan(before->position, blocks), length);
        return skipped * blocks;
    }

    /// Records the results of the last iterations: as many as a register keeps writers, so that no
    /// earlier writer remains.
    void note_again(std::span<const std::size_t> iteration, std::size_t length) {
        auto here = static_cast<std::int64_t>(steps_.size() - most_writers * length);
        for (std::size_t iterations = 0; iterations < most_writers; ++iterations)
            for (const std::size_t block : iteration)
                for (std::size_t at = graph_.blocks[block].first; at <= graph_.blocks[block].last;
                     ++at, ++here) {
                    const Operands operands = instructions_.operands(at);
                    (void)producers_.distances(operands, here);
                    producers_.note(operands, here);
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
