// Every refusal has its line.
#include "listings.hpp"

#include <array>

namespace warpbound::assembly {
namespace {

struct RefusalRow {
    const char* text;
    std::int64_t line;
    const char* what; ///< Part of the message.
};

void expect_refused(const RefusalRow& row) {
    SCOPED_TRACE(row.text);
    const auto failure = refusal(row.text);
    EXPECT_EQ(failure.line, row.line);
    EXPECT_EQ(failure.where, "listing");
    EXPECT_NE(failure.what.find(row.what), std::string::npos) << failure.what;
}

constexpr const char* top = "code for sm_70\nFunction : k\n";

TEST(Refusal, OfABareListingHasItsLine) {
    for (const auto& row : {
             RefusalRow{"NOP;\nBRA nowhere;\n", 2, "nowhere"},
             RefusalRow{"NOP;\nBRA 0x40;\n", 2, "0x40"},
             RefusalRow{"a:\nNOP;\na:\nNOP;\n", 3, "twice"},
             RefusalRow{"NOP;\nFADD R0, R63, R1;\n", 2, "R63"},
             RefusalRow{"NOP;\nFADD R0, , R1;\n", 2, "operand"},
             RefusalRow{"NOP;\nFADD R0,;\n", 2, "operand"},
             RefusalRow{"NOP;\nFADD. R0;\n", 2, "modifier"},
             RefusalRow{"NOP;\nfadd R0;\n", 2, "opcode"},
             RefusalRow{"NOP;\n@X FADD R0, R1, R2;\n", 2, "guard"},
             RefusalRow{"NOP;\n@P0.x FADD R0, R1, R2;\n", 2, "guard"},
             RefusalRow{"NOP;\n@P0\n", 2, "opcode"},
             RefusalRow{"!Arch sm_99999\nNOP;\n", 1, "target"},
             RefusalRow{"NOP;\n!Arch sm_20\n", 2, "before"},
             RefusalRow{"NOP;\n!RawInstruction 0x1\n", 2, "RawInstruction"},
             RefusalRow{"NOP;\n!Align 8\n", 2, "Align"},
             RefusalRow{"NOP;\n!Frobnicate\n", 2, "Frobnicate"},
             RefusalRow{"!Kernel\nNOP;\n", 1, "name"},
             RefusalRow{"!Kernel a\nNOP;\n!Kernel a\nNOP;\n!EndKernel\n", 5, "twice"},
             RefusalRow{"!Kernel a\n!EndKernel\nNOP;\n", 2, "no instruction"},
             RefusalRow{"NOP;\n!Constant\n0x1\n", 3, "!EndConstant"},
             RefusalRow{"NOP; /* a\nb", 2, "comment"},
             RefusalRow{"/*0008*/ NOP ;\n", 1, "heading"},
             RefusalRow{"NOP ; /* 0x50b0000000070f00 */\n", 1, "heading"},
             RefusalRow{"NOP;\nFADD R\xff;\n", 2, "character"},
             RefusalRow{"NOP;\nFADD [R2 &]x={0}, &wr=0x1;\n", 2, "character"},
             RefusalRow{"A R1,R1,R1,R1,R1,R1,R1,R1,R1,R1,R1,R1,R1,R1,R1,R1,R1;", 1, "16 operands"},
         })
        expect_refused(row);
}

TEST(Refusal, OfADisassemblyHasItsLine) {
    const std::string head = top;
    const auto refused = [&](const std::string& lines, std::int64_t line, const char* what) {
        const std::string text = head + lines;
        expect_refused({text.c_str(), line, what});
    };
    const std::string exit = "/*0000*/ EXIT ; /* 0x000000000000794d */\n/* 0x000fea0003800000 */\n";
    refused(exit, 5, "closing line of dots");
    refused("/*0000*/ EXIT ; /* 0x000000000000794d */\n..........\n", 4, "second half");
    refused("/*0000*/ EXIT ; /* 0x000000000000794d */\n/*0010*/ NOP ;\n", 4, "second half");
    refused(exit + "/*0010*/ NOP ;\n..........\n", 6, "encoding");
    refused("/*0000*/ EXIT ;\n/*0010*/ NOP ; /* 0x0000000000007918 */\n", 4,
            "no instruction lacks one");
    refused(exit + "/* 0x000fea0003800000 */\n", 5, "no instruction lacks one");
    refused("/*0000*/ EXIT\n", 3, "';'");
    refused("/*0008*/ EXIT ;\n", 3, "multiple of 16");
    refused(exit + "/*0030*/ NOP ;\n", 5, "0x0010");
    refused("/*zz*/ EXIT ;\n", 3, "address");
    refused("/*0000*/ EXIT ; /* 0xzz */\n", 3, "hexadecimal");
    refused("/*0000*/ EXIT ; junk\n", 3, "encoding");
    refused("/*0000\n", 3, "comment");
    refused("..........\n", 3, "no instruction");
    refused(exit + "..........\n" + exit, 6, "outside of a kernel");
    refused(exit + "..........\nFunction : k\n" + exit + "..........\n", 9, "twice");
    refused(".headerflags @\"EF_CUDA_SM80\"\n" + exit, 3, "sm_80");
    refused("/*0000*/ BRA 0x20 ;\n..........\n", 3, "0x20");
    expect_refused({"Function : k\n/*0000*/ EXIT ;\n", 1, "target"});
    expect_refused({"code for sm_1\nFunction : k\n", 1, "target"});
}

TEST(Refusal, OfControlWordsHasItsLine) {
    // Bit 63 of a Maxwell control word is zero.
    expect_refused({"code for sm_52\nFunction : k\n/* 0xf01fc000e22007f0 */\n"
                    "/*0008*/ EXIT ; /* 0xe30000000007000f */\n..........\n",
                    3, "control word"});
    expect_refused({"code for sm_52\nFunction : k\n"
                    "/*0008*/ EXIT ; /* 0xe30000000007000f */\n..........\n",
                    3, "control word"});
    expect_refused({"code for sm_52\nFunction : k\n/* 0x001fc000e22007f0 */\n"
                    "/* 0x001fc000e22007f0 */\n/*0008*/ EXIT ; /* 0xe30000000007000f */\n",
                    4, "no instruction lacks one"});
    expect_refused({"code for sm_35\nFunction : k\n/* 0xe4800000001c0000 */\n"
                    "/*0008*/ EXIT; /* 0x18000000001c003c */\n..........\n",
                    3, "control word"});
}

TEST(Refusal, OfALineThatIsTooLong) {
    EXPECT_EQ(refusal("NOP;\n//" + std::string(5000, 'x') + "\n").line, 2);
}

TEST(Refusal, OfOtherTextListsTheKnownForms) {
    for (const char* text : {"", "\n\n", "hello world", "{\"json\": 1}"})
        EXPECT_NE(refusal(text).what.find("cuobjdump"), std::string::npos) << text;
    EXPECT_NE(refusal(std::string{"NOP;\0EXIT;", 10}).what.find("binary"), std::string::npos);
}

TEST(Refusal, NamesTheColumn) {
    // FADD R0, R63: the operand is in column 10.
    EXPECT_EQ(refusal("FADD R0, R63;").column, 10);
    EXPECT_EQ(refusal("NOP; NOP ?foo;").column, 10);
}

} // namespace
} // namespace warpbound::assembly
