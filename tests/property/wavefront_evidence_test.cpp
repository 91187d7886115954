/// \file
/// Evidence on random wavefronts of AMD: `verify` accepts what is honest, and derives times that no
/// table may undercut (S66).

#include "certification/verify/verify.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/random_wavefront.hpp"
#include "tests/unit/certification/amd/wavefront_bundle.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

using certification::verify::Verdict;

struct Case {
    certification::KernelInput input;
    std::string text; ///< For messages.
};

using Machine = tests::WavefrontMachine;

std::string image_of(const std::string& text, const Machine& wanted) {
    if (std::string{"gfx90a"} == wanted.processor) return tests::wavefront_image(text);
    return tests::wavefront_image(text, wanted.processor, tests::directives_for(wanted));
}

Case case_of(std::uint64_t seed, const models::Architecture& described, const Machine& wanted) {
    tests::RandomSource random{seed};
    models::Architecture machine = described;
    tests::vary(machine, random);
    const bool is_straight = random.whole(0, 2) == 0;
    const std::int64_t warps = is_straight ? 1 : random.whole(1, 6);
    tests::RandomWavefront wavefront{random, warps > 1};
    Case made;
    made.text = tests::text_for(wanted, is_straight ? wavefront.straight_line() : wavefront.text());
    const std::int64_t blocks = is_straight ? 1 : random.whole(1, 3);
    made.input = tests::wavefront_input(
        image_of(made.text, wanted), "k", fmt::format("{}x{}", blocks, wanted.lanes * warps),
        models::to_string(tests::policy_of(static_cast<std::size_t>(random.whole(0, 100)))));
    made.text += made.input.launch + " " + made.input.policy + "\n";
    made.input.architecture = models::write_architecture(machine);
    const auto program =
        assembly::amd::read_code({"code", made.input.listing}, made.input.decoder).value();
    const auto graph = assembly::build_control_flow_graph(program.functions.front()).value();
    models::FlowFacts facts = tests::facts_of(graph, random);
    facts.kernel = "k";
    facts.program_digest = program.digest;
    if (!facts.loops.empty()) made.input.flow_facts = models::write_flow_facts(facts);
    return made;
}

std::string steps_text(const std::vector<certification::verify::StepResult>& steps) {
    std::string text;
    for (const auto& step : steps)
        text += step.step + " " + to_string(step.verdict) + " " + step.detail + "\n";
    return text;
}

/// Moves the end of a straight line by a cycle in the table, its bound and its witness.
bool move_end(certification::EvidenceFiles& files, const std::string& id, std::int64_t by) {
    const std::string path = "analysis/K1/" + id + ".json";
    if (files.count(path) == 0) return false;
    bool moved = false;
    tests::edit(files, path, [&](certification::Json& table) {
        if (table.at("nodes").size() != 1) return;
        moved = true;
        const auto end = table.at("nodes").at(0).at(1).get<std::int64_t>() + by;
        table.at("nodes").at(0).at(1) = end;
        table.at("bound") = end;
        if (table.contains("witness")) table.at("witness").at("cost") = end;
    });
    tests::seal_again(files);
    return moved;
}

class AmdEvidence : public testing::TestWithParam<Machine> {};

TEST_P(AmdEvidence, IsAcceptedAndNoTableMayUndercutIt) {
    const auto described = models::load_architecture(GetParam().description);
    ASSERT_TRUE(described) << to_string(described.error());
    const auto cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 30);
    const auto first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261129);
    std::uint64_t accepted = 0;
    std::uint64_t moved = 0;
    for (std::uint64_t seed = first; seed < first + cases && !HasFailure(); ++seed) {
        const Case one = case_of(seed, described.value(), GetParam());
        const auto bundle = certification::build_bundle(tests::bundle_inputs(one.input));
        if (!bundle) {
            EXPECT_NE(to_string(bundle.error()).find("not bounded under policy"), std::string::npos)
                << to_string(bundle.error()) << "\nseed " << seed << "\n"
                << one.text;
            continue;
        }
        const auto steps = tests::verify_wavefront(bundle.value().files);
        EXPECT_EQ(certification::verify::overall(steps), Verdict::Holds)
            << steps_text(steps) << "seed " << seed << "\n"
            << one.text;
        ++accepted;
        for (const auto& [id, by] :
             {std::pair{"execution-time-upper", -1}, std::pair{"execution-time-lower", 1}}) {
            auto files = bundle.value().files;
            if (!move_end(files, id, by)) continue;
            ++moved;
            const auto refusal = tests::step_of(tests::verify_wavefront(files), "structure");
            EXPECT_EQ(refusal.verdict, Verdict::Failed) << "seed " << seed << "\n" << one.text;
        }
    }
    EXPECT_GT(accepted * 10, cases * 9);
    EXPECT_GT(moved * 4, cases);
}

INSTANTIATE_TEST_SUITE_P(All, AmdEvidence, testing::ValuesIn(tests::wavefront_machines),
                         [](const auto& machine) { return tests::name_of(machine.param); });

} // namespace
} // namespace warpbound
