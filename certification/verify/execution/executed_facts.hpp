#pragma once
/// \file
/// Flow facts held against thread blocks that were executed.

#include "assembly/flow/control_flow_graph.hpp"
#include "harness/execution/block_run.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"

#include <cstdint>
#include <string>

namespace warpbound::certification::verify {

class ExecutedFacts {
public:
    /// All must outlive this object.
    ExecutedFacts(const harness::execution::ExecutedCode& code,
                  const models::Architecture& architecture, const models::Launch& stated)
        : code_{code}, architecture_{architecture}, launch_{stated} {}

    /// What the execution of the block with that number contradicts: bounds of loops, blocks and
    /// edges, what lanes decide alike, passes of accesses, representatives. Levels and patterns are
    /// not compared. Empty: nothing.
    [[nodiscard]] std::string contradicted(const models::FlowFacts& facts,
                                           const harness::RecordedBlock& block,
                                           std::int64_t number) const;

private:
    const harness::execution::ExecutedCode& code_;
    const models::Architecture& architecture_;
    const models::Launch& launch_;
};

} // namespace warpbound::certification::verify
