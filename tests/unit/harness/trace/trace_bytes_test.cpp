// The bytes of trace files: anything but a regular file is refused without blocking.

#include "harness/trace/trace_bytes.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

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

} // namespace
} // namespace warpbound::harness::trace
