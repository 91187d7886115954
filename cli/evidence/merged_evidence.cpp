#include "cli/evidence/merged_evidence.hpp"

#include "certification/verify/digests.hpp"
#include "cli/evidence/certified_kernel.hpp"
#include "cli/evidence/evidence_folder.hpp"
#include "cli/inputs/code_decoder.hpp"
#include "cli/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

namespace warpbound::cli {

namespace {

using certification::KernelInput;

/// A kernel of a bundle, and the folder of that bundle.
struct FoundKernel {
    const std::string* folder;
    KernelInput input;
    std::optional<std::size_t> point; ///< Of the plan; none: not known yet.
};

Result<certification::BundleInputs> read_part(const std::string& folder) {
    const auto named = [&](const Failure& failure) { return Failure{to_string(failure), folder}; };
    const auto files = read_evidence(folder);
    if (!files) return files.as_failure();
    const auto digests = certification::verify::check_digests(files.value(), {});
    if (digests.verdict != certification::verify::Verdict::Holds)
        return Failure{"is no evidence bundle or is damaged: " + digests.detail, folder};
    auto inputs = certification::inputs_of(files.value(), &code_decoder());
    if (!inputs) return named(inputs.error());
    if (inputs.value().tool_version != version)
        return Failure{fmt::format("is of version {}, this is {}; certify the shard again",
                                   inputs.value().tool_version, version),
                       folder};
    if (inputs.value().requirements || inputs.value().check_factor_thousandths ||
        inputs.value().qualification_result || !inputs.value().calibration.empty())
        return Failure{"is no shard: it has requirements, a check, calibration or a qualification "
                       "result; expected what --shard wrote",
                       folder};
    return inputs;
}

Result<std::vector<FoundKernel>> read_parts(const std::vector<std::string>& folders) {
    std::vector<FoundKernel> found;
    for (const std::string& folder : folders) {
        auto inputs = read_part(folder);
        if (!inputs) return inputs.as_failure();
        for (KernelInput& input : inputs.value().kernels)
            found.push_back({&folder, std::move(input), std::nullopt});
    }
    return found;
}

/// All but the series; the order is that in which messages name a difference.
auto parts_of(const KernelInput& input) {
    return std::tie(input.kernel, input.launch, input.policy, input.multiprocessors, input.clock,
                    input.listing, input.architecture, input.flow_facts, input.sources,
                    input.cubin_digest, input.binary_digest, input.disassembler, input.traces);
}

/// The series that the plan's campaigns give come first; simulated ones follow.
bool begins_with(const KernelInput& input, const KernelInput& planned) {
    return input.series.size() >= planned.series.size() &&
           std::equal(planned.series.begin(), planned.series.end(), input.series.begin(),
                      [](const auto& a, const auto& b) {
                          return a.key == b.key && a.samples.size() == b.samples.size();
                      });
}

/// "convolution at 1x32"
std::string label_of(const KernelInput& input) {
    return fmt::format("'{}' at {}, {}", input.kernel, input.launch, input.policy);
}

/// In what the kernel differs from the planned one with which it has most in common.
std::string difference_of(const KernelInput& input, const std::vector<KernelInput>& plan) {
    std::vector<std::string> fewest;
    for (const KernelInput& planned : plan) {
        std::vector<std::string> names;
        const auto compare = [&](const char* name, bool is_equal) {
            if (!is_equal) names.emplace_back(name);
        };
        compare("kernel", input.kernel == planned.kernel);
        compare("launch", input.launch == planned.launch);
        compare("policy", input.policy == planned.policy);
        compare("multiprocessors", input.multiprocessors == planned.multiprocessors);
        compare("clock", input.clock == planned.clock);
        compare("listing", input.listing == planned.listing);
        compare("machine", input.architecture == planned.architecture);
        compare("flow facts", input.flow_facts == planned.flow_facts);
        compare("sources", input.sources == planned.sources);
        compare("binary",
                std::tie(input.cubin_digest, input.binary_digest, input.disassembler) ==
                    std::tie(planned.cubin_digest, planned.binary_digest, planned.disassembler));
        compare("trace", input.traces == planned.traces);
        compare("recorded runs", begins_with(input, planned));
        if (fewest.empty() || names.size() < fewest.size()) fewest = std::move(names);
    }
    return fmt::format("{}", fmt::join(fewest, ", "));
}

/// Gives each kernel that was found its point; points with the same input take one each.
Result<std::vector<const FoundKernel*>> match(std::vector<FoundKernel>& found,
                                              const std::vector<KernelInput>& plan) {
    std::vector<const FoundKernel*> of_point(plan.size(), nullptr);
    for (FoundKernel& one : found) {
        const std::string* other = nullptr;
        for (std::size_t i = 0; i < plan.size() && !one.point; ++i) {
            if (parts_of(one.input) != parts_of(plan[i]) || !begins_with(one.input, plan[i]))
                continue;
            if (of_point[i] == nullptr) {
                of_point[i] = &one;
                one.point = i;
            } else
                other = of_point[i]->folder;
        }
        if (one.point) continue;
        if (other != nullptr)
            return Failure{fmt::format("has {}, which {} has, too; expected each kernel in one "
                                       "part",
                                       label_of(one.input), *other),
                           *one.folder};
        return Failure{fmt::format("has {}, which the plan does not have; other than there: {}",
                                   label_of(one.input), difference_of(one.input, plan)),
                       *one.folder};
    }
    return of_point;
}

/// How the simulated runs of a kernel were made: one protocol and number for all kernels.
std::string runs_of(const KernelInput& input, const KernelInput& planned) {
    if (input.series.size() == planned.series.size()) return "none";
    const auto& series = input.series[planned.series.size()];
    return fmt::format("{}, {}", series.samples.size(), series.key.protocol);
}

} // namespace

Result<std::vector<KernelInput>> merge_evidence(const std::vector<std::string>& folders,
                                                const std::vector<PlannedKernel>& plan) {
    std::vector<KernelInput> planned;
    for (const PlannedKernel& point : plan) {
        auto input = read_kernel(point, {}, certification::kernel_id(planned.size()));
        if (!input) return input.as_failure();
        planned.push_back(std::move(*input.value()));
    }
    auto found = read_parts(folders);
    if (!found) return found.as_failure();
    const auto of_point = match(found.value(), planned);
    if (!of_point) return of_point.as_failure();
    std::vector<KernelInput> merged;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const FoundKernel* const own = of_point.value()[i];
        if (own == nullptr) return Failure{"is in no part", point_name(plan[i])};
        const FoundKernel& first = *of_point.value().front();
        const std::string runs = runs_of(own->input, planned[i]);
        if (const std::string expected = runs_of(first.input, planned.front()); runs != expected)
            return Failure{fmt::format("simulated runs of {}: {}; {} has: {}", label_of(own->input),
                                       runs, *first.folder, expected),
                           *own->folder};
        merged.push_back(own->input);
    }
    return merged;
}

} // namespace warpbound::cli
