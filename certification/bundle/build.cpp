#include "certification/bundle/build.hpp"

#include "certification/bundle/claims_json.hpp"
#include "certification/bundle/divergence_evidence.hpp"
#include "certification/bundle/evidence_report.hpp"
#include "certification/bundle/exports.hpp"
#include "certification/bundle/manifest.hpp"
#include "certification/bundle/qualification_texts.hpp"
#include "certification/verify/divergence/warp_cfg.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace warpbound::certification {

namespace {

void make_report(KernelEvidence& kernel, const KernelInput& input, const BundleInputs& bundle) {
    Report report = report_of(kernel.input->program, request_of(*kernel.input, bundle.solver_seed),
                              kernel.analysis);
    report.tool_version = bundle.tool_version;
    if (kernel.input->clock) use_clock(report, *kernel.input->clock, kernel.clock_assumption);
    for (auto& claim : report.claims)
        claim.id = kernel.id + "." + claim.id;
    const std::string folder = "inputs/" + kernel.id + "/";
    report.inputs.push_back(
        {"listing", listing_path(kernel.id, input.listing), kernel.input->program.digest});
    report.inputs.push_back({"architecture", model_path(kernel.input->architecture),
                             kernel.input->architecture.digest});
    if (input.flow_facts)
        report.inputs.push_back(
            {"flow facts", folder + "flow-facts.xml", kernel.input->facts.digest});
    for (std::size_t source = 0; source < input.sources.size(); ++source)
        report.inputs.push_back(
            {"source", source_path(kernel.id, source), assembly::digest_of(input.sources[source])});
    if (input.cubin_digest) report.inputs.push_back({"cubin", "", *input.cubin_digest});
    if (input.binary_digest) report.inputs.push_back({"binary", "", *input.binary_digest});
    if (!input.disassembler.empty()) report.versions.push_back(input.disassembler);
    for (std::size_t trace = 0; trace < input.traces.size(); ++trace)
        report.inputs.push_back(
            {"trace", trace_path(kernel.id, trace), assembly::digest_of(input.traces[trace])});
    if (!kernel.analysis.solver.empty()) report.versions.push_back(kernel.analysis.solver);
    report.without_evidence = kernel.analysis.without_evidence;
    for (const auto& series : input.series)
        add_observations(report, series.key, series.samples);
    kernel.report = std::move(report);
}

KnownTimes known_times(const Report& report, const std::string& quantity) {
    KnownTimes known;
    if (const Claim* lower = report.claim(quantity, analyzer::Side::Lower))
        known.lower = lower->value;
    if (const Claim* upper = report.claim(quantity, analyzer::Side::Upper))
        known.upper = upper->value;
    for (const auto& seen : report.observations)
        if (seen.quantity == quantity)
            known.worst = std::max(seen.worst, known.worst.value_or(seen.worst));
    return known;
}

Result<void> check_requirements(const BundleInputs& inputs,
                                const std::vector<KernelEvidence>& kernels, Bundle& bundle) {
    if (!inputs.requirements) return boost::outcome_v2::success();
    const auto requirements = read_requirements({"inputs/requirements.xml", *inputs.requirements});
    if (!requirements) return requirements.as_failure();
    for (const auto& requirement : requirements.value()) {
        bundle.required = true;
        bool in_bundle = false;
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const Report& report = kernels[i].report;
            if (report.kernel != requirement.kernel ||
                (requirement.launch && *requirement.launch != inputs.kernels[i].launch))
                continue;
            in_bundle = true;
            // Only a clock that the user stated converts a requirement.
            std::optional<models::ClockRange> clock;
            if (const auto& known = kernels[i].input->clock; known && known->is_stated)
                clock = known->range;
            if (requirement.at_most.is_time() && !clock)
                return Failure{fmt::format("requirement {} on {} is in seconds; state the clock of "
                                           "{}: --clock LO..HI, in a plan clock=\"LO..HI\"",
                                           requirement.id, report.kernel, kernels[i].id),
                               "inputs/requirements.xml"};
            const KnownTimes known = known_times(report, requirement.quantity);
            bundle.requirements.push_back(
                {requirement, kernels[i].id, known, verdict_on(requirement, known, clock), clock});
        }
        if (!in_bundle)
            bundle.requirements.push_back({requirement, "", {}, RequirementVerdict::Undecided, {}});
    }
    return boost::outcome_v2::success();
}

void check_tightness(const BundleInputs& inputs, const std::vector<KernelEvidence>& kernels,
                     Bundle& bundle) {
    if (!inputs.check_factor_thousandths) return;
    bundle.required = true;
    for (const auto& kernel : kernels) {
        bool compared = false;
        for (const char* quantity : {"execution-time", "measured-time"}) {
            const KnownTimes known = known_times(kernel.report, quantity);
            if (!known.upper || !known.worst) continue;
            compared = true;
            const models::Cycles allowed =
                models::Cycles{*known.worst} * *inputs.check_factor_thousandths;
            if (models::Cycles{*known.upper} * 1000 > allowed)
                bundle.loose.push_back({kernel.id, quantity, *known.upper, *known.worst});
        }
        if (!compared) bundle.without_times.push_back(kernel.id);
    }
}

void add_exports(const BundleInputs& inputs, const std::vector<KernelEvidence>& kernels,
                 EvidenceFiles& files) {
    const Json claims = Json::parse(files.at("claims.json").bytes);
    const auto add = [&](const char* path, const char* role, std::string bytes) {
        files[path] = {role, "reports", std::move(bytes)};
    };
    add("report.html", "report", evidence_page(claims, kernels, inputs));
    add("report.xml", "report", evidence_xml(claims, kernels, inputs));
    add("results.sarif", "results", sarif_of(claims, inputs.tool_version));
    add("results.junit.xml", "results", junit_of(claims));
    add("attestation.intoto.json", "attestation", attestation_of(claims, files));
    add("tool/sbom.cdx.json", "bill-of-materials",
        bill_of_materials(inputs.tool_version, inputs.components));
    add("tool/known-problems.md", "known-problems", std::string{known_problems});
    add("tool/requirements.md", "tool-requirements", std::string{operational_requirements});
    add("tool/worksheet.json", "worksheet", qualification_worksheet(inputs.tool_version));
    const Json argument = argument_of(claims);
    add("argument.gsn.json", "argument", canonical(argument));
    add("argument.gsn.svg", "argument", drawing_of_argument(argument));
}

/// The same for all kernels; none: none was given.
const assembly::amd::CodeDecoder* decoder_of(const BundleInputs& inputs) {
    const auto& kernels = inputs.kernels;
    const auto given = std::find_if(kernels.begin(), kernels.end(), [](const KernelInput& kernel) {
        return kernel.decoder != nullptr;
    });
    return given == kernels.end() ? nullptr : given->decoder;
}

/// Checks the bundle's serialized control flow as `verify` does: the verifier accepts fewer forms
/// of divergence than the analyzer bounds.
Result<void> check_divergence(const std::vector<KernelEvidence>& kernels,
                              const EvidenceFiles& files,
                              const assembly::amd::CodeDecoder* decoder) {
    if (std::none_of(kernels.begin(), kernels.end(),
                     [](const auto& kernel) { return kernel.certificates.serialized.has_value(); }))
        return boost::outcome_v2::success();
    verify::Files plain;
    for (const auto& [path, file] : files)
        plain[path] = file.bytes;
    try {
        for (const auto& kernel : verify::read_evidence(plain, decoder).kernels)
            verify::check_flows(*kernel);
    } catch (const verify::Finding& finding) {
        return Failure{
            fmt::format("the evidence is not written because verify would refuse its control flow: "
                        "{}",
                        finding.what())};
    }
    return boost::outcome_v2::success();
}

} // namespace

bool Bundle::violated() const {
    const auto refuted = [](const Report& report) { return report.refuted(); };
    const auto is_violated = [](const RequirementResult& result) {
        return result.verdict == RequirementVerdict::Violated;
    };
    return !loose.empty() || std::any_of(reports.begin(), reports.end(), refuted) ||
           std::any_of(requirements.begin(), requirements.end(), is_violated);
}

bool Bundle::undecided() const {
    return limit_reached || !without_times.empty() ||
           std::any_of(requirements.begin(), requirements.end(),
                       [](const RequirementResult& result) {
                           return result.verdict == RequirementVerdict::Undecided;
                       });
}

std::string Bundle::verdict() const {
    if (violated()) return "violated";
    if (undecided()) return "undecided";
    return required ? "holds" : "none";
}

Result<Bundle> build_bundle(const BundleInputs& inputs) {
    auto files = input_files(inputs);
    if (!files) return files.as_failure();
    Bundle bundle;
    bundle.files = std::move(files).value();
    std::vector<KernelEvidence> kernels;
    for (std::size_t i = 0; i < inputs.kernels.size(); ++i) {
        auto kernel = analyze_kernel(inputs.kernels[i], kernel_id(i), inputs);
        if (!kernel) return kernel.as_failure();
        KernelEvidence& made = kernels.emplace_back(std::move(kernel).value());
        made.policies = compare_policies(*made.input, made.analysis, inputs.solver_seed);
    }
    const auto assumptions = shared_register(kernels);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        KernelEvidence& kernel = kernels[i];
        make_report(kernel, inputs.kernels[i], inputs);
        if (kernel.certificates.serialized) {
            auto found = find_stacks(kernel.id, *kernel.input, kernel.certificates.serialized->cfg);
            if (!found) return found.as_failure();
            kernel.stacks = std::move(found).value();
        }
        add_analysis_files(kernel, bundle.files);
        add_check_files(kernel, inputs.kernels[i], bundle.files);
        bundle.reports.push_back(kernel.report);
        const auto& envelope = kernel.analysis.execution_time;
        for (const auto* side : {&envelope.lower, &envelope.upper})
            bundle.limit_reached =
                bundle.limit_reached || side->outcome == analyzer::Outcome::LimitReached;
    }
    if (auto checked = check_requirements(inputs, kernels, bundle); !checked)
        return checked.as_failure();
    check_tightness(inputs, kernels, bundle);
    bundle.files["claims.json"] = {"claims", "claims",
                                   claims_json(kernels, assumptions, bundle, bundle.files)};
    add_exports(inputs, kernels, bundle.files);
    Manifest manifest = manifest_of(bundle.files, inputs.tool_version);
    bundle.report_id = std::move(manifest.report_id);
    bundle.files["manifest.json"] = {"manifest", "manifest", std::move(manifest.text)};
    if (auto checked = check_divergence(kernels, bundle.files, decoder_of(inputs)); !checked)
        return checked.as_failure();
    return bundle;
}

} // namespace warpbound::certification
