#pragma once
/// \file
/// Grants what the whole SM shares: core ports and places in the write buffer.

#include "harness/simulator/component.hpp"
#include "harness/simulator/event_log.hpp"
#include "harness/simulator/kernel_code.hpp"
#include "harness/simulator/link.hpp"
#include "harness/simulator/messages.hpp"
#include "harness/simulator/write_buffer.hpp"

#include <vector>

namespace warpbound::harness::simulator {

/// Answers every request in the step after it. Of requests made together chance decides who comes
/// first.
class IssueArbiter final : public Component {
public:
    struct Plugs {
        std::vector<Sink<IssueRequest>> requests; ///< Per scheduler.
        std::vector<Source<IssueAnswer>> answers; ///< Per scheduler.
        std::vector<Staged<std::int64_t>*> ports_free_at;
        Staged<std::int64_t>* buffer_room_at = nullptr;
    };
    IssueArbiter(Plugs plugs, const KernelCode& code, const RunOptions& options, EventLog& log);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return never; }

    /// When the last entry of the write buffer drains.
    [[nodiscard]] std::int64_t last_drain() const { return buffer_.last_drain(); }

private:
    bool grant(const IssueRequest& request, std::int64_t now);

    Plugs plugs_;
    Range drain_;
    EventLog* log_;
    Chance chance_;
    WriteBuffer buffer_;
    std::vector<std::size_t> asking_;
};

} // namespace warpbound::harness::simulator
