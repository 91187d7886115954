#include "harness/devices/cuda/sequence_check.hpp"
#include "harness/toolchain/disassembler.hpp"
#include "tests/unit/harness/devices/cuda/stand_in.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace warpbound::harness::cuda {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using tests::ptx_point;
using tests::StandIn;
using State = SequenceVerdict::State;

/// The cuobjdump listing of a kernel with the given text between the clock reads.
std::string listing(const std::vector<std::string>& region) {
    std::string text = "\tcode for sm_80\n\t\tFunction : timed_region\n";
    std::vector<std::string> all{"LDG.E R3, [R4]", "CS2R R6, SR_CLOCKLO"};
    all.insert(all.end(), region.begin(), region.end());
    all.insert(all.end(), {"CS2R R10, SR_CLOCKLO", "STG.E [R4], R3", "EXIT"});
    for (std::size_t i = 0; i < all.size(); ++i)
        text += fmt::format("        /*{:04x}*/                   {} ;\n", 16 * i, all[i]);
    return text + "\t\t..........\n";
}

SequenceVerdict compared(const std::string& benchmark, std::size_t index,
                         const std::vector<std::string>& region) {
    return compare_sequence(listing(region), *ptx_point(benchmark, index).ptx, "nvdisasm");
}

TEST(Sequence, IsVerifiedWhereClassesOrderAndChainAgree) {
    const auto verdict = compared("dependent-add", 1, {"FADD R8, R8, R3", "FADD R9, R8, R3"});
    EXPECT_EQ(verdict.state, State::Verified) << verdict.text;
    EXPECT_EQ(verdict.text, "verified with nvdisasm");
    EXPECT_EQ(compared("empty-region", 0, {}).state, State::Verified);
    // A separate register for each result is equivalent.
    EXPECT_EQ(compared("dependent-add", 1, {"FADD R0, R8, R3", "FADD R0, R0, R3"}).state,
              State::Verified);
    EXPECT_EQ(compared("independent-add", 1, {"FADD R8, R8, R3", "FADD R9, R9, R3"}).state,
              State::Verified);
}

TEST(Sequence, ShowsTheFirstDifference) {
    const auto broken = compared("dependent-add", 1, {"FADD R8, R8, R3", "FADD R9, R7, R3"});
    EXPECT_EQ(broken.state, State::Differs);
    EXPECT_EQ(broken.text,
              "of 2 instructions built and 2 intended, number 2 is 'FADD R9, R7, R3 ;' (float-add, "
              "reads no other result); expected 'add.rn.f32 %f9, %f8, %f3;' (float-add, reads "
              "the result of 1)");
    const auto order = compared("dependent-mad-add", 0, {"FADD R9, R8, R3", "FFMA R8, R8, R3, R3"});
    EXPECT_EQ(order.state, State::Differs);
    EXPECT_THAT(order.text, HasSubstr("number 1 is 'FADD R9, R8, R3 ;' (float-add"));
    EXPECT_THAT(order.text, HasSubstr("expected 'fma.rn.f32"));
    const auto extra =
        compared("dependent-add", 1, {"FADD R8, R8, R3", "MOV R7, R3", "FADD R9, R8, R3"});
    EXPECT_EQ(extra.state, State::Differs);
    EXPECT_THAT(extra.text,
                StartsWith("of 3 instructions built and 2 intended, number 2 is 'MOV R7, R3 ;'"));
    const auto after = compared("dependent-add", 1, {"FADD R8, R8, R3", "FADD R9, R8, R3", "NOP"});
    EXPECT_THAT(
        after.text,
        HasSubstr(
            "number 3 is 'NOP ;' (nop, reads no other result); expected the second clock read"));
    const auto lacking = compared("dependent-add", 1, {"FADD R8, R8, R3"});
    EXPECT_EQ(lacking.state, State::Differs);
    EXPECT_THAT(lacking.text, HasSubstr("number 2 is the second clock read; expected"));
}

TEST(Sequence, OfALoopIsThatOfItsBody) {
    const auto of_two = [](const std::vector<std::string>& region) {
        return compared("granularity", 1, region);
    };
    const std::vector<std::string> built{"UIADD3 UR4, UR4, -0x1, URZ", "FADD R8, R8, R3",
                                         "ISETP.NE.AND P0, PT, RZ, UR4, PT", "FADD R9, R9, R3",
                                         "@P0 BRA 0x20"};
    EXPECT_EQ(of_two(built).state, State::Verified) << of_two(built).text;
    // Unrolled: the body of an iteration occurs twice.
    std::vector<std::string> unrolled = built;
    unrolled.insert(unrolled.begin() + 1, {"FADD R8, R8, R3", "FADD R9, R9, R3"});
    EXPECT_EQ(of_two(unrolled).state, State::Differs);
    EXPECT_THAT(of_two(unrolled).text, StartsWith("of 4 instructions built and 2 intended"));
    std::vector<std::string> more = built;
    more.insert(more.begin() + 1, "IADD3 R5, R5, 0x1, RZ");
    EXPECT_THAT(of_two(more).text,
                StartsWith("the loop has 2 additions, 1 comparisons and 1 branches"));
    std::vector<std::string> none = built;
    none.pop_back();
    EXPECT_THAT(of_two(none).text,
                StartsWith("the loop has 1 additions, 1 comparisons and 0 branches"));
    // A walk: the load's address is from the previous iteration, and the addition waits for the
    // load.
    const auto chase = [](const std::string& add) {
        return compared("pointer-chase", 0,
                        {"LDG.E.64 R8, [R8.64]", "UIADD3 UR4, UR4, -0x1, URZ",
                         "ISETP.NE.AND P0, PT, RZ, UR4, PT", add, "@P0 BRA 0x20"});
    };
    EXPECT_EQ(chase("FADD R3, R3, R8").state, State::Verified) << chase("FADD R3, R3, R8").text;
    EXPECT_EQ(chase("FADD R3, R3, R2").state, State::Differs);
}

TEST(Sequence, OfALoopDiffersWhereBodyAndLoopReadEachOther) {
    const auto of_two = [](const std::vector<std::string>& region) {
        return compared("granularity", 1, region);
    };
    const std::vector<std::string> built{"IADD3 R5, R5, -0x1, RZ", "FADD R8, R8, R3",
                                         "ISETP.NE.AND P0, PT, R5, RZ, PT", "FADD R9, R9, R3",
                                         "@P0 BRA 0x20"};
    EXPECT_EQ(of_two(built).state, State::Verified) << of_two(built).text;
    const auto with = [&](std::size_t index, const std::string& text) {
        auto region = built;
        region[index] = text;
        return of_two(region);
    };
    // After the addition of the counter, and before it in the next iteration.
    const auto reads = with(1, "FADD R8, R8, R5");
    EXPECT_EQ(reads.state, State::Differs);
    EXPECT_EQ(reads.text, "'FADD R8, R8, R5 ;' reads the result of 'IADD3 R5, R5, -0x1, RZ ;': one "
                          "is the loop's own, the other is not");
    auto next_trip = built;
    std::swap(next_trip[0], next_trip[1]);
    EXPECT_EQ(of_two(next_trip).state, State::Verified) << of_two(next_trip).text;
    next_trip[0] = "FADD R8, R8, R5";
    EXPECT_EQ(of_two(next_trip).text, reads.text);
    EXPECT_EQ(with(3, "@P0 FADD R9, R9, R3").state, State::Differs);
    EXPECT_EQ(with(2, "ISETP.NE.AND P0, PT, R8, RZ, PT").state, State::Differs);
    // Two additions and no comparison; a move in the uniform register file is not an addition.
    for (const char* other : {"IADD3 R6, R6, 0x1, RZ", "UIADD3 UR5, UR5, 0x1, URZ"})
        EXPECT_THAT(with(2, other).text,
                    StartsWith("the loop has 2 additions, 0 comparisons and 1 branches"));
    EXPECT_THAT(with(2, "UMOV UR5, UR4").text,
                StartsWith("the loop has 1 additions, 0 comparisons and 1 branches"));
    EXPECT_EQ(with(2, "UISETP.NE.AND UP0, UPT, UR5, URZ, UPT").state, State::Verified);
}

TEST(Sequence, IsUnverifiedWhereTheListingIsUnusable) {
    const auto kernel = *ptx_point("dependent-add").ptx;
    EXPECT_THAT(compare_sequence("garbage", kernel, "nvdisasm").text,
                StartsWith("unverified: the listing of nvdisasm cannot be read: "));
    EXPECT_THAT(compare_sequence("", kernel, "nvdisasm").text, StartsWith("unverified: "));
    const auto many = compare_sequence(listing({"CS2R R20, SR_CLOCKLO"}), kernel, "nvdisasm");
    EXPECT_EQ(many.state, State::Unverified);
    EXPECT_EQ(many.text, "unverified: the code built reads the clock 3 times; expected 2");
    std::string other = listing({});
    other.replace(other.find("timed_region"), 12, "other_kernel");
    EXPECT_EQ(compare_sequence(other, kernel, "nvdisasm").state, State::Unverified);
}

/// A disassembler that prints a fixed text.
std::string printing(const std::string& text) {
    return "#!/bin/sh\n/bin/cat <<'END'\n" + text + "END\n";
}

std::vector<Sample> samples_of(const BenchmarkPoint& point) {
    const auto device = open_device("cuda:0");
    Protocol protocol;
    protocol.repetitions = 3;
    return measure_point(*device.value(), point, protocol, nullptr).value().samples;
}

Conditions conditions(const BenchmarkPoint& point) {
    const auto device = open_device("cuda:0");
    Kernel kernel;
    kernel.ptx = &*point.ptx;
    return device.value()->prepare(kernel).value()->conditions();
}

TEST(Sequence, OfTheBuiltCodeDecidesWhatSamplesAreWorth) {
    const StandIn driver;
    const auto point = ptx_point("dependent-add", 1);
    driver.install("nvdisasm", printing(listing({"FADD R8, R8, R3", "FADD R9, R8, R3"})));
    EXPECT_THAT(conditions(point),
                testing::Contains(testing::Pair("sequence", "verified with nvdisasm")));
    for (const auto& sample : samples_of(point))
        EXPECT_EQ(sample.remark.anomaly, RunAnomaly::None);
    driver.install("nvdisasm", printing(listing({"FADD R8, R8, R3", "IADD3 R9, R8, R3, RZ"})));
    for (const auto& sample : samples_of(point)) {
        EXPECT_EQ(sample.remark.anomaly, RunAnomaly::Sequence);
        EXPECT_THAT(sample.remark.text, HasSubstr("number 2 is 'IADD3 R9, R8, R3, RZ ;'"));
        EXPECT_FALSE(sample.times.empty());
    }
    driver.install("nvdisasm", "#!/bin/sh\nexit 1\n");
    EXPECT_THAT(conditions(point), testing::Contains(testing::Pair(
                                       "sequence", HasSubstr("nvdisasm: failed with status 1"))));
    driver.install("nvdisasm", printing("what is this\n"));
    EXPECT_THAT(conditions(point),
                testing::Contains(testing::Pair("sequence", HasSubstr("cannot be read"))));
    for (const auto& sample : samples_of(point))
        EXPECT_EQ(sample.remark.anomaly, RunAnomaly::None);
}

TEST(Sequence, IsNotWaitedForWithoutEnd) {
    const StandIn driver;
    // One tool that keeps its output open, and one that closes it and does not end.
    for (const char* text :
         {"#!/bin/sh\nexec /bin/sleep 100\n", "#!/bin/sh\nexec >&-\nexec /bin/sleep 100\n"}) {
        driver.install("nvdisasm", text);
        const auto listing = toolchain::disassemble(*toolchain::find_disassembler(), "",
                                                    std::chrono::milliseconds{50});
        ASSERT_FALSE(listing);
        EXPECT_THAT(to_string(listing.error()), HasSubstr("nvdisasm: did not end within 50 ms"));
    }
}

TEST(Sequence, GivesTheDisassemblerTheCodeThatRunsAndRemovesIt) {
    const StandIn driver;
    setenv("TMPDIR", driver.folder().c_str(), 1);
    driver.install("cuobjdump", "#!/bin/sh\n[ \"$1\" = -sass ] || exit 3\n/bin/cp \"$2\" " +
                                    (driver.folder() / "seen").string() + "\n" +
                                    printing(listing({"FADD R8, R8, R3"})).substr(10));
    const auto point = ptx_point("dependent-add");
    EXPECT_THAT(conditions(point),
                testing::Contains(testing::Pair("sequence", "verified with cuobjdump")));
    unsetenv("TMPDIR");
    std::ifstream seen{driver.folder() / "seen"};
    const std::string image{std::istreambuf_iterator<char>{seen}, {}};
    EXPECT_EQ(image, point.ptx->text); // The stand-in's machine code is the PTX.
    for (const auto& entry : std::filesystem::directory_iterator{driver.folder()})
        EXPECT_THAT(entry.path().filename().string(), testing::Not(StartsWith("warpbound-code")));
}

} // namespace
} // namespace warpbound::harness::cuda
