#pragma once
/// \file
/// A run in the Trace Event Format, which Perfetto and chrome://tracing open.

#include "harness/simulator/clock/event.hpp"
#include "harness/trace/traced_kernel.hpp"

#include <map>
#include <tuple>

namespace warpbound::harness::trace {

/// Of each SM, two processes: one track per warp with its issues and, between them, what it waited
/// for; and one track per port of a functional unit with what occupies it, the entries of the write
/// buffer as a counter. One core cycle is written as one microsecond. Nothing of the run is kept
/// but the names of the tracks. Source: Google, "Trace Event Format" (2016): complete events X,
/// counters C, metadata M.
class ChromeTrace {
public:
    /// Requires: `kernel` outlives the trace.
    ChromeTrace(const TracedKernel& kernel, Sink sink);

    void hear(const simulator::Event& event);
    /// Ends the document, also when the run was stopped.
    void close(std::int64_t cycles);

private:
    /// SM, unit, scheduler, place among its warps; -1 for what the unit's scope does not tell
    /// apart.
    using Port = std::tuple<int, std::size_t, int, int>;
    struct Place {
        int multiprocessor = 0;
        int scheduler = 0;
        int place = 0;
    };
    void hear_one(const simulator::WarpStarted& started);
    void hear_one(const simulator::Issued& issued);
    void hear_one(const simulator::Drained& drained);
    template <typename Other> void hear_one(const Other&) {}
    void write(std::string_view event);
    void write_buffer(std::int64_t cycle, int warp, int entries);
    [[nodiscard]] const Place& place_of(int warp) const {
        return places_.at(static_cast<std::size_t>(warp));
    }
    void write_occupancy(const simulator::Issued& issued, std::size_t unit);
    int track_of(const Port& port);

    const TracedKernel* kernel_;
    Sink sink_;
    std::vector<std::string> opcodes_; ///< By instruction, as JSON strings.
    std::vector<std::string> texts_;
    std::vector<Place> places_; ///< By warp.
    std::map<Port, int> tracks_;
    std::map<int, std::int64_t> buffered_; ///< By SM.
    bool any_ = false;
};

} // namespace warpbound::harness::trace
