#include "harness/execution/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace warpbound::harness::execution {

namespace {

constexpr std::uint32_t sign_of_word = 0x80000000U;
constexpr std::uint64_t sign_of_wide = std::uint64_t{1} << 63U;

template <typename Values, typename Function> void change(Values& values, Function function) {
    for (auto& value : values)
        value = function(value);
}

} // namespace

std::uint64_t Step::constant(std::int64_t bank, std::int64_t offset, std::size_t bytes) {
    const auto found = launch.constants.find(bank);
    const auto refuse = [&](std::string_view why) {
        fail(fmt::format("reads {} bytes of c[0x{:x}][0x{:x}], {}", bytes, bank, offset, why));
        return std::uint64_t{0};
    };
    if (found == launch.constants.end()) return refuse("a bank whose contents are not stated");
    const ConstantBank& contents = found->second;
    const auto begin = static_cast<std::size_t>(offset);
    if (offset < 0 || begin + bytes > contents.bytes.size())
        return refuse(bank == 0 ? "beyond the kernel's arguments" : "beyond its contents");
    for (std::size_t word = begin / 4; word * 4 < begin + bytes; ++word)
        if (!contents.known[word])
            return refuse(
                fmt::format("which no argument states; expected --arg 0x{:x}=VALUE", word * 4));
    std::uint64_t value = 0;
    std::memcpy(&value, contents.bytes.data() + begin, bytes);
    return value;
}

std::uint64_t Step::constant_of(const Source& source, std::size_t lane, std::size_t bytes) {
    const auto& operand = std::get<assembly::ConstantOperand>(*source.operand);
    std::int64_t offset = operand.offset;
    if (operand.index_register.value_or(-1) >= 0)
        offset += static_cast<std::int32_t>(
            warp.registers[static_cast<std::size_t>(*operand.index_register)][lane]);
    if (operand.uniform_register.value_or(-1) >= 0)
        offset += static_cast<std::int32_t>(
            warp.uniform[static_cast<std::size_t>(*operand.uniform_register)]);
    return constant(operand.bank, offset, bytes);
}

const Words& Step::plain(std::size_t i) {
    const Source& read = operation->sources[i];
    Words& scratch = words_[i];
    switch (read.kind) {
    case Source::Kind::General:
        return warp.registers[read.index];
    case Source::Kind::Uniform:
        scratch.fill(warp.uniform[read.index]);
        break;
    case Source::Kind::Literal:
        scratch.fill(static_cast<std::uint32_t>(read.literal));
        break;
    case Source::Kind::Constant: {
        const auto& operand = std::get<assembly::ConstantOperand>(*read.operand);
        if (operand.index_register.value_or(-1) < 0) {
            scratch.fill(static_cast<std::uint32_t>(constant_of(read, 0, 4)));
        } else {
            for_each_lane(lanes, [&](std::size_t lane) {
                scratch[lane] = static_cast<std::uint32_t>(constant_of(read, lane, 4));
            });
        }
        break;
    }
    default:
        fail(fmt::format("operand {} cannot be read as a number", i));
        scratch.fill(0);
    }
    return scratch;
}

const Words& Step::word(std::size_t i) {
    const Words& read = plain(i);
    const Source& form = operation->sources[i];
    if (!form.negated && !form.inverted) return read;
    words_[i] = read;
    if (form.inverted) change(words_[i], [](std::uint32_t value) { return ~value; });
    if (form.negated) change(words_[i], [](std::uint32_t value) { return 0 - value; });
    return words_[i];
}

const Words& Step::real(std::size_t i) {
    const Words& read = plain(i);
    const Source& form = operation->sources[i];
    if (!form.negated && !form.absolute) return read;
    words_[i] = read;
    if (form.absolute) change(words_[i], [](std::uint32_t value) { return value & ~sign_of_word; });
    if (form.negated) change(words_[i], [](std::uint32_t value) { return value ^ sign_of_word; });
    return words_[i];
}

const Wides& Step::wide(std::size_t i) {
    const Source& read = operation->sources[i];
    Wides& scratch = wides_[i];
    switch (read.kind) {
    case Source::Kind::General: {
        const Words& low = warp.registers[read.index];
        const bool is_zero = read.index == zero_register;
        const Words& high = warp.registers[is_zero ? zero_register : read.index + 1];
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            scratch[lane] = (std::uint64_t{high[lane]} << 32U) | low[lane];
        break;
    }
    case Source::Kind::Uniform: {
        const bool is_zero = read.index == zero_register;
        const std::uint64_t high = is_zero ? 0 : warp.uniform[read.index + 1];
        scratch.fill((high << 32U) | warp.uniform[read.index]);
        break;
    }
    case Source::Kind::Literal:
        scratch.fill(read.literal);
        break;
    case Source::Kind::Constant:
        scratch.fill(constant_of(read, first_lane(lanes), 8));
        break;
    default:
        fail(fmt::format("operand {} cannot be read as a number", i));
        scratch.fill(0);
    }
    if (read.inverted) change(scratch, [](std::uint64_t value) { return ~value; });
    if (read.negated && !read.absolute && read.kind != Source::Kind::Literal)
        change(scratch, [](std::uint64_t value) { return 0 - value; });
    return scratch;
}

const Wides& Step::wide_real(std::size_t i) {
    const Source& form = operation->sources[i];
    const bool is_negated = form.negated && form.kind != Source::Kind::Literal;
    Wides& scratch = wides_[i];
    wide(i);
    if (is_negated && !form.absolute) // `wide` took the two's complement.
        change(scratch, [](std::uint64_t value) { return 0 - value; });
    if (form.absolute) change(scratch, [](std::uint64_t value) { return value & ~sign_of_wide; });
    if (is_negated) change(scratch, [](std::uint64_t value) { return value ^ sign_of_wide; });
    return scratch;
}

Lanes Step::predicate(const Source& source) const {
    const Lanes holds = source.kind == Source::Kind::UniformPredicate
                            ? warp.uniform_predicates[source.index]
                            : warp.predicates[source.index];
    return source.negated ? ~holds : holds;
}

void Step::set_predicate(const Source& destination, Lanes values) {
    if (destination.index == true_predicate) return;
    if (destination.kind == Source::Kind::UniformPredicate) {
        const bool holds = (values & (lanes & (~lanes + 1))) != 0;
        warp.uniform_predicates[destination.index] = holds ? all_lanes : 0;
        return;
    }
    Lanes& kept = warp.predicates[destination.index];
    kept = (kept & ~lanes) | (values & lanes);
}

void Step::write(std::size_t index, const Words& values) {
    if (index == zero_register) return;
    if (operation->destination.kind == Source::Kind::Uniform) {
        warp.uniform[index] = values[first_lane(lanes)];
        return;
    }
    Words& kept = warp.registers[index];
    if (lanes == all_lanes) {
        kept = values;
        return;
    }
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        kept[lane] = has_lane(lanes, lane) ? values[lane] : kept[lane];
}

void Step::write_further(std::size_t further, const Words& values) {
    const std::size_t index = operation->destination.index;
    if (index != zero_register) write(index + further, values);
}

void Step::write_wide(const Wides& values) {
    Words low;
    Words high;
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        low[lane] = static_cast<std::uint32_t>(values[lane]);
        high[lane] = static_cast<std::uint32_t>(values[lane] >> 32U);
    }
    write_further(0, low);
    write_further(1, high);
}

Wides Step::addresses(std::size_t i) const {
    const AddressForm& form = operation->addresses[i];
    Wides found{};
    const Words& low = warp.registers[form.base];
    const bool has_high = form.is_wide && form.base != zero_register;
    const Words& high = warp.registers[has_high ? form.base + 1 : zero_register];
    std::uint64_t added = static_cast<std::uint64_t>(form.offset);
    if (form.has_uniform) {
        added += warp.uniform[form.uniform];
        if (form.is_wide_uniform) added += std::uint64_t{warp.uniform[form.uniform + 1]} << 32U;
    }
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        found[lane] = ((std::uint64_t{high[lane]} << 32U) | low[lane]) * form.scale + added;
    if (form.is_wide || form.is_wide_uniform) return found;
    for (std::uint64_t& address : found)
        address &= 0xffffffffU;
    return found;
}

void Step::fail(std::size_t lane, const std::string& what) {
    fail(fmt::format("lane {}: {}", lane, what));
}

} // namespace warpbound::harness::execution
