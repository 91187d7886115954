/// \file
/// Blocks that one multiprocessor holds (C30), as the check of a bundle counts them.

#include "certification/verify/interference/residency.hpp"
#include "tests/support/evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;

verify::KernelCase kernel_on(const char* machine, const models::Launch& launch) {
    static const assembly::Function unnamed;
    verify::KernelCase kernel;
    kernel.id = "K1";
    kernel.function = &unnamed;
    kernel.architecture = models::load_architecture(machine).value();
    kernel.launch = launch;
    return kernel;
}

std::int64_t resident(const char* machine, const models::Launch& launch) {
    return verify::resident_blocks(kernel_on(machine, launch), launch.warps_per_block());
}

std::string refusal(const char* machine, const models::Launch& launch) {
    try {
        return std::to_string(resident(machine, launch));
    } catch (const verify::Finding& finding) {
        return finding.what();
    }
}

TEST(CheckedResidency, IsLimitedByRegisters) {
    // 4 partitions of 16,384 registers; a warp takes 128 x 32 = 4,096, so 16 warps fit.
    EXPECT_EQ(resident("turing-t4", {8, 128, 128, std::nullopt}), 4);
    // 33 x 32 = 1,056 are 1,280 in units of 256: 12 in a partition, 48 warps; the warps are 32.
    EXPECT_EQ(resident("turing-t4", {40, 32, 33, std::nullopt}), 16);
    EXPECT_EQ(resident("turing-t4", {8, 128, std::nullopt, std::nullopt}), 8);
    // 5 warps count as 8 of the 65,536 / 4,096 = 16 that a block may have.
    EXPECT_EQ(resident("turing-t4", {8, 160, 128, std::nullopt}), 3);
}

TEST(CheckedResidency, CountsSomeRegistersInDoubleUnitsOnFermi) {
    // 2 partitions of 16,384: 20 x 32 = 640 is a multiple of 64, 25 warps in each.
    EXPECT_EQ(resident("fermi-gtx470", {8, 256, 20, std::nullopt}), 6);
    // 21 x 32 = 672 are 768 in units of 128: 21 warps in each, 42 in all; 704 would allow 23.
    EXPECT_EQ(resident("fermi-gtx470", {8, 352, 21, std::nullopt}), 3);
    // 46 x 32 = 1,472 are 1,536: 10 in each; 11 would fit otherwise.
    EXPECT_EQ(resident("fermi-gtx470", {8, 352, 46, std::nullopt}), 1);
    EXPECT_EQ(resident("fermi-gtx470", {8, 352, 44, std::nullopt}), 2);
}

TEST(CheckedResidency, IsLimitedBySharedMemory) {
    // 1,024 reserved bytes beside 10,000, in units of 128: 11,136 of 233,472.
    EXPECT_EQ(resident("hopper-h200", {64, 32, std::nullopt, 10'000}), 20);
    EXPECT_EQ(resident("turing-t4", {64, 32, std::nullopt, 0}), 16);
}

TEST(CheckedResidency, TakesTheRegistersOfTheListingWithSeveralBlocksOnly) {
    assembly::Function function;
    function.register_count = 128;
    for (const std::int64_t blocks : {1, 8}) {
        verify::KernelCase kernel = kernel_on("turing-t4", {blocks, 1024});
        kernel.function = &function;
        if (blocks == 1)
            EXPECT_EQ(verify::resident_blocks(kernel, 32), 1);
        else
            EXPECT_THROW(verify::resident_blocks(kernel, 32), verify::Finding);
    }
}

TEST(CheckedResidency, TakesTheSharedMemoryOfTheListingWithSeveralBlocksOnly) {
    assembly::Function function;
    function.shared_memory = 20'000; // 20,224 of 65,536 bytes.
    verify::KernelCase kernel = kernel_on("turing-t4", {8, 32});
    kernel.function = &function;
    EXPECT_EQ(verify::resident_blocks(kernel, 1), 3);
    kernel.launch.shared_memory = 10'000;
    EXPECT_EQ(verify::resident_blocks(kernel, 1), 6);
    kernel.launch = {1, 32};
    function.shared_memory = 100'000;
    EXPECT_EQ(verify::resident_blocks(kernel, 1), 1);
}

TEST(CheckedResidency, RefusesABlockThatDoesNotFit) {
    EXPECT_THAT(refusal("turing-t4", {1, 1024, 65, std::nullopt}), HasSubstr("by its registers"));
    EXPECT_THAT(refusal("turing-t4", {1, 32, 256, std::nullopt}), HasSubstr("by its registers"));
    EXPECT_THAT(refusal("turing-t4", {1, 32, std::nullopt, 49'153}),
                HasSubstr("by its shared memory"));
}

TEST(CheckedResidency, WantsNumbersThatItCanDivideBy) {
    verify::KernelCase kernel = kernel_on("turing-t4", {2, 32, 32, std::nullopt});
    tests::set_value(kernel.architecture.limits, "register-granularity", {0, 0, 0});
    EXPECT_THROW(verify::resident_blocks(kernel, 1), verify::Finding);
}

/// A launch whose blocks take turns because of their registers.
TEST(CheckedResidency, AgreesWithTheBoundsOfLaunchesThatItLimits) {
    for (const char* launch : {"8x128,registers=128", "6x64,shared-memory=30000"}) {
        auto kernel = tests::example_kernel("saxpy/sm_75.sass", "saxpy_loop",
                                            "saxpy/sm_75.flow-facts.xml", "turing-t4", "1x32", 0);
        models::Architecture machine = models::load_architecture("turing-t4").value();
        tests::set_value(machine.blocks, "replacement", {10, 10, 30});
        tests::set_value(machine.blocks, "start", {5, 5, 20});
        kernel.architecture = models::write_architecture(machine);
        kernel.launch = launch;
        BundleInputs inputs;
        inputs.tool_version = "1";
        inputs.kernels.push_back(kernel);
        const auto bundle = build_bundle(inputs);
        ASSERT_TRUE(bundle) << to_string(bundle.error());
        verify::Options options;
        options.rebuild = tests::rebuild;
        options.tool_version = "1";
        const auto steps = verify::verify(tests::plain(bundle.value().files), options);
        EXPECT_EQ(verify::overall(steps), verify::Verdict::Holds)
            << launch << ": " << tests::step_of(steps, "structure").detail;
    }
}

} // namespace
} // namespace warpbound::certification
