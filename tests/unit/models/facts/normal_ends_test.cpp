#include "assembly/isa/reader.hpp"
#include "models/facts/normal_ends.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace warpbound::models {
namespace {

/// "never 0x0020, uniform 0x0010": what is assumed beside `facts`.
std::string assumed(const std::string& body, FlowFacts facts = {}) {
    const auto program =
        assembly::read_program({"test", "!Arch sm_75\n!Kernel k\n" + body + "\n!EndKernel\n"});
    EXPECT_TRUE(program) << to_string(program.error());
    const auto& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function);
    EXPECT_TRUE(graph) << to_string(graph.error());
    assume_normal_ends(function, graph.value(), facts);
    std::string text;
    const auto add = [&](const char* kind, std::int64_t at, const FactSource& from) {
        if (from == by_normal_end)
            text += fmt::format("{}{} {:#06x}", text.empty() ? "" : ", ", kind, at);
    };
    for (const NeverFact& fact : facts.nevers)
        add("never", fact.block, fact.from);
    for (const UniformFact& fact : facts.uniforms)
        add("uniform", fact.at, fact.from);
    return text;
}

TEST(NormalEnds, LeaveTrapsAndUnknownCodeOut) {
    EXPECT_EQ(assumed("NOP; @P0 BRA D; BPT.TRAP 0x1; D: EXIT;"), "never 0x0020, uniform 0x0010");
    EXPECT_EQ(assumed("NOP; @P0 BRA D; LDC.64 R2, c[0x4][R2]; CALL.ABS.NOINC R2; D: EXIT;"),
              "never 0x0020, uniform 0x0010");
    EXPECT_EQ(assumed("NOP; @P0 BRA D; NOP; D: EXIT;"), "");
}

// The blocks before the trap, and the branch between them, have no other end either.
TEST(NormalEnds, LeaveOutWhatOnlyLeadsThere) {
    EXPECT_EQ(assumed("NOP; @P0 BRA D; NOP; @P1 BRA T; NOP; T: NOP; BPT.TRAP 0x1; D: EXIT;"),
              "never 0x0020, never 0x0040, never 0x0050, uniform 0x0010");
    // A thread may end before.
    EXPECT_EQ(assumed("NOP; @P0 BRA D; @P1 EXIT; BPT.TRAP 0x1; D: EXIT;"), "never 0x0030");
}

// The callee returns to a trap after one call and goes on after the other.
TEST(NormalEnds, HoldInEveryCallContext) {
    EXPECT_EQ(assumed("NOP; @P0 BRA D; MOV R2, 0x40; CALL.REL.NOINC F; BPT.TRAP 0x1; "
                      "D: MOV R2, 0x70; CALL.REL.NOINC F; EXIT; F: NOP; RET.REL.NODEC R2 0x0;"),
              "never 0x0020, never 0x0040, uniform 0x0010");
}

TEST(NormalEnds, KeepWhatIsStated) {
    const std::string code = "NOP; @P0 BRA D; BPT.TRAP 0x1; D: EXIT;";
    FlowFacts facts;
    facts.nevers.push_back({0x20, {}});
    facts.divergents.push_back({0x10, {}});
    EXPECT_EQ(assumed(code, facts), "");
}

} // namespace
} // namespace warpbound::models
