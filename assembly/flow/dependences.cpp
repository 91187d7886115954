#include "assembly/flow/dependences.hpp"

#include "assembly/amd/outstanding.hpp"
#include "assembly/amd/state_registers.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace warpbound::assembly {

namespace {

/// Latest accesses of a register: all writes back to the last unguarded one, and the reads since.
struct Accesses {
    std::vector<std::size_t> writes;
    std::vector<std::size_t> reads;
    std::size_t mask_version = 0; ///< Number of writes to EXEC before these accesses.
};

/// A memory access whose address expression is known when its base has not been written since.
struct Access {
    std::size_t instruction = 0;
    MemoryEffect effect;
    const MemoryOperand* operand = nullptr;
    std::size_t base_version = 0; ///< Number of writes to the base register before the access.
};

bool overlapping_spaces(StateSpace a, StateSpace b) {
    if (a == b) return true;
    const auto generic = [](StateSpace other) {
        return other == StateSpace::Global || other == StateSpace::Shared ||
               other == StateSpace::Local;
    };
    return (a == StateSpace::Generic && generic(b)) || (b == StateSpace::Generic && generic(a));
}

/// Same unchanged base, constant offsets, no byte in common: disjoint within one thread. Lanes of a
/// warp may still overlap with each other.
bool proved_different(const Access& a, const Access& b) {
    if (a.operand == nullptr || b.operand == nullptr || a.operand->base != b.operand->base ||
        a.operand->uniform != b.operand->uniform || a.base_version != b.base_version)
        return false;
    return a.operand->offset + a.effect.bytes_per_lane <= b.operand->offset ||
           b.operand->offset + b.effect.bytes_per_lane <= a.operand->offset;
}

class Finder {
public:
    explicit Finder(const Function& function) : function_{function} {
        if (is_amd(function.target)) outstanding_.emplace(function.target);
    }

    std::vector<Dependence> run(std::size_t first, std::size_t last) {
        for (std::size_t i = first; i <= last; ++i) {
            const auto& instruction = function_.instructions[i];
            const auto& effects = instruction.effects;
            registers(i, instruction, effects);
            scoreboards(i, instruction);
            if (outstanding_)
                for (const auto& returned : outstanding_->step(i, instruction))
                    add(returned.instruction, i, DependenceKind::Scoreboard, std::nullopt,
                        returned.counter);
            if (effects.memory && effects.memory->space != StateSpace::Constant)
                memory(i, instruction, *effects.memory);
            for (const auto& reg : effects.writes)
                ++versions_[reg];
        }
        return std::move(found_);
    }

private:
    void add(std::size_t producer, std::size_t consumer, DependenceKind kind,
             std::optional<Register> reg, std::optional<int> scoreboard = std::nullopt) {
        found_.push_back({producer, consumer, kind, reg, scoreboard});
    }

    void registers(std::size_t i, const Instruction& instruction, const Effects& effects) {
        for (const auto& reg : effects.reads)
            for (const auto producer : accesses_[reg].writes)
                add(producer, i, DependenceKind::ReadAfterWrite, reg);
        for (const auto& reg : effects.writes) {
            for (const auto producer : accesses_[reg].writes)
                add(producer, i, DependenceKind::WriteAfterWrite, reg);
            for (const auto producer : accesses_[reg].reads)
                add(producer, i, DependenceKind::WriteAfterRead, reg);
        }
        for (const auto& reg : effects.reads)
            accesses_[reg].reads.push_back(i);
        for (const auto& reg : effects.writes) {
            Accesses& accesses = accesses_[reg];
            // A write that may not execute, or not for all lanes of those before it, does not
            // hide the writes before it.
            if (!is_guarded(instruction) && !may_keep_lanes(reg, accesses))
                accesses = {{}, {}, mask_version()};
            accesses.writes.push_back(i);
        }
    }

    /// Whether EXEC has changed since the accesses of a register that lanes have one each of.
    bool may_keep_lanes(const Register& reg, const Accesses& accesses) {
        return (reg.file == RegisterFile::Vector || reg.file == RegisterFile::Accumulation) &&
               accesses.mask_version != mask_version();
    }
    std::size_t mask_version() {
        const auto version = [&](amd::StateRegister half) {
            return versions_[{RegisterFile::State, static_cast<int>(half)}];
        };
        return version(amd::StateRegister::ExecLo) + version(amd::StateRegister::ExecHi);
    }

    void scoreboards(std::size_t i, const Instruction& instruction) {
        if (outstanding_) return; // Those of AMD's code follow the order of return.
        unsigned waits = instruction.control ? instruction.control->wait_mask : 0U;
        if (instruction.opcode_class == OpcodeClass::DependenceBarrier)
            for (const auto& operand : instruction.operands)
                if (const auto* scoreboard = std::get_if<ScoreboardOperand>(&operand))
                    waits |= 1U << static_cast<unsigned>(scoreboard->index);
        for (int sb = 0; sb < scoreboard_count; ++sb) {
            if (((waits >> static_cast<unsigned>(sb)) & 1U) == 0) continue;
            auto& setters = setters_[static_cast<std::size_t>(sb)];
            for (const auto producer : setters)
                add(producer, i, DependenceKind::Scoreboard, std::nullopt, sb);
            setters.clear();
        }
        if (!instruction.control) return;
        for (const auto barrier :
             {instruction.control->write_barrier, instruction.control->read_barrier})
            if (barrier) setters_[static_cast<std::size_t>(*barrier)].push_back(i);
    }

    void memory(std::size_t i, const Instruction& instruction, const MemoryEffect& effect) {
        Access access{i, effect, nullptr, 0};
        for (const auto& operand : instruction.operands)
            if (const auto* address = std::get_if<MemoryOperand>(&operand)) {
                access.operand = address;
                if (address->base && address->base->index)
                    access.base_version = versions_[{address->base->file, *address->base->index}];
            }
        for (const auto& earlier : memory_)
            if ((earlier.effect.store || effect.store) &&
                overlapping_spaces(earlier.effect.space, effect.space) &&
                !proved_different(earlier, access))
                add(earlier.instruction, i, DependenceKind::Memory, std::nullopt);
        memory_.push_back(access);
    }

    const Function& function_;
    std::vector<Dependence> found_;
    std::map<Register, Accesses> accesses_;
    std::map<Register, std::size_t> versions_;
    std::array<std::vector<std::size_t>, scoreboard_count> setters_;
    std::optional<amd::Outstanding> outstanding_; ///< Of AMD's code.
    std::vector<Access> memory_;
};

} // namespace

std::vector<Dependence> dependences_of(const Function& function, std::size_t first,
                                       std::size_t last) {
    return Finder{function}.run(first, last);
}

} // namespace warpbound::assembly
