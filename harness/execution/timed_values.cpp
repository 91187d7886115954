#include "harness/execution/timed_values.hpp"

#include "harness/execution/launch_state.hpp"
#include "harness/execution/semantics.hpp"
#include "harness/execution/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace warpbound::harness::execution {

namespace {

using assembly::OpcodeClass;
using assembly::Register;
using assembly::RegisterFile;

/// With read ports results count from two cycles before the grant (C60).
constexpr std::int64_t issue_to_grant = 2;

/// The content of a register or predicate.
struct Content {
    Words words{};
    Lanes lanes = 0;
};

Content read(const WarpState& warp, Register reg) {
    const auto index = static_cast<std::size_t>(reg.index);
    if (reg.file == RegisterFile::Predicate) return {{}, warp.predicates[index]};
    return {warp.registers[index], 0};
}

void write(WarpState& warp, Register reg, const Content& content) {
    const auto index = static_cast<std::size_t>(reg.index);
    if (reg.file == RegisterFile::Predicate)
        warp.predicates[index] = content.lanes;
    else
        warp.registers[index] = content.words;
}

/// A result that is not in its register yet.
struct Outstanding {
    std::int64_t ready_at = 0;
    Register reg;
    Content content;
};

/// The registers of a warp, and the results on their way.
class TimedRegisters {
public:
    explicit TimedRegisters(std::int64_t warp_in_block) : warp_{warp_in_block, all_lanes} {}

    [[nodiscard]] WarpState& warp() { return warp_; }
    /// Puts the results that are ready into their registers, in the order in which they became so.
    void arrive(std::int64_t now) {
        std::ranges::stable_sort(outstanding_, {}, &Outstanding::ready_at);
        std::size_t count = 0;
        for (; count < outstanding_.size() && outstanding_[count].ready_at <= now; ++count)
            write(warp_, outstanding_[count].reg, outstanding_[count].content);
        outstanding_.erase(outstanding_.begin(),
                           outstanding_.begin() + static_cast<std::ptrdiff_t>(count));
    }
    /// Runs the operation; what it writes arrives later.
    void perform(const Operation& operation, Step& step, std::int64_t ready_at) {
        const auto& writes = operation.instruction->effects.writes;
        std::vector<Content> before;
        for (const Register reg : writes)
            before.push_back(read(warp_, reg));
        operation.perform(step);
        for (std::size_t i = 0; i < writes.size(); ++i) {
            outstanding_.push_back({ready_at, writes[i], read(warp_, writes[i])});
            write(warp_, writes[i], before[i]);
        }
    }

private:
    WarpState warp_;
    std::vector<Outstanding> outstanding_;
};

/// The register that a store stores; empty: RZ, or nothing.
std::optional<std::size_t> stored_register(const assembly::Instruction& store) {
    if (store.operands.size() < 2) return std::nullopt;
    const auto* reg = std::get_if<assembly::RegisterOperand>(&store.operands[1]);
    if (reg == nullptr || !reg->index) return std::nullopt;
    return static_cast<std::size_t>(*reg->index);
}

} // namespace

Result<TimedCode> TimedCode::of(const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph,
                                const models::Launch& launch) {
    for (const auto& instruction : function.instructions) {
        const bool is_value =
            instruction.effects.memory && instruction.opcode_class != OpcodeClass::StoreGlobal;
        const bool is_tracked =
            std::ranges::all_of(instruction.effects.writes, [](const Register reg) {
                return reg.file == RegisterFile::General || reg.file == RegisterFile::Predicate;
            });
        if (is_value || !is_tracked)
            return Failure{fmt::format("{} at 0x{:04x}: values of a timed run are those of general "
                                       "registers and predicates",
                                       assembly::opcode_text(instruction), instruction.address),
                           function.name, instruction.position.line, instruction.position.column};
    }
    auto operations = decode_operations(function, graph);
    if (!operations) return operations.as_failure();
    TimedCode code;
    code.function_ = &function;
    code.operations_ = std::move(operations).value();
    code.launch_ = launch;
    return code;
}

void TimedValues::receive(const simulator::Event& event) {
    if (const auto* issued = std::get_if<simulator::Issued>(&event)) {
        Issue& issue = warps_[issued->warp][issued->number];
        issue.cycle = issued->cycle;
        issue.instruction = issued->instruction;
        issue.executed = issued->executed;
        issue.reads_at = std::max(issue.reads_at, issued->cycle);
    } else if (const auto* granted = std::get_if<simulator::ReadsGranted>(&event)) {
        warps_[granted->warp][granted->number].reads_at = granted->cycle - issue_to_grant;
    } else if (const auto* completed = std::get_if<simulator::Completed>(&event)) {
        warps_[completed->warp][completed->number].ready_at = completed->cycle;
    }
}

Result<std::optional<std::uint32_t>> TimedValues::stored_word(const IssuesOfWarp& issues,
                                                              std::int64_t warp_in_block,
                                                              Results results) const {
    const auto extents = [](std::int64_t count) { return Extents{count, 1, 1}; };
    LaunchState launch;
    launch.grid = extents(code_->launch().blocks);
    launch.block = extents(code_->launch().threads);
    launch.sm = code_->function().target.sm;
    BlockState block;
    TimedRegisters registers{warp_in_block};
    Step step{launch, launch, block, registers.warp()};
    std::optional<std::uint32_t> stored;
    for (const auto& [number, issue] : issues) {
        const Operation& operation = code_->operations()[issue.instruction];
        registers.arrive(issue.reads_at);
        const Lanes executing = all_lanes & step.predicate(operation.guard);
        if (!issue.executed || executing == 0) continue;
        if (operation.instruction->opcode_class == OpcodeClass::StoreGlobal) {
            const auto reg = stored_register(*operation.instruction);
            stored = reg ? registers.warp().registers[*reg][0] : 0;
            continue;
        }
        if (operation.perform == nullptr) continue;
        step.begin(operation, executing, all_lanes);
        registers.perform(operation, step,
                          results == Results::AtOnce ? issue.reads_at : issue.ready_at);
        if (step.failure)
            return Failure{
                fmt::format("{}: {}", assembly::opcode_text(*operation.instruction), *step.failure),
                code_->function().name};
    }
    return stored;
}

Result<void> TimedValues::put_stored(models::Observation& observation) const {
    const std::int64_t per_block = code_->launch().warps_per_block();
    for (auto& warp : observation.warps) {
        const auto found = warps_.find(static_cast<int>(warp.block * per_block + warp.warp));
        if (found == warps_.end()) continue;
        const auto right = stored_word(found->second, warp.warp, Results::AtOnce);
        if (!right) return right.as_failure();
        const auto word = stored_word(found->second, warp.warp, Results::WhenReady);
        if (!word) return word.as_failure();
        if (right.value()) warp.stored_right = word.value() == right.value();
    }
    return boost::outcome_v2::success();
}

} // namespace warpbound::harness::execution
