// The small parts of the simulated SM.

#include "harness/simulator/barrier.hpp"
#include "harness/simulator/link.hpp"
#include "harness/simulator/random.hpp"
#include "harness/simulator/write_buffer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace warpbound::harness::simulator::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Link, ShowsAMessageForOneStepAfterItWasPut) {
    Board board;
    Link<int> link{board};
    const Source<int> source{link};
    const Sink<int> sink{link};
    source.put(1);
    source.put(2);
    EXPECT_THAT(sink.messages(), IsEmpty()); // [staged: 1 2 | visible: -]
    EXPECT_TRUE(board.propagate());
    EXPECT_THAT(sink.messages(), ElementsAre(1, 2)); // [staged: - | visible: 1 2]
    EXPECT_FALSE(board.propagate());
    EXPECT_THAT(sink.messages(), IsEmpty()); // [staged: - | visible: -]
}

TEST(StagedValue, StaysVisible) {
    Board board;
    Staged<int> value{board, 1};
    value.set(2);
    EXPECT_EQ(value.visible(), 1);
    board.propagate();
    board.propagate();
    EXPECT_EQ(value.visible(), 2);
}

TEST(RandomStream, StaysInsideAndReachesBothEnds) {
    RandomStream stream{7, StreamOf::Arbiter, 0};
    std::array<int, 6> seen{};
    for (int draw = 0; draw < 6000; ++draw)
        ++seen.at(static_cast<std::size_t>(stream.uniform(-2, 3) + 2));
    for (const int count : seen)
        EXPECT_NEAR(count, 1000, 200);
}

// A change of these numbers changes every recorded observation.
TEST(RandomStream, IsTheSameOnEveryPlatform) {
    RandomStream stream{1, StreamOf::WarpTiming, 0};
    RandomStream other{1, StreamOf::WarpTiming, 1};
    EXPECT_EQ(stream.next(), 0x9e8614075104b44fU);
    EXPECT_EQ(other.next(), 0x525f9eea3656c4a2U);
}

TEST(WriteBuffer, KeepsAnEntryUntilItsDrain) {
    WriteBuffer buffer{2};
    EXPECT_EQ(buffer.enter(0, 10), 10);
    EXPECT_EQ(buffer.room_at(), 0);
    EXPECT_EQ(buffer.enter(3, 10), 20); // In order: after the first.
    EXPECT_EQ(buffer.room_at(), 10);
    EXPECT_EQ(buffer.enter(30, 10), 40);
    EXPECT_EQ(buffer.last_drain(), 40);
}

TEST(BlockBarriers, CompleteWhenEveryLiveWarpHasArrived) {
    BlockBarriers barriers{3};
    EXPECT_FALSE(barriers.arrive(0));
    EXPECT_FALSE(barriers.arrive(0));
    EXPECT_EQ(barriers.end(), 0); // The third ends instead of arriving.
    EXPECT_FALSE(barriers.arrive(1));
    EXPECT_TRUE(barriers.arrive(1));
    EXPECT_EQ(barriers.end(), std::nullopt);
}

} // namespace
} // namespace warpbound::harness::simulator::test
