#include "cli/program/arguments.hpp"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>

namespace warpbound::cli {
namespace {

using testing::ElementsAre;

class Arguments : public testing::Test {
protected:
    Arguments() {
        CLI::App* command = app_.add_subcommand("analyze", "");
        command->add_option("FILE", text_);
        command->add_option("--kernel", text_);
        command->add_option("--architecture,--gpu", text_);
        command->add_option("--format", text_);
        command->add_option("-o,--output", text_);
        command->add_flag("--all", flag_);
    }
    std::string unknown(const std::vector<std::string>& typed) const {
        return first_unknown(app_, usual_spelling(app_, typed));
    }
    CLI::App app_{"", "warpbound"};
    std::string text_;
    bool flag_ = false;
};

TEST_F(Arguments, AreKnown) {
    EXPECT_EQ(unknown({"analyze", "file", "--kernel", "--odd-name", "-o", "-", "-oout", "--all"}),
              "");
    EXPECT_EQ(unknown({"analyze", "--kernel=--x", "--", "--anything"}), "");
    EXPECT_EQ(unknown({"analyze", "-5"}), "");
}

TEST_F(Arguments, ReportTheFirstUnknownOneWithASuggestion) {
    EXPECT_EQ(unknown({"analyze", "--kernle", "k", "--zzz"}),
              "--kernle is no option of analyze; did you mean --kernel?");
    EXPECT_EQ(unknown({"analyze", "--arch=sm_75"}),
              "--arch is no option of analyze; did you mean --architecture?");
    EXPECT_EQ(unknown({"analyze", "--zzz"}), "--zzz is no option of analyze");
    EXPECT_EQ(unknown({"analyse"}), "analyse is no command; did you mean analyze?");
    EXPECT_EQ(unknown({"xyz"}), "xyz is no command; expected one of analyze");
    EXPECT_EQ(unknown({"--verbose"}), "--verbose is no option");
}

TEST_F(Arguments, HaveOtherSpellings) {
    EXPECT_THAT(usual_spelling(app_, {"help", "analyze"}), ElementsAre("analyze", "--help"));
    EXPECT_THAT(usual_spelling(app_, {"help"}), ElementsAre("--help"));
    EXPECT_THAT(usual_spelling(app_, {"analyze", "--json"}),
                ElementsAre("analyze", "--format", "json"));
    EXPECT_THAT(usual_spelling(app_, {"analyze", "-arch=sm_75", "--kernel-name", "k"}),
                ElementsAre("analyze", "--architecture=sm_75", "--kernel", "k"));
}

TEST(MostAlike, WantsLikeness) {
    EXPECT_EQ(most_alike("--lanuch", {"--block", "--launch"}), "--launch");
    EXPECT_EQ(most_alike("--gird", {"--grid"}), "--grid");
    EXPECT_EQ(most_alike("-x", {"--grid"}), std::nullopt);
    EXPECT_EQ(most_alike("", {"a"}), std::nullopt);
}

} // namespace
} // namespace warpbound::cli
