#pragma once
/// \file
/// One execution of an instruction by a warp: what its semantics read and write.

#include "harness/execution/lane_values.hpp"
#include "harness/execution/launch_state.hpp"
#include "harness/execution/operation.hpp"
#include "harness/execution/warp_state.hpp"

#include <optional>
#include <string>

namespace warpbound::harness::execution {

class Step {
public:
    Step(const LaunchState& shape, LaunchState& state, BlockState& of_block, WarpState& of_warp)
        : launch{shape}, written{state}, block{of_block}, warp{of_warp} {}

    /// Begins an instruction that executes for these lanes, which are among the active ones.
    void begin(const Operation& next, Lanes executing, Lanes converged) {
        operation = &next;
        lanes = executing;
        active = converged;
    }

    [[nodiscard]] bool has(Modifier modifier) const { return operation->has(modifier); }
    [[nodiscard]] std::size_t source_count() const { return operation->sources.size(); }
    /// The i-th value read. Integers: `-` is the two's complement, `~` inverts.
    const Words& word(std::size_t i);
    /// Floating point: `-` and `|..|` change the sign bit.
    const Words& real(std::size_t i);
    /// A pair of registers, 64 bits of a constant, or a literal; integers.
    const Wides& wide(std::size_t i);
    /// The same as a double: a literal is its 64 bits.
    const Wides& wide_real(std::size_t i);
    /// Without any modifier of the operand.
    const Words& plain(std::size_t i);
    [[nodiscard]] const Source& source(std::size_t i) const { return operation->sources[i]; }

    /// The lanes for which a predicate holds.
    [[nodiscard]] Lanes predicate(const Source& source) const;
    void set_predicate(const Source& destination, Lanes values);
    /// The destination, for the executing lanes.
    void write(const Words& values) { write(operation->destination.index, values); }
    void write_wide(const Wides& values);
    /// The register `further` ones after the destination.
    void write_further(std::size_t further, const Words& values);
    [[nodiscard]] const Words& general(std::size_t index) const { return warp.registers[index]; }
    /// A value of a constant bank, which must be known. `Unit:` bytes.
    std::uint64_t constant(std::int64_t bank, std::int64_t offset, std::size_t bytes);

    /// The addresses of the lanes that the i-th memory operand names.
    Wides addresses(std::size_t i = 0) const;
    /// What the instruction accessed, for the recording.
    void record(const Wides& addresses, Lanes accessing) {
        recorded_addresses = addresses;
        recorded_lanes = accessing;
    }

    void fail(std::string what) {
        if (!failure) failure = std::move(what);
    }
    void fail(std::size_t lane, const std::string& what);

    const LaunchState& launch;
    LaunchState& written; ///< The same, for writing to its memory.
    BlockState& block;
    WarpState& warp;
    const Operation* operation = nullptr;
    Lanes lanes = 0;  ///< For which it executes.
    Lanes active = 0; ///< That issue it.
    Wides recorded_addresses{};
    Lanes recorded_lanes = 0;
    std::optional<std::string> failure;

private:
    void write(std::size_t index, const Words& values);
    std::uint64_t constant_of(const Source& source, std::size_t lane, std::size_t bytes);

    std::array<Words, 6> words_;
    std::array<Wides, 6> wides_;
};

namespace detail {
template <std::size_t Count, typename Get, typename Function, typename Out>
void apply_to_lanes(Get get, Function function, Out& out) {
    if constexpr (Count == 1) {
        const auto& a = get(0);
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            out[lane] = function(a[lane]);
    } else if constexpr (Count == 2) {
        const auto& a = get(0);
        const auto& b = get(1);
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            out[lane] = function(a[lane], b[lane]);
    } else {
        const auto& a = get(0);
        const auto& b = get(1);
        const auto& c = get(2);
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            out[lane] = function(a[lane], b[lane], c[lane]);
    }
}
} // namespace detail

/// Writes `function` of the first `Count` integers of every lane. It must be total: lanes that do
/// not execute are computed and dropped.
template <std::size_t Count, typename Function> void each_word(Step& step, Function function) {
    Words out;
    detail::apply_to_lanes<Count>([&](std::size_t i) -> const Words& { return step.word(i); },
                                  function, out);
    step.write(out);
}

} // namespace warpbound::harness::execution
