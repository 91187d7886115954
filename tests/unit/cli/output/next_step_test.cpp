/// \file
/// Words of the suggested command are those that a shell reads back, and every command is quiet.

#include "cli/output/next_step.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace warpbound::cli {
namespace {

TEST(ShellWord, IsQuotedOnlyWhereAShellWouldReadItOtherwise) {
    EXPECT_EQ(shell_word("examples/saxpy-1.sass"), "examples/saxpy-1.sass");
    EXPECT_EQ(shell_word("two-level:active=2"), "two-level:active=2");
    EXPECT_EQ(shell_word("my kernel.cu"), "'my kernel.cu'");
    EXPECT_EQ(shell_word("fill<int>"), "'fill<int>'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_word(""), "''");
}

TEST(Quiet, IsAnOptionOfEveryCommandThatDoesSomething) {
    CLI::App app;
    CLI::App* const group = app.add_subcommand("campaign")->require_subcommand(1);
    CLI::App* const leaf = group->add_subcommand("list");
    CLI::App* const other = app.add_subcommand("bound");
    app.require_subcommand(1);
    add_quiet(app);
    EXPECT_NE(leaf->get_option_no_throw("--quiet"), nullptr);
    EXPECT_NE(other->get_option_no_throw("-q"), nullptr);
    EXPECT_EQ(group->get_option_no_throw("--quiet"), nullptr);
    EXPECT_FALSE(is_quiet());
    app.parse("bound -q");
    EXPECT_TRUE(is_quiet());
}

} // namespace
} // namespace warpbound::cli
