#include "analyzer/launch/scheduled_launch.hpp"

#include <algorithm>
#include <cstdint>

namespace warpbound::analyzer {

bool has_scheduler_to_itself(const LaunchGeometry& shape) {
    const std::int64_t blocks = std::min(shape.resident, shape.blocks);
    return shape.waves() == 1 && shape.on_one_scheduler(blocks * shape.warps_per_block) == 1;
}

bool conserves_work(const ScheduledLaunch& launch) {
    const LaunchGeometry& shape = launch.shape;
    const std::int64_t warp_slots = shape.on_one_scheduler(shape.resident * shape.warps_per_block);
    switch (launch.guarantee()) {
    case models::PolicyGuarantee::WorkConserving:
        return true;
    case models::PolicyGuarantee::SetLimited:
        return shape.warps() == 1 || warp_slots <= launch.policy.active;
    case models::PolicyGuarantee::OrderForced:
        return shape.warps() == 1 || warp_slots == 1;
    case models::PolicyGuarantee::TimeDivision:
        break;
    }
    return false;
}

} // namespace warpbound::analyzer
