#include "harness/devices/cuda/late_blocks.hpp"

#include "harness/protocol/block_lives.hpp"
#include "harness/ptx_kernel.hpp"

#include <fmt/format.h>

namespace warpbound::harness::cuda {

std::optional<Remark> late_blocks(const std::vector<models::WarpObservation>& warps) {
    for (const auto& [multiprocessor, lives] : lives_of_blocks(warps)) {
        if ((lives.first_end - lives.first_begin).count() < semaphore_time_out) continue;
        for (const auto& block : lives.blocks) {
            const std::int64_t after = (block.begin - lives.first_begin).count();
            if (block.begin < lives.first_end && after > semaphore_time_out / 2)
                return Remark{RunAnomaly::Clock,
                              fmt::format("a block began on SM {} {} cycles after the first one, "
                                          "which waited {}: more may have fitted",
                                          multiprocessor, after, semaphore_time_out)};
        }
    }
    return std::nullopt;
}

} // namespace warpbound::harness::cuda
