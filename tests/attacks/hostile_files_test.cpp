/// \file
/// Files that are no input: devices, pipes, folders, binary and endless content, text that breaks a
/// terminal.

#include "tests/attacks/hostile_case.hpp"

#include <sys/stat.h>

namespace warpbound::tests {
namespace {

using Arguments = std::vector<std::string>;

/// The ways in which a file is given, by what it is said to be.
struct Reader {
    std::string name;
    std::function<Arguments(const std::string& file)> arguments;
};

std::vector<Reader> readers() {
    return {
        {"Listing",
         [](const std::string& file) -> Arguments {
             return {"inspect", file};
         }},
        {"Architecture",
         [](const std::string& file) -> Arguments {
             return {"architectures", file};
         }},
        {"FlowFacts",
         [](const std::string& file) -> Arguments {
             return {"analyze",  saxpy(".sass"), "--flow-facts",   file,
                     "--launch", "1x32",         "--architecture", "turing-t4"};
         }},
        {"Workload",
         [](const std::string& file) -> Arguments {
             return {"simulate", "--workload", file, "--architecture", "turing-t4"};
         }},
        {"Plan",
         [](const std::string& file) -> Arguments {
             return {"certify", "--plan", file, "-o", "/nonexistent/bundle"};
         }},
        {"Requirements",
         [](const std::string& file) -> Arguments {
             return {"certify",   saxpy(".sass"), "--architecture",
                     "turing-t4", "--flow-facts", saxpy(".flow-facts.xml"),
                     "--launch",  "1x32",         "--requirements",
                     file,        "-o",           "/nonexistent/bundle"};
         }},
        {"Campaign",
         [](const std::string& file) -> Arguments {
             return {"campaign", "list", file};
         }},
        {"CampaignText",
         [](const std::string& file) -> Arguments {
             return {"campaign", "import", file, "-o", file + ".new-campaign"};
         }},
        {"RecordedDevice",
         [](const std::string& file) -> Arguments {
             return {"measure", "--device", "recorded:" + file, "--benchmark", "empty-region"};
         }},
        {"KernelProfile",
         [](const std::string& file) -> Arguments {
             return {"predict",   "--profile", file,  "--architecture",
                     "turing-t4", "--launch",  "1x32"};
         }},
        {"RecordedTrace",
         [](const std::string& file) -> Arguments {
             return {"certify",   saxpy(".sass"), "--architecture",
                     "turing-t4", "--flow-facts", saxpy(".flow-facts.xml"),
                     "--launch",  "1x32",         "--trace",
                     file,        "-o",           "/nonexistent/bundle"};
         }},
        {"SigningKey",
         [](const std::string& file) -> Arguments {
             return {"certify",   saxpy(".sass"), "--architecture",
                     "turing-t4", "--flow-facts", saxpy(".flow-facts.xml"),
                     "--launch",  "1x32",         "--sign",
                     file,        "-o",           "/nonexistent/bundle"};
         }},
        {"Calibration",
         [](const std::string& file) -> Arguments {
             return {"certify",   saxpy(".sass"), "--architecture",
                     "turing-t4", "--flow-facts", saxpy(".flow-facts.xml"),
                     "--launch",  "1x32",         "--calibration",
                     file,        "-o",           "/nonexistent/bundle"};
         }},
        {"Bundle",
         [](const std::string& file) -> Arguments {
             return {"verify", file};
         }},
    };
}

class Readers : public testing::TestWithParam<Reader> {
protected:
    void expect_refusal_of(const std::string& file) {
        const auto outcome = run_warpbound(GetParam().arguments(file));
        EXPECT_EQ(misbehaviour_of(outcome), "") << outcome.err;
        EXPECT_TRUE(outcome.exit_code == 2 || outcome.exit_code == 3)
            << outcome.exit_code << outcome.out << outcome.err;
        const std::string name = file.substr(file.rfind('/') + 1);
        EXPECT_THAT(outcome.err, testing::HasSubstr(name)) << "the message must name the file";
        EXPECT_EQ(bytes_obeyed(outcome.err), "");
        EXPECT_THAT(outcome.err, testing::Not(testing::HasSubstr("internal error")));
    }
    Folder folder_;
};

TEST_P(Readers, RefuseAnEmptyFile) {
    expect_refusal_of(folder_.write("empty.xml", ""));
}

TEST_P(Readers, RefuseAFileThatIsNotThere) {
    expect_refusal_of(folder_.path("absent.xml"));
}

TEST_P(Readers, RefuseABinaryFile) {
    std::string bytes;
    for (int i = 0; i < 4096; ++i)
        bytes += static_cast<char>(i * 37 % 256);
    expect_refusal_of(folder_.write("binary.xml", bytes));
}

TEST_P(Readers, RefuseNulBytesAndEscapes) {
    expect_refusal_of(folder_.write("bytes.xml", std::string{"\0\x1b]0;title\x07<\x1b[2J", 16}));
}

TEST_P(Readers, RefuseAnEndlessFile) {
    expect_refusal_of("/dev/zero");
}

TEST_P(Readers, RefuseAPipeThatNobodyWrites) {
    const std::string pipe = folder_.path("pipe.xml");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    expect_refusal_of(pipe);
}

TEST_P(Readers, RefuseAFileOfOneLongLine) {
    expect_refusal_of(folder_.write("line.xml", std::string(80'000'000, 'x')));
}

TEST_P(Readers, RefuseAFolderOfThatName) {
    folder_.write("folder.xml/bundle.bin", "no evidence");
    if (GetParam().name != "Bundle") return expect_refusal_of(folder_.path("folder.xml"));
    const auto outcome = run_warpbound({"verify", folder_.path("folder.xml")});
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out + outcome.err, testing::HasSubstr("manifest.json"));
}

INSTANTIATE_TEST_SUITE_P(All, Readers, testing::ValuesIn(readers()),
                         [](const auto& info) { return info.param.name; });

// --- XML and listings -----------------------------------------------------------------------

Arguments shown(const Folder& folder, const std::string& xml) {
    return {"architectures", folder.write("machine.xml", xml)};
}

std::string turing() {
    return text_of_file(std::string{WARPBOUND_SOURCE_DIR} +
                        "/models/architecture/data/turing-t4.xml");
}

std::string billion_laughs() {
    std::string xml = "<?xml version=\"1.0\"?>\n<!DOCTYPE a [\n<!ENTITY l0 \"ha\">\n";
    for (int i = 1; i < 12; ++i)
        xml += "<!ENTITY l" + std::to_string(i) + " \"" +
               repeated("&l" + std::to_string(i - 1) + ";", 10) + "\">\n";
    return xml + "]>\n<architecture name=\"&l11;\"/>\n";
}

std::string listing_with_name(const std::string& name) {
    return with_replaced(text_of_file(saxpy(".sass")), "Function : ", "Function : " + name);
}

std::vector<HostileCase> hostile_texts() {
    const auto inspect = [](std::string text) {
        return [text = std::move(text)](const Folder& folder) -> Arguments {
            return {"inspect", folder.write("hostile.sass", text)};
        };
    };
    const auto describe = [](std::string text) {
        return [text = std::move(text)](const Folder& folder) { return shown(folder, text); };
    };
    return {
        {"BillionLaughs", describe(billion_laughs()), {"machine.xml", "entit"}},
        {"DeepXml", describe(repeated("<a>", 1'000'000)), {"machine.xml:1"}},
        {"WideXml",
         describe("<architecture " + repeated("a=\"1\" ", 2'000'000) + "/>"),
         {"machine.xml"}},
        {"LongAttribute",
         describe("<architecture name=\"" + std::string(30'000'000, 'x') + "\"/>"),
         {"machine.xml"}},
        {"NotANumber",
         describe(with_replaced(turing(), "lo=\"", "lo=\"nan")),
         {"machine.xml:", "nan"}},
        {"TooLargeNumber",
         describe(with_replaced(turing(), "lo=\"", "lo=\"18446744073709551616")),
         {"machine.xml:", "18446744073709551616"}},
        {"EscapeInXml",
         describe(with_replaced(turing(), "name=\"turing-t4\"", "nome=\"\x1b[2J\"")),
         {"machine.xml"}},
        {"UnclosedXml", describe("<architecture name=\"x\">\n<units>\n"), {"machine.xml:"}},
        {"LongLine", inspect(std::string(10'000'000, 'A') + " ;\n"), {"hostile.sass:1"}},
        {"ManyBytes", inspect(repeated("/*0000*/ NOP ;\n", 7'000'000)), {"hostile.sass", "limit"}},
        {"DuplicateLabels",
         inspect(".L_1:\n/*0000*/ NOP ;\n.L_1:\n/*0010*/ EXIT ;\n"),
         {"hostile.sass:"}},
        {"BranchToNowhere",
         inspect("/*0000*/ BRA 0xfffff0 ;\n/*0010*/ EXIT ;\n"),
         {"hostile.sass:1"}},
        {"BranchOfManyDigits",
         inspect("/*0000*/ BRA 0xfffffffffffffffffffffffff ;\n/*0010*/ EXIT ;\n"),
         {"hostile.sass:1"}},
        {"AddressesBackwards",
         inspect(with_replaced(text_of_file(saxpy(".sass")), "/*0020*/", "/*0000*/")),
         {"hostile.sass:11", "0x0000"}},
        {"UnknownOpcodeWithEscape",
         inspect("/*0000*/ MO\x1b[31mV R0, R1 ;\n/*0010*/ EXIT ;\n"),
         {"hostile.sass:1"}},
        {"NulInListing",
         inspect(std::string{"/*0000*/ N\0P ;\n/*0010*/ EXIT ;\n", 33}),
         {"hostile.sass: binary data"}},
        {"ElfWithBadOffsets",
         inspect(std::string{"\x7f"
                             "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
                             16} +
                 std::string(48, '\xff')),
         {"hostile.sass"}},
        {"KernelNameThatIsNoUtf8",
         [](const Folder& folder) -> Arguments {
             return {"certify",
                     folder.write("name.sass", listing_with_name("caf\xe9_")),
                     "--architecture",
                     "turing-t4",
                     "--launch",
                     "1x32",
                     "-o",
                     folder.path("bundle")};
         },
         {"name.sass", "UTF-8", "\\xe9"}},
    };
}

class HostileTexts : public testing::TestWithParam<HostileCase> {};

TEST_P(HostileTexts, AreRefused) {
    expect_refusal(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, HostileTexts, testing::ValuesIn(hostile_texts()), name_of_case);

// A name that turns the terminal or breaks JSON is shown in escapes by every command that shows it.
TEST(HostileNames, AreWrittenOut) {
    const Folder folder;
    const std::string file =
        folder.write("name.sass", listing_with_name("a\x1b[2J\xe2\x80\xae\xff"));
    for (const char* format : {"text", "json"}) {
        const auto outcome = run_warpbound({"inspect", file, "--format", format});
        EXPECT_EQ(misbehaviour_of(outcome), "");
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_EQ(bytes_obeyed(outcome.out), "");
        EXPECT_THAT(outcome.out, testing::Not(testing::HasSubstr("\xe2\x80\xae")));
        EXPECT_THAT(outcome.out, testing::HasSubstr("\\u001b[2J"));
    }
}

TEST(HostileNames, OfFilesAreWrittenOut) {
    const Folder folder;
    const auto outcome = run_warpbound({"inspect", folder.path("no\x1b[31m\xc2\x9b.sass")});
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_THAT(outcome.err, testing::HasSubstr("no\\u001b[31m\\u009b.sass"));
    const auto usage = run_warpbound({"inspect", "--\x1b[31m"});
    EXPECT_EQ(usage.exit_code, 2);
    EXPECT_EQ(bytes_obeyed(usage.err), "");
}

} // namespace
} // namespace warpbound::tests
