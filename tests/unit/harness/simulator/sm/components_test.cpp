// The small components of the simulated machine.

#include "harness/simulator/clock/clock.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/clock/random.hpp"
#include "harness/simulator/sm/barrier.hpp"
#include "harness/simulator/sm/write_buffer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace warpbound::harness::simulator::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Wakes in the given cycles and records when it ticks.
class Sleeper final : public Component {
public:
    explicit Sleeper(std::vector<std::int64_t> wakes = {}) : wakes_{std::move(wakes)} {}
    void tick(std::int64_t now) override {
        ticks.push_back(now);
        while (!wakes_.empty() && wakes_.front() <= now)
            wakes_.erase(wakes_.begin());
    }
    [[nodiscard]] std::int64_t wake() const override {
        return wakes_.empty() ? never : wakes_.front();
    }
    std::vector<std::int64_t> ticks;

private:
    std::vector<std::int64_t> wakes_;
};

TEST(Link, ShowsAMessageForOneStepAfterItWasPut) {
    ClockedState clocked_state;
    Sleeper reader;
    Link<int> link{clocked_state};
    const Source<int> source{link};
    const Sink<int> sink{link};
    sink.read_by(reader);
    std::vector<Component*> scheduled;
    source.put(1);
    source.put(2);
    EXPECT_THAT(sink.messages(), IsEmpty()); // [staged: 1 2 | visible: -]
    clocked_state.propagate(scheduled);
    EXPECT_THAT(sink.messages(), ElementsAre(1, 2)); // [staged: - | visible: 1 2]
    EXPECT_THAT(scheduled, ElementsAre(&reader));
    clocked_state.propagate(scheduled);
    EXPECT_THAT(sink.messages(), IsEmpty()); // [staged: - | visible: -]
    EXPECT_THAT(scheduled, ElementsAre(&reader));
}

TEST(Link, RefusesAMessageWithoutReceiver) {
    ClockedState clocked_state;
    Link<int> link{clocked_state};
    link.put(1);
    std::vector<Component*> scheduled;
    EXPECT_THROW(clocked_state.propagate(scheduled), std::logic_error);
}

TEST(StagedValue, StaysVisible) {
    ClockedState clocked_state;
    Staged<int> value{clocked_state, 1};
    std::vector<Component*> scheduled;
    value.set(2);
    EXPECT_EQ(value.visible(), 1);
    clocked_state.propagate(scheduled);
    clocked_state.propagate(scheduled);
    EXPECT_EQ(value.visible(), 2);
    EXPECT_THAT(scheduled, IsEmpty());
}

TEST(Clock, TicksAComponentOnlyWhenItWakes) {
    Clock clock;
    Sleeper often{{3, 4, 9}};
    Sleeper once{{4}};
    Sleeper idle;
    clock.add(often);
    clock.add(once);
    clock.add(idle);
    while (clock.next() != never)
        clock.advance(clock.next());
    EXPECT_THAT(often.ticks, ElementsAre(3, 4, 9));
    EXPECT_THAT(once.ticks, ElementsAre(4));
    EXPECT_THAT(idle.ticks, IsEmpty());
}

TEST(RandomStream, StaysWithinItsRangeAndReachesBothEnds) {
    RandomStream stream{7, StreamOf::Arbiter, 0};
    std::array<int, 6> counts{};
    for (int draw = 0; draw < 6000; ++draw)
        ++counts.at(static_cast<std::size_t>(stream.uniform(-2, 3) + 2));
    for (const int count : counts)
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
    EXPECT_EQ(buffer.free_at(), 0);
    EXPECT_EQ(buffer.enter(3, 10), 20); // In order: after the first.
    EXPECT_EQ(buffer.free_at(), 10);
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
