#include "certification/verify/evidence.hpp"

#include "assembly/isa/reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::certification::verify {

namespace {

using nlohmann::json;

[[noreturn]] void incomplete(const std::string& what) {
    throw Finding{Verdict::Incomplete, what};
}

const std::string& text_of(const Files& files, const std::string& path) {
    const auto found = files.find(path);
    if (found == files.end()) incomplete(path + ": missing");
    return found->second;
}

json json_of(const Files& files, const std::string& path) {
    constexpr int deepest = 32;
    const std::string& text = text_of(files, path);
    int depth = 0;
    const auto limit = [&](int at, json::parse_event_t, json&) {
        depth = std::max(depth, at);
        if (depth > deepest) incomplete(path + ": nested too deeply");
        return true;
    };
    try {
        return json::parse(text, limit);
    } catch (const json::exception& error) {
        incomplete(path + ": " + error.what());
    }
}

template <class Value> Value taken(Result<Value> result, const std::string& path) {
    if (!result) incomplete(path + ": " + to_string(result.error()));
    return std::move(result).value();
}

std::vector<BlockRow> blocks_of(const json& table) {
    std::vector<BlockRow> blocks;
    for (const auto& row : table.at("blocks")) {
        BlockRow block;
        row.at("first").get_to(block.first);
        row.at("last").get_to(block.last);
        row.at("exits").get_to(block.exits);
        row.at("successors").get_to(block.successors);
        blocks.push_back(std::move(block));
    }
    for (const auto& block : blocks)
        for (const std::size_t to : block.successors)
            if (to >= blocks.size()) incomplete("a block has a successor that does not exist");
    return blocks;
}

Lemma lemma_of(const json& table, std::size_t blocks) {
    Lemma lemma;
    table.at("id").get_to(lemma.id);
    table.at("text").get_to(lemma.text);
    const auto side = table.at("side").get<std::string>();
    const auto facts = table.at("facts").get<std::string>();
    if ((side != "upper" && side != "lower") || (facts != "all" && facts != "loop-bounds"))
        incomplete(lemma.id + ": side or facts have another value than expected");
    lemma.upper = side == "upper";
    lemma.all_facts = facts == "all";
    table.at("bound").get_to(lemma.bound);
    if (table.contains("between"))
        lemma.between = {table.at("between").at(0).get<std::size_t>(),
                         table.at("between").at(1).get<std::size_t>()};
    if (lemma.between && std::max(lemma.between->first, lemma.between->second) >= blocks)
        incomplete(lemma.id + ": between blocks that do not exist");
    for (const auto& row : table.at("nodes")) {
        Lemma::Node node{row.at(0).get<std::size_t>(), std::nullopt};
        if (!row.at(1).is_null()) node.end = row.at(1).get<std::int64_t>();
        if (node.block >= blocks) incomplete(lemma.id + ": a node of a block that does not exist");
        lemma.nodes.push_back(node);
    }
    for (const auto& row : table.at("edges")) {
        const Lemma::Edge edge{row.at(0).get<std::size_t>(), row.at(1).get<std::size_t>(),
                               row.at(2).get<std::int64_t>()};
        if (edge.from >= lemma.nodes.size() || edge.to >= lemma.nodes.size())
            incomplete(lemma.id + ": an edge to a node that does not exist");
        lemma.edges.push_back(edge);
    }
    if (lemma.nodes.empty()) incomplete(lemma.id + ": no nodes");
    if (!table.contains("witness")) return lemma;
    table.at("witness").at("rules").get_to(lemma.witness);
    table.at("witness").at("cost").get_to(lemma.witness_cost);
    table.at("witness").at("counts").get_to(lemma.counts);
    for (std::size_t rule = 0; rule < lemma.witness.size(); ++rule)
        for (const std::int64_t symbol : lemma.witness[rule])
            if (symbol >= static_cast<std::int64_t>(blocks) ||
                (symbol < 0 && static_cast<std::size_t>(-1 - symbol) >= rule))
                incomplete(lemma.id + ": the witness names a block or rule that does not exist");
    return lemma;
}

Series series_of(const json& file, const std::string& path) {
    Series series;
    series.path = path;
    const json& key = file.at("series");
    key.at("name").get_to(series.name);
    key.at("device").get_to(series.device);
    key.at("protocol").get_to(series.protocol);
    key.at("kernel-digest").get_to(series.kernel_digest);
    key.at("launch").get_to(series.launch);
    key.at("quantity").get_to(series.quantity);
    if (series.quantity == "region") series.quantity = "measured-time";
    for (const auto& row : file.at("samples")) {
        SampleRow sample;
        sample.seed = std::stoull(row.at(0).get<std::string>());
        for (std::size_t i = 1; i < row.size(); ++i)
            sample.times.push_back(row.at(i).get<std::int64_t>());
        series.samples.push_back(std::move(sample));
    }
    return series;
}

ClaimRow claim_of(const json& row) {
    ClaimRow claim;
    row.at("id").get_to(claim.id);
    row.at("quantity").get_to(claim.quantity);
    row.at("kind").get_to(claim.kind);
    row.at("value").get_to(claim.value);
    row.at("assumptions").get_to(claim.assumptions);
    claim.upper = row.at("side").get<std::string>() == "upper";
    for (const auto& part : row.at("proof").at("terms"))
        claim.terms.push_back({part.at("count").get<std::int64_t>(),
                               part.at("cycles").get<std::int64_t>(),
                               part.value("lemma", std::string{})});
    return claim;
}

std::unique_ptr<KernelCase> kernel_of(const Files& files, const std::string& id,
                                      const json& claims) {
    auto kernel = std::make_unique<KernelCase>();
    kernel->id = id;
    const std::string inputs = "inputs/" + id + "/";
    const std::string analysis = "analysis/" + id + "/";
    const json launch = json_of(files, inputs + "launch.json");
    const auto listing = launch.at("listing").get<std::string>();
    kernel->program = taken(assembly::read_program({listing, text_of(files, listing)}), listing);
    kernel->function = taken(
        assembly::find_function(kernel->program, launch.at("kernel").get<std::string>()), listing);
    launch.at("architecture").get_to(kernel->architecture_path);
    kernel->architecture =
        taken(models::read_architecture(
                  {kernel->architecture_path, text_of(files, kernel->architecture_path)}),
              kernel->architecture_path);
    kernel->launch = taken(models::parse_launch(launch.at("launch").get<std::string>()), inputs);
    kernel->policy = taken(models::read_policy(launch.at("policy").get<std::string>()), inputs);
    if (launch.contains("flow-facts")) {
        const auto path = launch.at("flow-facts").get<std::string>();
        kernel->facts = taken(models::read_flow_facts({path, text_of(files, path)}), path);
        if (kernel->facts.program_digest != kernel->program.digest ||
            kernel->facts.kernel != kernel->function->name)
            throw Finding{Verdict::Failed, path + ": stated of another listing or kernel"};
    }
    for (const auto& path : launch.at("samples"))
        kernel->series.push_back(series_of(json_of(files, path.get<std::string>()), path));
    const json control_flow = json_of(files, analysis + "blocks.json");
    kernel->blocks = blocks_of(control_flow);
    for (const auto& row : control_flow.at("derived-loop-bounds"))
        kernel->derived.push_back({row.at("header").get<std::size_t>(),
                                   row.at("min").get<std::int64_t>(),
                                   row.at("max").get<std::int64_t>()});
    for (auto file = files.lower_bound(analysis);
         file != files.end() && file->first.rfind(analysis, 0) == 0; ++file) {
        const std::string name = file->first.substr(analysis.size());
        if (name == "blocks.json" || name == "result.json" ||
            name.find(".json") == std::string::npos)
            continue;
        Lemma lemma = lemma_of(json_of(files, file->first), kernel->blocks.size());
        if (lemma.id + ".json" != name) incomplete(file->first + ": holds lemma " + lemma.id);
        lemma.script = text_of(files, analysis + lemma.id + ".smt2");
        kernel->lemmas.push_back(std::move(lemma));
    }
    for (const auto& row : claims.at("claims"))
        if (row.at("kernel") == id && row.at("kind") != "observed")
            kernel->claims.push_back(claim_of(row));
    return kernel;
}

/// The register names exactly the claims that name its assumptions, and kinds are not stronger than
/// what they rest on.
void check_claims(const Files& files, const json& manifest, const json& claims) {
    std::map<std::string, std::string> digests;
    for (const auto& entry : manifest.at("files"))
        digests[entry.at("path")] = entry.at("sha256");
    std::map<std::string, std::string> statuses;
    std::map<std::string, std::set<std::string>> dependents;
    std::int64_t open = 0;
    for (const auto& row : claims.at("assumptions")) {
        const auto id = row.at("id").get<std::string>();
        const auto status = row.at("status").get<std::string>();
        if (!statuses.emplace(id, status).second) incomplete("assumption " + id + " stands twice");
        if (status == "unchecked") ++open;
        row.at("claims").get_to(dependents[id]);
    }
    if (claims.at("unchecked-assumptions").get<std::int64_t>() != open)
        incomplete("claims.json: the number of unchecked assumptions is not that of the register");
    std::set<std::string> ids;
    std::map<std::string, std::set<std::string>> stated;
    for (const auto& row : claims.at("claims")) {
        const auto id = row.at("id").get<std::string>();
        if (!ids.insert(id).second) incomplete("claim " + id + " stands twice");
        const auto kind = row.at("kind").get<std::string>();
        for (const auto& assumption : row.at("assumptions")) {
            const auto known = statuses.find(assumption.get<std::string>());
            if (known == statuses.end())
                incomplete("claim " + id + " rests on an assumption that the register lacks");
            if (kind == "proved-bound" && known->second != "proved")
                throw Finding{Verdict::Failed, "claim " + id +
                                                   " says proved-bound, but assumption " +
                                                   known->first + " is " + known->second};
            stated[known->first].insert(id);
        }
        if (kind != "proved-bound" && kind != "bound-under-assumptions" && kind != "observed")
            incomplete("claim " + id + ": kind '" + kind + "' has no evidence in this format");
        for (const auto& evidence : row.at("evidence")) {
            const auto path = evidence.at("path").get<std::string>();
            if (files.count(path) == 0 || digests[path] != evidence.at("sha256"))
                throw Finding{Verdict::Failed,
                              "claim " + id + ": its evidence " + path + " has another digest"};
        }
    }
    for (const auto& [id, claims_of_it] : dependents)
        if (claims_of_it != stated[id])
            incomplete("assumption " + id + ": the claims that depend on it do not all name it");
}

} // namespace

Evidence read_evidence(const Files& files) {
    try {
        const json manifest = json_of(files, "manifest.json");
        if (manifest.at("format") != "warpbound-evidence/1")
            incomplete("manifest.json: another format than warpbound-evidence/1");
        const json claims = json_of(files, "claims.json");
        check_claims(files, manifest, claims);
        const json run = json_of(files, "inputs/run.json");
        Evidence evidence;
        run.at("tool").at("version").get_to(evidence.tool_version);
        for (const auto& id : run.at("kernels"))
            evidence.kernels.push_back(kernel_of(files, id.get<std::string>(), claims));
        if (evidence.kernels.empty()) incomplete("inputs/run.json: no kernels");
        for (const auto& row : claims.at("claims"))
            if (std::none_of(evidence.kernels.begin(), evidence.kernels.end(),
                             [&](const auto& kernel) { return row.at("kernel") == kernel->id; }))
                incomplete("a claim on a kernel that is not in the bundle");
        return evidence;
    } catch (const json::exception& error) {
        incomplete(error.what());
    } catch (const std::logic_error& error) { // numbers that are none
        incomplete(error.what());
    }
}

} // namespace warpbound::certification::verify
