#include "harness/trace/thread_trace_match.hpp"

#include "assembly/isa/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace warpbound::harness::trace {

namespace {

/// The opcode without the suffix that names its encoding: disassemblers differ in printing it.
std::string_view opcode_of(std::string_view text) {
    text = text.substr(0, text.find_first_of(" \t"));
    for (const std::string_view suffix :
         std::array<std::string_view, 5>{"_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp"})
        if (text.ends_with(suffix)) return text.substr(0, text.size() - suffix.size());
    return text;
}

/// One execution of a block, or a gap: instructions that are missing.
struct BlockRun {
    std::optional<std::int64_t> block; ///< Address; none: a gap.
    std::size_t step = 0;              ///< The first one of the wavefront in it.
};

/// Executions of blocks, in order; a gap separates those that do not follow each other in the code.
struct BlockPath {
    std::vector<BlockRun> runs;
    bool from_entry = false;
    bool whole = false; ///< From the entry to an exit, without a gap.
};

/// Where control goes from each instruction, by address.
class CodeOrder {
public:
    explicit CodeOrder(const Kernel& kernel) {
        const auto& graph = *kernel.graph;
        const auto& instructions = kernel.function->instructions;
        entry_ = instructions.empty() ? 0 : instructions.front().address;
        for (const auto& block : graph.blocks) {
            for (std::size_t index = block.first; index <= block.last; ++index) {
                block_of_[instructions[index].address] = block.address;
                if (index < block.last)
                    next_[instructions[index].address].insert(instructions[index + 1].address);
            }
            const std::int64_t last = instructions[block.last].address;
            for (const std::size_t edge : block.out)
                next_[last].insert(graph.blocks[graph.edges[edge].to].address);
            if (block.exits) exits_.insert(last);
        }
    }

    /// The path of the steps that are instructions of the kernel at these offsets.
    [[nodiscard]] BlockPath path_of(const std::vector<std::optional<std::int64_t>>& offsets) const {
        BlockPath path;
        bool gaps = false;
        std::optional<std::int64_t> before;
        for (std::size_t step = 0; step < offsets.size(); ++step) {
            const auto& offset = offsets[step];
            const auto block = offset ? block_of_.find(*offset) : block_of_.end();
            const bool known = block != block_of_.end();
            const bool begins = known && block->second == *offset;
            const bool follows = known && before && follows_(*before, *offset);
            if (!path.runs.empty() && !follows) {
                gaps = true;
                path.runs.push_back({{}, step});
            }
            if (known && (begins || !follows)) path.runs.push_back({block->second, step});
            if (!known) gaps = true;
            before = known ? offset : std::nullopt;
        }
        path.from_entry = !offsets.empty() && offsets.front() == entry_;
        path.whole = path.from_entry && !gaps && before && exits_.contains(*before);
        return path;
    }

private:
    [[nodiscard]] bool follows_(std::int64_t from, std::int64_t to) const {
        const auto found = next_.find(from);
        return found != next_.end() && found->second.contains(to);
    }

    std::int64_t entry_ = 0;
    std::map<std::int64_t, std::int64_t> block_of_;
    std::map<std::int64_t, std::set<std::int64_t>> next_;
    std::set<std::int64_t> exits_;
};

std::set<std::int64_t> members_of(const assembly::ControlFlowGraph& graph, std::int64_t header) {
    std::set<std::int64_t> members;
    for (const auto& loop : graph.loops)
        if (graph.blocks[loop.header].address == header)
            for (const std::size_t block : loop.blocks)
                members.insert(graph.blocks[block].address);
    return members;
}

void refute(FactCheck& check, const std::string& wave, std::size_t step, const std::string& what) {
    if (!check.refuted_by)
        check.refuted_by = fmt::format("{}: /wave/instructions/{}: {}", wave, step, what);
}

/// Counts the executions of a loop's header in each of its traversals.
class LoopChecker {
public:
    LoopChecker(const models::LoopFact& fact, const std::set<std::int64_t>& members,
                const std::string& wave, FactCheck& check)
        : fact_{&fact}, members_{&members}, wave_{&wave}, check_{&check} {}

    void check(const BlockPath& path) {
        bool behind_gap = !path.from_entry;
        for (const auto& [block, step] : path.runs) {
            if (!block) {
                leave(true);
                behind_gap = true;
            } else if (!members_->contains(*block)) {
                leave(false);
                behind_gap = false;
            } else {
                entered_ = true;
                partial_ = partial_ || behind_gap;
                behind_gap = false;
                if (*block != fact_->header) continue;
                ++iterations_;
                at_ = step;
            }
        }
        leave(!path.whole);
    }

private:
    /// The traversal ends; `cut`: its end may be missing.
    void leave(bool cut) {
        if (!entered_) return;
        const bool partial = partial_ || cut;
        ++check_->cases;
        if (iterations_ > fact_->max || (!partial && iterations_ < fact_->min))
            refute(*check_, *wave_, at_,
                   fmt::format("executes its header {}{} times", partial ? "at least " : "",
                               iterations_));
        else if (partial)
            ++check_->open;
        entered_ = partial_ = false;
        iterations_ = 0;
    }

    const models::LoopFact* fact_;
    const std::set<std::int64_t>* members_;
    const std::string* wave_;
    FactCheck* check_;
    std::int64_t iterations_ = 0;
    std::size_t at_ = 0; ///< Step of the last one.
    bool entered_ = false;
    bool partial_ = false; ///< Its beginning may be missing.
};

/// The offsets of a wavefront's steps in the kernel; none: elsewhere, or not known.
std::vector<std::optional<std::int64_t>>
offsets_of(const ThreadTrace& trace, const ThreadTraceWave& wave, std::size_t kernel) {
    std::vector<std::optional<std::int64_t>> offsets;
    for (const ThreadTraceStep& step : wave.steps) {
        offsets.emplace_back();
        if (!step.instruction) continue;
        const auto& instruction = trace.code.instructions[*step.instruction];
        if (instruction.kernel == kernel) offsets.back() = instruction.offset;
    }
    return offsets;
}

void check_wave(const BlockPath& path, const std::string& wave, const Kernel& kernel,
                std::vector<FactCheck>& checks) {
    const models::FlowFacts& facts = *kernel.facts;
    std::map<std::int64_t, std::size_t> executed; // and the first step
    for (const auto& [block, step] : path.runs)
        if (block) executed.emplace(*block, step);
    auto check = checks.begin();
    for (const auto& fact : facts.loops)
        LoopChecker{fact, members_of(*kernel.graph, fact.header), wave, *check++}.check(path);
    for (const auto& never : facts.nevers) {
        ++check->cases;
        if (executed.contains(never.block))
            refute(*check, wave, executed.at(never.block), "executes it");
        else if (!path.whole)
            ++check->open;
        ++check;
    }
    for (const auto& fact : facts.exclusives) {
        ++check->cases;
        if (executed.contains(fact.first) && executed.contains(fact.second))
            refute(*check, wave, std::max(executed.at(fact.first), executed.at(fact.second)),
                   "executes both");
        else if (!path.whole)
            ++check->open;
        ++check;
    }
}

} // namespace

std::vector<InstructionTimes> instruction_times(const ThreadTrace& trace, std::size_t kernel) {
    std::map<std::int64_t, InstructionTimes> times;
    for (const ThreadTraceWave& wave : trace.waves)
        for (const ThreadTraceStep& step : wave.steps) {
            if (!step.instruction) continue;
            const auto& instruction = trace.code.instructions[*step.instruction];
            if (instruction.kernel != kernel) continue;
            InstructionTimes& here = times[instruction.offset];
            if (here.duration.count == 0) {
                here.address = instruction.offset;
                here.text = instruction.text;
                here.source = instruction.source;
            }
            here.duration.add(step.duration);
            here.stall.add(step.stall);
        }
    std::vector<InstructionTimes> out;
    for (auto& [address, here] : times)
        out.push_back(std::move(here));
    return out;
}

Result<std::size_t> find_traced_kernel(const ThreadTrace& trace, const std::string& name) {
    std::vector<std::string> names;
    for (std::size_t kernel = 0; kernel < trace.code.kernels.size(); ++kernel) {
        if (trace.code.kernels[kernel].name == name) return kernel;
        names.push_back(trace.code.kernels[kernel].name);
    }
    return Failure{fmt::format("has no kernel {}; it has {}", name, fmt::join(names, ", ")),
                   trace.code.file};
}

Result<void> match_thread_trace(const ThreadTrace& trace, std::size_t traced,
                                const assembly::Function& function) {
    std::map<std::int64_t, std::string> opcodes;
    for (const auto& instruction : function.instructions)
        opcodes[instruction.address] = assembly::opcode_text(instruction);
    const auto refused = [&](const ThreadTraceInstruction& instruction, std::string_view has) {
        return Failure{fmt::format("/code/{}: '{}' at 0x{:04x} of {}, where the code has {}; the "
                                   "trace is of another build",
                                   instruction.row, instruction.text, instruction.offset,
                                   function.name, has),
                       trace.code.file};
    };
    for (const auto& instruction : trace.code.instructions) {
        if (instruction.kernel != traced) continue;
        const auto found = opcodes.find(instruction.offset);
        if (found != opcodes.end() && opcode_of(found->second) != opcode_of(instruction.text))
            return refused(instruction, found->second);
    }
    // Padding behind the kernel is listed, too; it may not have been executed.
    for (const ThreadTraceWave& wave : trace.waves)
        for (const ThreadTraceStep& step : wave.steps) {
            if (!step.instruction) continue;
            const auto& instruction = trace.code.instructions[*step.instruction];
            if (instruction.kernel == traced && !opcodes.contains(instruction.offset))
                return refused(instruction, "no instruction");
        }
    return boost::outcome_v2::success();
}

std::vector<FactCheck> check_facts(const ThreadTrace& trace, std::size_t traced,
                                   const Kernel& kernel) {
    const CodeOrder order{kernel};
    std::vector<FactCheck> checks = unchecked_path_facts(*kernel.facts);
    for (const ThreadTraceWave& wave : trace.waves) {
        const auto offsets = offsets_of(trace, wave, traced);
        const bool ran = std::any_of(offsets.begin(), offsets.end(),
                                     [](const auto& offset) { return offset.has_value(); });
        if (ran) check_wave(order.path_of(offsets), wave.file, kernel, checks);
    }
    return checks;
}

} // namespace warpbound::harness::trace
