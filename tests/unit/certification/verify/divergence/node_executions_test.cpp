/// \file
/// How often a warp whose lanes diverge executes instructions in one iteration (S85, claim 1b).

#include "certification/verify/divergence/node_executions.hpp"
#include "certification/verify/divergence/warp_cfg.hpp"
#include "tests/unit/certification/divergent_bundle.hpp"

#include <gmock/gmock.h>

#include <string>

namespace warpbound::certification {
namespace {

using testing::ElementsAre;

verify::Evidence evidence_of(const std::string& code) {
    return verify::read_evidence(tests::plain(bundle_of(input_of(code, "1x64")).value().files));
}

TEST(NodeExecutions, AreThoseOfEachGroupThatArrives) {
    const verify::Evidence evidence = evidence_of(two_points);
    const verify::KernelCase& kernel = *evidence.kernels.front();
    const verify::SideFlows flows = verify::check_flows(kernel);
    ASSERT_TRUE(flows.of_warp);
    EXPECT_THAT(verify::most_per_iteration(kernel, flows.of_code, *flows.of_warp),
                ElementsAre(1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1));
}

TEST(NodeExecutions, OfSomeLanesMayWriteRegistersOfTheWarp) {
    const verify::Evidence evidence = evidence_of(R"(  BSSY B0, `(.L_end) ?trans2;
  @P0 BRA `(.L_done) ?trans5; // part
  UMOV UR4, 0x1 ?trans6;
.L_done:
  BSYNC B0 ?trans5;
.L_end:
  UMOV UR5, 0x1 ?trans6;
  EXIT ?trans5;
)");
    const verify::KernelCase& kernel = *evidence.kernels.front();
    EXPECT_THAT(verify::written_by_some_lanes(kernel, verify::check_flows(kernel).of_code),
                ElementsAre(assembly::Register{assembly::RegisterFile::Uniform, 4}));
}

TEST(NodeExecutions, AreOneWhereNoLanesDiverge) {
    const verify::Evidence evidence = evidence_of("  MOV R2, 0x3 ?trans4;\n  EXIT ?trans5;\n");
    const verify::KernelCase& kernel = *evidence.kernels.front();
    const verify::SideFlows flows = verify::check_flows(kernel);
    EXPECT_THAT(verify::most_per_iteration(kernel, flows.of_code, flows.of(true)),
                ElementsAre(1, 1));
}

// Lanes leave the loop in different iterations: those behind it come one after the other.
TEST(NodeExecutions, AreNotKnownInALoopThatLanesLeaveOneAfterTheOther) {
    const verify::Evidence evidence = evidence_of(R"(  BSSY B0, `(.L_end) ?trans2;
.L_turn:
  MOV R3, R1 ?trans6; // turns at most
  @P0 BRA `(.L_turn) ?trans5; // part
  MOV R4, R1 ?trans6;
  BSYNC B0 ?trans5;
.L_end:
  EXIT ?trans5;
)");
    const verify::KernelCase& kernel = *evidence.kernels.front();
    const verify::SideFlows flows = verify::check_flows(kernel);
    ASSERT_TRUE(flows.of_warp);
    const auto most = verify::most_per_iteration(kernel, flows.of_code, *flows.of_warp);
    EXPECT_EQ(most.at(0), 1);
    EXPECT_FALSE(most.at(1));
    EXPECT_FALSE(most.at(3));
    EXPECT_EQ(most.at(5), 1);
}

} // namespace
} // namespace warpbound::certification
