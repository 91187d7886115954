/// \file
/// Order and dependences of straight-line vector and scalar arithmetic, held against LLVM's machine
/// code analyzer (llvm-mca). Its cycles are those of a compiler model and are not compared.

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/assembly/amd/code.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

namespace warpbound::assembly::amd {
namespace {

using Block = std::vector<std::string>; ///< Lines.

/// Longest runs of arithmetic in a text, of 4 to 24 lines.
std::vector<Block> arithmetic_of(const std::string& text) {
    static const std::regex arithmetic{
        R"(^\s+(v_(?!nop|readfirstlane|cmpx)|s_(add|sub|mul|and|or|xor|not|lsh|ash|bf|cmp|cselect|min|max|mov_b|addc|subb|bcnt)))"};
    constexpr std::size_t least = 4;
    constexpr std::size_t most = 24;
    std::vector<Block> blocks;
    Block block;
    const auto close = [&] {
        if (block.size() >= least) blocks.push_back(block);
        block.clear();
    };
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) {
        line = line.substr(0, line.find(';'));
        if (line.find('%') != std::string::npos || !std::regex_search(line, arithmetic) ||
            line.find("@") != std::string::npos) {
            close();
            continue;
        }
        block.push_back(line);
        if (block.size() == most) close();
    }
    close();
    return blocks;
}

struct Times {
    std::int64_t issued = 0;
    std::int64_t executed = 0;
};

/// Of each block, of one wavefront.
std::vector<std::vector<Times>> timeline_of(const std::string& processor,
                                            const std::vector<Block>& blocks) {
    const tests::TemporaryFolder folder;
    const std::string code = (folder.path() / "blocks.s").string();
    const std::string result = (folder.path() / "result.json").string();
    std::ofstream out{code};
    for (const Block& block : blocks) {
        out << "# LLVM-MCA-BEGIN\n";
        for (const std::string& line : block)
            out << line << "\n";
        out << "# LLVM-MCA-END\n";
    }
    out.close();
    const std::string command = fmt::format(
        "{} -mtriple=amdgcn -mcpu={} -iterations=1 -timeline -timeline-max-cycles=0 -json {} "
        ">{}",
        WARPBOUND_TEST_LLVM_MCA, processor, code, result);
    std::vector<std::vector<Times>> all;
    if (std::system(command.c_str()) != 0) return all;
    std::ifstream in{result};
    const nlohmann::json analyzed = nlohmann::json::parse(in);
    for (const auto& region : analyzed.at("CodeRegions")) {
        all.emplace_back();
        for (const auto& one : region.at("TimelineView").at("TimelineInfo"))
            all.back().push_back({one.at("CycleIssued"), one.at("CycleExecuted")});
    }
    return all;
}

bool meet(const std::vector<Register>& some, const std::vector<Register>& others) {
    return std::any_of(some.begin(), some.end(), [&](const Register& one) {
        return std::find(others.begin(), others.end(), one) != others.end();
    });
}

/// The analyzer's model gives results in different files at different times.
bool is_of_one_file(const std::vector<Register>& written) {
    return std::all_of(written.begin(), written.end(),
                       [&](const Register& one) { return one.file == written.front().file; });
}

class Mca : public testing::TestWithParam<const char*> {};

TEST_P(Mca, HasTheOrderAndDependencesOfStraightLineArithmetic) {
    if (std::string{WARPBOUND_TEST_LLVM_MCA}.empty())
        GTEST_SKIP() << "llvm-mca was not found when this was configured";
    const std::string processor = GetParam();
    std::vector<Block> blocks = arithmetic_of(amd_file(processor + ".s.xz"));
    ASSERT_GT(blocks.size(), 30U);
    const auto times = timeline_of(processor, blocks);
    ASSERT_EQ(times.size(), blocks.size());
    std::size_t dependences = 0;
    std::size_t waited_for = 0;
    std::size_t forwarded = 0; ///< Some operands of the model are read late.
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        std::string text;
        for (const std::string& line : blocks[b])
            text += line + "\n";
        const auto function = function_of(processor, text);
        ASSERT_TRUE(function) << to_string(function.error()) << "\n" << text;
        const auto& code = function.value().instructions;
        const auto& at = times[b];
        ASSERT_EQ(code.size(), at.size() + 1) << text; // And S_ENDPGM.
        for (std::size_t later = 1; later < at.size(); ++later) {
            EXPECT_GE(at[later].issued, at[later - 1].issued) << text;
            for (std::size_t i = 0; i < later; ++i) {
                const auto& writes = code[i].effects.writes;
                if (!meet(code[later].effects.reads, writes) || !is_of_one_file(writes)) continue;
                ++dependences;
                if (at[later].issued < at[i].executed) ++forwarded;
                if (at[later].issued == at[i].executed) ++waited_for;
            }
        }
    }
    RecordProperty("dependences", static_cast<int>(dependences));
    RecordProperty("waited_for", static_cast<int>(waited_for));
    RecordProperty("forwarded", static_cast<int>(forwarded));
    EXPECT_GT(dependences, 20U);
    EXPECT_GT(waited_for * 10, dependences);
    EXPECT_LE(forwarded * 20, dependences);
}

INSTANTIATE_TEST_SUITE_P(All, Mca, testing::Values("gfx906", "gfx90a", "gfx1030", "gfx1100"));

} // namespace
} // namespace warpbound::assembly::amd
