#include "models/facts/source_facts.hpp"

#include "assembly/support/printable.hpp"
#include "models/facts/divergence_default.hpp"
#include "models/facts/source_comments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound::models {

namespace {

using assembly::Instruction;
using assembly::SourceFrame;

/// A source loop as its repeating branches show it.
struct RepeatingBranch {
    SourceFrame frame;
    bool is_only_line = true; ///< All branches that repeat the loop are on this line.
};

/// VOTE.ANY R, PT, PT: the mask of the active lanes.
bool votes_active_lanes(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    if ((instruction.mnemonic != "VOTE" && instruction.mnemonic != "VOTEU") ||
        instruction.modifiers != std::vector<std::string>{"ANY"} || operands.size() != 3)
        return false;
    const auto* voted = std::get_if<assembly::RegisterOperand>(&operands[2]);
    return voted != nullptr && voted->file == assembly::RegisterFile::Predicate && !voted->index &&
           !voted->negated;
}

class CommentMatch {
public:
    CommentMatch(const assembly::Function& function, const assembly::ControlFlowGraph& graph)
        : function_{function}, graph_{graph}, deciding_{deciding_instructions(function, graph)} {}

    Result<void> take(const FoundSource& found) {
        const auto comments = read_fact_comments(found.source);
        if (!comments) return comments.as_failure();
        file_ = found.file;
        from_ = {};
        from_.file = result_.facts.sources.size() + 1;
        const std::size_t known = facts_known();
        for (const FactComment& comment : comments.value()) {
            from_.line = comment.line;
            place_ = fmt::format("{}:{}", found.source.name, comment.line);
            if (const auto* loop = std::get_if<LoopComment>(&comment.fact)) {
                if (auto taken = take_loop(comment, *loop, found.source.name); !taken) return taken;
            } else {
                take_uniform(comment);
            }
        }
        if (facts_known() == known) return boost::outcome_v2::success();
        // The marker's name: evidence then does not depend on where the file was found.
        result_.facts.sources.push_back({printable(function_.source_lines.files[found.file]),
                                         assembly::digest_of(found.source.text)});
        result_.sources.push_back(found.source);
        return boost::outcome_v2::success();
    }

    SourceFacts result() && { return std::move(result_); }

private:
    [[nodiscard]] std::size_t facts_known() const {
        return result_.facts.loops.size() + result_.facts.uniforms.size();
    }

    void note(const std::string& what) {
        result_.notes.push_back(fmt::format("{}: {}", place_, what));
    }

    [[nodiscard]] const SourceFrame* frame_of(std::size_t instruction) const {
        const auto frame = function_.instructions[instruction].source_frame;
        return frame ? &function_.source_lines.frames[*frame] : nullptr;
    }

    [[nodiscard]] bool is_on(const SourceFrame* frame, std::int64_t line) const {
        return frame != nullptr && frame->file == file_ && frame->line == line;
    }

    /// How the branches that repeat the loop are on the line; nothing when none is.
    [[nodiscard]] std::optional<RepeatingBranch> repeats_on(const assembly::Loop& loop,
                                                            std::int64_t line) const {
        std::optional<RepeatingBranch> branch;
        bool are_all = true;
        for (const std::size_t edge : loop.back_edges) {
            const SourceFrame* frame = frame_of(graph_.blocks[graph_.edges[edge].from].last);
            if (!is_on(frame, line))
                are_all = false;
            else if (!branch)
                branch = RepeatingBranch{*frame};
            else if (branch->frame != *frame)
                are_all = false;
        }
        if (branch) branch->is_only_line = are_all;
        return branch;
    }

    [[nodiscard]] bool is_inside(std::size_t inner, std::size_t outer) const {
        for (auto loop = graph_.loops[inner].parent; loop; loop = graph_.loops[*loop].parent)
            if (*loop == outer) return true;
        return false;
    }

    /// Line of an instruction in the inlining context of a frame; nothing where it has none.
    [[nodiscard]] std::optional<std::int64_t> line_in(const SourceFrame& context,
                                                      std::size_t instruction) const {
        for (auto at = function_.instructions[instruction].source_frame; at;
             at = function_.source_lines.frames[*at].caller) {
            const SourceFrame& frame = function_.source_lines.frames[*at];
            if (frame.file == context.file && frame.caller == context.caller) return frame.line;
        }
        return std::nullopt;
    }

    /// Instructions that no compiler moves to another loop: accesses to memory, and what decides
    /// whether the loop is left.
    [[nodiscard]] std::vector<std::size_t> fixed_instructions(const assembly::Loop& loop) const {
        std::vector<std::size_t> found;
        for (const std::size_t block : loop.blocks) {
            const assembly::BasicBlock& code = graph_.blocks[block];
            for (std::size_t i = code.first; i <= code.last; ++i) {
                const auto& memory = function_.instructions[i].effects.memory;
                if (memory && memory->space != assembly::StateSpace::Constant &&
                    memory->space != assembly::StateSpace::Local)
                    found.push_back(i);
            }
            const auto leaves = [&](std::size_t edge) {
                return std::ranges::find(loop.exit_edges, edge) != loop.exit_edges.end();
            };
            if (deciding_[code.last] && (code.exits || std::ranges::any_of(code.out, leaves)))
                found.push_back(code.last);
        }
        return found;
    }

    /// Whether a loop whose repeating branch is on the comment's line is that statement's: all that
    /// is fixed in it is on lines of the statement, not all of one loop inside it, and as many
    /// loops are around it, in the same inlining context, as statements. Compilers may leave the
    /// line of a loop that they unrolled at the branch of the loop around it.
    [[nodiscard]] bool is_of_statement(std::size_t number, const SourceFrame& branch,
                                       const LoopComment& fact) const {
        std::vector<std::int64_t> lines;
        for (const std::size_t i : fixed_instructions(graph_.loops[number])) {
            const auto line = line_in(branch, i);
            if (!line || !fact.loop->contains(*line)) return false;
            lines.push_back(*line);
        }
        const auto has_all = [&](const LoopExtent& inner) {
            return std::ranges::all_of(lines,
                                       [&](std::int64_t line) { return inner.contains(line); });
        };
        if (std::ranges::any_of(fact.inner, has_all)) return false;
        std::int64_t around = 0;
        for (auto loop = graph_.loops[number].parent; loop; loop = graph_.loops[*loop].parent) {
            const auto edge = graph_.loops[*loop].back_edges.front();
            const SourceFrame* frame = frame_of(graph_.blocks[graph_.edges[edge].from].last);
            if (frame != nullptr && frame->file == branch.file && frame->caller == branch.caller)
                ++around;
        }
        return around >= fact.enclosing;
    }

    /// Whether the loop does nothing but compare masks of its active lanes (VOTE.ANY of true), as
    /// compilers have lanes wait for others where they yield.
    [[nodiscard]] bool waits_for_lanes(const assembly::Loop& loop) const {
        std::set<assembly::Register> masks;
        std::set<assembly::Register> compared; // Results of comparisons of masks.
        std::vector<const Instruction*> comparisons;
        std::vector<const Instruction*> branches;
        for (const std::size_t block : loop.blocks) {
            const assembly::BasicBlock& code = graph_.blocks[block];
            for (std::size_t i = code.first; i <= code.last; ++i) {
                const Instruction& one = function_.instructions[i];
                const auto& writes = one.effects.writes;
                if (one.mnemonic == "YIELD" || one.mnemonic == "NOP") continue;
                if (one.mnemonic == "BRA") {
                    branches.push_back(&one);
                } else if (assembly::is_guarded(one)) {
                    return false;
                } else if (votes_active_lanes(one)) {
                    masks.insert(writes.begin(), writes.end());
                } else if (one.mnemonic == "LOP3") {
                    comparisons.push_back(&one);
                    compared.insert(writes.begin(), writes.end());
                } else {
                    return false;
                }
            }
        }
        const auto reads_only = [](const std::set<assembly::Register>& allowed) {
            return [&](const Instruction* one) {
                return std::ranges::includes(allowed, one->effects.reads);
            };
        };
        return !masks.empty() && std::ranges::all_of(comparisons, reads_only(masks)) &&
               std::ranges::all_of(branches, reads_only(compared));
    }

    static bool is_in_body(std::optional<std::int64_t> line, const LoopExtent& loop) {
        return line && *line > loop.header_last && *line <= loop.last;
    }

    /// Every execution of the block's loop header is followed by one of the block, in the loop.
    [[nodiscard]] bool follows_header(const assembly::Loop& loop, std::size_t block) const {
        const auto passes = [&](std::size_t edge) {
            return graph_.dominates(block, graph_.edges[edge].from);
        };
        return std::all_of(loop.back_edges.begin(), loop.back_edges.end(), passes) &&
               std::all_of(loop.exit_edges.begin(), loop.exit_edges.end(), passes) &&
               std::all_of(loop.blocks.begin(), loop.blocks.end(), [&](std::size_t other) {
                   return !graph_.blocks[other].exits || graph_.dominates(block, other);
               });
    }

    /// Whether a store of the body executes whenever the header does: no compiler executes a store
    /// that the source does not, so the header executes at most as often as the body.
    [[nodiscard]] bool counts_body(const assembly::Loop& loop, const SourceFrame& branch,
                                   const LoopExtent& extent) const {
        return std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](std::size_t block) {
            if (!follows_header(loop, block)) return false;
            const assembly::BasicBlock& code = graph_.blocks[block];
            for (std::size_t i = code.first; i <= code.last; ++i) {
                const Instruction& instruction = function_.instructions[i];
                const auto& memory = instruction.effects.memory;
                if (memory && memory->store && memory->space != assembly::StateSpace::Local &&
                    !assembly::is_guarded(instruction) &&
                    !(instruction.guard && instruction.guard->never()) &&
                    is_in_body(line_in(branch, i), extent))
                    return true;
            }
            return false;
        });
    }

    Result<void> take_loop(const FactComment& comment, const LoopComment& fact,
                           const std::string& name) {
        const std::int64_t line = fact.branch_line;
        if (!fact.loop) {
            note(fmt::format("no loop statement is at or around line {}; this comment bounds "
                             "nothing",
                             line));
            return boost::outcome_v2::success();
        }
        std::vector<std::size_t> matching;
        std::map<std::int64_t, std::int64_t> most; // by address of the header
        std::set<std::int64_t> other_loops;        // that are repeated from the line
        for (std::size_t number = 0; number < graph_.loops.size(); ++number) {
            const assembly::Loop& loop = graph_.loops[number];
            const std::int64_t header = graph_.blocks[loop.header].address;
            const auto branch = repeats_on(loop, line);
            if (!branch) continue;
            if (const std::string why = why_not(number, *branch, fact); !why.empty()) {
                note(fmt::format("the loop at 0x{:04x} {}, and is not bounded by this comment",
                                 header, why));
                other_loops.insert(header);
                continue;
            }
            const auto around = std::ranges::find_if(
                matching, [&](std::size_t other) { return is_inside(number, other); });
            if (around != matching.end() && waits_for_lanes(loop)) {
                note(fmt::format("the loop at 0x{:04x} only compares masks of the active lanes: "
                                 "it is the compiler's, and not bounded by this comment",
                                 header));
                other_loops.insert(header);
                continue;
            }
            if (around != matching.end())
                return Failure{
                    fmt::format("two loops of {}, one inside the other, are repeated from line "
                                "{}: 0x{:04x} and 0x{:04x}; expected the bound of each as "
                                "<loop> in a flow-facts file in place of this comment",
                                function_.name, line,
                                graph_.blocks[graph_.loops[*around].header].address, header),
                    name, comment.line};
            matching.push_back(number);
            const bool exact = (fact.loop->is_do && fact.branch_line == fact.loop->branch_line) ||
                               counts_body(loop, branch->frame, *fact.loop);
            auto& bound = most[header];
            bound = std::max(bound, std::max<std::int64_t>(fact.max + (exact ? 0 : 1), 1));
        }
        // Called code has a loop in each context: the bound holds for all of them or for none.
        for (const std::int64_t header : other_loops)
            most.erase(header);
        if (most.empty() && other_loops.empty())
            note(fmt::format("no loop of {} is repeated from line {}: it is unrolled, removed or "
                             "of another kernel; this comment bounds nothing",
                             function_.name, line));
        if (!most.empty()) add_loops(most, fact, line);
        return boost::outcome_v2::success();
    }

    /// Why a loop that is repeated from the comment's line is not the comment's; empty: it is.
    [[nodiscard]] std::string why_not(std::size_t number, const RepeatingBranch& branch,
                                      const LoopComment& fact) const {
        if (!branch.is_only_line) return "is repeated from other lines, too";
        if (is_of_statement(number, branch.frame, fact)) return {};
        return fmt::format("has branches or accesses that are not those of the loop statement at "
                           "line {}",
                           fact.loop->first);
    }

    void add_loops(const std::map<std::int64_t, std::int64_t>& most, const LoopComment& fact,
                   std::int64_t line) {
        for (const auto& [header, max] : most) {
            const auto known = std::ranges::find(result_.facts.loops, header, &LoopFact::header);
            if (known == result_.facts.loops.end())
                result_.facts.loops.push_back({header, 1, max, from_});
            else // The comments at `do` and at its `while`: both hold.
                known->max = std::min(known->max, max);
            note(fmt::format("loop max {}: the header 0x{:04x} executes at most {} times{}",
                             fact.max, header, max,
                             max > fact.max ? ", once more than the body" : ""));
        }
        if (most.size() > 1)
            note(fmt::format("{} loops are repeated from line {} (inlined, unrolled or split "
                             "copies); the bound is stated of each",
                             most.size(), line));
        if (fact.min.value_or(0) > 1)
            note(fmt::format("min {} is not used: a loop that is unrolled or peeled may execute "
                             "its header less often",
                             *fact.min));
    }

    /// Definitions of a predicate that reach an instruction: whether each is one comparison on the
    /// line that reads no other predicate.
    [[nodiscard]] bool is_one_comparison(std::size_t instruction, std::int64_t line) const;
    [[nodiscard]] std::optional<std::size_t> definition(assembly::Register reg, std::size_t first,
                                                        std::size_t end) const;

    void take_uniform(const FactComment& comment) {
        std::vector<std::string> taken;
        for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
            if (!deciding_[i] || !is_on(frame_of(i), comment.code_line)) continue;
            const std::int64_t at = function_.instructions[i].address;
            if (!is_one_comparison(i, comment.code_line)) {
                note(fmt::format("0x{:04x} does not decide on one comparison of line {}: the "
                                 "compiler may have joined it with others; it stays divergent "
                                 "unless a flow-facts file states <uniform at=\"0x{:04x}\"/>",
                                 at, comment.code_line, at));
                continue;
            }
            result_.facts.uniforms.push_back({at, from_});
            taken.push_back(fmt::format("0x{:04x}", at));
        }
        note(taken.empty()
                 ? fmt::format("no branch or guarded instruction of {} that this comment applies "
                               "to is on line {}",
                               function_.name, comment.code_line)
                 : fmt::format("uniform: {}", fmt::join(taken, ", ")));
    }

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    std::vector<bool> deciding_;
    std::size_t file_ = 0;
    FactSource from_;
    std::string place_; ///< Of the comment at hand.
    SourceFacts result_;
};

std::optional<std::size_t> CommentMatch::definition(assembly::Register reg, std::size_t first,
                                                    std::size_t end) const {
    for (std::size_t i = end; i > first; --i)
        if (std::ranges::binary_search(function_.instructions[i - 1].effects.writes, reg))
            return i - 1;
    return std::nullopt;
}

bool CommentMatch::is_one_comparison(std::size_t instruction, std::int64_t line) const {
    const Instruction& decides = function_.instructions[instruction];
    const bool has_guard = decides.guard && decides.guard->predicate.index;
    if (!has_guard || (decides.control_flow != assembly::ControlFlow::None &&
                       assembly::has_predicate_operand(decides)))
        return false;
    const assembly::Register reg{decides.guard->predicate.file, *decides.guard->predicate.index};
    const auto compares = [&](std::size_t at) {
        const Instruction& definition = function_.instructions[at];
        return is_on(frame_of(at), line) && definition.mnemonic.find("SETP") != std::string::npos &&
               !assembly::is_guarded(definition) && definition.effects.exact &&
               std::ranges::none_of(definition.effects.reads, [](const assembly::Register& read) {
                   return read.file == assembly::RegisterFile::Predicate ||
                          read.file == assembly::RegisterFile::UniformPredicate;
               });
    };
    std::vector<bool> seen(graph_.blocks.size(), false);
    std::vector<std::pair<std::size_t, std::size_t>> work; // block, end of its part
    for (std::size_t block = 0; block < graph_.blocks.size(); ++block)
        if (graph_.blocks[block].first <= instruction && instruction <= graph_.blocks[block].last)
            work.emplace_back(block, instruction);
    while (!work.empty()) {
        const auto [block, end] = work.back();
        work.pop_back();
        const assembly::BasicBlock& code = graph_.blocks[block];
        if (const auto found = definition(reg, code.first, end)) {
            if (!compares(*found)) return false;
            continue;
        }
        if (block == 0) return false; // Not defined on a path from the entry.
        for (const std::size_t edge : code.in) {
            const std::size_t from = graph_.edges[edge].from;
            if (seen[from]) continue;
            seen[from] = true;
            work.emplace_back(from, graph_.blocks[from].last + 1);
        }
    }
    return true;
}

} // namespace

Result<SourceFacts> facts_of_sources(const assembly::Function& function,
                                     const assembly::ControlFlowGraph& graph,
                                     const std::vector<FoundSource>& sources) {
    CommentMatch match{function, graph};
    for (const FoundSource& found : sources)
        if (auto taken = match.take(found); !taken) return taken.as_failure();
    return std::move(match).result();
}

Result<FlowFacts> merged(FlowFacts stated, const FlowFacts& from_sources) {
    const auto place = [](const FlowFacts& facts, const FactSource& from) {
        return fmt::format("{}:{}", refused(facts, from, "").where, from.line);
    };
    const auto conflict = [&](const FactSource& one, const FactSource& other,
                              const std::string& what) {
        return refused(stated, one,
                       fmt::format("{}; {} states another; expected both to agree", what,
                                   place(from_sources, other)));
    };
    const std::size_t before = stated.sources.size();
    const auto moved = [&](FactSource from) {
        from.file += before;
        return from;
    };
    for (const LoopFact& fact : from_sources.loops) {
        const LoopFact* known = stated.loop_at(fact.header);
        if (known == nullptr)
            stated.loops.push_back({fact.header, fact.min, fact.max, moved(fact.from)});
        else if (known->max > fact.max)
            return conflict(known->from, fact.from,
                            fmt::format("the header at 0x{:04x} is stated to execute up to {} "
                                        "times here, up to {} times by the comment",
                                        fact.header, known->max, fact.max));
    }
    for (const UniformFact& fact : from_sources.uniforms) {
        const auto divergent = std::ranges::find(stated.divergents, fact.at, &DivergentFact::at);
        if (divergent != stated.divergents.end())
            return conflict(divergent->from, fact.from,
                            fmt::format("0x{:04x} is stated to be divergent here, uniform by the "
                                        "comment",
                                        fact.at));
        if (!stated.is_uniform(fact.at)) stated.uniforms.push_back({fact.at, moved(fact.from)});
    }
    stated.sources.insert(stated.sources.end(), from_sources.sources.begin(),
                          from_sources.sources.end());
    return stated;
}

} // namespace warpbound::models
