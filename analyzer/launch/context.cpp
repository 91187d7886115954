#include "analyzer/launch/context.hpp"

#include <cstddef>

namespace warpbound::analyzer {

AnalysisContext without_addresses(const AnalysisContext& context) {
    AnalysisContext plain = context;
    MemoryPath& memory = plain.memory;
    for (std::size_t i = 0; i < memory.unrefined.size(); ++i) {
        if (!memory.unrefined[i]) continue;
        models::InstructionTiming& timing = plain.kernel.timings.own()[i].value();
        timing.passes = memory.unrefined[i]->passes;
        timing.latency = memory.unrefined[i]->latency;
    }
    memory.footprint.reset();
    memory.unrefined.clear();
    return plain;
}

} // namespace warpbound::analyzer
