#include "assembly/amd/outstanding.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace warpbound::assembly::amd {

namespace {

enum Counter : std::size_t { Vector, ScalarAndLds, Export, Store };

const Processor& processor_of(Target target) {
    const auto* const processor = find_processor(target);
    if (processor == nullptr)
        throw std::logic_error{"no processor of AMD is called " + to_string(target)};
    return *processor;
}

} // namespace

std::optional<WaitCounts> wait_of(const Instruction& instruction, Target target) {
    // S_WAITCNT_DEPCTR waits for parts of the pipeline.
    if (!instruction.mnemonic.starts_with("s_waitcnt") || !instruction.encoding ||
        instruction.mnemonic == "s_waitcnt_depctr")
        return std::nullopt;
    const auto bits = static_cast<std::uint16_t>(instruction.encoding->low & 0xffffU);
    WaitCounts counts;
    if (instruction.mnemonic == "s_waitcnt") return decode_wait(processor_of(target).waits, bits);
    if (instruction.mnemonic == "s_waitcnt_vmcnt") counts.vector = bits;
    if (instruction.mnemonic == "s_waitcnt_lgkmcnt") counts.scalar_and_lds = bits;
    if (instruction.mnemonic == "s_waitcnt_expcnt") counts.export_ = bits;
    if (instruction.mnemonic == "s_waitcnt_vscnt") counts.store = bits;
    return counts;
}

bool returns_data(const Instruction& instruction) {
    return instruction.effects.memory->load && !instruction.effects.writes.empty();
}

Outstanding::Outstanding(Target target) : processor_{&processor_of(target)} {}

std::vector<Outstanding::Returned> Outstanding::step(std::size_t index,
                                                     const Instruction& instruction) {
    std::vector<Returned> returned;
    if (const auto counts = wait_of(instruction, processor_->target())) {
        const std::array most{counts->vector, counts->scalar_and_lds, counts->export_,
                              counts->store};
        for (std::size_t counter = 0; counter < counters; ++counter)
            if (most[counter]) wait(counter, *most[counter], returned);
    }
    issue(index, instruction);
    return returned;
}

void Outstanding::wait(std::size_t counter, int most, std::vector<Returned>& returned) {
    auto& operations = operations_[counter];
    const bool in_order = std::all_of(operations.begin(), operations.end(),
                                      [](const Operation& one) { return one.returns_in_order; });
    const auto left = static_cast<std::size_t>(std::max(most, 0));
    if (operations.size() <= left || (!in_order && left != 0)) return;
    const auto end = operations.end() - static_cast<std::ptrdiff_t>(left);
    for (auto at = operations.begin(); at != end; ++at)
        returned.push_back({at->instruction, static_cast<int>(counter)});
    operations.erase(operations.begin(), end);
}

void Outstanding::issue(std::size_t index, const Instruction& instruction) {
    const auto& mnemonic = instruction.mnemonic;
    const auto count = [&](Counter counter, bool in_order) {
        operations_[counter].push_back({index, in_order});
    };
    if (instruction.opcode_class == OpcodeClass::ClockRead || mnemonic.starts_with("s_sendmsg"))
        return count(ScalarAndLds, false);
    if (mnemonic.starts_with("ds_")) return count(ScalarAndLds, true);
    if (mnemonic.starts_with("exp ") || mnemonic == "exp") return count(Export, true);
    if (instruction.opcode_class == OpcodeClass::MemoryFence)
        return mnemonic.starts_with("s_") ? count(ScalarAndLds, false) : count(Vector, true);
    if (!instruction.effects.memory) return;
    if (mnemonic.starts_with("s_")) return count(ScalarAndLds, false);
    const bool is_flat = instruction.effects.memory->space == StateSpace::Generic;
    // Sampled images and rays return out of order with other loads.
    const bool in_order = !is_flat && !mnemonic.starts_with("image_");
    if (is_flat) count(ScalarAndLds, false);
    const bool is_store = processor_->has_store_counter && !returns_data(instruction);
    count(is_store ? Store : Vector, in_order);
}

} // namespace warpbound::assembly::amd
