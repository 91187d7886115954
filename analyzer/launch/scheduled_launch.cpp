#include "analyzer/launch/scheduled_launch.hpp"

#include <algorithm>
#include <cstdint>

namespace warpbound::analyzer {

bool has_scheduler_to_itself(const LaunchGeometry& shape) {
    const models::ThreadBlocks blocks = std::min(shape.resident, shape.blocks);
    return shape.waves() == 1 &&
           shape.on_one_scheduler(blocks * shape.warps_per_block) == models::Warps{1};
}

bool conserves_work(const ScheduledLaunch& launch) {
    const LaunchGeometry& shape = launch.shape;
    const models::Warps warp_slots = shape.on_one_scheduler(shape.most_resident_warps());
    switch (launch.guarantee()) {
    case models::PolicyGuarantee::WorkConserving:
        return true;
    case models::PolicyGuarantee::SetLimited:
        return shape.has_one_warp() || warp_slots <= models::Warps{launch.policy.active};
    case models::PolicyGuarantee::OrderForced:
        return shape.has_one_warp() || warp_slots == models::Warps{1};
    case models::PolicyGuarantee::TimeDivision:
        break;
    }
    return false;
}

} // namespace warpbound::analyzer
