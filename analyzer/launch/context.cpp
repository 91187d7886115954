#include "analyzer/launch/context.hpp"

#include "assembly/isa/source_places.hpp"

#include <fmt/format.h>

namespace warpbound::analyzer {
Failure refuse_at(const AnalysisContext& context, std::size_t instruction,
                  const std::string& what) {
    const assembly::Function& function = *context.request.function;
    const assembly::Instruction& at = function.instructions[instruction];
    return Failure{fmt::format("{}: {}", assembly::place_of(function, at), what), function.name,
                   at.position.line, at.position.column};
}

bool conserves_work(const Request& request, const LaunchGeometry& shape) {
    const std::int64_t warp_slots = shape.on_one_scheduler(shape.resident * shape.warps_per_block);
    switch (models::guarantee_of(request.policy)) {
    case models::PolicyGuarantee::WorkConserving:
        return true;
    case models::PolicyGuarantee::SetLimited:
        return shape.warps() == 1 || warp_slots <= request.policy.active;
    case models::PolicyGuarantee::OrderForced:
        return shape.warps() == 1 || warp_slots == 1;
    case models::PolicyGuarantee::TimeDivision:
        break;
    }
    return false;
}

} // namespace warpbound::analyzer
