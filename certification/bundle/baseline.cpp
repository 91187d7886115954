#include "certification/bundle/baseline.hpp"

#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/kernel_evidence.hpp"
#include "certification/report/wording.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpbound::certification {

namespace {

/// A bound by quantity and side.
using Bounds = std::map<std::pair<std::string, bool>, std::int64_t>;

Bounds bounds_of(const std::vector<Claim>& claims) {
    Bounds bounds;
    for (const auto& claim : claims)
        bounds[{claim.quantity, claim.side == analyzer::Side::Upper}] = claim.value;
    return bounds;
}

/// A bound stated in a bundle. The limit keeps differences of two bounds within 64 bits.
std::int64_t stated_value(const Json& value) {
    constexpr std::uint64_t most = std::uint64_t{1} << 62U;
    if (value.is_number_unsigned() && value.get<std::uint64_t>() <= most)
        return value.get<std::int64_t>();
    throw Failure{
        fmt::format("a bound of {}; expected a whole number from 0 to 2^62", value.dump()),
        "claims.json"};
}

/// The bounds that a bundle states of its kernels, by their ids.
Result<std::map<std::string, Bounds>>
stated_bounds(const std::map<std::string, std::string>& files) {
    const auto file = files.find("claims.json");
    if (file == files.end()) return Failure{"is missing from the older bundle", "claims.json"};
    const auto claims = read_json(file->second, "claims.json");
    if (!claims) return claims.as_failure();
    std::map<std::string, Bounds> bounds;
    try {
        for (const auto& claim : claims.value().at("claims"))
            if (claim.at("kind") != "observed")
                bounds[claim.at("kernel").get<std::string>()]
                      [{claim.at("quantity").get<std::string>(), claim.at("side") == "upper"}] =
                          stated_value(claim.at("value"));
    } catch (const Failure& failure) {
        return failure;
    } catch (const Json::exception& error) {
        return Failure{std::string{"not the claims of a bundle: "} + error.what(), "claims.json"};
    }
    return bounds;
}

std::map<std::string, std::int64_t> worst_of(const KernelInput& kernel) {
    std::map<std::string, std::int64_t> worst; // by quantity
    for (const auto& series : kernel.series)
        for (const std::int64_t time : series.samples.times()) {
            const auto [known, fresh] = worst.emplace(claimed_quantity(series.key), time);
            if (!fresh) known->second = std::max(known->second, time);
        }
    return worst;
}

/// Index of the older kernel that a new one is compared with.
std::optional<std::size_t> matching_kernel(const KernelInput& kernel,
                                           const std::vector<KernelInput>& before,
                                           const std::vector<KernelInput>& after) {
    const auto count = [&](const std::vector<KernelInput>& list) {
        return std::count_if(list.begin(), list.end(), [&](const KernelInput& other) {
            return other.kernel == kernel.kernel;
        });
    };
    std::optional<std::size_t> named;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i].kernel != kernel.kernel) continue;
        if (before[i].launch == kernel.launch && before[i].policy == kernel.policy &&
            before[i].multiprocessors == kernel.multiprocessors)
            return i;
        named = i;
    }
    return count(before) == 1 && count(after) == 1 ? named : std::nullopt;
}

/// Bounds of one kernel by this tool, without observations.
Result<Bounds> analyzed(const BundleInputs& bundle, KernelInput kernel) {
    kernel.series.clear();
    const auto made = analyze_kernel(kernel, kernel_id(0), bundle);
    if (!made) return made.as_failure();
    const KernelEvidence& evidence = made.value();
    return bounds_of(report_of(evidence.input->program,
                               request_of(*evidence.input, bundle.solver_seed), evidence.analysis)
                         .claims);
}

std::string signed_number(std::int64_t value) {
    return fmt::format("{:+}", value);
}

std::string name_of(const KernelInput& kernel) {
    return fmt::format("{} {} on {} SM{}, {}", kernel.kernel, kernel.launch, kernel.multiprocessors,
                       kernel.multiprocessors == 1 ? "" : "s", kernel.policy);
}

} // namespace

Result<Comparison> compare_with(const std::map<std::string, std::string>& before,
                                const BundleInputs& inputs, const Bundle& after) {
    const auto old_inputs =
        inputs_of(before, inputs.kernels.empty() ? nullptr : inputs.kernels.front().decoder);
    if (!old_inputs) return old_inputs.as_failure();
    auto all_stated = stated_bounds(before);
    if (!all_stated) return all_stated.as_failure();

    Comparison comparison;
    comparison.other_version = old_inputs.value().tool_version != inputs.tool_version;
    const auto& old_kernels = old_inputs.value().kernels;
    std::vector<bool> has_match(old_kernels.size(), false);
    for (std::size_t i = 0; i < inputs.kernels.size(); ++i) {
        const KernelInput& kernel = inputs.kernels[i];
        const auto matched = matching_kernel(kernel, old_kernels, inputs.kernels);
        if (!matched) {
            comparison.only_after.push_back(name_of(kernel));
            continue;
        }
        has_match[*matched] = true;
        const KernelInput& old_kernel = old_kernels[*matched];
        const auto by_this_tool = analyzed(inputs, old_kernel);
        if (!by_this_tool)
            return Failure{
                fmt::format("kernel {} of the older bundle is refused by this version: {}",
                            name_of(old_kernel), to_string(by_this_tool.error())),
                "--baseline"};
        KernelInput mixed = old_kernel;
        mixed.architecture = kernel.architecture;
        const auto on_new_model =
            mixed.architecture == old_kernel.architecture ? by_this_tool : analyzed(inputs, mixed);
        const Bounds stated = all_stated.value()[kernel_id(*matched)];
        for (const auto& [bound, value] : bounds_of(after.reports[i].claims)) {
            const auto old_value = stated.find(bound);
            const auto tool_value = by_this_tool.value().find(bound);
            if (old_value == stated.end() || tool_value == by_this_tool.value().end()) continue;
            MovedBound moved{kernel_id(i),
                             kernel.kernel,
                             bound.first,
                             bound.second,
                             old_value->second,
                             value,
                             0,
                             std::nullopt,
                             on_new_model ? "" : to_string(on_new_model.error()),
                             0};
            moved.by_tool = tool_value->second - old_value->second;
            std::int64_t reached = tool_value->second;
            if (on_new_model && on_new_model.value().count(bound) != 0) {
                moved.by_model = on_new_model.value().at(bound) - reached;
                reached = on_new_model.value().at(bound);
            }
            moved.by_code = value - reached;
            if (moved.before != moved.after) comparison.bounds.push_back(std::move(moved));
        }
        const auto old_worst = worst_of(old_kernel);
        for (const auto& [quantity, worst] : worst_of(kernel)) {
            const auto old_value = old_worst.find(quantity);
            const auto known =
                old_value == old_worst.end() ? std::nullopt : std::optional{old_value->second};
            if (known != worst)
                comparison.observations.push_back(
                    {kernel_id(i), kernel.kernel, quantity, known, worst});
        }
    }
    for (std::size_t i = 0; i < has_match.size(); ++i)
        if (!has_match[i]) comparison.only_before.push_back(name_of(old_kernels[i]));
    return comparison;
}

std::string text_of(const Comparison& comparison) {
    std::string out = "since the baseline\n";
    if (comparison.other_version) out += "  made by another version of the tool\n";
    for (const auto& moved : comparison.bounds)
        out += fmt::format("  {} {} {} {}: {} -> {} core cycles (tool {}, model {}, code {})\n",
                           moved.kernel, moved.name, quantity_phrase(moved.quantity),
                           moved.upper ? "at most" : "at least", moved.before, moved.after,
                           signed_number(moved.by_tool),
                           moved.by_model          ? signed_number(*moved.by_model)
                           : moved.refusal.empty() ? "included in code"
                                                   : "included in code: " + moved.refusal,
                           signed_number(moved.by_code));
    for (const auto& moved : comparison.observations)
        out += fmt::format("  {} {} {}: observed worst {} -> {} core cycles (measurement)\n",
                           moved.kernel, moved.name, quantity_phrase(moved.quantity),
                           moved.before ? std::to_string(*moved.before) : "none",
                           moved.after ? std::to_string(*moved.after) : "none");
    for (const auto& name : comparison.only_before)
        out += "  removed: " + name + "\n";
    for (const auto& name : comparison.only_after)
        out += "  new: " + name + "\n";
    if (comparison.bounds.empty() && comparison.observations.empty() &&
        comparison.only_before.empty() && comparison.only_after.empty())
        out += "  nothing changed\n";
    return out;
}

} // namespace warpbound::certification
