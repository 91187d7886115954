#include "harness/suite/amd/amd_registers.hpp"

#include "harness/suite/emission/register_values.hpp"

#include <fmt/format.h>

namespace warpbound::harness {

namespace {

/// VGPRs that a register takes; 0: AMD's code has none of that type.
int size_of(const PtxRegister& reg) {
    if (reg.prefix == "f" || reg.prefix == "r" || reg.prefix == shared_prefix) return 1;
    if (reg.prefix == "fd" || reg.prefix == "rd" || reg.prefix == walk_prefix) return 2;
    return 0;
}

} // namespace

std::string VgprRange::name() const {
    return count == 1 ? fmt::format("v{}", first)
                      : fmt::format("v[{}:{}]", first, first + count - 1);
}

VgprRange AmdRegisters::take(int count) {
    if (count > 1) next_ += next_ % 2;
    const VgprRange range{next_, count};
    next_ += count;
    return range;
}

Result<void> AmdRegisters::place(const std::vector<PtxRegister>& operand) {
    if (operand.front().prefix == global_prefix) return boost::outcome_v2::success();
    int placed = 0;
    for (const PtxRegister& reg : operand) {
        if (size_of(reg) == 0)
            return Failure{fmt::format("'{}' has no like in AMD's code", reg.name()), "AMD"};
        placed += is_placed(reg) ? 1 : 0;
    }
    const auto count = static_cast<int>(operand.size());
    if (placed == count && range_of(operand).count == size_of(operand.front()) * count)
        return boost::outcome_v2::success();
    if (placed > 0)
        return Failure{fmt::format("an access moves '{}' and others, which have places apart",
                                   operand.front().name()),
                       "AMD"};
    VgprRange whole = take(size_of(operand.front()) * count);
    for (const PtxRegister& reg : operand) {
        ranges_[reg] = {whole.first, size_of(reg)};
        whole.first += size_of(reg);
    }
    return boost::outcome_v2::success();
}

void AmdRegisters::place_page(const PtxRegister& address, std::int64_t page) {
    constexpr int address_registers = 2;
    if (const std::pair key{address, page}; !pages_.contains(key))
        pages_[key] = take(address_registers);
}

VgprRange AmdRegisters::range_of(const std::vector<PtxRegister>& operand) const {
    VgprRange range = ranges_.at(operand.front());
    for (std::size_t i = 1; i < operand.size(); ++i) {
        const VgprRange& next = ranges_.at(operand[i]);
        if (next.first != range.first + range.count) break;
        range.count += next.count;
    }
    return range;
}

VgprRange AmdRegisters::page_of(const PtxRegister& address, std::int64_t page) const {
    return pages_.at({address, page});
}

} // namespace warpbound::harness
