#pragma once
/// \file
/// A run as a table of cycles and warps: the issued instruction or the stall of each warp.

#include "harness/simulator/clock/event.hpp"
#include "harness/trace/traced_kernel.hpp"

#include <deque>
#include <map>
#include <tuple>

namespace warpbound::harness::trace {

/// One column per warp slot, one row per cycle. A row without issues stands for all following
/// cycles in which no cell changes. A cell is the opcode that issues, else the stall of the cycle;
/// "." if the slot is empty. A row is written once the stall of every warp is known, so memory
/// grows with the longest stall, not with the run. Source: after the per-cycle tables of Voudouris
/// 2014, Appendix C.
class CycleTable {
public:
    /// Requires: `kernel` outlives the table.
    CycleTable(const TracedKernel& kernel, Sink sink);

    void receive(const simulator::Event& event);
    /// Writes the remaining rows. `cycles`: where the run ended or was stopped.
    void close(std::int64_t cycles);

private:
    struct Cell {
        int warp = -1; ///< -1: empty slot.
        std::string text = ".";
        bool issue = false;
        friend bool operator==(const Cell&, const Cell&) = default;
    };
    /// A cell that is valid up to a cycle.
    struct Stretch {
        std::int64_t last = 0;
        Cell cell;
    };
    struct Column {
        bool live = false;
        std::int64_t known = -1; ///< Last cycle of the last stretch.
        std::deque<Stretch> stretches;
        int headed = -1; ///< The warp that the heading names.

        void extend(std::int64_t last, Cell cell);
    };
    struct Row {
        std::int64_t first = 0;
        std::int64_t last = -1;
        std::vector<Cell> cells;
    };
    void receive_one(const simulator::WarpStarted& started);
    void receive_one(const simulator::Issued& issued);
    void receive_one(const simulator::WarpEnded& ended);
    template <typename Other> void receive_one(const Other&) {}

    Column& column_of(int warp) {
        return columns_[column_of_warp_[static_cast<std::size_t>(warp)]];
    }
    void write_until(std::int64_t cycle);
    /// The row from `next_` on, at most up to `cycle`.
    Row next_row(std::int64_t cycle);
    void write_row();
    void write_heading();

    const TracedKernel* kernel_;
    Sink sink_;
    std::map<std::tuple<int, int, int>, std::size_t>
        column_of_slot_; ///< By SM, scheduler, warp slot.
    std::vector<std::size_t> column_of_warp_;
    std::vector<Column> columns_; ///< In the order in which the slots were first occupied.
    std::int64_t next_ = 0;
    Row row_; ///< Not yet written: it may be extended.
};

} // namespace warpbound::harness::trace
