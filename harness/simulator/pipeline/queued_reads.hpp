#pragma once
/// \file
/// The reads of instructions of variable latency (C111): they take the cycles of a scheduler's read
/// ports that instructions of fixed latency leave free.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/decode/pipeline_shape.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// State of one scheduler. `Unit:` core cycles. Requires: `now` never decreases from call to call.
class QueuedReads {
public:
    explicit QueuedReads(std::size_t banks) : taken_(banks) {}

    /// An executed instruction of variable latency.
    struct Reader {
        std::size_t warp_slot = 0;
        std::size_t launch = 0;
        int warp = 0; ///< Number in the run.
        std::size_t instruction = 0;
        std::int64_t number = 0;
        const BankRegisters* first = nullptr; ///< What it reads, by bank.
        std::size_t count = 0;
        std::optional<std::int64_t> result{};  ///< Its result time without the wait, if it has one.
        std::optional<std::int64_t> sources{}; ///< When its read barrier is released, likewise.
        std::int64_t at = 0; ///< When its last register is read if no port is taken.
    };

    /// An instruction of fixed latency reads the bank in the `cycles` cycles before `until`, later
    /// than all that took it before.
    void take(std::size_t bank, std::int64_t until, std::int64_t cycles);
    /// Requires: `reader.at` has not passed.
    void await(const Reader& reader) { readers_.push_back(reader); }
    /// Takes those whose last register is read in this cycle. Requires: all that instructions of
    /// fixed latency read by `now` is known.
    [[nodiscard]] std::vector<Reader> take_read(std::int64_t now);
    /// The next cycle after `now` in which one may be read; `never` when none waits.
    [[nodiscard]] std::int64_t wake(std::int64_t now) const;

private:
    /// Cycles from `from` to before `until`.
    struct Span {
        std::int64_t from = 0;
        std::int64_t until = 0;
    };

    /// Whether the registers of this bank are read by `now`.
    [[nodiscard]] bool has_read(const Reader& reader, const BankRegisters& reads,
                                std::int64_t now) const;
    void forget_before(std::int64_t cycle);

    std::vector<std::deque<Span>> taken_; ///< By bank, in order.
    std::vector<Reader> readers_;         ///< Not read yet.
};

} // namespace warpbound::harness::simulator
