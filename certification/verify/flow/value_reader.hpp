#pragma once
/// \file
/// What the operands of an instruction may hold, from what its registers may hold and the launch.

#include "assembly/isa/program.hpp"
#include "certification/verify/flow/launch_values.hpp"
#include "certification/verify/flow/number_set.hpp"
#include "certification/verify/flow/reaching_values.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

/// Whether its registers are truths.
bool is_predicate_file(assembly::RegisterFile file);
/// Whether an operand with these suffixes is read as it is.
bool has_plain_suffixes(const std::vector<std::string>& suffixes);
/// What a register of which nothing is known may hold.
NumberSet anything(assembly::Register reg);

class ValueReader {
public:
    virtual ~ValueReader() = default;

    /// Side: upper. A predicate holds 1 or 0.
    virtual NumberSet value(assembly::Register reg, ProgramPoint point) = 0;
    [[nodiscard]] virtual const LaunchValues& launch() const = 0;

    /// Of a source operand of the instruction at the point.
    NumberSet operand(const assembly::Operand& operand, ProgramPoint point);
    /// 1 where a predicate operand holds, 0 where it fails.
    NumberSet truth(const assembly::RegisterOperand& predicate, ProgramPoint point);

protected:
    ValueReader() = default;
    ValueReader(const ValueReader&) = default;
    ValueReader& operator=(const ValueReader&) = default;
};

/// What the instruction writes to a register that is no predicate, or to one (1 or 0), where it
/// executes. All numbers where the form is not known.
NumberSet result_of(const assembly::Instruction& instruction, assembly::Register reg,
                    ProgramPoint point, ValueReader& values);

/// The predicate operands that decide an edge, with the truth that they have on it.
std::vector<std::pair<const assembly::RegisterOperand*, bool>>
deciders_of(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
            std::size_t edge);

} // namespace warpbound::certification::verify
