/// \file
/// Atomics and reductions of global and shared memory, lane by lane, lowest lane first.

#include "harness/execution/half_float.hpp"
#include "harness/execution/memory_access.hpp"
#include "harness/execution/semantics.hpp"
#include "harness/execution/step.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpbound::harness::execution {

namespace {

template <typename Number> Number from_bits(std::uint64_t bits) {
    if constexpr (sizeof(Number) == 8)
        return std::bit_cast<Number>(bits);
    else
        return std::bit_cast<Number>(static_cast<std::uint32_t>(bits));
}

std::uint64_t pair_of_halves(std::uint64_t old, std::uint64_t value) {
    const auto sum = [](std::uint64_t a, std::uint64_t b) {
        return std::uint64_t{half_of(float_of_half(static_cast<std::uint32_t>(a) & 0xffffU) +
                                     float_of_half(static_cast<std::uint32_t>(b) & 0xffffU))};
    };
    return (sum(old >> 16U, value >> 16U) << 16U) | sum(old, value);
}

std::uint64_t added(const Step& step, std::uint64_t old, std::uint64_t value) {
    if (step.has(Modifier::F16x2)) return pair_of_halves(old, value);
    if (step.has(Modifier::F64))
        return std::bit_cast<std::uint64_t>(from_bits<double>(old) + from_bits<double>(value));
    if (step.has(Modifier::F32))
        return std::bit_cast<std::uint32_t>(from_bits<float>(old) + from_bits<float>(value));
    return old + value;
}

bool is_below(const Step& step, std::uint64_t a, std::uint64_t b, std::size_t bytes) {
    const bool is_signed = step.has(Modifier::S32) || step.has(Modifier::S64);
    if (!is_signed) return a < b;
    return bytes == 8 ? from_bits<std::int64_t>(a) < from_bits<std::int64_t>(b)
                      : from_bits<std::int32_t>(a) < from_bits<std::int32_t>(b);
}

/// What an atomic with one operand leaves in memory.
std::uint64_t updated(const Step& step, std::uint64_t old, std::uint64_t value, std::size_t bytes) {
    using enum Modifier;
    if (step.has(POPC)) return old + 1;
    if (step.has(ADD)) return added(step, old, value);
    if (step.has(MIN)) return is_below(step, value, old, bytes) ? value : old;
    if (step.has(MAX)) return is_below(step, old, value, bytes) ? value : old;
    if (step.has(INC)) return old >= value ? 0 : old + 1;
    if (step.has(DEC)) return old == 0 || old > value ? value : old - 1;
    if (step.has(AND)) return old & value;
    if (step.has(OR)) return old | value;
    if (step.has(XOR)) return old ^ value;
    return value; // EXCH
}

Wides operand_values(Step& step, std::size_t i, std::size_t bytes) {
    Wides values{};
    if (i >= step.source_count()) return values;
    if (bytes == 8) return step.wide(i);
    const Words& words = step.word(i);
    std::copy(words.begin(), words.end(), values.begin());
    return values;
}

/// CAS takes the value to compare, then the new one. CAST tells whether it stored.
void atomic(Step& step) {
    const std::size_t bytes = access_bytes(step);
    const Wides addresses = step.addresses();
    const bool is_cast = step.has(Modifier::CAST);
    const bool compares = step.has(Modifier::CAS) || is_cast;
    const Wides first = operand_values(step, 0, bytes);
    const Wides second = operand_values(step, 1, bytes);
    Wides results{};
    Lanes stored = 0;
    for_each_lane(step.lanes, [&](std::size_t lane) {
        if (step.failure) return;
        std::byte* const found = find_bytes(step, lane, addresses[lane], bytes, true);
        if (found == nullptr) return;
        std::uint64_t old = 0;
        std::memcpy(&old, found, bytes);
        const bool stores = !compares || old == first[lane];
        const std::uint64_t next = compares ? second[lane] : updated(step, old, first[lane], bytes);
        if (stores) std::memcpy(found, &next, bytes);
        stored |= Lanes{stores} << lane;
        results[lane] = is_cast ? std::uint64_t{stores} : old;
    });
    if (step.failure) return;
    step.record(addresses, step.lanes);
    for (const Source& predicate : step.operation->leading)
        step.set_predicate(predicate, stored);
    if (bytes == 8 && !is_cast) return step.write_wide(results);
    Words words;
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        words[lane] = static_cast<std::uint32_t>(results[lane]);
    step.write(words);
}

} // namespace

std::span<const SemanticsRow> atomic_semantics() {
    constexpr std::string_view forms = "ADD MIN MAX EXCH CAS CAST INC DEC POPC AND OR XOR S32 U32 "
                                       "32 64 U64 S64 F32 F64 F16x2 FTZ RN";
    static constexpr auto rows = std::to_array<SemanticsRow>({
        {"ATOM ATOMG ATOMS", atomic, forms},
        {"RED REDG", atomic, forms, NumberType::Integer, false},
    });
    return rows;
}

} // namespace warpbound::harness::execution
