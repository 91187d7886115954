#include "certification/bundle/policies.hpp"

#include <algorithm>

namespace warpbound::certification {

namespace {

PolicyBounds bounds_under(const models::WarpPolicy& policy, const LoadedInput& input,
                          std::uint64_t solver_seed) {
    PolicyBounds result;
    result.policy = models::to_string(policy);
    result.guarantee = std::string{models::to_string(models::guarantee_of(policy))};
    result.is_own = policy == input.policy;
    analyzer::Request request = request_of(input, solver_seed);
    request.policy = policy;
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        result.refusal = analysis.error().what;
        return result;
    }
    result.bounds = analysis.value().execution_time.bounds();
    const auto& assumptions = analysis.value().assumptions;
    result.unchecked_assumptions =
        std::count_if(assumptions.begin(), assumptions.end(), [](const auto& assumption) {
            return assumption.status == analyzer::AssumptionStatus::Unchecked;
        });
    return result;
}

} // namespace

std::vector<PolicyBounds> compare_policies(const LoadedInput& input, std::uint64_t solver_seed) {
    std::vector<PolicyBounds> all;
    if (input.launch.blocks == 1 && input.launch.warps_per_block() == 1) return all;
    for (const std::string_view name : models::policy_names()) {
        models::WarpPolicy policy = models::read_policy(name).value();
        if (policy.kind == input.policy.kind) policy = input.policy;
        all.push_back(bounds_under(policy, input, solver_seed));
    }
    return all;
}

Json policies_json(const std::vector<PolicyBounds>& policies) {
    Json list = Json::array();
    for (const auto& one : policies) {
        Json json{{"policy", one.policy}, {"guarantee", one.guarantee}, {"own", one.is_own}};
        if (one.bounds) {
            json["kind"] =
                one.unchecked_assumptions == 0 ? "proved-bound" : "bound-under-assumptions";
            json["lower"] = one.bounds->lower().count();
            json["upper"] = one.bounds->upper().count();
            json["unit"] = "core cycles";
            json["unchecked-assumptions"] = one.unchecked_assumptions;
        } else {
            json["refusal"] = one.refusal;
        }
        list.push_back(std::move(json));
    }
    return {{"policies", list}};
}

} // namespace warpbound::certification
