#pragma once
/// \file
/// The blocks on the SM: starts them, opens their barriers, replaces them when they end.

#include "harness/simulator/barrier.hpp"
#include "harness/simulator/component.hpp"
#include "harness/simulator/kernel_code.hpp"
#include "harness/simulator/link.hpp"
#include "harness/simulator/messages.hpp"

#include <vector>

namespace warpbound::harness::simulator {

/// The first blocks start in cycle 0, the origin of time. A slot whose block ended gets the next
/// block of the launch after `blocks/replacement` and `blocks/start` cycles.
class ResidentBlocks final : public Component {
public:
    struct Plugs {
        std::vector<Sink<WarpReport>> reports;  ///< Per scheduler.
        std::vector<Source<BlockOrder>> orders; ///< Per scheduler.
    };
    ResidentBlocks(Plugs plugs, const KernelCode& code, const RunOptions& options);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return started_ == 0 ? 0 : never; }

    /// Every block of the launch has ended.
    [[nodiscard]] bool is_done() const { return ended_ == code_->blocks; }

private:
    void start(std::size_t slot, std::int64_t at);
    void release(std::size_t slot, std::uint8_t barrier, std::int64_t now);
    void hear(const WarpReport& report, std::int64_t now);
    void tell_all(const BlockOrder& order);

    Plugs plugs_;
    const KernelCode* code_;
    Chance chance_;
    std::vector<BlockBarriers> barriers_; ///< Per slot.
    std::int64_t started_ = 0;
    std::int64_t ended_ = 0;
};

} // namespace warpbound::harness::simulator
