/// \file
/// Loads and stores of global, shared and local memory.

#include "harness/execution/memory_access.hpp"
#include "harness/execution/semantics.hpp"
#include "harness/execution/step.hpp"

#include <algorithm>
#include <cstring>

namespace warpbound::harness::execution {

namespace {

using Quads = std::array<Words, 4>; // Up to 16 bytes of every lane.

std::uint32_t extended(const Step& step, std::uint32_t value) {
    if (step.has(Modifier::S8)) return static_cast<std::uint32_t>(static_cast<std::int8_t>(value));
    if (step.has(Modifier::S16))
        return static_cast<std::uint32_t>(static_cast<std::int16_t>(value));
    return value;
}

/// The registers of the destination, or of a stored value.
void write_registers(Step& step, const Quads& values, std::size_t bytes) {
    for (std::size_t word = 0; word * 4 < bytes; ++word)
        step.write_further(word, values[word]);
}

/// Reads the registers of a stored group; a literal or RZ counts for all of it.
void read_registers(Step& step, std::size_t source, Quads& values, std::size_t bytes) {
    const Source& form = step.source(source);
    for (std::size_t word = 0; word * 4 < bytes; ++word) {
        if (form.kind == Source::Kind::General && form.index != zero_register)
            values[word] = step.general(form.index + word);
        else if (form.kind == Source::Kind::Uniform && form.index != zero_register)
            values[word].fill(step.warp.uniform[form.index + word]);
        else
            values[word] = step.plain(source);
    }
}

template <typename Access>
void access_memory(Step& step, const Wides& addresses, std::size_t bytes, bool is_written,
                   Access access) {
    for_each_lane(step.lanes, [&](std::size_t lane) {
        if (step.failure) return;
        std::byte* const found = find_bytes(step, lane, addresses[lane], bytes, is_written);
        if (found != nullptr) access(lane, found);
    });
}

void load(Step& step) {
    const std::size_t bytes = access_bytes(step);
    const Wides addresses = step.addresses();
    Quads values{};
    access_memory(step, addresses, bytes, false, [&](std::size_t lane, const std::byte* from) {
        std::array<std::uint32_t, 4> words{};
        std::memcpy(words.data(), from, bytes);
        values[0][lane] = extended(step, words[0]);
        for (std::size_t word = 1; word * 4 < bytes; ++word)
            values[word][lane] = words[word];
    });
    if (step.failure) return;
    write_registers(step, values, bytes);
    step.record(addresses, step.lanes);
}

void store(Step& step) {
    const std::size_t bytes = access_bytes(step);
    const Wides addresses = step.addresses();
    Quads values{};
    read_registers(step, 0, values, bytes);
    access_memory(step, addresses, bytes, true, [&](std::size_t lane, std::byte* to) {
        std::array<std::uint32_t, 4> words{};
        for (std::size_t word = 0; word * 4 < bytes; ++word)
            words[word] = values[word][lane];
        std::memcpy(to, words.data(), bytes);
    });
    step.record(addresses, step.lanes);
}

/// Calls `access(lane, word, register)` for each word of local memory.
template <typename Access>
void access_local(Step& step, const Wides& addresses, std::size_t bytes, Access access) {
    for_each_lane(step.lanes, [&](std::size_t lane) {
        for (std::size_t word = 0; word * 4 < bytes && !step.failure; ++word)
            if (std::uint32_t* const found =
                    find_local_word(step, lane, addresses[lane] + 4 * word))
                access(lane, word, *found);
    });
    step.record(interleaved_local(step, addresses), step.lanes);
}

/// The bits of a word that an access of fewer bytes covers.
struct PartOfWord {
    unsigned shift = 0;
    std::uint32_t mask = ~std::uint32_t{0};
};

PartOfWord part_of(std::uint64_t address, std::size_t bytes) {
    if (bytes >= 4) return {};
    return {static_cast<unsigned>(8 * (address % 4)),
            (std::uint32_t{1} << (8 * static_cast<unsigned>(bytes))) - 1};
}

void load_local(Step& step) {
    const std::size_t bytes = access_bytes(step);
    const Wides addresses = step.addresses();
    Quads values{};
    access_local(step, addresses, bytes,
                 [&](std::size_t lane, std::size_t word, std::uint32_t& of) {
                     const PartOfWord part = part_of(addresses[lane], bytes);
                     values[word][lane] = extended(step, (of >> part.shift) & part.mask);
                 });
    if (!step.failure) write_registers(step, values, bytes);
}

void store_local(Step& step) {
    const std::size_t bytes = access_bytes(step);
    const Wides addresses = step.addresses();
    Quads values{};
    read_registers(step, 0, values, bytes);
    access_local(step, addresses, bytes,
                 [&](std::size_t lane, std::size_t word, std::uint32_t& of) {
                     const PartOfWord part = part_of(addresses[lane], bytes);
                     of = (of & ~(part.mask << part.shift)) |
                          ((values[word][lane] & part.mask) << part.shift);
                 });
}

/// LDGSTS: from global (second address) to shared memory (first address). Lanes whose predicate
/// does not hold store zeros.
void copy_to_shared(Step& step) {
    const std::size_t bytes = access_bytes(step);
    if (step.operation->addresses.size() != 2) return step.fail("expected two addresses");
    Wides to = step.addresses(0);
    for (std::uint64_t& address : to)
        address &= 0xffffffffU;
    const Wides from = step.addresses(1);
    const auto& predicates = step.operation->trailing;
    const Lanes reads = predicates.empty() ? all_lanes : step.predicate(predicates[0]);
    for_each_lane(step.lanes, [&](std::size_t lane) {
        if (step.failure) return;
        std::byte* const target = find_shared_bytes(step, lane, to[lane], bytes);
        if (target == nullptr) return;
        std::fill_n(target, bytes, std::byte{0});
        if (!has_lane(reads, lane)) return;
        const std::byte* const source = find_bytes(step, lane, from[lane], bytes, false);
        if (source != nullptr) std::copy_n(source, bytes, target);
    });
    step.record(from, step.lanes);
}

} // namespace

std::span<const SemanticsRow> memory_semantics() {
    constexpr std::string_view widths = "U8 S8 U16 S16 32 64 128 U";
    static constexpr auto rows = std::to_array<SemanticsRow>({
        {"LDG LDS LD", load, widths},
        {"STG STS ST", store, widths, NumberType::Integer, false},
        {"LDL", load_local, widths},
        {"STL", store_local, widths, NumberType::Integer, false},
        {"LDGSTS", copy_to_shared, "32 64 128", NumberType::Integer, false},
    });
    return rows;
}

} // namespace warpbound::harness::execution
