#pragma once
/// \file
/// Abstract state of a thread's registers as ranges, and the effect of one instruction on it
/// (S16a).

#include "analyzer/value/symbols.hpp"
#include "analyzer/value/value_range.hpp"
#include "assembly/isa/program.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// The registers whose values matter, numbered.
using RegisterNumbers = std::map<assembly::Register, std::size_t>;

/// Registers on which guards and predicate operands of control instructions depend, transitively.
RegisterNumbers deciding_registers(const assembly::Function& function);

/// Possible values of registers before an instruction.
class RangeRegisters {
public:
    /// Nothing is known. `of` must outlive the object.
    explicit RangeRegisters(const RegisterNumbers& of) : of_{&of}, values_(of.size()) {}

    [[nodiscard]] ValueRange number(assembly::Register reg) const;
    /// Nothing when it is not known.
    [[nodiscard]] std::optional<bool> truth(assembly::Register reg) const;
    [[nodiscard]] std::optional<bool> truth(const assembly::RegisterOperand& operand) const;
    /// The guard holds; nothing when that is not known.
    [[nodiscard]] std::optional<bool> guard_of(const assembly::Instruction& instruction) const;

    /// The possible values of thread and block indices and extents.
    using GeometryRanges = std::function<ValueRange(Geometry)>;
    void execute(const assembly::Instruction& instruction, const GeometryRanges& geometry);
    /// At the beginning of a basic block other lanes may be active, and registers of `shared` may
    /// hold what yet others wrote.
    void begin_block(const std::set<assembly::Register>& shared);
    /// Keeps what holds of both.
    void join(const RangeRegisters& other);
    /// What differs from `other` becomes unknown.
    void widen(const RangeRegisters& other);
    friend bool operator==(const RangeRegisters& a, const RangeRegisters& b) {
        return a.values_ == b.values_;
    }

private:
    struct Value {
        ValueRange range; ///< Of a predicate: 0, 1, or more where it is not known.
        /// It is the mask of the active lanes of this execution of the basic block.
        bool is_active_mask = false;
        friend bool operator==(const Value&, const Value&) = default;
    };
    [[nodiscard]] Value held(assembly::Register reg) const;
    [[nodiscard]] std::optional<Value> source(const assembly::Operand& operand) const;
    [[nodiscard]] std::optional<Value> number_of(const assembly::Instruction& instruction,
                                                 const GeometryRanges& geometry) const;
    [[nodiscard]] std::optional<bool> truth_of(const assembly::Instruction& instruction) const;

    const RegisterNumbers* of_;
    std::vector<Value> values_;
};

} // namespace warpbound::analyzer
