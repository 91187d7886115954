/// \file
/// Stacks of nodes that leave out what lanes do: a point at a post-dominator that lanes in a point
/// of the code do not join (C40). With it, lanes would reconverge before they do.

#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/evidence.hpp"
#include "tests/unit/certification/divergent_bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using verify::SimtStack;
using Entry = SimtStack::Entry;
using Kind = SimtStack::Kind;

struct ForgedNode {
    std::int64_t address = 0; ///< Of its block.
    std::vector<std::size_t> successors;
    std::vector<std::size_t> stacks;
};

/// What the check says of a bundle of the kernel with these nodes and stacks.
std::string
finding(const std::string& body,
        const std::function<std::vector<std::vector<Entry>>(const verify::KernelCase&)>& stacks,
        const std::vector<ForgedNode>& nodes) {
    const auto bundle = bundle_of(input_of(body, "1x32"));
    const verify::Evidence evidence = verify::read_evidence(tests::plain(bundle.value().files));
    verify::KernelCase& kernel = *evidence.kernels.front();
    kernel.stacks.clear();
    for (const auto& entries : stacks(kernel))
        kernel.stacks.push_back(SimtStack::of(entries, {}).value());
    kernel.serialized.clear();
    for (const ForgedNode& node : nodes)
        kernel.serialized.push_back(
            {block_at(kernel, node.address), node.successors, false, std::nullopt, node.stacks});
    kernel.serialized.front().converged = true;
    try {
        verify::check_flows(kernel);
        return "";
    } catch (const verify::Finding& found) {
        return found.what();
    }
}

/// Lanes diverge inside of B0, whose BSYNC is far behind the block at which their paths
/// meet.
const std::string inside_a_point = R"(  BSSY B0, `(.L_end) ?trans2;
  BRA `(.L_d) ?trans5;
.L_d:
  MOV R2, R1 ?trans6;
  @P0 BRA `(.L_a) ?trans5; // part
  MOV R3, R1 ?trans6;
  BRA `(.L_r) ?trans5;
.L_a:
  MOV R4, R1 ?trans6;
.L_r:
  MOV R5, R1 ?trans6;
.L_done:
  BSYNC B0 ?trans5;
.L_end:
  EXIT ?trans5;
)";

// Above the point of the code.
TEST(ForgedStacks, WithAPostDominatorInsideAPointFail) {
    EXPECT_THAT(
        finding(
            inside_a_point,
            [](const verify::KernelCase& kernel) {
                const std::size_t meeting = block_at(kernel, 0x70);
                const Entry point{Kind::Explicit, 0};
                const Entry post_dominator{Kind::PostDominator, meeting};
                Entry waiting = post_dominator;
                waiting.resume = meeting;
                const auto group = [&](std::int64_t address) {
                    return Entry{
                        Kind::Pending, block_at(kernel, 0x20), block_at(kernel, address), {}, true};
                };
                return std::vector<std::vector<Entry>>{{},
                                                       {point},
                                                       {point, post_dominator},
                                                       {point, post_dominator, group(0x40)},
                                                       {point, post_dominator, group(0x60)},
                                                       {point, waiting}};
            },
            {{0x0, {1}, {0}},
             {0x20, {2, 3}, {2}},
             {0x60, {4, 6}, {3}},
             {0x40, {5, 6}, {4}},
             {0x40, {6}, {5}},
             {0x60, {6}, {5}},
             {0x70, {7}, {1}},
             {0x90, {}, {0}}}),
        HasSubstr("lanes in a point of the code do not join"));
}

/// Lanes leave B0 by a BREAK and go on to where the others come later.
const std::string leaving_by_break = R"(  BSSY B0, `(.L_x) ?trans2;
  @P0 BREAK B0 ?trans4; // part
  @P0 BRA `(.L_r) ?trans5; // part
  MOV R2, R1 ?trans6;
.L_done:
  BSYNC B0 ?trans5;
.L_x:
.L_r:
  MOV R3, R1 ?trans6;
  EXIT ?trans5;
)";

// Below the point of the code: from the start on.
TEST(ForgedStacks, WithAPostDominatorAroundAPointFail) {
    EXPECT_THAT(finding(leaving_by_break,
                        [](const verify::KernelCase& kernel) {
                            const std::size_t meeting = block_at(kernel, 0x50);
                            const Entry point{Kind::Explicit, 0};
                            const Entry post_dominator{Kind::PostDominator, meeting};
                            Entry waiting = post_dominator;
                            waiting.resume = meeting;
                            return std::vector<std::vector<Entry>>{
                                {}, {post_dominator}, {waiting, point}, {post_dominator, point}};
                        },
                        {{0x0, {1, 2}, {1}}, {0x30, {2}, {2, 3}}, {0x50, {}, {0}}}),
                HasSubstr("is missing at a node, or its stack"));
}

} // namespace
} // namespace warpbound::certification
