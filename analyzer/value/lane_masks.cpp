#include "analyzer/value/lane_masks.hpp"

#include "assembly/amd/lane_mask.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;
using assembly::Instruction;
using assembly::Register;
using assembly::RegisterFile;

std::set<std::size_t> both(const std::set<std::size_t>& a, const std::set<std::size_t>& b) {
    std::set<std::size_t> common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                          std::inserter(common, common.end()));
    return common;
}

std::set<std::size_t> either(std::set<std::size_t> a, const std::set<std::size_t>& b) {
    a.insert(b.begin(), b.end());
    return a;
}

/// What holds of either.
LaneSet joined(const LaneSet& a, const LaneSet& b) {
    return {a.full && b.full, a.real && b.real, a.alike && b.alike, both(a.within, b.within)};
}

LaneSet with_bits_of_both(const LaneSet& a, const LaneSet& b) {
    return {a.full && b.full, a.real || b.real, a.alike && b.alike, either(a.within, b.within)};
}

LaneSet with_bits_of_any(const LaneSet& a, const LaneSet& b) {
    return {a.full || b.full, a.real && b.real, a.alike && b.alike, both(a.within, b.within)};
}

LaneSet without_bits(const LaneSet& a, const LaneSet& b) {
    return {false, a.real, a.alike && b.alike, a.within};
}

bool is_lane_register(Register reg) {
    return reg.file == RegisterFile::Vector || reg.file == RegisterFile::Accumulation;
}

/// Masks before an instruction.
class MaskState {
public:
    /// `saves`: all instructions that save EXEC.
    MaskState(std::set<std::size_t> saves, int lanes) : saves_{std::move(saves)}, lanes_{lanes} {
        masks_[exec_mask] = {true, true, false, {}};
    }

    [[nodiscard]] LaneSet exec() const { return masks_.at(exec_mask); }
    [[nodiscard]] LaneSet of(MaskId mask) const {
        const auto found = masks_.find(mask);
        return found == masks_.end() ? LaneSet{} : found->second;
    }
    [[nodiscard]] bool holds_arguments() const { return holds_arguments_; }

    void pass(std::size_t index, const Instruction& instruction,
              const std::optional<Register>& arguments);
    /// Whether less is known than before.
    bool join(const MaskState& other) {
        const auto before = masks_;
        const bool held = holds_arguments_;
        for (auto& [mask, set] : masks_)
            set = joined(set, other.of(mask));
        holds_arguments_ = holds_arguments_ && other.holds_arguments_;
        return masks_ != before || holds_arguments_ != held;
    }

private:
    [[nodiscard]] LaneSet source(std::string_view text) const {
        if (text == "-1") return {true, false, true, {}};
        if (text == "0") return {false, true, true, saves_};
        const auto mask = mask_in(text, lanes_);
        return mask ? of(*mask) : LaneSet{};
    }
    void set(const std::optional<MaskId>& mask, LaneSet lanes) {
        if (mask) masks_[*mask] = std::move(lanes);
    }
    [[nodiscard]] std::optional<LaneSet> result(std::string_view operation,
                                                const Instruction& instruction) const;
    void save(std::size_t index, std::string_view operation, const Instruction& instruction);
    void forget(const Instruction& instruction) {
        for (const Register reg : instruction.effects.writes)
            if (const auto mask = mask_with(reg, lanes_)) masks_[*mask] = {};
    }
    /// Nothing is known any more of what lies within the EXEC that is saved there.
    void save_again(std::size_t index) {
        for (auto& [mask, lanes] : masks_)
            lanes.within.erase(index);
    }

    std::set<std::size_t> saves_;
    int lanes_;
    std::map<MaskId, LaneSet> masks_; ///< EXEC among them.
    bool holds_arguments_ = true;
};

/// The mask that the first operand names.
std::optional<LaneSet> MaskState::result(std::string_view operation,
                                         const Instruction& instruction) const {
    const LaneSet a = source(text_of_operand(instruction, 1));
    const LaneSet b = source(text_of_operand(instruction, 2));
    if (operation == "mov") return a;
    if (operation == "not") return LaneSet{false, false, a.alike, {}};
    if (operation == "and") return with_bits_of_both(a, b);
    if (operation == "or") return with_bits_of_any(a, b);
    if (operation == "xor")
        return LaneSet{false, a.real && b.real, a.alike && b.alike, both(a.within, b.within)};
    if (operation == "andn2") return without_bits(a, b);
    if (operation == "cselect") return joined(a, b);
    if (plain_name(instruction.mnemonic).starts_with("v_cmp_"))
        return LaneSet{false, true, false, exec().within};
    return std::nullopt;
}

/// Whether it copies EXEC before others take lanes away: S_AND_SAVEEXEC, or S_MOV before V_CMPX.
bool saves_exec(const Instruction& instruction, int lanes) {
    const auto operation = assembly::amd::mask_operation(instruction.mnemonic, lanes);
    if (!operation) return false;
    return operation->ends_with("_saveexec") ||
           (*operation == "mov" && mask_in(text_of_operand(instruction, 1), lanes) == exec_mask);
}

void MaskState::save(std::size_t index, std::string_view operation,
                     const Instruction& instruction) {
    const auto destination = mask_in(text_of_operand(instruction, 0), lanes_);
    const LaneSet masked = source(text_of_operand(instruction, 1));
    save_again(index);
    LaneSet saved = exec();
    LaneSet after = operation == "mov"              ? saved
                    : operation == "and_saveexec"   ? with_bits_of_both(saved, masked)
                    : operation == "or_saveexec"    ? with_bits_of_any(saved, masked)
                    : operation == "andn2_saveexec" ? without_bits(masked, saved)
                                                    : LaneSet{};
    after.within.erase(index); // Of what was masked before.
    if (operation == "mov" || operation == "and_saveexec") after.within.insert(index);
    saved.within.insert(index);
    forget(instruction);
    set(destination, saved);
    after.real = true;
    masks_[exec_mask] = after;
}

void MaskState::pass(std::size_t index, const Instruction& instruction,
                     const std::optional<Register>& arguments) {
    const std::string_view name = plain_name(instruction.mnemonic);
    const std::string operation =
        assembly::amd::mask_operation(instruction.mnemonic, lanes_).value_or(std::string{});
    if (arguments && std::ranges::any_of(instruction.effects.writes, [&](Register reg) {
            return reg == *arguments || reg == Register{arguments->file, arguments->index + 1};
        }))
        holds_arguments_ = false;
    if (saves_exec(instruction, lanes_)) return save(index, operation, instruction);
    auto after = result(operation, instruction);
    const LaneSet before = exec();
    forget(instruction);
    if (after) set(mask_in(text_of_operand(instruction, 0), lanes_), *after);
    // v_cmpx takes lanes away.
    if (name.starts_with("v_cmpx")) masks_[exec_mask] = {false, true, false, before.within};
    masks_[exec_mask].real = true; // No lane comes into being.
}

ExecChange change_of(const Instruction& instruction, int lanes) {
    const auto& writes = instruction.effects.writes;
    if (std::ranges::none_of(writes,
                             [&](Register reg) { return mask_with(reg, lanes) == exec_mask; }))
        return ExecChange::None;
    const auto is_exec = [&](std::size_t operand) {
        return mask_in(text_of_operand(instruction, operand), lanes) == exec_mask;
    };
    const std::string operation =
        assembly::amd::mask_operation(instruction.mnemonic, lanes).value_or(std::string{});
    const bool narrows = operation == "and_saveexec" ||
                         plain_name(instruction.mnemonic).starts_with("v_cmpx") ||
                         (is_exec(0) && is_exec(1) && (operation == "and" || operation == "andn2"));
    return narrows ? ExecChange::Narrows : ExecChange::Replaces;
}

std::optional<Register> argument_pointer(const Function& function) {
    for (const assembly::EntryRegister& one : function.entry.registers)
        if (one.value == assembly::EntryValue::ArgumentPointer) return one.reg;
    return std::nullopt;
}

class MaskAnalysis {
public:
    MaskAnalysis(const Function& function, const ControlFlowGraph& graph)
        : function_{function}, graph_{graph},
          before_(graph.blocks.size()), arguments_{argument_pointer(function)} {
        std::set<std::size_t> saves;
        for (std::size_t i = 0; i < function.instructions.size(); ++i)
            if (saves_exec(function.instructions[i], function.entry.lanes)) saves.insert(i);
        before_[0].emplace(std::move(saves), function.entry.lanes);
        for (std::vector<std::size_t> changed{0}; !changed.empty();) {
            const std::size_t block = changed.back();
            changed.pop_back();
            MaskState state = *before_[block];
            for_each(block, state, [](auto&&...) {});
            for (const std::size_t edge : graph.blocks[block].out) {
                auto& next = before_[graph.edges[edge].to];
                const bool changes = !next || next->join(state);
                if (!next) next = state;
                if (changes) changed.push_back(graph.edges[edge].to);
            }
        }
        for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
            std::vector<bool>& reaches = reaches_.emplace_back(assembly::blocks_reachable_from(
                graph, block, [](const assembly::Edge&) { return true; }));
            reaches[block] = true; // Rather too much.
        }
    }

    LaneMasks masks() {
        const std::size_t count = function_.instructions.size();
        LaneMasks masks;
        masks.exec_is_full.assign(count, true);
        masks.vcc_is_real.assign(count, true);
        masks.holds_argument_pointer.assign(count, arguments_.has_value());
        masks.change.assign(count, ExecChange::None);
        std::map<std::size_t, LaneSet> replacing; // EXEC behind the instruction.
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            if (!before_[block]) continue;
            MaskState state = *before_[block];
            for_each(block, state, [&](std::size_t i, const MaskState& here, const auto& after) {
                const LaneSet vcc = here.of(vcc_mask);
                masks.exec_is_full[i] = masks.exec_is_full[i] && here.exec().full;
                masks.vcc_is_real[i] = masks.vcc_is_real[i] && (vcc.real || vcc.alike);
                masks.holds_argument_pointer[i] =
                    masks.holds_argument_pointer[i] && here.holds_arguments();
                masks.change[i] = change_of(function_.instructions[i], function_.entry.lanes);
                blocks_of_[i].push_back(block);
                if (masks.change[i] == ExecChange::Replaces) {
                    const LaneSet exec = after();
                    const auto [entry, is_new] = replacing.emplace(i, exec);
                    if (!is_new) entry->second = joined(entry->second, exec);
                }
            });
        }
        find_restored(masks, replacing);
        return masks;
    }

private:
    template <class Visit>
    void for_each(std::size_t block, MaskState& state, const Visit& visit) const {
        for (std::size_t i = graph_.blocks[block].first; i <= graph_.blocks[block].last; ++i) {
            visit(i, state, [&] {
                MaskState next = state;
                next.pass(i, function_.instructions[i], arguments_);
                return next.exec();
            });
            state.pass(i, function_.instructions[i], arguments_);
        }
    }

    [[nodiscard]] bool leads(std::size_t block, const std::vector<std::size_t>& to) const {
        return std::ranges::any_of(to, [&](std::size_t end) { return reaches_[block][end]; });
    }

    /// Registers that are written, or restored, where a path leads from the block of `from`
    /// (nothing: from anywhere, while EXEC is not full) to that of `to`.
    [[nodiscard]] std::set<Register>
    written(const LaneMasks& masks, std::optional<std::size_t> from, std::size_t to) const {
        std::set<Register> registers;
        for (const auto& [i, blocks] : blocks_of_) {
            if (std::ranges::none_of(blocks, [&](std::size_t block) {
                    return leads(block, blocks_of_.at(to)) &&
                           (from ? std::ranges::any_of(
                                       blocks_of_.at(*from),
                                       [&](std::size_t start) { return reaches_[start][block]; })
                                 : !masks.exec_is_full[i]);
                }))
                continue;
            const auto& writes = function_.instructions[i].effects.writes;
            std::copy_if(writes.begin(), writes.end(), std::inserter(registers, registers.end()),
                         is_lane_register);
            if (const auto found = masks.restored.find(i); found != masks.restored.end() && i != to)
                registers.insert(found->second.begin(), found->second.end());
        }
        return registers;
    }

    /// With EXEC within that of an earlier place only what was written since matters.
    void find_restored(LaneMasks& masks, const std::map<std::size_t, LaneSet>& replacing) const {
        for (bool changed = true; changed;) {
            changed = false;
            for (const auto& [i, exec] : replacing) {
                std::set<Register> least = written(masks, std::nullopt, i);
                for (const std::size_t save : exec.within)
                    if (auto since = written(masks, save, i); since.size() < least.size())
                        least = std::move(since);
                auto& of = masks.restored[i];
                const std::size_t before = of.size();
                of.insert(least.begin(), least.end());
                changed = changed || of.size() != before;
            }
        }
        for (const auto& [i, registers] : masks.restored)
            masks.of_all_lanes.insert(registers.begin(), registers.end());
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    std::vector<std::optional<MaskState>> before_;
    std::optional<Register> arguments_;
    std::vector<std::vector<bool>> reaches_;                    ///< [from][to]
    std::map<std::size_t, std::vector<std::size_t>> blocks_of_; ///< Several of a loop's copies.
};

} // namespace

LaneMasks lane_masks(const Function& function, const ControlFlowGraph& graph) {
    return MaskAnalysis{function, graph}.masks();
}

} // namespace warpbound::analyzer
