#include "certification/verify/evidence.hpp"

#include "assembly/amd/code_object.hpp"
#include "assembly/amd/program_builder.hpp"
#include "assembly/isa/reader.hpp"
#include "certification/verify/bundle_json.hpp"
#include "certification/verify/certificate_json.hpp"
#include "certification/verify/divergence/stacks_json.hpp"
#include "certification/verify/facts_in_use.hpp"
#include "certification/verify/source_facts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::certification::verify {

namespace {

/// Of the manifest that this version checks.
constexpr std::string_view evidence_format = "warpbound-evidence/4";

using nlohmann::json;

const std::string& text_of(const Files& files, const std::string& path) {
    const auto found = files.find(path);
    if (found == files.end()) incomplete(path + ": missing");
    return found->second;
}

json json_of(const Files& files, const std::string& path) {
    return read_json(text_of(files, path), path, Verdict::Incomplete);
}

/// Calls `read` on what a file holds; a refusal that does not name the file gets its name.
template <class Read> auto in_file(const std::string& path, const Read& read) {
    const auto named = [&](const std::string& what) {
        return what.rfind(path, 0) == 0 ? what : path + ": " + what;
    };
    try {
        return read();
    } catch (const json::exception& error) {
        incomplete(named(error.what()));
    } catch (const Finding& finding) {
        throw Finding{finding.verdict, named(finding.what())};
    }
}

/// Paths that one place in the bundle may name: each of them is read once.
class Unread {
public:
    explicit Unread(const Files& files) : files_{files} {}

    /// Its text.
    const std::string& take(const std::string& path) {
        if (!taken_.insert(path).second) incomplete(path + ": named twice");
        return text_of(files_, path);
    }

private:
    const Files& files_;
    std::set<std::string> taken_;
};

template <class Value> Value taken(Result<Value> result, const std::string& path) {
    if (!result) incomplete(path + ": " + to_string(result.error()));
    return std::move(result).value();
}

QueueingArguments queueing_of(const json& stated) {
    using Rows = QueueingArguments::Rows;
    const auto rows = stated.at("rows").get<std::string>();
    QueueingArguments arguments;
    stated.at("hits").get_to(arguments.hits);
    stated.at("ports").get_to(arguments.ports);
    arguments.addresses = stated.value("addresses", true);
    if (rows == "per-waiting-access")
        arguments.rows = Rows::PerWaitingAccess;
    else if (rows == "once-per-launch")
        arguments.rows = Rows::OncePerLaunch;
    else if (rows != "whole-transfers")
        incomplete("an unknown count of rows: " + rows);
    return arguments;
}

std::array<std::int64_t, 3> block_of(const json& indices) {
    if (indices.size() != 3) incomplete("a thread block has three indices");
    return {whole_number(indices.at(0)), whole_number(indices.at(1)), whole_number(indices.at(2))};
}

LoadedDataRow loaded_of(const json& stated) {
    LoadedDataRow loaded;
    loaded.bytes = whole_number(stated.at("bytes"));
    loaded.units = whole_number(stated.at("units"));
    for (const auto& row : stated.at("sets")) {
        LoadedSetRow& set = loaded.sets.emplace_back();
        set.load = whole_number(row.at("load"));
        if (row.contains("pointer")) set.pointer = whole_number(row.at("pointer"));
        set.first_block = block_of(row.at("first-block"));
        set.last_block = block_of(row.at("last-block"));
        set.units = whole_number(row.at("units"));
    }
    return loaded;
}

ClaimRow claim_of(const json& row) {
    ClaimRow claim;
    row.at("id").get_to(claim.id);
    row.at("quantity").get_to(claim.quantity);
    row.at("kind").get_to(claim.kind);
    claim.value = whole_number(row.at("value"));
    row.at("assumptions").get_to(claim.assumptions);
    row.at("limit-reached").get_to(claim.limit_reached);
    claim.upper = row.at("side").get<std::string>() == "upper";
    if (row.contains("time-ns")) claim.time = whole_number(row.at("time-ns"));
    if (row.at("proof").contains("queueing"))
        claim.queueing = queueing_of(row.at("proof").at("queueing"));
    claim.by_addresses = row.at("proof").value("by-addresses", false);
    if (row.at("proof").contains("loaded-data"))
        claim.loaded = loaded_of(row.at("proof").at("loaded-data"));
    for (const auto& warp : row.at("proof").value("warps", json::array()))
        claim.warps.push_back({whole_number(warp.at("ports")), whole_number(warp.at("drain"))});
    for (const auto& part : row.at("proof").at("terms"))
        claim.terms.push_back({whole_number(part.at("count")), whole_number(part.at("cycles")),
                               part.value("certificate", std::string{})});
    return claim;
}

ObservedRow observed_of(const json& row) {
    ObservedRow observed;
    row.at("id").get_to(observed.id);
    row.at("evidence").at(0).at("path").get_to(observed.path);
    row.at("quantity").get_to(observed.quantity);
    row.at("device").get_to(observed.device);
    row.at("protocol").get_to(observed.protocol);
    observed.count = whole_number(row.at("count"));
    observed.best = whole_number(row.at("best"));
    observed.worst = whole_number(row.at("worst"));
    return observed;
}

void read_control_flow(KernelCase& kernel, const Files& files, const std::string& folder) {
    const json control_flow = json_of(files, folder + "blocks.json");
    kernel.blocks = read_blocks(control_flow);
    if (!control_flow.contains("serialized-cfg")) return;
    kernel.serialized = read_copies(control_flow.at("serialized-cfg"), kernel.blocks.size());
    kernel.stacks = read_stacks(control_flow.at("simt-stacks"));
    for (const SerializedBlockRow& node : kernel.serialized)
        for (const std::size_t stack : node.stacks)
            if (stack >= kernel.stacks.size()) incomplete("a node has a stack that does not exist");
}

/// Of the assumption that names S79. What it says is left to re-analysis.
std::set<std::string> ids_of_cache_assumptions(const json& claims) {
    std::set<std::string> ids;
    for (const auto& row : claims.at("assumptions"))
        if (row.at("text").get<std::string>().find("(S79)") != std::string::npos)
            ids.insert(row.at("id").get<std::string>());
    return ids;
}

void read_claims(KernelCase& kernel, const json& claims) {
    const auto of_caches = ids_of_cache_assumptions(claims);
    for (const auto& row : claims.at("claims")) {
        if (row.at("kernel") != kernel.id) continue;
        if (row.at("kind") == "observed") {
            kernel.observed.push_back(observed_of(row));
            continue;
        }
        ClaimRow& claim = kernel.claims.emplace_back(claim_of(row));
        claim.assumes_caches =
            std::any_of(claim.assumptions.begin(), claim.assumptions.end(),
                        [&](const std::string& id) { return of_caches.count(id) != 0; });
    }
}

/// A code object of AMD, or the text of a listing.
assembly::Program program_of(const std::string& path, const std::string& bytes,
                             const assembly::amd::CodeDecoder* decoder) {
    if (assembly::amd::is_code_object(bytes))
        return taken(assembly::amd::read_code({path, bytes}, decoder), path);
    return taken(assembly::read_program({path, bytes}), path);
}

/// The launch is one that the descriptor of a kernel of AMD admits.
void check_descriptor(const KernelCase& kernel, const std::string& path, const std::string& bytes) {
    const auto object = taken(assembly::amd::read_code_object(bytes), path);
    // More would limit the resident wavefronts (C30), on gfx9 only.
    const int gfx = object.target.gfx;
    const bool has_eight_wavefronts = gfx == 0x90a || gfx == 0x942;
    const bool is_rdna = gfx >= 0x1000;
    const std::int64_t scalar_registers = has_eight_wavefronts ? 96 : 80;
    const auto lanes = taken(models::require(kernel.architecture, kernel.architecture.geometry,
                                             "geometry", "warp-size"),
                             kernel.architecture_path)
                           .lo;
    for (const auto& described : object.kernels) {
        if (described.name != kernel.function->name) continue;
        if (described.max_lanes && kernel.launch.threads > *described.max_lanes)
            refuted(fmt::format("{}: a block of {} threads; the code is compiled for at most {}",
                                kernel.id, kernel.launch.threads, *described.max_lanes));
        if (described.lanes != lanes)
            refuted(fmt::format("{}: wavefronts of {} lanes; the machine is described for {}",
                                kernel.id, described.lanes, lanes));
        if (is_rdna && described.in_compute_unit_mode)
            refuted(kernel.id + ": compiled for the mode of compute units; the machine is "
                                "described for work-group processors");
        if (!is_rdna && described.sgprs && *described.sgprs > scalar_registers)
            refuted(fmt::format("{}: {} SGPRs, with which fewer wavefronts may be resident than "
                                "are counted",
                                kernel.id, *described.sgprs));
    }
}

std::unique_ptr<KernelCase> kernel_of(const Files& files, const std::string& id, Unread& unread,
                                      const json& claims,
                                      const assembly::amd::CodeDecoder* decoder) {
    auto kernel = std::make_unique<KernelCase>();
    kernel->id = id;
    const std::string inputs = "inputs/" + id + "/";
    const std::string analysis = "analysis/" + id + "/";
    const json launch = json_of(files, inputs + "launch.json");
    const auto listing = launch.at("listing").get<std::string>();
    const std::string& code = unread.take(listing);
    kernel->program = program_of(listing, code, decoder);
    kernel->function = taken(
        assembly::find_function(kernel->program, launch.at("kernel").get<std::string>()), listing);
    launch.at("architecture").get_to(kernel->architecture_path);
    kernel->architecture =
        taken(models::read_architecture(
                  {kernel->architecture_path, text_of(files, kernel->architecture_path)}),
              kernel->architecture_path);
    kernel->launch = taken(models::parse_launch(launch.at("launch").get<std::string>()), inputs);
    if (is_amd(kernel->function->target)) check_descriptor(*kernel, listing, code);
    kernel->policy = taken(models::read_policy(launch.at("policy").get<std::string>()), inputs);
    if (launch.contains("multiprocessors"))
        kernel->multiprocessors = whole_number(launch.at("multiprocessors"));
    kernel->loads_through_caches = launch.value("loads-through-caches", false);
    if (launch.contains("clock"))
        kernel->stated_clock =
            taken(models::parse_clock(launch.at("clock").get<std::string>()), inputs);
    if (launch.contains("flow-facts")) {
        const auto path = launch.at("flow-facts").get<std::string>();
        kernel->stated_facts = taken(models::read_flow_facts({path, unread.take(path)}), path);
        if (kernel->stated_facts.program_digest != kernel->program.digest ||
            kernel->stated_facts.kernel != kernel->function->name)
            refuted(path + ": stated of another listing or kernel");
        std::vector<std::string> sources;
        if (launch.contains("sources"))
            for (const auto& source : launch.at("sources"))
                sources.push_back(unread.take(source.get<std::string>()));
        check_source_facts(kernel->stated_facts, sources, path);
    }
    const std::string in_use = analysis + "facts-in-use.xml";
    kernel->facts = taken(models::read_flow_facts({in_use, text_of(files, in_use)}), in_use);
    kernel->facts.digest = kernel->stated_facts.digest;
    kernel->derived_facts = derived_facts(*kernel->function, kernel->program.digest, kernel->facts,
                                          kernel->stated_facts, in_use);
    for (const auto& samples : launch.at("samples")) {
        const auto path = samples.get<std::string>();
        kernel->series.push_back(read_samples(unread.take(path), path));
    }
    in_file(analysis + "blocks.json", [&] { read_control_flow(*kernel, files, analysis); });
    // More where lanes may part; which of them a table's side has is checked with its ways.
    const std::size_t blocks = std::max(kernel->blocks.size(), kernel->serialized.size());
    for (auto file = files.lower_bound(analysis);
         file != files.end() && file->first.rfind(analysis, 0) == 0; ++file) {
        const std::string name = file->first.substr(analysis.size());
        if (name == "blocks.json" || name == "result.json" ||
            name.find(".json") == std::string::npos)
            continue;
        Certificate certificate = in_file(file->first, [&] {
            return read_certificate(json_of(files, file->first), file->first, blocks);
        });
        if (certificate.id + ".json" != name)
            incomplete(file->first + ": holds path certificate " + certificate.id);
        certificate.script = text_of(files, analysis + certificate.id + ".smt2");
        kernel->certificates.push_back(std::move(certificate));
    }
    in_file("claims.json", [&] { read_claims(*kernel, claims); });
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
    if (whole_number(claims.at("unchecked-assumptions")) != open)
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
                refuted("claim " + id + " says proved-bound, but assumption " + known->first +
                        " is " + known->second);
            stated[known->first].insert(id);
        }
        if (kind != "proved-bound" && kind != "bound-under-assumptions" && kind != "observed")
            incomplete("claim " + id + ": kind '" + kind + "' has no evidence in this format");
        for (const auto& evidence : row.at("evidence")) {
            const auto path = evidence.at("path").get<std::string>();
            if (files.count(path) == 0 || digests[path] != evidence.at("sha256"))
                refuted("claim " + id + ": its evidence " + path + " has another digest");
        }
    }
    for (const auto& [id, claims_of_it] : dependents)
        if (claims_of_it != stated[id])
            incomplete("assumption " + id + ": the claims that depend on it do not all name it");
    for (const auto& row : claims.at("claims")) {
        if (!row.contains("unchecked-assumptions")) continue; // Observed times.
        const auto& named = row.at("assumptions");
        const auto unchecked = std::count_if(named.begin(), named.end(), [&](const json& id) {
            return statuses.at(id.get<std::string>()) == "unchecked";
        });
        if (whole_number(row.at("unchecked-assumptions")) != unchecked)
            refuted("claims.json: claim " + row.at("id").get<std::string>() + " rests on " +
                    std::to_string(unchecked) + " unchecked assumptions");
    }
}

} // namespace

Evidence read_evidence(const Files& files, const assembly::amd::CodeDecoder* decoder) {
    try {
        const json manifest = json_of(files, "manifest.json");
        if (manifest.at("format") != evidence_format)
            incomplete(
                fmt::format("manifest.json: format {}; {} was expected. Ids and keys of other "
                            "formats have other names: make the bundle again with `certify`",
                            manifest.at("format").dump(), evidence_format));
        const json claims = json_of(files, "claims.json");
        in_file("claims.json", [&] { check_claims(files, manifest, claims); });
        const json run = json_of(files, "inputs/run.json");
        Evidence evidence;
        evidence.tool_version = line_text(run.at("tool").at("version"), "inputs/run.json");
        for (const auto& component : run.at("components"))
            evidence.components.emplace_back(line_text(component.at("name"), "inputs/run.json"),
                                             line_text(component.at("version"), "inputs/run.json"));
        Unread unread{files};
        std::set<std::string> ids;
        for (const auto& row : run.at("kernels")) {
            const std::string id = line_text(row, "inputs/run.json");
            if (!ids.insert(id).second)
                incomplete("inputs/run.json: kernel " + id + " stands twice");
            evidence.kernels.push_back(kernel_of(files, id, unread, claims, decoder));
        }
        if (evidence.kernels.empty()) incomplete("inputs/run.json: no kernels");
        for (const auto& row : run.value("calibration", json::array())) {
            const std::string path = line_text(row, "inputs/run.json");
            evidence.calibration.push_back(read_samples(unread.take(path), path));
        }
        for (const auto& row : claims.at("claims"))
            if (std::none_of(evidence.kernels.begin(), evidence.kernels.end(),
                             [&](const auto& kernel) { return row.at("kernel") == kernel->id; }))
                incomplete("claims.json: a claim on a kernel that is not in the bundle");
        return evidence;
    } catch (const json::exception& error) {
        incomplete(error.what());
    }
}

} // namespace warpbound::certification::verify
