// Every instruction of the example listings has a time on the machine it was compiled for.
#include "assembly/isa/reader.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

namespace warpbound::models {
namespace {

struct Listing {
    const char* file;
    const char* architecture;
};

void PrintTo(const Listing& listing, std::ostream* out) {
    *out << listing.file;
}

class ExampleListing : public testing::TestWithParam<Listing> {};

TEST_P(ExampleListing, ResolvesOnItsMachine) {
    const auto folder = std::filesystem::path{WARPBOUND_EXAMPLES};
    const auto source = assembly::read_source(folder / GetParam().file);
    ASSERT_TRUE(source.has_value());
    const auto program = assembly::read_program(source.value());
    ASSERT_TRUE(program.has_value()) << to_string(program.error());
    const auto description = std::filesystem::path{WARPBOUND_DESCRIPTIONS} /
                             (std::string{GetParam().architecture} + ".xml");
    const auto architecture = read_architecture(assembly::read_source(description).value());
    ASSERT_TRUE(architecture.has_value()) << to_string(architecture.error());
    for (const auto& function : program.value().functions)
        for (const auto& timing : instruction_timings(function, architecture.value(), {}, 32))
            if (!timing) ADD_FAILURE() << function.name << ": " << timing.error().what;
}

INSTANTIATE_TEST_SUITE_P(All, ExampleListing,
                         testing::Values(Listing{"convolution/sm_52.sass", "maxwell-gtx970"},
                                         Listing{"convolution/sm_75.sass", "turing-t4"},
                                         Listing{"convolution/sm_90.sass", "hopper-h200"},
                                         Listing{"saxpy/sm_52.sass", "maxwell-gtx970"},
                                         Listing{"saxpy/sm_75.sass", "turing-t4"},
                                         Listing{"saxpy/sm_90.sass", "hopper-h200"}));

// The flow facts in the folders of the listings are read.
TEST(ExampleFlowFacts, AreRead) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator{WARPBOUND_EXAMPLES}) {
        if (entry.path().string().find("flow-facts.xml") == std::string::npos) continue;
        const auto facts = read_flow_facts(assembly::read_source(entry.path()).value());
        if (!facts) ADD_FAILURE() << to_string(facts.error());
    }
}

} // namespace
} // namespace warpbound::models
