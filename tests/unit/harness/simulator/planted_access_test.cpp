// The independent checker finds errors planted in logs of memory accesses.

#include "tests/support/event_checker/event_checker.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <algorithm>
#include <array>

namespace warpbound::harness::simulator::test {
namespace {

/// Changes a log so that it violates a rule; false where the log offers no opportunity.
struct AccessPlant {
    const char* name;
    bool (*plant)(std::vector<Event>& events);
};

template <typename EventType, typename Property>
EventType* first_of(std::vector<Event>& events, const Property& property) {
    for (Event& event : events)
        if (auto* found = std::get_if<EventType>(&event); found != nullptr && property(*found))
            return found;
    return nullptr;
}

constexpr auto plants = std::to_array<AccessPlant>({
    {"a hit of what is absent",
     [](std::vector<Event>& events) {
         auto* access = first_of<LineAccessed>(
             events, [](const LineAccessed& one) { return !one.write && one.missed != 0; });
         if (access == nullptr) return false;
         std::swap(access->hit, access->missed);
         return true;
     }},
    {"a miss of what is present",
     [](std::vector<Event>& events) {
         auto* access = first_of<LineAccessed>(events, [](const LineAccessed& one) {
             return !one.write && one.hit != 0 && one.missed == 0;
         });
         if (access == nullptr) return false;
         std::swap(access->hit, access->missed);
         return true;
     }},
    {"a merge without an outstanding sector",
     [](std::vector<Event>& events) {
         auto* access = first_of<LineAccessed>(events, [](const LineAccessed& one) {
             return !one.write && one.missed != 0 && one.merged == 0;
         });
         if (access == nullptr) return false;
         std::swap(access->merged, access->missed);
         return true;
     }},
    {"a sector that is never filled",
     [](std::vector<Event>& events) {
         const auto filled = std::find_if(events.begin(), events.end(), [](const Event& event) {
             return std::holds_alternative<LineFilled>(event);
         });
         if (filled == events.end()) return false;
         events.erase(filled);
         return true;
     }},
    {"a line that was never looked up",
     [](std::vector<Event>& events) {
         const auto access = std::find_if(events.begin(), events.end(), [](const Event& event) {
             const auto* one = std::get_if<LineAccessed>(&event);
             return one != nullptr && !one->write && one->level == CacheLevel::L1;
         });
         if (access == events.end()) return false;
         events.erase(access);
         return true;
     }},
    {"a load that is ready before its line",
     [](std::vector<Event>& events) {
         // The first load of the run looks up the first line, which is in no cache.
         const auto* access =
             first_of<LineAccessed>(events, [](const LineAccessed& one) { return !one.write; });
         if (access == nullptr) return false;
         auto* completed = first_of<Completed>(events, [&](const Completed& one) {
             return one.warp == access->warp && one.cycle > access->cycle + 250;
         });
         if (completed == nullptr) return false;
         --completed->cycle;
         return true;
     }},
    {"a line handled a cycle late",
     [](std::vector<Event>& events) {
         const auto in_l1 = [](const Event& event, std::int64_t from, std::int64_t to) {
             const auto* one = std::get_if<LineAccessed>(&event);
             return one != nullptr && one->level == CacheLevel::L1 && one->cycle >= from &&
                    one->cycle <= to;
         };
         for (auto access = events.begin(); access != events.end(); ++access) {
             const auto* one = std::get_if<LineAccessed>(&*access);
             if (one == nullptr || one->level != CacheLevel::L1 || one->write || one->hit == 0 ||
                 (one->merged | one->missed) != 0)
                 continue;
             // No other line follows so soon that the delay could affect it.
             const std::int64_t cycle = one->cycle;
             const auto later = std::find_if(access, events.end(), [&](const Event& event) {
                 return std::visit([&](const auto& what) { return what.cycle > cycle + 1; }, event);
             });
             if (std::count_if(events.begin(), events.end(), [&](const Event& event) {
                     return in_l1(event, cycle, cycle + 4);
                 }) != 1)
                 continue;
             ++std::get<LineAccessed>(*access).cycle;
             std::rotate(access, access + 1, later);
             return true;
         }
         return false;
     }},
    {"a channel booked twice",
     [](std::vector<Event>& events) {
         auto* served = first_of<DramServed>(events, [&](const DramServed& one) {
             return first_of<DramServed>(events, [&](const DramServed& other) {
                        return other.channel == one.channel && other.cycle > one.cycle;
                    }) != nullptr;
         });
         if (served == nullptr) return false;
         served->until += 1'000'000;
         return true;
     }},
    {"a row that is not open",
     [](std::vector<Event>& events) {
         auto* served =
             first_of<DramServed>(events, [](const DramServed& one) { return !one.row_hit; });
         if (served == nullptr) return false;
         served->row_hit = true;
         return true;
     }},
});

TEST(RandomAccesses, WithAPlantedErrorAreFound) {
    for (const AccessPlant& plant : plants) {
        int planted = 0;
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            const RandomAccesses test =
                seed % 2 == 0 ? random_accesses(seed) : random_collected_accesses(seed);
            TestRun result = run(test.program, test.machine, test.launch,
                                 {.seed = seed, .draw = Draw::Uniform, .path = {}});
            if (!plant.plant(result.events)) continue;
            const auto cycle_of = [](const Event& event) {
                return std::visit([](const auto& what) { return what.cycle; }, event);
            };
            std::stable_sort(
                result.events.begin(), result.events.end(),
                [&](const Event& a, const Event& b) { return cycle_of(a) < cycle_of(b); });
            ++planted;
            EXPECT_FALSE(
                tests::violations(test.program.kernel(test.launch), test.machine, {},
                                  {result.events, result.observation.execution_time.count()})
                    .empty())
                << plant.name << ", seed " << seed;
        }
        EXPECT_GT(planted, 4) << plant.name;
    }
}

} // namespace
} // namespace warpbound::harness::simulator::test
