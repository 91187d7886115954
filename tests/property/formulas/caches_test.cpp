/// \file
/// Reuse distances against caches that are simulated way by way, and SDCM against caches whose sets
/// are drawn.

#include "models/formulas/reuse_distance.hpp"
#include "models/formulas/stack_distance.hpp"
#include "tests/support/campaign.hpp"

#include <list>
#include <map>

namespace warpbound::models {
namespace {

using reuse_distance::Access;
using reuse_distance::Shape;

std::vector<Access> random_stream(tests::RandomSource& random_source, std::int64_t lines) {
    std::vector<Access> stream;
    std::int64_t time = 0;
    for (std::int64_t count = random_source.whole(1, 300); count > 0; --count)
        stream.push_back({.line = static_cast<std::uint64_t>(random_source.whole(0, lines)),
                          .sectors = 1,
                          .time = time++});
    return stream;
}

/// Least recently used, each set a list of lines.
class Lru {
public:
    explicit Lru(const Shape& shape) : shape_{shape}, sets_(static_cast<std::size_t>(shape.sets)) {}
    bool hits(std::uint64_t line) {
        auto& set = sets_[static_cast<std::size_t>(set_of(line, shape_))];
        const auto found = std::find(set.begin(), set.end(), line);
        const bool hit = found != set.end();
        if (hit) set.erase(found);
        set.push_front(line);
        if (set.size() > static_cast<std::size_t>(shape_.ways)) set.pop_back();
        return hit;
    }

private:
    Shape shape_;
    std::vector<std::list<std::uint64_t>> sets_;
};

TEST(CachesProperty, ReuseDistancesHitWhereAnLruCacheDoes) {
    tests::for_seeds(300, [](tests::RandomSource& random_source) {
        const Shape shape{.sets = random_source.whole(1, 8), .ways = random_source.whole(1, 6)};
        const auto stream = random_stream(random_source, 40);
        const auto found = outcomes(stream, shape, {}).value();
        Lru lru{shape};
        for (std::size_t at = 0; at < stream.size(); ++at)
            EXPECT_EQ(found[at].hit != 0, lru.hits(stream[at].line)) << at;
    });
}

// One set is a fully associative cache: a hit iff fewer different lines than ways came between.
TEST(CachesProperty, OneSetIsFullyAssociative) {
    tests::for_seeds(300, [](tests::RandomSource& random_source) {
        const std::int64_t lines = random_source.whole(1, 16);
        const auto stream = random_stream(random_source, 30);
        const auto found = outcomes(stream, {.sets = 1, .ways = lines}, {}).value();
        reuse_distance::Distances distances;
        for (std::size_t at = 0; at < stream.size(); ++at) {
            const auto distance = distances.of(stream[at].line);
            const bool hits = distance && *distance < lines;
            EXPECT_EQ(found[at].hit != 0, hits);
            if (distance) {
                EXPECT_EQ(stack_distance::hit_probability(*distance, lines, lines).value(),
                          hits ? 1 : 0);
            }
            distances.use(stream[at].line);
        }
    });
}

// An outstanding line is not requested again: the distance of its misses is at least one miss time.
TEST(CachesProperty, LateDataNeverCausesASecondOutstandingFetch) {
    std::int64_t refetched = 0;
    tests::for_seeds(300, [&](tests::RandomSource& random_source) {
        const Shape shape{.sets = random_source.whole(1, 4), .ways = random_source.whole(1, 4)};
        const auto stream = random_stream(random_source, 20);
        const reuse_distance::Timing timing{.hit = random_source.whole(0, 3),
                                            .miss = random_source.whole(0, 30),
                                            .spread = random_source.real(0, 5),
                                            .seed = 3};
        const auto found = outcomes(stream, shape, timing).value();
        std::map<std::uint64_t, std::int64_t> fetched;
        for (std::size_t at = 0; at < stream.size(); ++at) {
            if (found[at].missed == 0) continue;
            if (const auto before = fetched.find(stream[at].line); before != fetched.end()) {
                EXPECT_GE(stream[at].time - before->second, timing.miss);
                ++refetched;
            }
            fetched.insert_or_assign(stream[at].line, stream[at].time);
        }
    });
    EXPECT_GT(refetched, 0);
}

TEST(CachesProperty, SdcmFallsWithTheDistanceAndGrowsWithTheCache) {
    tests::for_seeds(1000, [](tests::RandomSource& random_source) {
        const std::int64_t ways = random_source.whole(1, 32);
        const std::int64_t lines = ways * random_source.whole(1, 64);
        const std::int64_t distance = random_source.whole(0, 4 * lines);
        const double here = stack_distance::hit_probability(distance, lines, ways).value();
        EXPECT_GE(here, 0);
        EXPECT_LE(here, 1);
        EXPECT_LE(
            stack_distance::hit_probability(distance + random_source.whole(1, 50), lines, ways)
                .value(),
            here + 1e-9);
        EXPECT_GE(stack_distance::hit_probability(distance, 2 * lines, 2 * ways).value() + 1e-9,
                  distance < lines / 2 ? here : 0);
        EXPECT_GE(stack_distance::hit_probability(distance, 2 * lines, ways).value() + 1e-9, here);
    });
}

} // namespace
} // namespace warpbound::models
