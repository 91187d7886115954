/// \file
/// The envelope of every example kernel contains 500 simulated times on every machine of its
/// generation, and what is stated of its accesses agrees with its code.

#include "analyzer/analyze.hpp"
#include "analyzer/flow/thread_facts.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/protocol/measure.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/value_path.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

namespace warpbound {
namespace {

struct Example {
    std::string listing;
    std::string kernel;
    std::string facts;
    std::string architecture;

    friend void PrintTo(const Example& example, std::ostream* out) {
        *out << example.kernel << " on " << example.architecture;
    }
};

std::vector<Example> examples() {
    std::vector<Example> all;
    const std::vector<std::pair<std::string, std::string>> targets{
        {"sm_52", "maxwell-gtx970"}, {"sm_75", "turing-t4"}, {"sm_90", "hopper-h200"}};
    for (const auto& [sm, architecture] : targets) {
        const std::string convolution = "examples/convolution/" + sm;
        all.push_back({convolution + ".sass", "convolution_rows",
                       convolution + ".rows.flow-facts.xml", architecture});
        all.push_back({convolution + ".sass", "convolution_columns",
                       convolution + ".columns.flow-facts.xml", architecture});
        const std::string saxpy = "examples/saxpy/" + sm;
        all.push_back({saxpy + ".sass", "saxpy_loop", saxpy + ".flow-facts.xml", architecture});
    }
    return all;
}

class ExampleEnvelope : public testing::TestWithParam<Example> {};

TEST_P(ExampleEnvelope, Contains500SimulatedTimesAndIsTight) {
    const std::string root = std::string{WARPBOUND_SOURCE_DIR} + "/";
    const auto text = assembly::read_source(root + GetParam().listing);
    ASSERT_TRUE(text) << to_string(text.error());
    const auto program = assembly::read_program(text.value());
    ASSERT_TRUE(program) << to_string(program.error());
    const auto function = assembly::find_function(program.value(), GetParam().kernel);
    ASSERT_TRUE(function) << to_string(function.error());
    const auto graph = assembly::build_control_flow_graph(*function.value());
    ASSERT_TRUE(graph) << to_string(graph.error());
    const auto facts_text = assembly::read_source(root + GetParam().facts);
    ASSERT_TRUE(facts_text) << to_string(facts_text.error());
    const auto facts = models::read_flow_facts(facts_text.value());
    ASSERT_TRUE(facts) << to_string(facts.error());
    EXPECT_EQ(facts.value().program_digest, program.value().digest);
    auto architecture = models::load_architecture(GetParam().architecture);
    ASSERT_TRUE(architecture) << to_string(architecture.error());
    // How tight the bound is, is said of caches that hold the code: the first misses of each line
    // are bounded by much more than a run shows.
    if (architecture.value().has_instruction_caches()) {
        ASSERT_TRUE(models::assume_value(architecture.value(), "fetch/warm=1"));
    }
    const std::string described =
        testing::TempDir() + GetParam().architecture + "-" + GetParam().kernel + ".xml";
    std::ofstream{described} << models::write_architecture(architecture.value());

    analyzer::Request request;
    request.function = function.value();
    request.graph = &graph.value();
    request.architecture = &architecture.value();
    request.facts = &facts.value();
    const auto analysis = analyzer::analyze(request);
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    const auto bounds = analysis.value().execution_time.bounds();

    const auto device = harness::open_device("simulated:" + described);
    ASSERT_TRUE(device) << to_string(device.error());
    const harness::Kernel kernel{function.value(), &graph.value(), &facts.value(), {1, 32}};
    for (const auto draw : {harness::Draw::Uniform, harness::Draw::Extremes}) {
        harness::Protocol protocol;
        protocol.draw = draw;
        const auto measured = harness::measure(*device.value(), kernel, {}, protocol,
                                               harness::Quantity::ExecutionTime, nullptr, 2);
        ASSERT_TRUE(measured) << to_string(measured.error());
        ASSERT_EQ(measured.value().samples.size(), 500U);
        for (const auto& sample : measured.value().samples)
            ASSERT_TRUE(bounds.contains(models::Cycles{sample.times.at(0)}))
                << sample.times.at(0) << " outside [" << bounds.lower().count() << ", "
                << bounds.upper().count() << "], seed " << sample.seed;
    }
    const auto prepared = device.value()->prepare(kernel);
    ASSERT_TRUE(prepared);
    const auto& upper = analysis.value().execution_time.upper;
    const auto replay = prepared.value()->run({1, harness::Draw::AllHigh, upper.path});
    ASSERT_TRUE(replay) << to_string(replay.error());
    const auto replayed = static_cast<double>(replay.value().observation.execution_time.count());
    EXPECT_LE(replayed, static_cast<double>(upper.proved.count()));
    EXPECT_LE(static_cast<double>(upper.proved.count()), 1.10 * replayed);
}

/// The stated conflict degrees and transactions agree with the derived ones; they also assume that
/// pointers are multiples of 128, which does not follow from the code.
TEST_P(ExampleEnvelope, AgreesWithTheTransactionsDerivedFromTheCode) {
    const std::string root = std::string{WARPBOUND_SOURCE_DIR} + "/";
    const auto program =
        assembly::read_program(assembly::read_source(root + GetParam().listing).value());
    ASSERT_TRUE(program) << to_string(program.error());
    const assembly::Function& function =
        *assembly::find_function(program.value(), GetParam().kernel).value();
    const auto graph = assembly::build_control_flow_graph(function).value();
    const auto facts =
        models::read_flow_facts(assembly::read_source(root + GetParam().facts).value());
    ASSERT_TRUE(facts) << to_string(facts.error());
    const auto architecture = models::load_architecture(GetParam().architecture);
    ASSERT_TRUE(architecture) << to_string(architecture.error());
    const bool in_rows = GetParam().kernel == "convolution_rows";
    const auto derived = analyzer::derive_thread_facts(
        function, graph,
        {in_rows ? std::array<std::int64_t, 3>{16, 2, 1} : std::array<std::int64_t, 3>{32, 1, 1}},
        architecture.value(), {});
    EXPECT_TRUE(derived.always_uniform);
    std::size_t shared = 0;
    for (const auto& [number, transactions, sectors, reason] : derived.accesses.transactions) {
        const auto* stated = facts.value().memory_at(function.instructions[number].address);
        ASSERT_NE(stated, nullptr);
        if (stated->conflict_degree) {
            ++shared;
            EXPECT_EQ(stated->conflict_degree->min, transactions.lo) << reason;
            EXPECT_EQ(stated->conflict_degree->max, transactions.hi) << reason;
        } else {
            EXPECT_GE(stated->transactions->min, transactions.lo) << reason;
            EXPECT_LE(stated->transactions->max, transactions.hi) << reason;
        }
    }
    for (const auto& fact : facts.value().memory)
        if (fact.conflict_degree) --shared;
    EXPECT_EQ(shared, 0U) << "shared accesses whose conflict degree does not follow";
}

INSTANTIATE_TEST_SUITE_P(AllExamples, ExampleEnvelope, testing::ValuesIn(examples()));

} // namespace
} // namespace warpbound
