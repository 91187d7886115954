#pragma once
/// \file
/// The issues of a run as comma-separated values.

#include "harness/simulator/clock/event.hpp"
#include "harness/trace/traced_kernel.hpp"

namespace warpbound::harness::trace {

/// One line per issue: cycle, warp of the launch, address of the block, address and text of the
/// instruction, whether it executed, and the last stall before it.
class CsvTrace {
public:
    /// Requires: `kernel` outlives the trace.
    CsvTrace(const TracedKernel& kernel, Sink sink);

    void receive(const simulator::Event& event);
    /// Writes nothing: there is no trailer.
    void close(std::int64_t /*cycles*/) {}

private:
    const TracedKernel* kernel_;
    Sink sink_;
    std::vector<int> multiprocessors_; ///< By warp.
};

} // namespace warpbound::harness::trace
