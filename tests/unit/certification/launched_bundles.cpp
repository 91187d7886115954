#include "tests/unit/certification/launched_bundles.hpp"

#include "models/architecture/value_path.hpp"
#include "models/launch/warp_policy.hpp"
#include "tests/support/stated_uniformity.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace warpbound::certification {

namespace {

/// A path with much work for the others, and one that takes long by itself: the bound by turns is
/// the smaller one.
void take_branching_kernel(KernelInput& input, models::Architecture& machine) {
    input.kernel = "branching";
    input.listing = "!Kernel branching\n@P0 BRA L;\n";
    for (int work = 0; work < 200; ++work)
        input.listing += "FADD R" + std::to_string(10 + work % 40) + ", R2, R3;\n";
    input.listing += "ST [R8], R4;\nEXIT;\nL:\n";
    for (int step = 0; step < 100; ++step)
        input.listing += "FADD R1, R1, R1;\n";
    input.listing += "EXIT;\n!EndKernel\n";
    models::FlowFacts facts;
    facts.kernel = input.kernel;
    facts.program_digest = assembly::digest_of(input.listing);
    auto& store = facts.memory.emplace_back();
    store.at = 201 * 8;
    store.transactions = {1, 1};
    tests::state_uniform_elsewhere(facts, input.listing);
    input.flow_facts = models::write_flow_facts(facts);
    machine = models::load_architecture("fermi-gtx470").value();
    tests::set_value(machine.write_buffer, "entries", {4, 4, 4});
}

/// A path with one load of many lines, which arrive late, and one with many loads of a line each.
/// Sums of costs along one path (S26) are then below those of largest numbers (S59).
void take_loads_on_two_paths(KernelInput& input, models::Architecture& machine) {
    constexpr int loads = 40;
    input.kernel = "loading";
    models::FlowFacts facts;
    facts.kernel = input.kernel;
    std::int64_t at = 0;
    const auto add = [&](const std::string& instruction) {
        input.listing += instruction + ";\n";
        at += 8;
    };
    const auto access = [&](const std::string& instruction, std::uint64_t thread_stride) {
        auto& fact = facts.memory.emplace_back();
        fact.at = at;
        auto& pattern = fact.pattern.emplace();
        pattern.base = static_cast<std::uint64_t>(at) * 0x10000;
        pattern.thread_stride = thread_stride;
        pattern.warp_stride = 32 * thread_stride;
        add(instruction);
    };
    input.listing = "!Kernel loading\n";
    add("@P0 BRA L");
    access("LD R1, [R8]", 32);
    access("ST [R8], R2", 4);
    add("EXIT");
    input.listing += "L:\n";
    for (int load = 0; load < loads; ++load)
        access("LD R" + std::to_string(10 + load) + ", [R8]", 4);
    access("ST [R8], R2", 4);
    access("ST [R8], R3", 4);
    add("EXIT");
    input.listing += "!EndKernel\n";
    facts.program_digest = assembly::digest_of(input.listing);
    tests::state_uniform_elsewhere(facts, input.listing);
    input.flow_facts = models::write_flow_facts(facts);
    machine = models::load_architecture("fermi-gtx470").value();
}

void lead_through_caches(KernelInput& input, models::Architecture& machine,
                         std::int64_t refresh_interval) {
    take_loads_on_two_paths(input, machine);
    machine.memories = models::load_architecture("gtx480-gpgpusim").value().memories;
    std::erase_if(machine.memories, [](const auto& memory) { return memory.name == "constant"; });
    for (const auto& [path, value] : std::vector<std::pair<const char*, std::int64_t>>{
             {"memories/l1/mshr-entries", 6},
             {"memories/interconnect/queue", 2},
             {"memories/dram/refresh-duration", 200},
             {"memories/dram/refresh-interval", refresh_interval},
             {"classes/load-global/pass-cost", 180}})
        ASSERT_TRUE(models::override_value(machine, path, value)) << path;
}

KernelInput input_of(const Launched& launched) {
    KernelInput input =
        launched.meets
            ? tests::example_kernel("convolution/sm_75.sass", "convolution_rows",
                                    "convolution/sm_75.rows.flow-facts.xml", "turing-t4",
                                    launched.launch, 0)
            : tests::example_kernel("saxpy/sm_75.sass", "saxpy_loop", "saxpy/sm_75.flow-facts.xml",
                                    "turing-t4", launched.launch, 0);
    auto architecture = models::read_architecture({"turing-t4", input.architecture}).value();
    // Nothing is claimed of others behind instruction caches and read ports.
    const auto policy = models::read_policy(launched.policy).value();
    if (models::guarantee_of(policy) != models::PolicyGuarantee::WorkConserving) {
        architecture.fetch = {};
        architecture.register_file = {};
    }
    if (launched.branches) take_branching_kernel(input, architecture);
    if (launched.refresh_interval)
        lead_through_caches(input, architecture, *launched.refresh_interval);
    tests::set_value(architecture.blocks, "replacement", {3, 5, 9});
    tests::set_value(architecture.blocks, "start", {5, 5, 20});
    tests::set_value(architecture.blocks, "most-room", {0, 0, 0}); // Blocks may go anywhere.
    input.architecture = models::write_architecture(architecture);
    input.policy = launched.policy;
    input.multiprocessors = launched.multiprocessors;
    return input;
}

} // namespace

Bundle bundle_of(const Launched& launched) {
    BundleInputs made;
    made.tool_version = "1.2.3";
    made.kernels.push_back(input_of(launched));
    return build_bundle(made).value();
}

analyzer::Analysis analysis_of(const Launched& launched) {
    const auto loaded = load(input_of(launched), "K1").value();
    return analyzer::analyze(request_of(*loaded, 1)).value();
}

const std::vector<Launched>& launches() {
    static const std::vector<Launched> list{
        {"one wave on several multiprocessors", "40x128", "lrr", 8},
        {"several waves on several multiprocessors", "40x128", "gto", 2},
        {"several waves on one multiprocessor", "40x128", "unknown", 1},
        {blocks_that_meet, "3x256", "gto", 1, {}, true},
        {"blocks that meet, several waves on several multiprocessors",
         "20x320",
         "gto",
         2,
         {},
         true},
        {"turns of blocks that meet, several waves", "9x320", "lrr", 1, {}, true},
        {"slots of one wave", "5x128", "variable-rate:fast=0,every=3", 1},
        {"slots of several waves", "20x128", "variable-rate:fast=1,every=2", 1},
        {"accesses of one warp through caches", "1x32", "lrr", 1, 40'000},
        {"accesses of several waves through caches", "400x128", "gto", 2, 2'000},
        {"slots of blocks that meet, one wave",
         "3x256",
         "variable-rate:fast=0,every=3",
         1,
         {},
         true},
        {"slots of blocks that meet, several waves",
         "9x320",
         "variable-rate:fast=1,every=2",
         1,
         {},
         true},
        {"turns of one wave", "1x512", "lrr", 1, {}, false, true},
        {"turns of several waves on several multiprocessors", "40x128", "lrr", 2, {}, false, true},
        {"strict turns of one wave on several multiprocessors", "40x128", "srr", 8},
        {"strict turns of several waves of lone warps", "100x32", "srr", 2},
        {"strict turns of several waves of branching blocks", "40x128", "srr", 2, {}, false, true},
        {"strict turns of blocks that meet, one wave", "3x256", "srr", 1, {}, true},
        {"strict turns of blocks that meet, several waves", "9x320", "srr", 2, {}, true},
        {"strict turns that take the same time", "1x1024", "srr", 1, {}, false, true},
        {"slots of one wave on several multiprocessors", "40x128", "variable-rate:fast=0,every=3",
         8},
        {"slots of several waves on several multiprocessors", "40x128",
         "variable-rate:fast=1,every=2", 2},
        {"slots of blocks that meet on several multiprocessors",
         "9x320",
         "variable-rate:fast=1,every=2",
         2,
         {},
         true},
        {"slots and accesses through caches, one wave", "5x128", "variable-rate:fast=0,every=3", 1,
         40'000},
        {cached_in_slots, "400x128", "variable-rate:fast=1,every=2", 1, 2'000},
        {"strict turns and accesses through caches, one wave", "8x128", "srr", 2, 40'000},
        {cached_in_turns, "400x128", "srr", 2, 2'000},
        {active_set_in_one_wave, "5x128", "two-level:active=3", 1},
        {"active set of several waves on several multiprocessors", "40x128", "two-level:active=2",
         2},
        {"active set of blocks that meet", "9x320", "two-level:active=1", 1, {}, true},
        {"active set and accesses through caches", "20x128", "two-level:active=2", 1, 2'000},
        {many_waves, "400x128", "gto", 1},
        {"many waves of branching blocks on several multiprocessors",
         "999x256",
         "lrr",
         3,
         {},
         false,
         true},
    };
    return list;
}

Bundle bundle_named(std::string_view name) {
    const auto found =
        std::ranges::find(launches(), name, [](const Launched& each) { return each.name; });
    if (found == launches().end()) throw std::out_of_range{std::string{name}};
    return bundle_of(*found);
}

verify::StepResult structure_step(EvidenceFiles files) {
    tests::seal_again(files);
    auto asked = options();
    asked.rebuild = [](const verify::Files& same) -> Result<verify::Files> { return same; };
    return tests::step_of(verify::verify(tests::plain(files), asked), "structure");
}

verify::Verdict structure_of(EvidenceFiles files) {
    return structure_step(std::move(files)).verdict;
}

EvidenceFiles with_claim_moved(EvidenceFiles files, const char* side, std::int64_t cycles) {
    tests::edit(files, "claims.json", [&](Json& json) {
        for (Json& claim : json["claims"]) {
            if (claim["quantity"] != "execution-time" || claim["side"] != side) continue;
            claim["value"] = claim["value"].get<std::int64_t>() + cycles;
            Json& term = claim["proof"]["terms"][0];
            term["cycles"] = term["cycles"].get<std::int64_t>() + cycles;
        }
    });
    return files;
}

bool lower_costs(EvidenceFiles& files, const std::string& path) {
    bool has_cost = false;
    tests::edit(files, path, [&](Json& json) {
        for (Json& node : json["nodes"])
            if (node[1].is_number() && node[1].get<std::int64_t>() > 0) {
                node[1] = node[1].get<std::int64_t>() - 1;
                has_cost = true;
            }
        if (has_cost) json["bound"] = json["bound"].get<std::int64_t>() - 1;
    });
    return has_cost;
}

std::vector<std::string> certificates_of_upper_bound(const Bundle& bundle) {
    std::vector<std::string> certificates;
    const Json claims = Json::parse(bundle.files.at("claims.json").bytes)["claims"];
    for (const auto& term : claims[0]["proof"]["terms"])
        if (const auto certificate = term.value("certificate", std::string{}); !certificate.empty())
            certificates.push_back(certificate.substr(std::string{"execution-time-upper-"}.size()));
    return certificates;
}

} // namespace warpbound::certification
