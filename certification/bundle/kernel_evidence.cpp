#include "certification/bundle/kernel_evidence.hpp"

#include "analyzer/evidence/smt_script.hpp"
#include "analyzer/flow/flow_facts.hpp"
#include "assembly/amd/listing.hpp"
#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/divergence_evidence.hpp"
#include "harness/devices/simulated.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace warpbound::certification {

namespace {

Json number_or_null(const std::optional<std::int64_t>& number) {
    return number ? Json(*number) : Json(nullptr);
}

/// A block is its number; a reference to an earlier grammar rule r is -1 - r.
Json witness_json(const analyzer::BlockPath& path) {
    Json rules = Json::array();
    for (const auto& rule : path.rules) {
        Json symbols = Json::array();
        for (const auto& symbol : rule) {
            if (const auto* earlier = std::get_if<analyzer::RuleIndex>(&symbol))
                symbols.push_back(-1 - static_cast<std::int64_t>(earlier->value()));
            else
                symbols.push_back(std::get<analyzer::BlockIndex>(symbol).value());
        }
        rules.push_back(std::move(symbols));
    }
    Json counts = Json::array();
    for (const auto& [block, count] : counts_of(path))
        counts.push_back({block.value(), count});
    return {{"cost", path.cost}, {"rules", rules}, {"counts", counts}};
}

/// What blocks remember of infeasible pairs, and the facts that the script states.
Json pairs_json(const analyzer::ExcludedPairs& pairs) {
    Json events = Json::array();
    for (const analyzer::PathEvent& event : pairs.states.events)
        events.push_back({number_or_null(event.from), event.block});
    Json states = Json::array();
    for (const analyzer::PairState& state : pairs.states.states)
        states.push_back({state.block.value(), state.memory, state.successors});
    return {{"events", events},
            {"states", states},
            {"exclusives", pairs.exclusives},
            {"constraints", pairs.constraints}};
}

Json certificate_json(const analyzer::PathCertificate& certificate) {
    Json nodes = Json::array();
    Json edges = Json::array();
    const analyzer::PathGraph& table =
        certificate.pairs ? certificate.pairs->table : certificate.paths;
    for (const analyzer::NodeIndex from : table.nodes.indices()) {
        const analyzer::PathNode& node = table.nodes[from];
        nodes.push_back({node.block.value(), number_or_null(node.end_cost)});
        for (const auto& edge : node.successors)
            edges.push_back({from.value(), edge.to.value(), edge.cost});
    }
    Json json{{"id", certificate.id},
              {"text", certificate.text},
              {"side", certificate.side == analyzer::Side::Upper ? "upper" : "lower"},
              {"facts", certificate.facts == analyzer::Facts::All ? "all" : "loop-bounds"},
              {"bound", certificate.bound},
              {"unit", "core cycles"},
              {"nodes", nodes},
              {"edges", edges}};
    if (certificate.between)
        json["between"] = {certificate.between->first.value(), certificate.between->second.value()};
    for (const auto& region : certificate.regions) {
        Json nodes_of_region = Json::array();
        for (const analyzer::NodeIndex node : region)
            nodes_of_region.push_back(node.value());
        json["regions"].push_back(std::move(nodes_of_region));
    }
    if (certificate.pairs) json["pairs"] = pairs_json(*certificate.pairs);
    if (certificate.witness) json["witness"] = witness_json(*certificate.witness);
    return json;
}

Json blocks_json(const KernelEvidence& kernel) {
    const LoadedInput& input = *kernel.input;
    Json blocks = Json::array();
    for (const auto& block : input.graph.blocks) {
        Json successors = Json::array();
        for (const std::size_t edge : block.out)
            successors.push_back(input.graph.edges[edge].to);
        blocks.push_back({{"first", input.function->instructions[block.first].address},
                          {"last", input.function->instructions[block.last].address},
                          {"exits", block.exits},
                          {"context", block.context},
                          {"successors", successors}});
    }
    Json json{{"kernel", input.function->name},
              {"instructions", input.function->instructions.size()},
              {"blocks", blocks}};
    if (kernel.certificates.serialized) {
        json["serialized-cfg"] =
            serialized_cfg_json(input, kernel.certificates.serialized->cfg, kernel.stacks);
        json["simt-stacks"] = simt_stacks_json(kernel.stacks.stacks);
    }
    return json;
}

Json side_json(const analyzer::SideResult& side) {
    Json stack = Json::array();
    for (const auto& [category, cycles] : side.stack)
        stack.push_back({{"category", analyzer::to_string(category)}, {"cycles", cycles}});
    Json blocks = Json::array();
    for (const auto& block : side.blocks)
        blocks.push_back(
            {{"block", block.block}, {"count", block.count}, {"cycles", block.cycles}});
    Json json{{"proved", side.proved.count()},
              {"proof", analyzer::to_string(side.proof)},
              {"limit-reached", side.outcome == analyzer::Outcome::LimitReached},
              {"stack", stack},
              {"blocks", blocks}};
    if (side.best_found) json["witness-cost"] = side.best_found->count();
    return json;
}

/// Replays the worst-case path once on the simulated device with every open value at its upper
/// end. A simulated time is an observation: the bound must not lie below it.
Json replay_json(const KernelEvidence& kernel) {
    const analyzer::SideResult& upper = kernel.analysis.execution_time.upper;
    const auto not_done = [](const std::string& why) {
        return Json{{"verdict", "not-done"}, {"reason", why}};
    };
    if (kernel.certificates.serialized)
        return not_done("a divergent warp follows a path of the serialized control-flow graph, not "
                        "of the kernel");
    if (upper.path.empty()) return not_done("the witness is longer than 1,000,000 blocks");
    const auto device = harness::simulated_device(kernel.input->architecture, kernel.input->policy,
                                                  kernel.input->multiprocessors);
    const harness::Kernel launched{kernel.input->function, &kernel.input->graph,
                                   &kernel.input->facts, kernel.input->launch};
    const auto prepared = device->prepare(launched);
    if (!prepared) return not_done(to_string(prepared.error()));
    const auto run = prepared.value()->run({1, harness::Draw::AllHigh, upper.path});
    if (!run) return not_done(to_string(run.error()));
    const std::int64_t seen = run.value().observation.execution_time.count();
    return {{"verdict", seen <= upper.proved.count() ? "holds" : "refuted"},
            {"kind", "observed"},
            {"device", device->identity().name},
            {"execution-time", seen}};
}

Result<void> check_traces(const KernelInput& input, KernelEvidence& kernel) {
    const harness::Kernel launched{kernel.input->function, &kernel.input->graph,
                                   &kernel.input->facts, kernel.input->launch};
    for (std::size_t trace = 0; trace < input.traces.size(); ++trace) {
        const std::string path = trace_path(kernel.id, trace);
        const auto read = harness::trace::read_sass_trace({path, input.traces[trace]});
        if (!read) return read.as_failure();
        auto checks = harness::trace::check_facts(read.value(), launched);
        if (!checks) return Failure{checks.error().what, path, 0, 0};
        for (const auto& check : checks.value())
            if (check.refuted_by)
                return Failure{fmt::format("flow fact '{}' (line {}) is refuted by a recorded "
                                           "execution: {}",
                                           check.fact, check.line, *check.refuted_by),
                               path, 0, 0};
        kernel.traced_facts.push_back(std::move(checks).value());
    }
    return boost::outcome_v2::success();
}

Json traces_json(const KernelEvidence& kernel) {
    Json traces = Json::array();
    for (std::size_t trace = 0; trace < kernel.traced_facts.size(); ++trace) {
        Json facts = Json::array();
        for (const auto& check : kernel.traced_facts[trace])
            facts.push_back({{"fact", check.fact},
                             {"line", check.line},
                             {"cases", check.cases},
                             {"open", check.open}});
        traces.push_back({{"trace", trace_path(kernel.id, trace)}, {"not-refuted", facts}});
    }
    return traces;
}

} // namespace

Result<KernelEvidence> analyze_kernel(const KernelInput& input, const std::string& id,
                                      const BundleInputs& bundle) {
    auto loaded = load(input, id);
    if (!loaded) return loaded.as_failure();
    KernelEvidence kernel;
    kernel.id = id;
    kernel.input = std::move(loaded).value();
    if (auto checked = check_traces(input, kernel); !checked) return checked.as_failure();
    analyzer::Request request = request_of(*kernel.input, bundle.solver_seed);
    request.certificates = &kernel.certificates;
    auto analysis = analyzer::analyze(request);
    if (!analysis) return analysis.as_failure();
    kernel.analysis = std::move(analysis).value();
    return kernel;
}

void add_analysis_files(const KernelEvidence& kernel, EvidenceFiles& files) {
    const std::string folder = "analysis/" + kernel.id + "/";
    const auto add = [&](const std::string& path, const char* role, std::string bytes) {
        files[folder + path] = {role, "analysis", std::move(bytes)};
    };
    const auto facts =
        analyzer::resolve_facts(*kernel.input->function, kernel.input->graph, kernel.input->facts);
    add("blocks.json", "control-flow", canonical(blocks_json(kernel)));
    const auto& envelope = kernel.analysis.execution_time;
    Json result{{"execution-time",
                 {{"lower", side_json(envelope.lower)}, {"upper", side_json(envelope.upper)}}},
                {"path-problem-nodes", kernel.analysis.state_nodes}};
    // Without a solver the loop bounds alone give the path bounds; `verify` checks the scripts.
    if (!kernel.analysis.solver.empty()) result["solver"] = kernel.analysis.solver;
    if (const auto& bounds = kernel.analysis.without_evidence)
        result["without-evidence"] = {{"lower", bounds->lower().count()},
                                      {"upper", bounds->upper().count()}};
    if (!kernel.analysis.measured_time_absent.empty())
        result["measured-time-absent"] = kernel.analysis.measured_time_absent;
    add("result.json", "result", canonical(result));
    if (is_amd(kernel.input->function->target))
        add("listing.s", "listing-text", assembly::amd::listing_of(*kernel.input->function));
    add("facts-in-use.xml", "flow-facts-in-use", models::write_flow_facts(kernel.input->facts));
    if (!kernel.policies.empty())
        files["policies/" + kernel.id + ".json"] = {"scheduler-comparison", "analysis",
                                                    canonical(policies_json(kernel.policies))};
    for (const auto& certificate : kernel.certificates.certificates) {
        add(certificate.id + ".json", "path-certificate", canonical(certificate_json(certificate)));
        const bool is_serialized =
            kernel.certificates.serialized && certificate.side == analyzer::Side::Upper;
        add(certificate.id + ".smt2", "script",
            analyzer::proof_script(
                is_serialized ? kernel.certificates.serialized->cfg.graph : kernel.input->graph,
                kernel.input->facts,
                is_serialized ? kernel.certificates.serialized->loops : facts.value().loops,
                certificate));
    }
}

void add_check_files(const KernelEvidence& kernel, const KernelInput& input, EvidenceFiles& files) {
    Json observations = Json::array();
    for (std::size_t i = 0; i < kernel.report.observations.size(); ++i) {
        const ObservedTimes& seen = kernel.report.observations[i];
        observations.push_back(
            {{"samples", fmt::format("inputs/{}/samples-{}.json", kernel.id, i + 1)},
             {"quantity", seen.quantity},
             {"kind", "observed"},
             {"runs", input.series[i].samples.size()},
             {"times", seen.count},
             {"best", seen.best},
             {"worst", seen.worst},
             {"outside-bounds", seen.outside_bounds},
             {"verdict", seen.outside_bounds == 0 ? "holds" : "refuted"}});
    }
    Json facts = Json::array();
    const auto add_fact = [&](const std::string& text, const models::FactSource& from) {
        facts.push_back({{"fact", text},
                         {"line", from.line},
                         {"origin", models::to_string(from.origin)},
                         {"status", models::to_string(from.status)}});
    };
    for (const auto& fact : kernel.input->facts.loops)
        add_fact(fmt::format("loop 0x{:04x} {}..{}", fact.header, fact.min, fact.max), fact.from);
    for (const auto& fact : kernel.input->facts.nevers)
        add_fact(fmt::format("never 0x{:04x}", fact.block), fact.from);
    for (const auto& fact : kernel.input->facts.divergents)
        add_fact(fmt::format("divergent 0x{:04x}", fact.at), fact.from);
    for (const auto& fact : kernel.input->facts.uniforms)
        add_fact(fmt::format("uniform 0x{:04x}", fact.at), fact.from);
    for (const auto& fact : kernel.input->facts.exclusives)
        add_fact(fmt::format("exclusive 0x{:04x} 0x{:04x}", fact.first, fact.second), fact.from);
    for (const auto& fact : kernel.input->facts.constraints)
        add_fact("linear", fact.from);
    for (const auto& fact : kernel.input->facts.memory)
        add_fact(fmt::format("memory 0x{:04x}", fact.at), fact.from);
    if (const auto& fact = kernel.input->facts.representative)
        add_fact("representative", fact->from);
    files["checks/" + kernel.id + ".json"] = {"checks", "checks",
                                              canonical({{"observations", observations},
                                                         {"facts", facts},
                                                         {"traces", traces_json(kernel)},
                                                         {"witness-replay", replay_json(kernel)}})};
}

std::vector<analyzer::BoundTerm> composition(const KernelEvidence& kernel, const Claim& claim) {
    if (!claim.terms.empty()) return claim.terms;
    const std::string id =
        claim.quantity + (claim.side == analyzer::Side::Upper ? "-upper" : "-lower");
    const auto& certificates = kernel.certificates.certificates;
    const auto certificate =
        std::find_if(certificates.begin(), certificates.end(),
                     [&](const auto& candidate) { return candidate.id == id; });
    if (certificate == certificates.end()) return {};
    std::vector<analyzer::BoundTerm> terms{
        {certificate->text, 1, certificate->bound, certificate->id}};
    // C3: a clock value is read when the read completes.
    if (certificate->between)
        terms.push_back({"latency of the last clock read, less that of the first", 1,
                         claim.value - certificate->bound});
    return terms;
}

} // namespace warpbound::certification
