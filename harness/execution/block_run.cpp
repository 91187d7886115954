#include "harness/execution/block_run.hpp"

#include "assembly/isa/reader.hpp"
#include "harness/execution/block_barriers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace warpbound::harness::execution {

namespace {

using assembly::ControlFlow;
using assembly::EdgeKind;
using assembly::Instruction;

constexpr int threads_arrive_one_by_one_sm = 70;
/// A warp that executed so many instructions lets the next one execute.
constexpr std::int64_t turn_limit = 4096;

/// One warp: executes its instructions and records them.
class WarpRun {
public:
    WarpRun(const ExecutedCode& code, LaunchState& launch, BlockState& block,
            BlockBarriers& barriers, Coverage& coverage, std::int64_t number, Lanes lanes)
        : code_{code}, state_{number, lanes}, step_{launch, launch, block, state_},
          walk_{code.points, lanes}, barriers_{barriers}, coverage_{coverage} {
        enter();
    }

    /// Executes until it waits at a barrier, ends, fails or has had its turn.
    void run() {
        for (std::int64_t turn = 0; turn < turn_limit && !step_.failure && !walk_.has_ended();) {
            if (waits_) {
                if (!barriers_.may_pass(number())) return;
                state_.reduced = barriers_.result();
                waits_ = false;
                ++next_;
            }
            const assembly::BasicBlock& block = code_.graph->blocks[walk_.block()];
            for (; next_ <= block.last && !step_.failure; ++next_, ++turn) {
                execute(next_);
                if (waits_) break;
            }
            if (waits_ || step_.failure) continue;
            leave_block(block);
        }
        if (walk_.has_ended() && !has_left_) {
            has_left_ = true;
            barriers_.leave();
        }
    }

    [[nodiscard]] bool has_ended() const { return walk_.has_ended(); }
    [[nodiscard]] bool is_waiting() const { return waits_; }
    [[nodiscard]] std::size_t number() const { return static_cast<std::size_t>(state_.number); }
    [[nodiscard]] std::optional<Failure> failure() const {
        if (!step_.failure) return std::nullopt;
        const Instruction& at = code_.function->instructions[failed_at_];
        const Extents& index = step_.block.index;
        return Failure{fmt::format("{} at 0x{:04x}, block {},{},{}, warp {}: {}",
                                   assembly::print(at), at.address, index[0], index[1], index[2],
                                   state_.number, *step_.failure),
                       code_.function->name, at.position.line, at.position.column};
    }
    RecordedWarp take() { return std::move(recorded_); }

private:
    void enter() {
        const assembly::BasicBlock& block = code_.graph->blocks[walk_.block()];
        next_ = block.first;
        ++coverage_.blocks[walk_.block()];
        recorded_.stretches.push_back({.block = static_cast<std::uint32_t>(walk_.block()),
                                       .first = static_cast<std::uint32_t>(block.first),
                                       .last = static_cast<std::uint32_t>(block.last),
                                       .lanes = walk_.lanes(),
                                       .transferred = walk_.was_transferred()});
    }

    void execute(std::size_t index) {
        failed_at_ = index;
        const Operation& operation = code_.operations[index];
        const Lanes active = walk_.lanes();
        executing_ = active & step_.predicate(operation.guard);
        if (operation.guard_decides) recorded_.executing.push_back(executing_);
        if (++state_.issued > code_.instruction_limit)
            return step_.fail(fmt::format("the warp issued {} instructions without ending; state a "
                                          "higher --instruction-limit if that is right",
                                          code_.instruction_limit));
        const bool performs = executing_ != 0 && operation.perform != nullptr;
        if (assembly::synchronizes_threads(*operation.instruction)) {
            synchronize(operation, active);
        } else if (performs) {
            step_.begin(operation, executing_, active);
            operation.perform(step_);
        }
        if (step_.failure) return;
        const bool accesses = performs && operation.records_access;
        if (accesses) record_access(recorded_, step_.recorded_addresses, step_.recorded_lanes);
        if (code_.listener != nullptr)
            code_.listener->issued(
                {state_.number, index, executing_, accesses ? &step_.recorded_addresses : nullptr});
    }

    /// BAR and WARPSYNC.
    void synchronize(const Operation& operation, Lanes active) {
        if (executing_ == 0 && active == walk_.live()) return;
        if (code_.function->target.sm >= threads_arrive_one_by_one_sm &&
            (active != walk_.live() || executing_ != active))
            return step_.fail(fmt::format("lanes 0x{:x} of 0x{:x} reach it; from sm_70 on, where "
                                          "threads arrive individually, that is not simulated",
                                          executing_, walk_.live()));
        if (operation.instruction->mnemonic != "BAR") return;
        step_.begin(operation, executing_, active);
        waits_ = barriers_.arrive(step_);
    }

    [[nodiscard]] std::size_t edge_of(const assembly::BasicBlock& block, EdgeKind kind) {
        for (const std::size_t edge : block.out)
            if (code_.graph->edges[edge].kind == kind || block.out.size() == 1) return edge;
        step_.fail("control reaches no instruction of the control-flow graph");
        return 0;
    }

    /// The lanes that the last instruction of a block transfers or ends.
    [[nodiscard]] Lanes transferred(const Instruction& last, const Operation& operation) {
        if (last.control_flow == ControlFlow::Exit) return executing_;
        if (!assembly::transfers_control(last.control_flow)) return 0;
        Lanes lanes = executing_;
        if (operation.has(Modifier::DIV)) {
            const Source& mask = operation.leading.empty() && !operation.sources.empty()
                                     ? operation.sources[0]
                                     : Source{};
            const std::uint32_t wanted =
                (mask.kind == Source::Kind::Uniform ? state_.uniform[mask.index] : ~0U) ^
                (mask.inverted ? ~0U : 0U);
            return (wanted & walk_.live()) == executing_ ? 0 : executing_;
        }
        if (last.control_flow == ControlFlow::Branch)
            for (const Source& predicate : operation.leading)
                lanes &= step_.predicate(predicate);
        return lanes;
    }

    void leave_block(const assembly::BasicBlock& block) {
        const Instruction& last = code_.function->instructions[block.last];
        const Operation& operation = code_.operations[block.last];
        failed_at_ = block.last;
        const bool exits = last.control_flow == ControlFlow::Exit;
        const bool transfers = exits || assembly::transfers_control(last.control_flow);
        const Lanes active = walk_.lanes();
        const Lanes moved = transfers ? transferred(last, operation) : 0;
        std::array<Departure, 2> departures;
        std::size_t count = 0;
        if (const Lanes fell = active & ~moved; fell != 0)
            departures[count++] = {fell, edge_of(block, EdgeKind::FallThrough)};
        if (moved != 0)
            departures[count++] = {moved, exits ? std::optional<std::size_t>{}
                                                : edge_of(block, EdgeKind::Taken)};
        if (step_.failure) return;
        for (const Departure& departure : std::span{departures}.first(count))
            if (departure.edge) ++coverage_.edges[*departure.edge];
        if (auto why = walk_.advance(std::span{departures}.first(count)); !why.empty())
            return step_.fail(std::move(why));
        if (!walk_.has_ended()) enter();
    }

    const ExecutedCode& code_;
    WarpState state_;
    Step step_;
    WarpWalk walk_;
    BlockBarriers& barriers_;
    Coverage& coverage_;
    RecordedWarp recorded_;
    std::size_t next_ = 0;
    std::size_t failed_at_ = 0;
    Lanes executing_ = 0;
    bool waits_ = false;
    bool has_left_ = false;
};

} // namespace

Result<RecordedBlock> run_block(const ExecutedCode& code, LaunchState& launch, std::int64_t number,
                                Coverage& coverage) {
    const std::int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    const auto warps = static_cast<std::size_t>(launch.warps_per_block);
    BlockState block{number, launch.index_of(number), {}};
    BlockBarriers barriers{warps};
    std::vector<std::unique_ptr<WarpRun>> runs;
    for (std::size_t warp = 0; warp < warps; ++warp) {
        const std::int64_t first = static_cast<std::int64_t>(warp) * recorded_lane_count;
        const auto lanes = std::min(recorded_lane_count, threads - first);
        runs.push_back(std::make_unique<WarpRun>(
            code, launch, block, barriers, coverage, static_cast<std::int64_t>(warp),
            static_cast<Lanes>((std::uint64_t{1} << lanes) - 1)));
    }
    const auto has_ended = [](const auto& run) { return run->has_ended(); };
    while (!std::all_of(runs.begin(), runs.end(), has_ended)) {
        bool progressed = false;
        for (const auto& run : runs) {
            if (run->has_ended()) continue;
            run->run();
            if (auto failure = run->failure()) return *failure;
            progressed = progressed || !run->is_waiting();
        }
        if (!progressed && !barriers.is_any_open())
            return Failure{
                fmt::format("block {}: warps wait at barriers that others do not reach", number),
                code.function->name};
    }
    RecordedBlock recorded;
    for (const auto& run : runs)
        recorded.warps.push_back(run->take());
    return recorded;
}

} // namespace warpbound::harness::execution
