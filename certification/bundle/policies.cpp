#include "certification/bundle/policies.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpbound::certification {

namespace {

void take_bounds(const analyzer::Analysis& analysis, PolicyBounds& result) {
    result.bounds = analysis.without_evidence.value_or(analysis.execution_time.bounds());
    result.kind = kind_of(analysis.assumptions);
    result.unchecked_assumptions = std::count_if(
        analysis.assumptions.begin(), analysis.assumptions.end(), [](const auto& assumption) {
            return assumption.status == analyzer::AssumptionStatus::Unchecked;
        });
}

PolicyBounds bounds_under(const models::WarpPolicy& policy, const LoadedInput& input,
                          const analyzer::Analysis& own, std::uint64_t solver_seed) {
    PolicyBounds result;
    result.policy = models::to_string(policy);
    result.guarantee = std::string{models::to_string(models::guarantee_of(policy))};
    result.is_own = policy == input.policy;
    if (result.is_own) {
        take_bounds(own, result);
        return result;
    }
    analyzer::Request request = request_of(input, solver_seed);
    request.policy = policy;
    const auto analysis = analyzer::analyze(request);
    if (analysis)
        take_bounds(analysis.value(), result);
    else
        result.refusal = analysis.error().what;
    return result;
}

bool is_one_warp(const LoadedInput& input) {
    const auto warp_size =
        models::require(input.architecture, input.architecture.geometry, "geometry", "warp-size");
    return warp_size && input.launch.blocks == 1 &&
           input.launch.warps_per_block(warp_size.value().lo) == 1;
}

} // namespace

std::vector<PolicyBounds> compare_policies(const LoadedInput& input,
                                           const analyzer::Analysis& analysis,
                                           std::uint64_t solver_seed) {
    std::vector<PolicyBounds> all;
    if (is_one_warp(input)) return all;
    for (const std::string_view name : models::policy_names()) {
        models::WarpPolicy policy = models::read_policy(name).value();
        if (policy.kind == input.policy.kind) policy = input.policy;
        all.push_back(bounds_under(policy, input, analysis, solver_seed));
    }
    return all;
}

Json policies_json(const std::vector<PolicyBounds>& policies) {
    Json list = Json::array();
    for (const auto& one : policies) {
        Json json{{"policy", one.policy}, {"guarantee", one.guarantee}, {"own", one.is_own}};
        if (one.bounds) {
            json["kind"] = to_string(one.kind);
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
