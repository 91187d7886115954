#include "assembly/isa/function_effects.hpp"

#include "assembly/isa/register_limits.hpp"
#include "assembly/isa/register_roles.hpp"
#include "assembly/isa/texture_registers.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>

namespace warpbound::assembly {

namespace {

bool contains(const std::vector<std::string>& suffixes, std::string_view wanted) {
    return std::find(suffixes.begin(), suffixes.end(), wanted) != suffixes.end();
}

void sort_unique(std::vector<Register>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Builds the effects of one instruction, operand by operand.
class Collector {
public:
    Collector(const Instruction& instruction, Target target)
        : instruction_{instruction}, target_{target}, info_{find_opcode(instruction.mnemonic)} {}

    Effects run() {
        if (instruction_.guard) add(effects_.reads, instruction_.guard->predicate, 1);
        const Destinations destinations = destinations_of(instruction_);
        effects_.exact = effects_.writes_known = known_form() && destinations.known;
        std::size_t ordinal = 0;
        for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
            const bool written = destinations.written.test(i);
            operand(instruction_.operands[i], i, ordinal, written);
            if (!written || !is_predicate(instruction_.operands[i])) ++ordinal;
        }
        carry();
        predicate_set();
        memory();
        effects_.reads_clock = instruction_.opcode_class == OpcodeClass::ClockRead;
        if (!effects_.exact) name_all();
        sort_unique(effects_.reads);
        sort_unique(effects_.writes);
        return std::move(effects_);
    }

private:
    [[nodiscard]] bool known_form() const {
        return instruction_.opcode_class != OpcodeClass::Unknown &&
               !(instruction_.mnemonic == "MATCH" && instruction_.has_modifier("ALL"));
    }

    /// A group that would reach the constant register ends before it.
    void add(std::vector<Register>& list, Register first, int width) const {
        const int limit = register_count(first.file, target_);
        for (int i = 0; i < width && first.index + i < limit; ++i)
            list.push_back({first.file, first.index + i});
    }

    void add(std::vector<Register>& list, const RegisterOperand& reg, int width) const {
        if (reg.index) add(list, Register{reg.file, *reg.index}, width);
    }

    void operand(const Operand& operand, std::size_t position, std::size_t ordinal, bool written) {
        if (const auto* reg = std::get_if<RegisterOperand>(&operand)) {
            Width width;
            if (is_number_register(operand))
                width = width_of(instruction_, position, ordinal, target_);
            // Groups are aligned to their width; an unaligned one has a width that is not known.
            if (reg->index && *reg->index % width.alignment() != 0) width.known = false;
            if (!width.known) effects_.exact = false;
            if (!width.known && written) effects_.writes_known = false;
            // Up to Volta BREAK and the barrier of a clearing BMOV are read as well.
            const bool read =
                !written || (reg->file == RegisterFile::Barrier &&
                             instruction_.control_flow != ControlFlow::ConvergenceSet &&
                             (instruction_.mnemonic == "BREAK" || position > 0));
            if (written) add(effects_.writes, *reg, width.registers);
            if (read) add(effects_.reads, *reg, width.registers);
            if (contains(reg->suffixes, "CC")) effects_.writes.push_back({RegisterFile::Carry, 0});
        } else if (const auto* constant = std::get_if<ConstantOperand>(&operand)) {
            if (constant->index_register && *constant->index_register >= 0)
                effects_.reads.push_back({RegisterFile::General, *constant->index_register});
            if (constant->uniform_register && *constant->uniform_register >= 0)
                effects_.reads.push_back({RegisterFile::Uniform, *constant->uniform_register});
            if (constant->bank_register)
                add(effects_.reads, Register{RegisterFile::Uniform, *constant->bank_register}, 2);
        } else if (const auto* address = std::get_if<MemoryOperand>(&operand)) {
            add_address(*address);
        } else if (const auto* text = std::get_if<TextOperand>(&operand)) {
            add_text(*text);
        }
    }

    /// Registers of an address.
    void add_address(const MemoryOperand& memory) {
        if (info_ && info_->space == StateSpace::Texture) return add_coordinates(memory);
        const bool extended = instruction_.has_modifier("E");
        if (memory.base) {
            const bool wide =
                contains(memory.base->suffixes, "64") ||
                (extended && target_.sm < 80 && !contains(memory.base->suffixes, "U32"));
            add(effects_.reads, *memory.base, wide ? 2 : 1);
        }
        // A uniform register in a 64-bit address is a pair.
        if (memory.uniform) add(effects_.reads, *memory.uniform, extended ? 2 : 1);
        if (memory.descriptor)
            add(effects_.reads, *memory.descriptor, 2);
        else if (target_.sm >= 80 && memory.base && contains(memory.base->suffixes, "64"))
            add_hidden_descriptor();
    }

    /// The brackets of a surface instruction hold coordinates.
    void add_coordinates(const MemoryOperand& memory) {
        const Width width = surface_coordinates(instruction_, target_);
        if (memory.base) add(effects_.reads, *memory.base, width.registers);
        const bool aligned =
            !memory.base || !memory.base->index || *memory.base->index % width.alignment() == 0;
        if (!width.known || !aligned || memory.uniform) effects_.exact = false;
    }

    /// CUDA 11 does not print the descriptor of a 64-bit access; it is in the encoding. Its
    /// position is known for LDG, STG, ATOMG and RED only.
    void add_hidden_descriptor() {
        const std::string& name = instruction_.mnemonic;
        const bool load = name == "LDG";
        if (!(load || name == "STG" || name == "ATOMG" || name == "RED") ||
            !instruction_.encoding || !instruction_.encoding->high) {
            effects_.exact = false;
            return;
        }
        const std::uint64_t bits =
            load ? instruction_.encoding->low >> 32U : *instruction_.encoding->high;
        const auto index = static_cast<int>(bits & 63U);
        if (index != 63) add(effects_.reads, Register{RegisterFile::Uniform, index}, 2);
    }

    /// `RET.REL.NODEC R6 0x0`: the register in front of the offset holds a code address. Registers
    /// in other texts may be anything.
    void add_text(const TextOperand& text) {
        const bool address = instruction_.opcode_class == OpcodeClass::Branch;
        for (const Register reg : registers_in_text(text.text)) {
            add(effects_.reads, reg, address && target_.sm >= 70 ? 2 : 1);
            if (address) continue;
            add(effects_.writes, reg, 1);
            effects_.exact = effects_.writes_known = false;
        }
    }

    /// The carry flag up to Pascal.
    void carry() {
        if (target_.sm >= 70) return;
        if (instruction_.has_modifier("X")) effects_.reads.push_back({RegisterFile::Carry, 0});
        if (instruction_.has_modifier("CC")) effects_.writes.push_back({RegisterFile::Carry, 0});
    }

    /// R2P and P2R name a set of predicates by a mask, the last operand.
    void predicate_set() {
        const std::string& name = instruction_.mnemonic;
        const bool uniform = name == "UR2UP" || name == "UP2UR";
        const bool writes = name == "R2P" || name == "UR2UP";
        if (!uniform && !writes && name != "P2R") return;
        std::int64_t mask = 0x7f;
        if (!instruction_.operands.empty())
            if (const auto* immediate =
                    std::get_if<ImmediateOperand>(&instruction_.operands.back());
                immediate != nullptr && immediate->integer)
                mask = *immediate->integer;
        auto& list = writes ? effects_.writes : effects_.reads;
        for (int i = 0; i < 7; ++i)
            if (((mask >> i) & 1) != 0)
                list.push_back(
                    {uniform ? RegisterFile::UniformPredicate : RegisterFile::Predicate, i});
    }

    void memory() {
        if (!info_ || info_->space == StateSpace::None) return;
        effects_.memory = MemoryEffect{info_->space, info_->is_load, info_->is_store,
                                       bytes_per_lane(instruction_)};
    }

    /// An instruction that is not exact reads and writes every register that it names.
    void name_all() {
        for (const Operand& operand : instruction_.operands)
            if (const auto* reg = std::get_if<RegisterOperand>(&operand)) {
                add(effects_.reads, *reg, 1);
                add(effects_.writes, *reg, 1);
            }
    }

    const Instruction& instruction_;
    Target target_;
    std::optional<OpcodeInfo> info_;
    Effects effects_;
};

} // namespace

Effects effects_of(const Instruction& instruction, Target target) {
    return Collector{instruction, target}.run();
}

void set_effects(Function& function) {
    for (auto& instruction : function.instructions) {
        check_stop("the reading of the listing");
        instruction.effects = effects_of(instruction, function.target);
    }
}

} // namespace warpbound::assembly
