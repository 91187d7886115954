#include "harness/execution/launch_constants.hpp"

#include "harness/execution/memory_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace warpbound::harness::execution {

namespace {

/// Parameters take at most 32,764 bytes from sm_70 on; the bank has 64 KiB.
constexpr std::size_t bank_bytes = std::size_t{1} << 16U;

void set_word(ConstantBank& bank, std::int64_t offset, std::uint32_t value) {
    const auto at = static_cast<std::size_t>(offset);
    std::memcpy(bank.bytes.data() + at, &value, sizeof value);
    bank.known[at / 4] = true;
}

} // namespace

Result<ConstantLayout> constant_layout(assembly::Target target) {
    constexpr int oldest = 70;
    constexpr int hopper = 90;
    constexpr int blackwell = 100;
    if (target.sm < oldest)
        return Failure{
            fmt::format("code of {} is not executed; expected sm_70 or later", to_string(target))};
    if (target.sm >= blackwell) return ConstantLayout{0x360, 0x370, 0x37c, 0x380};
    if (target.sm >= hopper) return ConstantLayout{0, 0xc, 0x28, 0x210};
    return ConstantLayout{};
}

ConstantBank launch_constants(const ConstantLayout& layout, const models::Launch& launch,
                              const Extents& block, const Extents& grid) {
    ConstantBank bank;
    bank.bytes.resize(bank_bytes);
    bank.known.resize(bank_bytes / 4);
    // Below the parameters lie values of the driver, such as descriptors: no semantics depend on
    // them.
    std::fill_n(bank.known.begin(), layout.parameters / 4, true);
    for (std::size_t dimension = 0; dimension < block.size(); ++dimension) {
        const auto further = static_cast<std::int64_t>(4 * dimension);
        set_word(bank, layout.block_extents + further,
                 static_cast<std::uint32_t>(block[dimension]));
        set_word(bank, layout.grid_extents + further, static_cast<std::uint32_t>(grid[dimension]));
    }
    set_word(bank, layout.stack_top, local_top);
    for (const auto& [offset, word] : launch.arguments)
        if (word.bits == 32 && offset >= 0 &&
            static_cast<std::size_t>(offset) + 4 <= bank.bytes.size())
            set_word(bank, offset, word.value);
    return bank;
}

std::vector<std::int64_t> unknown_arguments(const assembly::Function& function,
                                            const ConstantLayout& layout,
                                            const ConstantBank& bank) {
    std::set<std::int64_t> unknown;
    for (const assembly::Instruction& instruction : function.instructions)
        for (const assembly::Operand& operand : instruction.operands) {
            const auto* const constant = std::get_if<assembly::ConstantOperand>(&operand);
            if (constant == nullptr || constant->bank != 0 || constant->bank_register ||
                constant->index_register.value_or(-1) >= 0 ||
                constant->uniform_register.value_or(-1) >= 0 ||
                constant->offset < layout.parameters)
                continue;
            const std::int64_t word = constant->offset / 4 * 4;
            if (!bank.known[static_cast<std::size_t>(word) / 4]) unknown.insert(word);
        }
    return {unknown.begin(), unknown.end()};
}

std::vector<std::int64_t> named_banks(const assembly::Function& function) {
    std::set<std::int64_t> banks;
    for (const assembly::Instruction& instruction : function.instructions)
        for (const assembly::Operand& operand : instruction.operands)
            if (const auto* constant = std::get_if<assembly::ConstantOperand>(&operand);
                constant != nullptr && constant->bank != 0 && !constant->bank_register)
                banks.insert(constant->bank);
    return {banks.begin(), banks.end()};
}

} // namespace warpbound::harness::execution
