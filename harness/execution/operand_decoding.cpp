#include "harness/execution/operand_decoding.hpp"

#include "harness/execution/half_float.hpp"
#include "harness/execution/warp_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

namespace warpbound::harness::execution {

namespace {

using assembly::RegisterFile;
using assembly::RegisterOperand;

bool is_predicate_source(const Source& source) {
    return source.kind == Source::Kind::Predicate || source.kind == Source::Kind::UniformPredicate;
}

/// The number that a literal of a floating-point instruction names.
std::optional<double> read_real(std::string_view text) {
    const bool negative = !text.empty() && text.front() == '-';
    std::string_view digits = text;
    if (!digits.empty() && (digits.front() == '-' || digits.front() == '+'))
        digits.remove_prefix(1);
    if (digits == "INF") return negative ? -HUGE_VAL : HUGE_VAL;
    const std::string whole{text};
    char* end = nullptr;
    const double value = std::strtod(whole.c_str(), &end);
    return end == whole.c_str() + whole.size() ? std::optional{value} : std::nullopt;
}

/// The bits of a literal; nothing: it is no number of this type.
std::optional<std::uint64_t> literal_bits(const assembly::ImmediateOperand& immediate,
                                          NumberType type) {
    const bool is_bits = immediate.text.find("0x") != std::string::npos;
    if (type == NumberType::Integer || is_bits) {
        if (!immediate.integer) return std::nullopt;
        return static_cast<std::uint64_t>(*immediate.integer);
    }
    constexpr std::uint32_t quiet_nan = 0x7fffffff;
    const bool is_negative = immediate.text.front() == '-';
    if (immediate.text.find("QNAN") != std::string::npos) {
        const std::uint32_t bits = quiet_nan | (is_negative ? 0x80000000U : 0U);
        if (type == NumberType::Float) return bits;
        if (type == NumberType::Half) return (bits >> 16U) * 0x10001U;
        return (std::uint64_t{bits} << 32U) | 0xffffffffU;
    }
    const auto value = read_real(immediate.text);
    if (!value) return std::nullopt;
    if (type == NumberType::Double) return std::bit_cast<std::uint64_t>(*value);
    if (type == NumberType::Half) return half_of(static_cast<float>(*value)) * 0x10001U;
    return std::bit_cast<std::uint32_t>(static_cast<float>(*value));
}

/// Register groups are named by their first register.
void decode_register(const RegisterOperand& operand, Source& into) {
    const bool is_predicate =
        operand.file == RegisterFile::Predicate || operand.file == RegisterFile::UniformPredicate;
    into.index = operand.index  ? static_cast<std::size_t>(*operand.index)
                 : is_predicate ? true_predicate
                                : zero_register;
    into.negated = operand.negated;
    into.absolute = operand.absolute;
    into.inverted = operand.inverted;
    switch (operand.file) {
    case RegisterFile::General:
        into.kind = Source::Kind::General;
        break;
    case RegisterFile::Uniform:
        into.kind = Source::Kind::Uniform;
        break;
    case RegisterFile::Predicate:
        into.kind = Source::Kind::Predicate;
        break;
    case RegisterFile::UniformPredicate:
        into.kind = Source::Kind::UniformPredicate;
        break;
    case RegisterFile::Carry:
    case RegisterFile::Barrier:
    case RegisterFile::Vector:
    case RegisterFile::Scalar:
    case RegisterFile::Accumulation:
    case RegisterFile::State:
        into.kind = Source::Kind::Other;
        break;
    }
}

/// Why a suffix of an operand cannot be executed; empty: it can.
std::string decode_suffixes(const std::vector<std::string>& suffixes, Source& into) {
    for (const std::string& suffix : suffixes) {
        if (suffix == "reuse" || suffix == "64" || suffix == "U32" || suffix == "H1_H0" ||
            suffix == "F32")
            continue;
        if (suffix == "H0_H0" || suffix == "H0") {
            into.high_half = false;
        } else if (suffix == "H1_H1" || suffix == "H1") {
            into.low_half = false;
        } else {
            return fmt::format("no semantics of operand suffix .{}", suffix);
        }
    }
    return {};
}

std::string decode_address(const assembly::MemoryOperand& memory, bool is_64_bit,
                           AddressForm& into) {
    into.base = zero_register;
    into.uniform = zero_register;
    into.offset = memory.offset;
    into.is_wide = is_64_bit;
    if (memory.base) {
        into.base =
            memory.base->index ? static_cast<std::size_t>(*memory.base->index) : zero_register;
        for (const std::string& suffix : memory.base->suffixes) {
            if (suffix == "U32")
                into.is_wide = false;
            else if (suffix == "64")
                into.is_wide = true;
            else if (suffix == "X4" || suffix == "X8" || suffix == "X16")
                into.scale = suffix == "X4" ? 4 : suffix == "X8" ? 8 : 16;
            else if (suffix != "reuse")
                return fmt::format("no semantics of address suffix .{}", suffix);
        }
    }
    if (memory.uniform && memory.uniform->index) {
        into.has_uniform = true;
        into.is_wide_uniform = is_64_bit;
        into.uniform = static_cast<std::size_t>(*memory.uniform->index);
    }
    return {};
}

std::string decode_source(const assembly::Operand& operand, NumberType type, Source& into) {
    into.operand = &operand;
    if (const auto* reg = std::get_if<RegisterOperand>(&operand)) {
        decode_register(*reg, into);
        return decode_suffixes(reg->suffixes, into);
    }
    if (const auto* constant = std::get_if<assembly::ConstantOperand>(&operand)) {
        if (constant->bank_register) return "no semantics of bindless constants";
        into.kind = Source::Kind::Constant;
        into.negated = constant->negated;
        into.absolute = constant->absolute;
        into.inverted = constant->inverted;
        return decode_suffixes(constant->suffixes, into);
    }
    if (const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand)) {
        const auto bits = literal_bits(*immediate, type);
        if (!bits) return fmt::format("no number '{}'", immediate->text);
        into.kind = Source::Kind::Literal;
        into.literal = *bits;
    }
    return {};
}

} // namespace

std::string decode_operands(const assembly::Instruction& instruction, NumberType type, bool writes,
                            Operation& into) {
    into.destination.kind = Source::Kind::General;
    into.destination.index = zero_register;
    into.guard.kind = Source::Kind::Predicate;
    into.guard.index = true_predicate;
    if (instruction.guard) decode_register(instruction.guard->predicate, into.guard);
    const bool is_64_bit = instruction.has_modifier("E");
    bool is_written = !writes;
    for (const assembly::Operand& operand : instruction.operands) {
        if (const auto* memory = std::get_if<assembly::MemoryOperand>(&operand)) {
            AddressForm& address = into.addresses.emplace_back();
            if (auto why = decode_address(*memory, is_64_bit, address); !why.empty()) return why;
            is_written = true; // A destination stands before the address.
            continue;
        }
        Source source;
        if (auto why = decode_source(operand, type, source); !why.empty()) return why;
        const bool is_register =
            source.kind == Source::Kind::General || source.kind == Source::Kind::Uniform;
        if (is_predicate_source(source)) {
            (!is_written || (!writes && into.sources.empty() && into.addresses.empty())
                 ? into.leading
             : into.sources.empty() && into.addresses.empty() ? into.carries
                                                              : into.trailing)
                .push_back(source);
        } else if (!is_written && is_register) {
            into.destination = source;
            is_written = true;
        } else {
            into.sources.push_back(source);
        }
    }
    return {};
}

} // namespace warpbound::harness::execution
