// The bytes of trace files: anything but a regular file is refused without blocking.

#include "assembly/isa/operand_reader.hpp"
#include "harness/trace/trace_bytes.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace warpbound::harness::trace {
namespace {

using testing::HasSubstr;

TEST(TraceBytes, OfAPipeOrFolderAreRefused) {
    const tests::TemporaryFolder folder;
    const auto pipe = folder.path() / "pipe.traceg";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const auto& path : {pipe, folder.path()}) {
        const auto opened = TraceBytes::open(path.string());
        ASSERT_FALSE(opened);
        EXPECT_THAT(to_string(opened.error()), HasSubstr("read in pieces"));
    }
}

// Lines of up to 3 KiB, so that marks lie on both sides of the pieces of 256 KiB that are read.
TEST(BlockScan, FindsTheLinesThatALineStreamFinds) {
    std::mt19937_64 random{7};
    const std::vector<std::string> marks{"#BEGIN_TB", "  #BEGIN_TB \t", "#BEGIN_TB\r", "#BEGIN_TBX",
                                         "#END_TB",   "x #BEGIN_TB",    "##",          ""};
    std::string text;
    while (text.size() < (std::size_t{3} << 20U)) {
        if (random() % 3 == 0)
            text += marks[random() % marks.size()];
        else
            text += std::string(random() % 3000, 'a');
        text += '\n';
    }
    text += "#BEGIN_TB";
    const TraceBytes bytes{{"t.traceg", text}};
    std::vector<std::pair<std::uint64_t, std::int64_t>> expected;
    LineStream lines{bytes};
    for (auto line = lines.next().value(); line; line = lines.next().value())
        if (assembly::trimmed(line->text()) == BlockScan::begin_mark)
            expected.emplace_back(lines.position().offset, lines.position().line);
    std::vector<std::pair<std::uint64_t, std::int64_t>> found;
    BlockScan scan{bytes, {}};
    for (auto begin = scan.next().value(); begin; begin = scan.next().value())
        found.emplace_back(begin->offset, begin->line);
    EXPECT_GT(found.size(), 100U);
    EXPECT_EQ(found, expected);
}

// Whatever a line stream accepts, the scan passes: how long a line may be depends on its pieces.
TEST(BlockScan, PassesEachLineThatALineStreamAccepts) {
    for (const std::size_t more : {0U, 1'000U, 100'000U, 200'000U, 262'000U}) {
        const std::string text =
            "#BEGIN_TB\n" + std::string((std::size_t{1} << 20U) + more, 'a') + "\n#BEGIN_TB\n";
        const TraceBytes bytes{{"t.traceg", text}};
        LineStream lines{bytes};
        bool accepted = true;
        for (auto line = lines.next(); accepted && (!line || line.value()); line = lines.next())
            accepted = line.has_value();
        std::size_t found = 0;
        BlockScan scan{bytes, {}};
        while (scan.next().value())
            ++found;
        EXPECT_EQ(found, 2U) << more;
        EXPECT_TRUE(accepted) << more;
    }
}

} // namespace
} // namespace warpbound::harness::trace
