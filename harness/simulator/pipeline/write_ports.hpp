#pragma once
/// \file
/// The write ports of a scheduler's register banks (C108): results of fixed latency are written at
/// once, those of variable latency in the cycles that are left.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/decode/pipeline_shape.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

namespace warpbound::harness::simulator {

/// State of one scheduler. `Unit:` core cycles. Requires: `now` never decreases from call to call.
class WritePorts {
public:
    explicit WritePorts(std::size_t banks) : banks_(banks) {}

    /// The registers that an instruction writes, by bank.
    struct Writes {
        const BankRegisters* first = nullptr;
        std::size_t count = 0;
    };
    /// A result of variable latency.
    struct Result {
        std::size_t warp_slot = 0;
        std::size_t launch = 0;
        int warp = 0; ///< Number in the run.
        std::int64_t number = 0;
        Writes writes;
        std::int64_t at = never; ///< Its result time if no port is taken; `never`: not known yet.
    };

    /// A result of fixed latency, due at `at` > `now`.
    void write(std::int64_t now, const Writes& writes, std::int64_t at);
    void await(const Result& result) { results_.push_back(result); }
    /// The result of this instruction is due at `at`, which has not passed. Returns false where it
    /// does not wait for a port.
    bool become_due(int warp, std::int64_t number, std::int64_t at);
    /// Takes the results whose last register is written in this cycle. Requires: every result of
    /// fixed latency that is due by `now` is known.
    [[nodiscard]] std::vector<Result> take_written(std::int64_t now);
    /// The next cycle after `now` in which one may be written; `never` when none is known.
    [[nodiscard]] std::int64_t wake(std::int64_t now) const;

private:
    struct Bank {
        /// Results of fixed latency that are not due yet.
        std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> due;
        std::deque<std::int64_t> taken; ///< Cycles in which such a result is written, in order.
        std::int64_t last = -1;         ///< The last of them.
    };

    void settle(Bank& bank, std::int64_t now) const;
    /// Whether the registers that an instruction writes to this bank are written by `now`.
    [[nodiscard]] bool has_written(const Result& result, const BankRegisters& write,
                                   std::int64_t now) const;

    std::vector<Bank> banks_;
    std::vector<Result> results_; ///< Not written yet.
};

} // namespace warpbound::harness::simulator
