/// \file
/// The network-calculus bound on the write buffer against its recurrence, and the recurrence
/// against its closed form and its monotonicity.

#include "models/formulas/write_buffer.hpp"
#include "tests/support/campaign.hpp"

#include <algorithm>

namespace warpbound::models::write_buffer {
namespace {

/// Stores that keep the arrival curve, most of them as early as it allows.
std::vector<Store> random_stores(tests::RandomSource& random_source, const ArrivalCurve& curve,
                                 const Bounds<Cycles>& drain) {
    std::vector<Store> stores;
    const std::int64_t interval = curve.interval.count();
    const std::int64_t count = random_source.whole(1, 60);
    for (std::int64_t j = 0; j < count; ++j) {
        std::int64_t ready = stores.empty() ? 0 : stores.back().ready.count();
        if (random_source.whole(0, 3) == 0) ready += random_source.whole(0, 4 * interval);
        for (std::int64_t i = 0; i < j; ++i)
            ready = std::max(ready, stores[static_cast<std::size_t>(i)].ready.count() +
                                        interval * (j - i + 1 - curve.burst));
        stores.push_back({Cycles{ready}, Cycles{random_source.whole(drain.lower().count(),
                                                                    drain.upper().count())}});
    }
    return stores;
}

std::int64_t most_at_a_time(const std::vector<Store>& stores,
                            const std::vector<Passage>& passages) {
    std::int64_t most = 0;
    for (std::size_t now = 0; now < stores.size(); ++now) {
        std::int64_t present = 0;
        for (std::size_t j = 0; j < stores.size(); ++j)
            if (stores[j].ready <= stores[now].ready && stores[now].ready < passages[j].drained)
                ++present;
        most = std::max(most, present);
    }
    return most;
}

TEST(WriteBufferProperty, RecurrenceStaysInsideTheBound) {
    std::int64_t reached = 0;
    tests::for_seeds(3000, [&](tests::RandomSource& random_source) {
        const ArrivalCurve curve{.burst = random_source.whole(1, 12),
                                 .interval = Cycles{random_source.whole(1, 80)}};
        const std::int64_t slowest = random_source.whole(1, curve.interval.count());
        const Bounds<Cycles> drain{Cycles{random_source.whole(1, slowest)}, Cycles{slowest}};
        const auto stores = random_stores(random_source, curve, drain);
        const auto found = completion(stores, 0_cycles, random_source.whole(1, 16)).value();
        const auto bound = guarantee(curve, {.latency = 0_cycles, .drain = drain}).value();
        for (std::size_t j = 0; j < stores.size(); ++j) {
            const Cycles delay = found.passages[j].drained - stores[j].ready;
            EXPECT_TRUE(bound.delay.contains(delay))
                << delay.count() << " not in [" << bound.delay.lower().count() << ", "
                << bound.delay.upper().count() << "]";
            if (delay == bound.delay.upper()) ++reached;
        }
        EXPECT_TRUE(bound.backlog.contains(most_at_a_time(stores, found.passages)));
    });
    EXPECT_GT(reached, 0) << "the bound was never met, so these cases do not test it";
}

// A server that pauses for up to T at the start of each busy period keeps the service curve.
TEST(WriteBufferProperty, BoundCoversALatencyOfTheServer) {
    tests::for_seeds(3000, [](tests::RandomSource& random_source) {
        const ArrivalCurve curve{.burst = random_source.whole(1, 12),
                                 .interval = Cycles{random_source.whole(1, 80)}};
        const std::int64_t slowest = random_source.whole(1, curve.interval.count());
        const Bounds<Cycles> drain{Cycles{1}, Cycles{slowest}};
        const Cycles latency{random_source.whole(0, 300)};
        const auto stores = random_stores(random_source, curve, drain);
        const auto bound = guarantee(curve, {.latency = latency, .drain = drain}).value();
        std::vector<Passage> passages;
        for (const auto& store : stores) {
            const Cycles free = passages.empty() ? Cycles{-1} : passages.back().drained;
            const Cycles start = free < store.ready
                                     ? store.ready + Cycles{random_source.whole(0, latency.count())}
                                     : free;
            passages.push_back({store.ready, start + store.drain});
            EXPECT_TRUE(bound.delay.contains(passages.back().drained - store.ready));
        }
        EXPECT_TRUE(bound.backlog.contains(most_at_a_time(stores, passages)));
    });
}

std::int64_t last_entry(std::int64_t n, std::int64_t gap, std::int64_t drain, std::int64_t k) {
    const std::vector<Store> stores(static_cast<std::size_t>(n), {0_cycles, Cycles{drain}});
    return completion(stores, Cycles{gap}, k).value().passages.back().entered.count();
}

TEST(WriteBufferProperty, RecurrenceHasItsClosedFormAndIsMonotone) {
    tests::for_seeds(3000, [](tests::RandomSource& random_source) {
        const std::int64_t n = random_source.whole(1, 50);
        const std::int64_t gap = random_source.whole(0, 60);
        const std::int64_t drain = random_source.whole(0, 120);
        const std::int64_t k = random_source.whole(1, 12);
        const std::int64_t entry = last_entry(n, gap, drain, k);
        EXPECT_EQ(entry,
                  drain > gap && n > k ? std::max((n - 1) * gap, (n - k) * drain) : (n - 1) * gap);
        EXPECT_GE(last_entry(n + 1, gap, drain, k), entry);
        EXPECT_GE(last_entry(n, gap + random_source.whole(0, 9), drain, k), entry);
        EXPECT_GE(last_entry(n, gap, drain + random_source.whole(0, 9), k), entry);
        EXPECT_LE(last_entry(n, gap, drain, k + random_source.whole(0, 9)), entry);
    });
}

} // namespace
} // namespace warpbound::models::write_buffer
