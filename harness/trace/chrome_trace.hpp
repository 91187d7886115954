#pragma once
/// \file
/// Writes a run in the Trace Event Format, which Perfetto and chrome://tracing open.

#include "harness/simulator/clock/event.hpp"
#include "harness/trace/traced_kernel.hpp"

#include <map>
#include <tuple>

namespace warpbound::harness::trace {

/// Two processes per SM. The first has one track per warp with its issues and the stalls between
/// them. The second has one track per port of a functional unit with the instructions that occupy
/// it, and the entries of the write buffer as a counter. One core cycle is written as one
/// microsecond. Only the names of the tracks are kept in memory. Source: Google, "Trace Event
/// Format" (2016): complete events X, counters C, metadata M.
class ChromeTrace {
public:
    /// Requires: `kernel` outlives the trace.
    ChromeTrace(const TracedKernel& kernel, Sink sink);

    void receive(const simulator::Event& event);
    /// Ends the document, also if the run was stopped.
    void close(std::int64_t cycles);

private:
    /// SM, unit, scheduler, warp slot of the scheduler; -1 for components that the unit's scope
    /// does not distinguish.
    using Port = std::tuple<int, std::size_t, int, int>;
    struct WarpSlot {
        int multiprocessor = 0;
        int scheduler = 0;
        int slot = 0;
    };
    void receive_one(const simulator::WarpStarted& started);
    void receive_one(const simulator::Issued& issued);
    void receive_one(const simulator::Drained& drained);
    template <typename Other> void receive_one(const Other&) {}
    void write(std::string_view event);
    void write_buffer(std::int64_t cycle, int warp, int entries);
    [[nodiscard]] const WarpSlot& slot_of(int warp) const {
        return slots_.at(static_cast<std::size_t>(warp));
    }
    void write_occupancy(const simulator::Issued& issued, std::size_t unit);
    int track_of(const Port& port);

    const TracedKernel* kernel_;
    Sink sink_;
    std::vector<std::string> opcodes_; ///< By instruction, as JSON strings.
    std::vector<std::string> texts_;
    std::vector<WarpSlot> slots_; ///< By warp.
    std::map<Port, int> tracks_;
    std::map<int, std::int64_t> buffered_; ///< By SM.
    bool any_ = false;
};

} // namespace warpbound::harness::trace
