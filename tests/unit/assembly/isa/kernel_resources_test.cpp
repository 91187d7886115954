#include "listings.hpp"

#include <gmock/gmock.h>

namespace warpbound::assembly {
namespace {

using testing::HasSubstr;

const std::string usage =
    "Fatbin elf code:\n================\narch = sm_75\n\nResource usage:\n Common:\n  GLOBAL:0\n"
    " Function k:\n  REG:26 STACK:0 SHARED:2560 LOCAL:0 CONSTANT[0]:400 "
    "TEXTURE:0 SURFACE:0 SAMPLER:0\n";

std::string kernel(const std::string& target) {
    return cuobjdump(target, "        /*0000*/ EXIT ;\n", "k");
}

// `cuobjdump -sass -res-usage`.
TEST(KernelResources, AreThoseOfTheResourceUsage) {
    for (const std::string& text : {usage + kernel("sm_75"), kernel("sm_75") + usage}) {
        const auto function = only_function(text);
        EXPECT_EQ(function.register_count, 26);
        EXPECT_EQ(function.shared_memory, 2560);
    }
    expect_round_trip(read_program(text_of(usage + kernel("sm_75"))).value());
}

// The usage of another target's code is not this one's.
TEST(KernelResources, BelongToTheirTarget) {
    const auto function = only_function(usage + "arch = sm_80\n" + kernel("sm_80"));
    EXPECT_EQ(function.register_count, std::nullopt);
}

// `cuobjdump -sass -elf`: a record of .nv.info and a row of the section table, size 0xa00.
TEST(KernelResources, AreThoseOfTheElfText) {
    const auto function = only_function(
        "   23   40e0    a00  0 10            NOBITS       3    0       1b .nv.shared.k\n"
        "   24   40e0    111  0 10            NOBITS       3    0       1b .nv.shared.other\n"
        "\tAttribute:\tEIATTR_REGCOUNT\n\tFormat:\tEIFMT_SVAL\n"
        "\tValue:\tfunction: k(0xb)\tregister count: 26\n" +
        kernel("sm_75"));
    EXPECT_EQ(function.register_count, 26);
    EXPECT_EQ(function.shared_memory, 2560);
}

std::string nvdisasm(const std::string& target, const std::string& registers, int bytes) {
    return "\t.target\t" + target +
           "\n\t.section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"\n"
           "\t//----- nvinfo : EIATTR_REGCOUNT\n"
           "        /*0000*/ \t.byte\t0x04, 0x2f\n        /*0002*/ \t.short\t(.L_1 - .L_0)\n"
           ".L_0:\n        /*0004*/ \t.word\tindex@(k)\n        /*0008*/ \t.word\t" +
           registers +
           "\n.L_1:\n\t//----- nvinfo : EIATTR_FRAME_SIZE\n"
           "        /*000c*/ \t.byte\t0x04, 0x11\n        /*0010*/ \t.word\tindex@(k)\n"
           "        /*0014*/ \t.word\t0x00000003\n"
           "\t.section\t.text.k,\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=26\"\n"
           "k:\n.text.k:\n        /*0000*/ EXIT ;\n"
           "\t.section\t.nv.shared.k,\"aw\",@nobits\n\t.align\t4\n.nv.shared.k:\n\t.zero\t" +
           std::to_string(bytes) + "\n\t.section\t.nv.constant0.k,\"a\",@progbits\n\t.zero\t400\n";
}

TEST(KernelResources, AreThoseOfNvdisasmSections) {
    const auto function = only_function(nvdisasm("sm_75", "0x0000001a", 2560));
    EXPECT_EQ(function.register_count, 26);
    EXPECT_EQ(function.shared_memory, 2560);
    expect_round_trip(read_program(text_of(nvdisasm("sm_75", "0x0000001a", 2560))).value());
}

// From sm_90 on a section has 1024 bytes of the system's own in it.
TEST(KernelResources, LeaveOutTheReserve) {
    EXPECT_EQ(only_function(nvdisasm("sm_90", "0x0000001a", 5120)).shared_memory, 4096);
    EXPECT_EQ(only_function(nvdisasm("sm_120", "0x0000001a", 5120)).shared_memory, 4096);
    EXPECT_EQ(only_function(nvdisasm("sm_120", "0x0000001a", 1024)).shared_memory, 0);
    EXPECT_EQ(only_function(usage.substr(usage.find("Resource")) + kernel("sm_90")).shared_memory,
              std::nullopt);
    for (const char* const target : {"sm_90", "sm_120"})
        expect_round_trip(read_program(text_of(nvdisasm(target, "0x0000001a", 5120))).value());
}

TEST(KernelResources, AreDirectivesOfABareListing) {
    const std::string text =
        "!Arch sm_20\n!Kernel k\n!RegCount 16\n!Shared 0x400\nEXIT;\n!EndKernel\n";
    const auto function = only_function(text);
    EXPECT_EQ(function.register_count, 16);
    EXPECT_EQ(function.shared_memory, 1024);
    expect_round_trip(read_program(text_of(text)).value());
    EXPECT_THAT(refusal("!Arch sm_20\n!RegCount many\nEXIT;\n").what,
                HasSubstr("a number from 0 to 1024"));
    EXPECT_EQ(only_function("!Arch sm_20\n!RegCount 16\n!Kernel k\nEXIT;\n").register_count, 16);
    EXPECT_THAT(refusal("!Kernel k\n!RegCount 16\n!RegCount 20\nEXIT;\n").what,
                HasSubstr("16 was given before"));
    EXPECT_THAT(refusal("!Kernel k\n!Shared 16\n!Shared 8\nEXIT;\n").what,
                HasSubstr("16 was given before"));
}

TEST(KernelResources, AreRefusedWhenTheyContradictEachOther) {
    const auto other = refusal(nvdisasm("sm_75", "0x0000001b", 2560));
    EXPECT_THAT(other.what, HasSubstr("27 registers of kernel 'k', but 26 elsewhere"));
    EXPECT_EQ(other.line, 8);
    std::string less = usage;
    less.replace(less.find("REG:26"), 6, "REG:25");
    EXPECT_THAT(refusal(usage + less + kernel("sm_75")).what,
                HasSubstr("25 registers of kernel 'k', but 26 in line 9"));
    EXPECT_THAT(refusal(" Function k:\n  REG:x SHARED:0\n" + kernel("sm_75")).what,
                HasSubstr("a number was expected in 'REG:x'"));
    EXPECT_THAT(refusal(" Function k:\n  REG:9999 SHARED:0\n" + kernel("sm_75")).what,
                HasSubstr("expected at most 1024"));
    EXPECT_THAT(refusal(" Function k:\n  REG:26x SHARED:0\n" + kernel("sm_75")).what,
                HasSubstr("a number was expected in 'REG:26x'"));
    std::string twice = nvdisasm("sm_75", "0x0000001a", 2560);
    twice.insert(twice.find("\t.zero\t"), "\t.zero\t64\n");
    EXPECT_THAT(refusal(twice).what, HasSubstr("one size of section .nv.shared.k"));
}

} // namespace
} // namespace warpbound::assembly
