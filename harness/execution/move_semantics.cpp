/// \file
/// Moves: between registers, constants, special registers and predicates.

#include "harness/execution/semantics.hpp"
#include "harness/execution/special_registers.hpp"
#include "harness/execution/step.hpp"

#include <fmt/format.h>

namespace warpbound::harness::execution {

namespace {

void move_word(Step& step) {
    step.has(Modifier::Bits64) ? step.write_wide(step.wide(0)) : step.write(step.word(0));
}

void move_to_uniform(Step& step) {
    for (const Source& predicate : step.operation->leading)
        if (predicate.index != true_predicate)
            return step.fail("writes a predicate, which has no semantics");
    step.write(step.word(0));
}

const assembly::SpecialRegisterOperand* special_operand(const Step& step) {
    return step.source_count() == 0
               ? nullptr
               : std::get_if<assembly::SpecialRegisterOperand>(step.source(0).operand);
}

/// CS2R writes a pair, S2R and CS2R.32 a word.
void read_special(Step& step) {
    const auto* const special = special_operand(step);
    const auto value = special == nullptr ? std::nullopt : special_register(step, special->name);
    if (!value)
        return step.fail(fmt::format("special register {} has no value",
                                     special == nullptr ? "?" : special->name));
    step.write(*value);
    if (step.operation->instruction->mnemonic == "CS2R" && !step.has(Modifier::Bits32))
        step.write_further(1, Words{});
}

/// `Unit:` bytes.
std::size_t constant_bytes(const Step& step) {
    using enum Modifier;
    return step.has(Bits128)                ? 16
           : step.has(Bits64)               ? 8
           : step.has(U16) || step.has(S16) ? 2
           : step.has(U8) || step.has(S8)   ? 1
                                            : 4;
}

void load_constant(Step& step) {
    const std::size_t bytes = constant_bytes(step);
    const auto* const operand = std::get_if<assembly::ConstantOperand>(step.source(0).operand);
    if (operand == nullptr) return step.fail("expected a constant");
    std::array<Words, 4> out{};
    for_each_lane(step.lanes, [&](std::size_t lane) {
        std::int64_t offset = operand->offset;
        if (operand->index_register.value_or(-1) >= 0)
            offset += static_cast<std::int32_t>(
                step.general(static_cast<std::size_t>(*operand->index_register))[lane]);
        if (operand->uniform_register.value_or(-1) >= 0)
            offset += static_cast<std::int32_t>(
                step.warp.uniform[static_cast<std::size_t>(*operand->uniform_register)]);
        for (std::size_t word = 0; word * 4 < bytes; ++word)
            out[word][lane] = static_cast<std::uint32_t>(
                step.constant(operand->bank, offset + static_cast<std::int64_t>(4 * word),
                              std::min<std::size_t>(bytes, 4)));
        if (step.has(Modifier::S8))
            out[0][lane] = static_cast<std::uint32_t>(static_cast<std::int8_t>(out[0][lane]));
        if (step.has(Modifier::S16))
            out[0][lane] = static_cast<std::uint32_t>(static_cast<std::int16_t>(out[0][lane]));
    });
    for (std::size_t word = 0; word * 4 < bytes; ++word)
        step.write_further(word, out[word]);
}

unsigned byte_of(const Step& step) {
    return step.has(Modifier::B1)   ? 8U
           : step.has(Modifier::B2) ? 16U
           : step.has(Modifier::B3) ? 24U
                                    : 0U;
}

/// P2R and UP2UR: the predicates that the mask names, as bits of a byte; the other bits are kept.
void predicates_to_word(Step& step) {
    if (step.source_count() != 3) return step.fail("expected PR, a register and a mask");
    const bool is_uniform = step.operation->destination.kind == Source::Kind::Uniform;
    const auto& predicates = is_uniform ? step.warp.uniform_predicates : step.warp.predicates;
    const Words& kept = step.word(1);
    const Words& mask = step.word(2);
    const unsigned shift = byte_of(step);
    Words out;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < true_predicate; ++i)
            bits |= std::uint32_t{has_lane(predicates[i], lane)} << i;
        const std::uint32_t named = (mask[lane] & 0xffU) << shift;
        out[lane] = (kept[lane] & ~named) | ((bits << shift) & named);
    }
    step.write(out);
}

/// R2P: bits of a word into the predicates that the mask names.
void word_to_predicates(Step& step) {
    if (step.source_count() != 3) return step.fail("expected PR, a register and a mask");
    const Words& bits = step.word(1);
    const auto mask = step.word(2)[first_lane(step.lanes)];
    const unsigned shift = byte_of(step);
    Source written;
    written.kind = Source::Kind::Predicate;
    for (std::size_t i = 0; i < true_predicate; ++i) {
        if (((mask >> i) & 1U) == 0) continue;
        written.index = i;
        step.set_predicate(written, lanes_where([&](std::size_t lane) {
                               return ((bits[lane] >> (shift + i)) & 1U) != 0;
                           }));
    }
}

/// B2R.RESULT: what BAR.RED found.
void read_barrier_result(Step& step) {
    Words out;
    out.fill(step.warp.reduced);
    step.write(out);
    for (const auto& predicates : {step.operation->leading, step.operation->carries})
        for (const Source& predicate : predicates)
            step.set_predicate(predicate, step.warp.reduced != 0 ? all_lanes : 0);
}

} // namespace

std::span<const SemanticsRow> move_semantics() {
    static constexpr auto rows = std::to_array<SemanticsRow>({
        {"MOV MOV32I UMOV", move_word, "64"},
        {"R2UR", move_to_uniform, ""},
        {"S2R S2UR CS2R CS2UR", read_special, "32"},
        {"LDC ULDC LDCU", load_constant, "U8 S8 U16 S16 32 64 128"},
        {"P2R UP2UR", predicates_to_word, "B1 B2 B3"},
        {"R2P", word_to_predicates, "B1 B2 B3", NumberType::Integer, false},
        {"B2R", read_barrier_result, "RESULT"},
    });
    return rows;
}

} // namespace warpbound::harness::execution
