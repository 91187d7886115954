/// \file
/// Descriptions that carry a shipped name and say other things are named as such everywhere.

#include "tests/attacks/hostile_case.hpp"

namespace warpbound::tests {
namespace {

std::string turing_with(std::string_view from, std::string_view to) {
    return with_replaced(
        text_of_file(std::string{WARPBOUND_SOURCE_DIR} + "/models/architecture/data/turing-t4.xml"),
        from, to);
}

struct Shown {
    std::string name;
    std::string command;
    std::vector<std::string> more;
};

class ModifiedDescriptions : public testing::TestWithParam<Shown> {};

TEST_P(ModifiedDescriptions, AreNamedWithTheirDigest) {
    const Folder folder;
    const auto& [name, command, more] = GetParam();
    const auto run_on = [&](const std::string& description) {
        std::vector<std::string> arguments{command, saxpy(".sass"),   "--launch",
                                           "1x32",  "--architecture", description};
        arguments.insert(arguments.end(), {"--flow-facts", saxpy(".flow-facts.xml")});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_warpbound(arguments);
    };
    const std::string raised =
        folder.write("raised.xml", turing_with("grade=\"inferred\"", "grade=\"vendor\""));
    const auto outcome = run_on(raised);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out,
                testing::ContainsRegex(
                    "turing-t4 .modified: [0-9]+ values? differs?;[[:space:]]+sha256:[0-9a-f]+"));
    const std::string other =
        folder.write("other.xml", turing_with("name=\"turing-t4\"", "name=\"my-card\""));
    EXPECT_THAT(run_on(other).out,
                testing::ContainsRegex("my-card .user-supplied;[[:space:]]+sha256:[0-9a-f]+"));
    EXPECT_THAT(run_on("turing-t4").out, testing::Not(testing::HasSubstr("turing-t4 (")));
}

INSTANTIATE_TEST_SUITE_P(
    All, ModifiedDescriptions,
    testing::Values(Shown{"AnalyzeText", "analyze", {}},
                    Shown{"AnalyzeJson", "analyze", {"--format", "json"}},
                    Shown{"AnalyzeXml", "analyze", {"--format", "xml"}},
                    Shown{"AnalyzeHtml", "analyze", {"--format", "html"}},
                    Shown{"PredictText", "predict", {}},
                    Shown{"PredictJson", "predict", {"--format", "json"}},
                    Shown{"SimulateText", "simulate", {"--runs", "2"}},
                    Shown{"SimulateJson", "simulate", {"--runs", "2", "--format", "json"}},
                    Shown{"SchedulersText", "schedulers", {"--runs", "2"}},
                    Shown{"SchedulersHtml", "schedulers", {"--runs", "2", "--format", "html"}}),
    [](const auto& info) { return info.param.name; });

// The register says which values differ, from what, and with which grade they are stated.
TEST(ModifiedDescription, IsInTheRegisterOfAssumptions) {
    const Folder folder;
    const std::string raised =
        folder.write("raised.xml", turing_with("grade=\"inferred\"", "grade=\"vendor\""));
    const auto outcome =
        run_warpbound({"analyze", saxpy(".sass"), "--launch", "1x32", "--architecture", raised,
                       "--flow-facts", saxpy(".flow-facts.xml"), "--format", "json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, testing::HasSubstr("is not the shipped one of that name"));
    EXPECT_THAT(outcome.out, testing::ContainsRegex(", vendor: .*shipped: .*, inferred: "));
}

// What a bundle and its campaign call the machine, and what `verify` finds by itself.
TEST(ModifiedDescription, IsNamedInEvidenceAndByVerify) {
    const Folder folder;
    const std::string raised =
        folder.write("raised.xml", turing_with("grade=\"inferred\"", "grade=\"vendor\""));
    const std::string bundle = folder.path("bundle");
    const auto made =
        run_warpbound({"certify", saxpy(".sass"), "--launch", "1x32", "--architecture", raised,
                       "--flow-facts", saxpy(".flow-facts.xml"), "-o", bundle});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_THAT(text_of_file(bundle + "/claims.json"), testing::HasSubstr("turing-t4 (modified: "));
    const auto verified = run_warpbound({"verify", bundle});
    EXPECT_THAT(verified.out, testing::HasSubstr("turing-t4 (modified: "));
    const std::string campaign = folder.path("runs.db");
    EXPECT_EQ(run_warpbound({"simulate", saxpy(".sass"), "--launch", "1x32", "--architecture",
                             raised, "--flow-facts", saxpy(".flow-facts.xml"), "--runs", "2",
                             "--campaign", campaign})
                  .exit_code,
              0);
    EXPECT_THAT(run_warpbound({"campaign", "list", campaign}).out,
                testing::HasSubstr("simulated:turing-t4 (modified: "));
}

// The folder in WARPBOUND_ARCHITECTURES is the user's: a file there is not shipped by its name.
TEST(ModifiedDescription, IsFoundInAFolderOfTheUsers) {
    const Folder folder;
    folder.write("turing-t4.xml", turing_with("grade=\"inferred\"", "grade=\"vendor\""));
    const auto outcome =
        run_warpbound({"analyze", saxpy(".sass"), "--launch", "1x32", "--architecture", "turing-t4",
                       "--flow-facts", saxpy(".flow-facts.xml")},
                      {{"WARPBOUND_ARCHITECTURES", folder.path()}});
    EXPECT_THAT(outcome.out, testing::HasSubstr("turing-t4 (modified: "));
}

} // namespace
} // namespace warpbound::tests
