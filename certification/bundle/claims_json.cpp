#include "certification/bundle/claims_json.hpp"

#include "assembly/support/printable.hpp"
#include "assembly/support/source_text.hpp"
#include "certification/bundle/canonical_json.hpp"
#include "certification/report/wording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::certification {

namespace {

/// Path and digest of a file that a claim rests on.
Json evidence_of(const EvidenceFiles& files, const std::string& path) {
    return {{"path", path}, {"sha256", assembly::digest_of(files.at(path).bytes)}};
}

Json terms_json(const std::vector<analyzer::BoundTerm>& terms) {
    Json list = Json::array();
    for (const auto& term : terms) {
        Json json{{"text", term.text}, {"count", term.count}, {"cycles", term.cycles}};
        if (!term.certificate.empty()) json["certificate"] = term.certificate;
        list.push_back(std::move(json));
    }
    return list;
}

Json queueing_json(const analyzer::QueueingRules& rules) {
    const char* rows = rules.rows == analyzer::RowDelay::WholeTransfers     ? "whole-transfers"
                       : rules.rows == analyzer::RowDelay::PerWaitingAccess ? "per-waiting-access"
                                                                            : "once-per-launch";
    Json json{{"hits", rules.hits}, {"ports", rules.ports}, {"rows", rows}};
    if (!rules.addresses) json["addresses"] = false;
    return json;
}

Json loaded_json(const analyzer::LoadedUnits& loaded) {
    Json sets = Json::array();
    for (const analyzer::LoadedSet& set : loaded.sets) {
        Json json{{"load", set.load},
                  {"first-block", set.first_block},
                  {"last-block", set.last_block},
                  {"units", set.units}};
        if (set.pointer) json["pointer"] = *set.pointer;
        sets.push_back(std::move(json));
    }
    return {{"bytes", loaded.bytes}, {"units", loaded.units}, {"sets", std::move(sets)}};
}

/// A row for each warp of a block.
Json warps_json(const std::vector<analyzer::WarpDemand>& warps) {
    Json rows = Json::array();
    for (const analyzer::WarpDemand& warp : warps)
        rows.push_back({{"ports", warp.ports}, {"drain", warp.drain}});
    return rows;
}

std::int64_t unchecked(const std::vector<analyzer::Assumption>& assumptions) {
    return std::count_if(assumptions.begin(), assumptions.end(), [](const auto& assumption) {
        return assumption.status == analyzer::AssumptionStatus::Unchecked;
    });
}

std::string_view how_checked(analyzer::AssumptionStatus status) {
    switch (status) {
    case analyzer::AssumptionStatus::Proved:
        return "proved by the analysis or stated as proved in the flow facts";
    case analyzer::AssumptionStatus::Measured:
        return "consistent with recorded traces";
    case analyzer::AssumptionStatus::Reviewed:
        return "reviewed by a person";
    default:
        return "not checked: a reviewer must confirm or deny it";
    }
}

Json bound_json(const KernelEvidence& kernel, const Claim& claim, const EvidenceFiles& files) {
    const auto terms = composition(kernel, claim);
    Json evidence = Json::array();
    for (const auto& term : terms) {
        if (term.certificate.empty()) continue;
        const std::string path = "analysis/" + kernel.id + "/" + term.certificate;
        evidence.push_back(evidence_of(files, path + ".json"));
        evidence.push_back(evidence_of(files, path + ".smt2"));
    }
    Json json{{"id", claim.id},
              {"kernel", kernel.id},
              {"quantity", claim.quantity},
              {"side", side_name(claim.side)},
              {"kind", to_string(claim.kind)},
              {"value", claim.value},
              {"unit", "core cycles"},
              {"assumptions", claim.assumptions},
              {"unchecked-assumptions", kernel.report.unchecked_assumptions(claim)},
              {"limit-reached", claim.limit_reached},
              {"proof", {{"rule", claim.proof}, {"terms", terms_json(terms)}}},
              {"evidence", evidence}};
    if (claim.queueing) json["proof"]["queueing"] = queueing_json(*claim.queueing);
    if (claim.by_addresses) json["proof"]["by-addresses"] = true;
    if (claim.loaded) json["proof"]["loaded-data"] = loaded_json(*claim.loaded);
    if (!claim.by_warp.empty()) json["proof"]["warps"] = warps_json(claim.by_warp);
    if (const auto time = kernel.report.time_of(claim)) json["time-ns"] = time->count();
    return json;
}

Json observed_json(const KernelEvidence& kernel, std::size_t series, const EvidenceFiles& files) {
    const ObservedTimes& seen = kernel.report.observations[series];
    return {
        {"id", fmt::format("{}.O{}", kernel.id, series + 1)},
        {"kernel", kernel.id},
        {"quantity", seen.quantity},
        {"kind", "observed"},
        {"device", seen.device},
        {"protocol", seen.protocol},
        {"count", seen.count},
        {"best", seen.best},
        {"worst", seen.worst},
        {"unit", "core cycles"},
        {"outside-bounds", seen.outside_bounds},
        {"assumptions", Json::array()},
        {"evidence",
         {evidence_of(files, fmt::format("inputs/{}/samples-{}.json", kernel.id, series + 1))}}};
}

Json requirement_json(const RequirementResult& result) {
    const Requirement& requirement = result.requirement;
    const bool in_seconds = requirement.at_most.is_time();
    Json json{{"id", requirement.id},
              {"text", requirement.text},
              {"kernel-name", requirement.kernel},
              {"quantity", requirement.quantity},
              {"at-most",
               std::visit([](auto limit) { return limit.count(); }, requirement.at_most.limit)},
              {"unit", in_seconds ? "ns" : "core cycles"},
              {"verdict", to_string(result.verdict)}};
    if (requirement.launch) json["launch"] = *requirement.launch;
    if (!result.kernel.empty()) json["kernel"] = result.kernel;
    if (in_seconds && result.clock) json["clock"] = models::to_string(*result.clock);
    if (result.known.upper) {
        const models::Cycles upper{*result.known.upper};
        json["proved-upper-bound"] =
            in_seconds ? models::longest_time(upper, *result.clock).count() : upper.count();
        json["margin"] = models::margin_of(upper, requirement.at_most, result.clock);
    }
    if (result.known.worst)
        json[in_seconds ? "observed-worst-cycles" : "observed-worst"] = *result.known.worst;
    return json;
}

/// Where the function begins: the line of its first instruction that has one, in no inlined code.
std::optional<assembly::SourcePlace> begin_of(const assembly::Function& function) {
    const assembly::SourceLines& lines = function.source_lines;
    for (const assembly::Instruction& instruction : function.instructions) {
        auto frame = instruction.source_frame;
        if (!frame) continue;
        while (const auto caller = lines.frames[*frame].caller)
            frame = caller;
        return assembly::SourcePlace{lines.file_of(*frame), lines.frames[*frame].line};
    }
    return std::nullopt;
}

/// Costs that no claim includes; a limitation of some kernels only names these kernels.
std::vector<std::string> limitations_of(const std::vector<KernelEvidence>& kernels) {
    std::vector<std::pair<std::string, std::vector<std::string>>> all;
    for (const auto& kernel : kernels)
        for (const auto& limitation : kernel.report.limitations) {
            auto known = std::find_if(all.begin(), all.end(),
                                      [&](const auto& one) { return one.first == limitation; });
            if (known == all.end()) known = all.insert(all.end(), {limitation, {}});
            known->second.push_back(kernel.id);
        }
    std::vector<std::string> texts;
    for (const auto& [limitation, ids] : all)
        texts.push_back(ids.size() == kernels.size()
                            ? limitation
                            : fmt::format("{}: {}", fmt::join(ids, ", "), limitation));
    return texts;
}

} // namespace

std::vector<analyzer::Assumption> shared_register(std::vector<KernelEvidence>& kernels) {
    std::vector<analyzer::Assumption> list;
    std::map<std::pair<std::string, analyzer::AssumptionStatus>, std::string> ids;
    const auto enter = [&](analyzer::Assumption& assumption) {
        const auto [known, fresh] = ids.emplace(std::pair{assumption.text, assumption.status},
                                                fmt::format("A{}", list.size() + 1));
        assumption.id = known->second;
        if (fresh) list.push_back(assumption);
    };
    for (auto& kernel : kernels)
        for (auto& assumption : kernel.analysis.assumptions)
            enter(assumption);
    for (auto& kernel : kernels)
        if (const auto& clock = kernel.input->clock) {
            auto assumption = clock_assumption(*clock);
            enter(assumption);
            kernel.clock_assumption = assumption.id;
        }
    return list;
}

std::string claims_json(const std::vector<KernelEvidence>& kernels,
                        const std::vector<analyzer::Assumption>& assumptions, const Bundle& bundle,
                        const EvidenceFiles& files) {
    Json about = Json::array();
    Json claims = Json::array();
    std::map<std::string, std::vector<std::string>> dependents; // by assumption
    for (const auto& kernel : kernels) {
        const Report& report = kernel.report;
        about.push_back({{"id", kernel.id},
                         {"kernel", report.kernel},
                         {"listing", report.kernel_digest},
                         {"isa", report.isa},
                         {"launch", launch_text(report)},
                         {"policy", report.policy},
                         {"architecture",
                          {{"name", report.architecture},
                           {"title", report.architecture_title},
                           {"digest", report.architecture_digest}}},
                         {"verdict", verdict_of(report)}});
        if (report.clock)
            about.back()["clock"] = {{"lowest-hz", report.clock->range.lo},
                                     {"highest-hz", report.clock->range.hi},
                                     {"source", report.clock->source},
                                     {"assumption", report.clock_assumption}};
        if (const auto begin = begin_of(*kernel.input->function))
            about.back()["source"] = {{"file", printable(begin->file)}, {"line", begin->line}};
        for (const auto& claim : report.claims) {
            claims.push_back(bound_json(kernel, claim, files));
            for (const auto& assumption : claim.assumptions)
                dependents[assumption].push_back(claim.id);
        }
        for (std::size_t i = 0; i < report.observations.size(); ++i)
            claims.push_back(observed_json(kernel, i, files));
    }
    Json register_json = Json::array();
    for (const auto& assumption : assumptions)
        register_json.push_back({{"id", assumption.id},
                                 {"text", assumption.text},
                                 {"status", analyzer::to_string(assumption.status)},
                                 {"about", analyzer::to_string(assumption.subject)},
                                 {"how", how_checked(assumption.status)},
                                 {"claims", dependents[assumption.id]}});
    Json requirements = Json::array();
    for (const auto& result : bundle.requirements)
        requirements.push_back(requirement_json(result));
    Json loose = Json::array();
    for (const auto& bound : bundle.loose)
        loose.push_back({{"kernel", bound.kernel},
                         {"quantity", bound.quantity},
                         {"proved-upper-bound", bound.bound},
                         {"observed-worst", bound.worst}});
    return canonical({{"format", "warpbound-claims/1"},
                      {"kernels", about},
                      {"claims", claims},
                      {"assumptions", register_json},
                      {"unchecked-assumptions", unchecked(assumptions)},
                      {"requirements", requirements},
                      {"loose-bounds", loose},
                      {"limitations", limitations_of(kernels)},
                      {"verdict", bundle.verdict()}});
}

std::string amount(const Json& requirement, const char* key) {
    if (!requirement.contains(key)) return "unknown";
    const auto count = requirement.at(key).get<std::int64_t>();
    return requirement.at("unit") == "ns" ? models::to_string(models::Nanoseconds{count})
                                          : std::to_string(count) + " core cycles";
}

std::vector<std::string> requirements_on(const Json& claims, const Json& claim) {
    std::vector<std::string> ids;
    for (const auto& requirement : claims.at("requirements"))
        if (requirement.value("kernel", std::string{}) == claim.at("kernel") &&
            requirement.at("quantity") == claim.at("quantity"))
            ids.push_back(text(requirement, "id"));
    return ids;
}

} // namespace warpbound::certification
