#pragma once
/// \file
/// A run and its trace as text.

#include "harness/trace/traced_kernel.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <string>

namespace warpbound::harness::trace {

/// The text that a writer produces for a run. `cycles`: the end of the run as passed to the writer;
/// later events are left out.
template <typename Writer>
std::string text_of(const simulator::test::TestProgram& program,
                    const models::Architecture& machine, models::Launch launch,
                    const simulator::test::TestRun& run,
                    std::int64_t cycles = std::numeric_limits<std::int64_t>::max()) {
    const auto kernel = traced_kernel(machine, program.kernel(launch));
    if (!kernel) {
        ADD_FAILURE() << kernel.error().what;
        return {};
    }
    std::string text;
    Writer writer{kernel.value(), [&](std::string_view piece) { text += piece; }};
    for (const auto& event : run.events)
        if (std::visit([](const auto& what) { return what.cycle; }, event) < cycles)
            writer.receive(event);
    writer.close(std::min(cycles, run.observation.execution_time.count()));
    return text;
}

} // namespace warpbound::harness::trace
