#include "analyzer/flow/flow_facts_template.hpp"
#include "analyzer/flow/thread_facts.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/made_values.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;
using testing::Not;

CoalescingFacts coalescing_facts(const Analyzed& context, const BlockShape& shape,
                                 bool all_stated_uniform = false) {
    const UniformInstructions stated(context.request.function->instructions.size(),
                                     all_stated_uniform);
    return derive_thread_facts(*context.request.function, context.graph, shape,
                               context.architecture, stated)
        .accesses;
}

/// "0x0010: 1..2; 0x0030: 1".
std::string transactions(const std::string& body, const BlockShape& shape = {{32, 1, 1}},
                         bool all_stated_uniform = false) {
    const auto context = analyzed(body, {}, "turing-t4", 75);
    std::string text;
    for (const auto& derived : coalescing_facts(*context, shape, all_stated_uniform).transactions) {
        const auto& [lo, hi] = derived.transactions;
        text += fmt::format("{}{:#06x}: {}{}", text.empty() ? "" : "; ",
                            context->request.function->instructions[derived.instruction].address,
                            lo, lo == hi ? "" : fmt::format("..{}", hi));
    }
    return text;
}

/// Transactions of `access` to R2, after code that computes R2.
std::string transactions_of(const std::string& code, const std::string& access = "LDS R8, [R2]",
                            const BlockShape& shape = {{32, 1, 1}}) {
    const std::string text = transactions(code + access + "; EXIT;", shape);
    return text.empty() ? "?" : text.substr(text.find(' ') + 1);
}

constexpr const char* thread_index = "S2R R0, SR_TID.X; ";

// C56: of its two addresses that of global memory counts.
TEST(Coalescing, CountsTheGlobalAddressOfACopy) {
    const std::string start = std::string{thread_index} + "SHF.L.U32 R2, R0, 0x2, RZ; MOV R3, RZ; "
                                                          "SHF.L.U32 R4, R0, 0x7, RZ; MOV R5, RZ; ";
    EXPECT_EQ(transactions_of(start, "LDGSTS.E [R4], [R2.64]"), "1");
    EXPECT_EQ(transactions_of(start, "LDGSTS.E [R2], [R4.64]"), "32");
}

// Every address modulo the banks would be tried.
TEST(Coalescing, DerivesNothingForBanksThatNoMachineHas) {
    const auto context =
        analyzed("MOV R2, c[0x0][0x160]; LDS R8, [R2]; EXIT;", {}, "turing-t4", 75);
    EXPECT_EQ(coalescing_facts(*context, {{32, 1, 1}}).transactions.size(), 1U);
    ASSERT_TRUE(
        models::override_value(context->architecture, "memories/shared/bank-width", 1 << 30));
    EXPECT_THAT(coalescing_facts(*context, {{32, 1, 1}}).transactions, testing::IsEmpty());
}

// S53: what is computed and used under one guard.
TEST(Coalescing, KnowsNumbersUnderAGuard) {
    const std::string start = std::string{thread_index} + "ISETP.GE.AND P0, PT, R0, 0x7, PT; ";
    const std::string load = "@!P0 LDS R8, [R2]";
    EXPECT_EQ(transactions_of(start + "@!P0 SHF.L.U32 R2, R0, 0x2, RZ; ", load), "1");
    EXPECT_EQ(transactions_of(start + "@!P0 MOV R3, 0x4; @!P0 IMAD R2, R0, R3, RZ; ", load), "1");
    // Another guard, no guard, a predicate or a register that is written in between.
    EXPECT_NE(transactions_of(start + "@P0 SHF.L.U32 R2, R0, 0x2, RZ; ", load), "1");
    EXPECT_NE(transactions_of(start + "@!P0 SHF.L.U32 R2, R0, 0x2, RZ; ", "LDS R8, [R2]"), "1");
    EXPECT_NE(transactions_of(start + "@!P0 SHF.L.U32 R2, R0, 0x2, RZ; "
                                      "ISETP.GE.AND P0, PT, R0, 0x9, PT; ",
                              load),
              "1");
    EXPECT_NE(transactions_of(start + "@!P0 SHF.L.U32 R2, R0, 0x2, RZ; @P1 MOV R2, R5; ", load),
              "1");
    EXPECT_NE(transactions_of(start + "@!P0 SHF.L.U32 R2, R0, 0x2, RZ; LDS R2, [R5]; ", load), "1");
}

TEST(Coalescing, CountsSectorsOfStoresWhereTheyDrainBySectors) {
    const auto sectors = [](const std::string& shift, bool by_sectors) {
        auto context = analyzed(std::string{thread_index} + "SHF.L.U32 R2, R0, " + shift +
                                    ", RZ; STG.E.SYS [R2], R4; EXIT;",
                                {}, "turing-t4", 75);
        tests::put_value(context->architecture, "memories/l1/sector", {32, 32, 32});
        if (by_sectors)
            tests::put_value(context->architecture, "write-buffer/sector-drain", {0, 0, 9});
        const auto facts = coalescing_facts(*context, {{32, 1, 1}});
        return facts.transactions.size() == 1 ? facts.transactions[0].most_sectors : -1;
    };
    EXPECT_EQ(sectors("0x2", true), 4);
    EXPECT_EQ(sectors("0x4", true), 16);
    EXPECT_EQ(sectors("0x7", true), 32);
    EXPECT_EQ(sectors("0x2", false), 0);
}

// As where lanes take turns at a lock: each leaves the loop with its own truth of the predicate.
TEST(Coalescing, LanesThatLeftALoopOneByOneWereNotElectedTogether) {
    const std::string wait =
        "S2R R0, SR_LANEID; IMAD R8, R0, c[0x0][0x160], RZ; L: LDS R2, [0x10]; "
        "ISETP.EQ.AND P0, PT, R0, R2, PT; ";
    EXPECT_EQ(transactions(wait + "@P0 STS [R8], R2; @P0 BRA OUT; BRA L; OUT: EXIT;"),
              "0x0020: 1; 0x0040: 1");
    EXPECT_EQ(transactions(wait + "@P0 BRA OUT; BRA L; OUT: @P0 STS [R8], R2; EXIT;"), "0x0020: 1");
}

TEST(Coalescing, AnElectedLaneAccessesAlone) {
    const std::string elect = "S2R R4, SR_LANEID; VOTEU.ANY UR6, UPT, PT; UFLO.U32 UR7, UR6; ";
    const std::string add = "@P1 RED.E.ADD.STRONG.GPU [R2], R5";
    EXPECT_EQ(transactions_of(elect + "ISETP.EQ.U32.AND P1, PT, R4, UR7, PT; ", add), "1");
    EXPECT_EQ(transactions_of(elect + "MOV R8, UR7; ISETP.EQ.U32.AND P1, PT, R8, R4, PT; ", add),
              "1");
    // All lanes but one; a number that two lanes have; one that differs between the lanes.
    EXPECT_EQ(transactions_of(elect + "ISETP.NE.U32.AND P1, PT, R4, UR7, PT; ", add), "?");
    EXPECT_EQ(transactions_of(elect + "ISETP.EQ.U32.AND P1, PT, R4, UR7, PT; ",
                              "@!P1 RED.E.ADD.STRONG.GPU [R2], R5"),
              "?");
    EXPECT_EQ(transactions_of(elect + "LOP3.LUT R4, R4, 0xf, RZ, 0xc0, !PT; "
                                      "ISETP.EQ.U32.AND P1, PT, R4, UR7, PT; ",
                              add),
              "?");
    EXPECT_EQ(transactions_of(elect + "LDG.E R7, [R8]; ISETP.EQ.U32.AND P1, PT, R4, R7, PT; ", add),
              "?");
    EXPECT_EQ(transactions_of(elect + "ISETP.EQ.U32.OR P1, PT, R4, UR7, P2; ", add), "?");
    // What the predicate holds after another write.
    EXPECT_EQ(transactions_of(elect + "ISETP.EQ.U32.AND P1, PT, R4, UR7, PT; "
                                      "ISETP.EQ.U32.AND P1, PT, R9, R10, PT; ",
                              add),
              "?");
}

TEST(Coalescing, ConflictDegreeIsThatOfTheFullestBank) {
    EXPECT_EQ(transactions_of(thread_index + std::string("SHF.L.U32 R2, R0, 0x2, RZ; ")), "1");
    EXPECT_EQ(transactions_of(thread_index + std::string("SHF.L.U32 R2, R0, 0x3, RZ; ")), "2");
    EXPECT_EQ(transactions_of(thread_index + std::string("IMAD R2, R0, 0x80, RZ; ")), "32");
    EXPECT_EQ(transactions_of(thread_index + std::string("IMAD R2, R0, 0x84, RZ; ")),
              "1"); // A padded column.
    EXPECT_EQ(transactions_of("MOV R2, 0x40; "), "1");
    EXPECT_EQ(transactions_of(thread_index + std::string("LOP3.LUT R2, R0, 0x3, RZ, 0xc0, !PT; ")),
              "?"); // Bytes.
    EXPECT_EQ(transactions_of(thread_index + std::string("LOP3.LUT R2, R0, 0x3, RZ, 0xc0, !PT; "),
                              "LDS.U8 R8, [R2]"),
              "1");
    EXPECT_EQ(transactions_of(thread_index + std::string("SHF.L.U32 R2, R0, 0x3, RZ; "),
                              "LDS.64 R8, [R2]"),
              "2");
    EXPECT_EQ(transactions_of(thread_index + std::string("SHF.L.U32 R2, R0, 0x4, RZ; "),
                              "LDS.128 R8, [R2]"),
              "4");
    EXPECT_EQ(
        transactions_of(thread_index + std::string("SHF.L.U32 R2, R0, 0x4, RZ; "), "LDS R8, [R2]"),
        "4");
    EXPECT_EQ(transactions_of(thread_index + std::string(""), "STS [R0.X4+0x10], R8"), "1");
    EXPECT_EQ(transactions_of("MOV R2, 0x40; ", "ATOMS.ADD R8, [R2], R9"),
              "32"); // One word, one by one.
}

TEST(Coalescing, ModelsProductsOfHalves) {
    const auto of_halves = [](const std::string& code) {
        const auto context = analyzed("S2R R0, SR_TID.X; S2R R1, SR_TID.Y; " + code +
                                          " SHL R2, R2, 0x2; STS [R2], R8; EXIT;",
                                      {}, "maxwell-gtx970", 52);
        const auto derived = coalescing_facts(*context, {{16, 2, 1}}).transactions;
        return derived.size() == 1
                   ? fmt::format("{}..{}", derived[0].transactions.lo, derived[0].transactions.hi)
                   : "?";
    };
    // Rows of 160 words, as a compiler multiplies 32 bits.
    EXPECT_EQ(of_halves("XMAD R2, R1, 0xa0, R0; XMAD.PSL R2, R1.H1, 0xa0, R2;"), "2..2");
    EXPECT_EQ(of_halves("XMAD R2, R1, 0x90, R0; XMAD.PSL R2, R1.H1, 0x90, R2;"), "1..1");
    // 2^16 + 160 in the factor: its high half counts in the second instruction.
    EXPECT_EQ(of_halves("SHL R3, R1, 0x10; XMAD R2, R3, 0xa1, R0;"), "1..1");
    EXPECT_EQ(of_halves("SHL R3, R1, 0x10; XMAD R2, R3.H1, 0xa0, R0;"), "2..2");
    // A number of the launch times a block's.
    EXPECT_EQ(of_halves("S2R R4, SR_CTAID.X; XMAD.MRG R5, R4, c[0x0][0x8].H1, RZ; "
                        "XMAD R2, R4, c[0x0][0x8], R0; XMAD.PSL.CBCC R2, R4.H1, R5.H1, R2;"),
              "1..1");
    EXPECT_EQ(of_halves("XMAD.CHI R2, R1, 0xa0, R0;"), "?");
    EXPECT_EQ(of_halves("XMAD.PSL.CBCC R2, R1, 0xa0, R0;"), "?");
}

TEST(Coalescing, DependsOnTheShapeOfTheBlock) {
    const std::string row = "S2R R0, SR_TID.X; S2R R1, SR_TID.Y; IMAD R2, R1, 0x280, R0; "
                            "SHF.L.U32 R2, R2, 0x2, RZ; ";
    EXPECT_EQ(transactions_of(row, "LDS R8, [R2]", {{32, 4, 1}}), "1");
    EXPECT_EQ(transactions_of(row, "LDS R8, [R2]", {{16, 2, 1}}), "2");
    EXPECT_EQ(transactions_of(row, "LDS R8, [R2]", {{8, 8, 1}}), "4");
    // The last warp has one lane.
    EXPECT_EQ(transactions_of(row, "LDS R8, [R2]", {{1, 1, 1}}), "1");
    EXPECT_EQ(transactions_of(thread_index + std::string("IMAD R2, R0, 0x80, RZ; "), "LDS R8, [R2]",
                              {{33, 1, 1}}),
              "1..32");
}

TEST(Coalescing, NeedsNoKnownBaseAddress) {
    const std::string global = "S2R R0, SR_TID.X; S2R R1, SR_CTAID.X; "
                               "IMAD R0, R1, c[0x0][0x0], R0; MOV R3, 0x4; "
                               "IMAD.WIDE R2, R0, R3, c[0x0][0x160]; ";
    EXPECT_EQ(transactions_of(global, "LDG.E.SYS R8, [R2]"), "1..2");
    EXPECT_EQ(transactions_of(global, "STG.E.SYS [R2+0x8], R8"), "1..2");
    EXPECT_EQ(transactions_of(global, "LDS R8, [R2]"), "1"); // The base only rotates the banks.
    // A stride of one 128-byte line, for any base.
    EXPECT_EQ(transactions_of(thread_index + std::string("IMAD.WIDE R2, R0, 0x80, c[0x0][0x160]; "),
                              "LDG.E.SYS R8, [R2]"),
              "32");
    EXPECT_EQ(
        transactions_of("MOV R2, c[0x0][0x160]; MOV R3, c[0x0][0x164]; ", "LDG.E.SYS R8, [R2]"),
        "1");
    // A base that is a multiple of 128.
    EXPECT_EQ(
        transactions_of(thread_index + std::string("S2R R1, SR_CTAID.X; SHF.L.U32 R1, R1, 0x7, RZ; "
                                                   "LEA R2, R0, R1, 0x2; "),
                        "LDG.E.SYS R8, [R2]"),
        "1");
    // The factor of the thread is not known.
    EXPECT_EQ(transactions_of(thread_index + std::string("IMAD R2, R0, c[0x0][0x160], RZ; ")), "?");
}

TEST(Coalescing, AddsUpGroupsWithUnknownDistances) {
    const std::string rows = "S2R R0, SR_TID.X; S2R R1, SR_TID.Y; IMAD R2, R1, c[0x0][0x160], R0; "
                             "SHF.L.U32 R2, R2, 0x2, RZ; ";
    EXPECT_EQ(transactions_of(rows, "LDG.E.SYS R8, [R2]", {{16, 2, 1}}), "1..4");
    EXPECT_EQ(transactions_of(rows, "LDG.E.SYS R8, [R2]", {{8, 8, 1}}), "1..8");
    EXPECT_EQ(transactions_of(rows, "LDG.E.SYS R8, [R2]", {{32, 4, 1}}), "1..2");
    EXPECT_EQ(transactions_of(rows, "LDG.E.SYS R8, [R2]", {{1, 32, 1}}), "?");
    EXPECT_EQ(transactions_of(rows, "LDS R8, [R2]", {{16, 2, 1}}), "1..2");
    // Rows of 16 bytes lie in one line each.
    EXPECT_EQ(transactions_of(rows, "LDG.E.SYS R8, [R2+0x40]", {{4, 8, 1}}), "1..16");
    EXPECT_EQ(
        transactions_of("S2R R0, SR_TID.X; S2R R1, SR_TID.Y; IMAD R2, R1, c[0x0][0x160], RZ; "
                        "SHF.L.U32 R2, R2, 0x2, RZ; LEA R2, R2, RZ, 0x2; LEA R2, R0, R2, 0x2; ",
                        "LDG.E.SYS R8, [R2]", {{4, 8, 1}}),
        "1..8");
    // Rows are multiples of 32 words: the bank of each lane is known, whatever its row.
    EXPECT_EQ(transactions_of("S2R R0, SR_TID.X; S2R R1, SR_TID.Y; IMAD R2, R1, c[0x0][0x160], RZ; "
                              "IMAD R2, R2, 0x80, RZ; LEA R2, R0, R2, 0x2; ",
                              "LDS R8, [R2]", {{16, 2, 1}}),
              "1..2");
    // Lanes with equal operands have equal results, even where those are not known.
    EXPECT_EQ(transactions_of(
                  "S2R R1, SR_TID.Y; IMAD R2, R1, c[0x0][0x160], RZ; I2F R2, R2; F2I R2, R2; ",
                  "LDG.E.SYS R8, [R2]", {{16, 2, 1}}),
              "1..2");
    EXPECT_EQ(transactions_of(
                  "S2R R0, SR_TID.X; ISETP.LT.AND P0, PT, R0, 0x8, PT; MOV R3, c[0x0][0x160]; "
                  "MOV R4, c[0x0][0x164]; SEL R2, R3, R4, P0; LEA R2, R0, R2, 0x2; ",
                  "LDG.E.SYS R8, [R2]"),
              "1..4"); // 8 words and 24.
}

TEST(Coalescing, HoldsInLoopsInWhichTheWarpStaysConverged) {
    const std::string loop =
        "S2R R0, SR_TID.X; SHF.L.U32 R2, R0, 0x2, RZ; MOV R4, RZ; L: LDS R8, [R2]; "
        "IADD3 R2, R2, 0x84, RZ; IADD3 R4, R4, 0x1, RZ; ";
    EXPECT_EQ(transactions(loop + "ISETP.NE.AND P0, PT, R4, c[0x0][0x160], PT; @P0 BRA L; EXIT;"),
              "0x0030: 1");
    // Divergent loop exit: each lane leaves the loop in an iteration of its own. Those that remain
    // are in one iteration; after the loop the others are no longer.
    const std::string by_data = "ISETP.NE.AND P0, PT, R8, RZ, PT; @P0 BRA L; ";
    EXPECT_EQ(transactions(loop + by_data + "EXIT;"), "0x0030: 1");
    EXPECT_EQ(transactions(loop + by_data + "LDS R9, [R2]; EXIT;"), "0x0030: 1");
    EXPECT_EQ(transactions(loop + by_data + "EXIT;", {{32, 1, 1}}, true), "0x0030: 1");
}

TEST(Coalescing, KnowsTheBankOfALaneWithoutItsRow) {
    const std::string diverge =
        "S2R R0, SR_TID.X; LDS R4, [R0.X4]; ISETP.NE.AND P0, PT, R4, RZ, PT; "
        "BSSY B0, D; @P0 BRA D; NOP; D: BSYNC B0; ";
    EXPECT_EQ(
        transactions(diverge + "IMAD R5, R4, 0x80, RZ; LEA R2, R0, R5, 0x2; LDS R8, [R2]; EXIT;"),
        "0x0010: 1; 0x0090: 1");
    EXPECT_EQ(
        transactions(diverge + "IMAD R5, R4, 0x80, RZ; LEA R2, R0, R5, 0x3; LDS R8, [R2]; EXIT;"),
        "0x0010: 1; 0x0090: 1..2");
    EXPECT_EQ(
        transactions(diverge + "IMAD R5, R4, 0x84, RZ; LEA R2, R0, R5, 0x2; LDS R8, [R2]; EXIT;"),
        "0x0010: 1");
    // The lowest bits alone do not determine the lines.
    EXPECT_EQ(transactions(diverge +
                           "IMAD R5, R4, 0x80, RZ; LEA R2, R0, R5, 0x2; LDG.E.SYS R8, [R2]; "
                           "EXIT;"),
              "0x0010: 1");
}

TEST(Coalescing, ForgetsTheCommonBaseWhereDivergedLanesReconverge) {
    const std::string diverge = "S2R R0, SR_TID.X; MOV R2, c[0x0][0x160]; MOV R6, c[0x0][0x164]; "
                                "LDS R4, [R0.X4]; ISETP.NE.AND P0, PT, R4, RZ, PT; BSSY B0, D; "
                                "@P0 BRA D; ";
    const std::string reconverge = "D: BSYNC B0; LEA R2, R0, R2, 0x2; LDS R8, [R2]; EXIT;";
    EXPECT_EQ(transactions(diverge + "NOP; " + reconverge), "0x0030: 1; 0x00a0: 1");
    EXPECT_EQ(transactions(diverge + "MOV R2, R6; " + reconverge), "0x0030: 1");
    EXPECT_EQ(transactions(diverge + "MOV R2, R6; " + reconverge, {{32, 1, 1}}, true),
              "0x0030: 1; 0x00a0: 1");
}

TEST(Coalescing, UsesUniformRegistersOnlyWhereNoLaneWaits) {
    const std::string code = "S2R R0, SR_TID.X; SHF.L.U32 R2, R0, 0x2, RZ; UMOV UR4, 0x40; "
                             "LDS R8, [R2+UR4]; ";
    EXPECT_EQ(transactions(code + "EXIT;"), "0x0030: 1");
    const auto diverge = [](const std::string& inside) {
        return "ISETP.NE.AND P0, PT, R8, RZ, PT; @P0 BRA D; " + inside + "; D: MOV R9, UR4; EXIT;";
    };
    EXPECT_EQ(transactions(code + diverge("NOP")), "0x0030: 1");
    EXPECT_EQ(transactions(code + diverge("UMOV UR4, 0x44")), "");
    EXPECT_EQ(transactions(code + diverge("UMOV UR4, 0x44"), {{32, 1, 1}}, true), "0x0030: 1");
}

TEST(Coalescing, StartsAtOneWhereLanesMayBeInactive) {
    const std::string rows = "S2R R0, SR_TID.X; IMAD R2, R0, 0x80, RZ; LDG.E.SYS R4, [R2]; ";
    const std::string access = "LDS R8, [R2]; EXIT;";
    EXPECT_EQ(transactions(rows + access), "0x0020: 32; 0x0030: 32");
    EXPECT_EQ(transactions(rows + "ISETP.NE.AND P0, PT, R4, RZ, PT; @P0 " + access),
              "0x0020: 32; 0x0040: 1..32");
    EXPECT_EQ(transactions(rows + "ISETP.NE.AND P0, PT, R4, RZ, PT; @P0 EXIT; " + access),
              "0x0020: 1..32; 0x0050: 1..32");
    EXPECT_EQ(transactions(rows + "ISETP.NE.AND P0, PT, R4, RZ, PT; @P0 EXIT; " + access,
                           {{32, 1, 1}}, true),
              "0x0020: 32; 0x0050: 32");
    // The statement that all predicates are uniform is wrong.
    EXPECT_EQ(transactions(rows + "ISETP.LT.AND P0, PT, R0, 0x4, PT; @P0 EXIT; " + access,
                           {{32, 1, 1}}, true),
              "0x0020: 1..32; 0x0050: 1..32");
}

TEST(Coalescing, IsNotDerivedWithoutOneAddressPerLane) {
    EXPECT_EQ(
        transactions_of("S2R R0, SR_TID.X; SHF.L.U32 R2, R0, 0x4, RZ; ", "LDSM.16.M88.4 R8, [R2]"),
        "?");
    EXPECT_EQ(transactions_of("S2R R0, SR_TID.X; SHF.L.U32 R2, R0, 0x2, RZ; ", "LD.E R8, [R2]"),
              "?");
    EXPECT_EQ(transactions_of("S2R R0, SR_TID.X; SHF.L.U32 R2, R0, 0x2, RZ; ", "LDL R8, [R2]"),
              "?");
    EXPECT_EQ(transactions_of("S2R R0, SR_CLOCKLO; SHF.L.U32 R2, R0, 0x2, RZ; ", "LDS R8, [R2]"),
              "?");
}

TEST(Coalescing, NamesWhatTheDescriptionLacks) {
    const auto context = analyzed("S2R R0, SR_TID.X; SHL R2, R0, 0x2; LDG.E R8, [R2]; "
                                  "LDS R9, [R2]; EXIT;",
                                  {}, "maxwell-gtx970", 52);
    const auto derived = coalescing_facts(*context, {{32, 1, 1}});
    EXPECT_EQ(derived.missing, std::set<std::string>{"memories/l1/line"});
    ASSERT_EQ(derived.transactions.size(), 1U);
    EXPECT_EQ(derived.transactions[0].instruction, 3U);
}

/// The template of a loop bounded by a kernel parameter, with an access through a pointer.
std::string template_with(const KernelParameters& parameters) {
    const auto context =
        analyzed("S2R R0, SR_TID.X; IMAD.WIDE R2, R0, 0x4, c[0x0][0x168]; MOV R4, RZ; "
                 "L: IADD3 R4, R4, 0x1, RZ; ISETP.LT.AND P0, PT, R4, c[0x0][0x160], PT; @P0 BRA L; "
                 "LDG.E.SYS R8, [R2]; LDC.64 R10, c[0x0][0x170]; LDG.E.SYS R8, [R10]; "
                 "IMAD R5, R0, c[0x0][0x164], RZ; LDS R9, [R5]; EXIT;",
                 {}, "turing-t4", 75);
    const BlocksOnMachine blocks{{{32, 1, 1}}, &context->architecture};
    return flow_facts_template(context->program, *context->request.function, context->graph, {},
                               blocks, parameters);
}

TEST(KernelParameters, GiveFactsThatAreUnchecked) {
    const auto text =
        template_with({{0x160, {7, 32}}, {0x164, {8, 32}}, {0x168, {0, 8}}, {0x170, {0, 8}}});
    EXPECT_THAT(text,
                HasSubstr("<!-- Kernel parameters: c[0x0][0x160] is 0x7, c[0x0][0x164] is 0x8, "
                          "c[0x0][0x168] is a multiple of 256, c[0x0][0x170] is a multiple "
                          "of 256. -->"));
    EXPECT_THAT(text, HasSubstr("<loop header=\"0x0030\" min=\"7\" max=\"7\" "
                                "origin=\"static\" status=\"unchecked\"/>"));
    EXPECT_THAT(text, HasSubstr("<memory at=\"0x0060\" transactions=\"1\""));
    EXPECT_THAT(text, HasSubstr("<memory at=\"0x00a0\" conflict-degree=\"2\" "
                                "origin=\"static\" status=\"unchecked\"/>"));
    EXPECT_THAT(text, Not(HasSubstr("?\"")));
}

TEST(KernelParameters, LeaveFactsOfTheCodeAloneProved) {
    const auto plain = template_with({});
    EXPECT_THAT(plain, Not(HasSubstr("Kernel parameters")));
    EXPECT_THAT(plain, HasSubstr("<loop header=\"0x0030\" min=\"?\" max=\"?\"/>"));
    EXPECT_THAT(plain, HasSubstr("<memory at=\"0x0060\" transactions=\"1..2\""));
    // All lanes read one address, whatever it is.
    const std::string one = "<memory at=\"0x0080\" transactions=\"1\" level=\"any\" "
                            "origin=\"static\" status=\"unchecked\"/> <!-- LDG.E.SYS R8, [R10] ; "
                            "from the code: ";
    EXPECT_THAT(plain, HasSubstr(one));
    EXPECT_THAT(template_with({{0x170, {0, 8}}}), HasSubstr(one));
    EXPECT_THAT(plain, HasSubstr("<memory at=\"0x00a0\" conflict-degree=\"?\"/>"));
}

TEST(KernelParameters, ReplaceWholeWordsOfBankZero) {
    const auto context = analyzed("MOV R2, c[0x0][0x160]; MOV R3, -c[0x0][0x160]; "
                                  "MOV R4, c[0x3][0x160]; MOV R5, c[0x0][0x164]; "
                                  "IMAD.WIDE R6, R2, R3, c[0x0][0x168]; "
                                  "LDC.64 R8, c[0x0][0x168]; EXIT;",
                                  {}, "turing-t4", 75);
    const auto replaced = with_parameters(*context->request.function,
                                          {{0x160, {5, 32}}, {0x168, {0, 8}}, {0x16c, {1, 32}}});
    std::string text;
    for (const auto& instruction : replaced.instructions)
        text += assembly::print(instruction) + " ";
    EXPECT_EQ(text, "MOV R2, 0x5 ; MOV R3, 0xfffffffb ; MOV R4, c[0x3][0x160] ; "
                    "MOV R5, c[0x0][0x164] ; IMAD.WIDE R6, R2, R3, c[0x0][0x168] ; "
                    "LDC.64 R8, c[0x0][0x168], 0x1 ; EXIT ; ");
}

} // namespace
} // namespace warpbound::analyzer
