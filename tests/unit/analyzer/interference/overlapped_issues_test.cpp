// Demand that the occupancy of a held port contains (S98).

#include "models/architecture/architecture.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace warpbound::analyzer {
namespace {

/// Of a warp on its own scheduler. Conversions hold their port for 8 cycles, IADD3 and MOV for 2.
std::int64_t demand_of(const std::string& body, bool is_fetched = false) {
    const auto context = analyzed(body + "EXIT ?trans5;", {}, "turing-t4", 75);
    context->request.launch = {1, 512};
    if (is_fetched)
        context->architecture.fetch = models::load_architecture("turing-t4").value().fetch;
    for (const BoundTerm& term : envelope(*context).upper.terms)
        if (term.certificate == "execution-time-upper-demand-own-scheduler") return term.cycles;
    return 0;
}

std::string code(const char* holder, const char* first, const char* second) {
    return fmt::format("I2F R0, R1 &wr=0x0 {}; IADD3 R1, R2, R3, RZ {};"
                       "IADD3 R4, R5, R5, RZ {};",
                       holder, first, second);
}

TEST(OverlappedIssues, CountNothingWhileTheirWarpHoldsAPort) {
    EXPECT_EQ(demand_of(code("?trans1", "?trans2", "?trans2")), 8 + 1);
    // The second one fits if it issues 6 cycles after the conversion.
    EXPECT_EQ(demand_of(code("?trans4", "?trans2", "?trans2")), 8 + 1);
    EXPECT_EQ(demand_of(code("?trans5", "?trans2", "?trans2")), 8 + 2 + 1);
    EXPECT_EQ(demand_of(code("?trans7", "?trans2", "?trans2")), 8 + 2 + 2 + 1);
}

TEST(OverlappedIssues, CountWhereTheyMayIssueLater) {
    EXPECT_EQ(demand_of(code("?trans1", "?trans2", "&req={0} ?trans2")), 8 + 2 + 1);
    EXPECT_EQ(demand_of(code("?trans1", "&req={0} ?trans2", "?trans2")), 8 + 2 + 2 + 1);
    // The first one of the path's own warp keeps the port for a cycle after its gap.
    EXPECT_EQ(demand_of(code("?trans4", "?trans1", "?trans2")), 8 + 2 + 1);
    EXPECT_EQ(demand_of("@P0 " + code("?trans1", "?trans2", "?trans2")), 8 + 2 + 2 + 1);
}

TEST(OverlappedIssues, CountInTheNextLine) {
    std::string moves;
    for (int i = 0; i < 6; ++i)
        moves += "MOV R7, R6 ?trans2;";
    moves += code("?trans1", "?trans2", "?trans2");
    EXPECT_EQ(demand_of(moves), 6 * 2 + 8 + 1);
    EXPECT_EQ(demand_of(moves, true), 6 * 2 + 8 + 2 + 1); // A line has 8 instructions.
}

} // namespace
} // namespace warpbound::analyzer
