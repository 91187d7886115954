#include "analyzer/value/range_operation.hpp"

#include "analyzer/value/operand_forms.hpp"
#include "analyzer/value/range_functions.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;

/// A vote in which each active lane votes yes: its result is the mask of the active lanes. Under a
/// guard it is that of the lanes for which the guard holds, which another vote may not count.
bool reads_active_mask(const Instruction& instruction) {
    if ((instruction.mnemonic != "VOTE" && instruction.mnemonic != "VOTEU") ||
        assembly::is_guarded(instruction) ||
        instruction.modifiers != std::vector<std::string>{"ANY"} ||
        instruction.operands.size() != 3)
        return false;
    const auto* voted = as_predicate(instruction.operands[2]);
    return voted != nullptr && !voted->index && !voted->negated;
}

const std::map<std::string_view, RangeOperation>& operations_by_name() {
    using enum RangeOperation;
    static const std::map<std::string_view, RangeOperation> operations{{"S2R", Special},
                                                                       {"S2UR", Special},
                                                                       {"CS2R", Special},
                                                                       {"MOV", Move},
                                                                       {"UMOV", Move},
                                                                       {"MOV32I", Move},
                                                                       {"LDC", Move},
                                                                       {"ULDC", Move},
                                                                       {"LDCU", Move},
                                                                       {"IADD3", Sum},
                                                                       {"UIADD3", Sum},
                                                                       {"IADD", Sum},
                                                                       {"IADD32I", Sum},
                                                                       {"VIADD", Sum},
                                                                       {"IMAD", MultiplyAdd},
                                                                       {"UIMAD", MultiplyAdd},
                                                                       {"LEA", ShiftAdd},
                                                                       {"ULEA", ShiftAdd},
                                                                       {"SHL", ShiftLeft},
                                                                       {"SHR", ShiftRight},
                                                                       {"SHF", FunnelShift},
                                                                       {"USHF", FunnelShift},
                                                                       {"LOP3", Lookup},
                                                                       {"ULOP3", Lookup},
                                                                       {"SEL", Select},
                                                                       {"USEL", Select},
                                                                       {"IMNMX", MinMax},
                                                                       {"VIMNMX", MinMax},
                                                                       {"VIMNMX3", MinMax},
                                                                       {"VIADDMNMX", SumMinMax},
                                                                       {"IABS", Absolute},
                                                                       {"POPC", CountOnes},
                                                                       {"UPOPC", CountOnes},
                                                                       {"FLO", HighestOne},
                                                                       {"UFLO", HighestOne},
                                                                       {"PRMT", Permute},
                                                                       {"UPRMT", Permute},
                                                                       {"ISETP", Comparison},
                                                                       {"UISETP", Comparison},
                                                                       {"PLOP3", PredicateLookup},
                                                                       {"OR", Or},
                                                                       {"LOWBITS", LowBits},
                                                                       {"QUOTIENT", Quotient},
                                                                       {"REMAINDER", Remainder},
                                                                       {"FIRSTLANE", Move},
                                                                       {"UPLOP3", PredicateLookup}};
    return operations;
}

} // namespace

RangeOperation range_operation_of(const Instruction& instruction) {
    if (reads_active_mask(instruction)) return RangeOperation::ActiveMask;
    if (moved_halves(instruction)) return RangeOperation::Halves;
    if (loaded_range(instruction)) return RangeOperation::NarrowLoad;
    if (is_extended_comparison(instruction)) return RangeOperation::ExtendedComparison;
    const auto found = operations_by_name().find(instruction.mnemonic);
    return found == operations_by_name().end() ? RangeOperation::None : found->second;
}

} // namespace warpbound::analyzer
