// The Chrome trace is valid JSON whose tracks hold every issue and every waiting cycle once.

#include "harness/trace/chrome_trace.hpp"
#include "tests/unit/harness/simulator/random_case.hpp"
#include "tests/unit/harness/trace/traced.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::harness::trace {
namespace {

using namespace simulator::test;
using nlohmann::json;

struct Slice {
    std::int64_t from = 0;
    std::int64_t until = 0;
    std::string name;
    std::string category;
};

/// Slices by process and track, in the order written.
std::map<std::pair<int, int>, std::vector<Slice>> slices_of(const json& trace) {
    std::map<std::pair<int, int>, std::vector<Slice>> tracks;
    for (const json& event : trace.at("traceEvents"))
        if (event.at("ph") == "X")
            tracks[{event.at("pid"), event.at("tid")}].push_back(
                {event.at("ts"),
                 event.at("ts").get<std::int64_t>() + event.at("dur").get<std::int64_t>(),
                 event.at("name"), event.at("cat")});
    return tracks;
}

std::map<std::pair<int, int>, std::string> names_of(const json& trace) {
    std::map<std::pair<int, int>, std::string> names;
    for (const json& event : trace.at("traceEvents"))
        if (event.at("name") == "thread_name")
            names[{event.at("pid"), event.at("tid")}] = event.at("args").at("name");
    return names;
}

TEST(ChromeTrace, ShowsIssuesStallsAndUnits) {
    auto machine = small_machine(models::IssueControl::Interlocked);
    const auto program = straight_line({add(1, 2, 3), add(4, 1, 1)});
    const auto trace =
        json::parse(text_of<ChromeTrace>(program, machine, {1, 32}, run(program, machine)));
    const auto tracks = slices_of(trace);
    const auto& warp = tracks.at({1, 0});
    const std::vector<std::tuple<std::string, std::int64_t, std::int64_t>> expected{
        {"IADD", 0, 1},   {"gap", 1, 6},   {"register", 6, 18},
        {"IADD", 18, 19}, {"gap", 19, 24}, {"EXIT", 24, 25}};
    ASSERT_EQ(warp.size(), expected.size());
    for (std::size_t i = 0; i < warp.size(); ++i)
        EXPECT_EQ(std::tuple(warp[i].name, warp[i].from, warp[i].until), expected[i]);
    const auto names = names_of(trace);
    EXPECT_EQ(names.at({1, 0}), "block 0 warp 0");
    // Additions occupy the scheduler's port for 2 cycles each.
    ASSERT_EQ(names.at({2, 1}), "alu, scheduler 0");
    EXPECT_EQ(tracks.at({2, 1}).at(0).until, 2);
    EXPECT_EQ(tracks.at({2, 1}).at(1).until, 20);
}

// Two blocks on two SMs that hold one each: processes 1 and 2 belong to SM 0, 3 and 4 to SM 1.
TEST(ChromeTrace, HasProcessesForEachSm) {
    auto machine = small_machine(models::IssueControl::Interlocked);
    set(machine.geometry, "multiprocessors", 2);
    set(machine.limits, "max-blocks", 1);
    const auto program = straight_line({add(1, 2, 3)});
    const auto result = run(program, machine, {2, 32}, {}, {}, 2);
    const auto trace = json::parse(text_of<ChromeTrace>(program, machine, {2, 32}, result));
    std::map<int, std::string> processes;
    for (const json& event : trace.at("traceEvents"))
        if (event.at("name") == "process_name")
            processes[event.at("pid")] = event.at("args").at("name");
    EXPECT_EQ(processes, (std::map<int, std::string>{{1, "SM 0: warps of test on small"},
                                                     {2, "SM 0: functional units"},
                                                     {3, "SM 1: warps of test on small"},
                                                     {4, "SM 1: functional units"}}));
    const auto tracks = slices_of(trace);
    for (const int process : {1, 2, 3, 4})
        EXPECT_TRUE(std::any_of(tracks.begin(), tracks.end(), [&](const auto& track) {
            return track.first.first == process;
        })) << process;
}

// One block on two SMs: whichever SM it is on, the launch completes in an existing process.
TEST(ChromeTrace, CompletesInANamedProcess) {
    auto machine = small_machine(models::IssueControl::Interlocked);
    set(machine.geometry, "multiprocessors", 2);
    const auto program = straight_line({add(1, 2, 3)});
    std::set<int> processes;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto result =
            run(program, machine, {1, 32}, {.seed = seed, .draw = {}, .path = {}}, {}, 2);
        const auto trace = json::parse(text_of<ChromeTrace>(program, machine, {1, 32}, result));
        std::set<int> named;
        for (const json& event : trace.at("traceEvents")) {
            if (event.at("name") == "process_name") named.insert(event.at("pid").get<int>());
            if (event.at("name") != "launch complete") continue;
            EXPECT_TRUE(named.contains(event.at("pid").get<int>())) << "seed " << seed;
            processes.insert(event.at("pid").get<int>());
        }
    }
    EXPECT_EQ(processes, (std::set<int>{1, 3}));
}

TEST(ChromeTrace, IsValidWhateverTheNamesAre) {
    const auto machine = small_machine(models::IssueControl::Interlocked);
    auto program = straight_line({add(1, 2, 3)});
    program.function.name = "a\"b\\c\n\xff";
    program.function.instructions[0].mnemonic = "I\"ADD\x01\xc3";
    const auto trace =
        json::parse(text_of<ChromeTrace>(program, machine, {1, 32}, run(program, machine)));
    EXPECT_EQ(trace.at("otherData").at("machine"), "small");
}

TEST(ChromeTrace, IsValidWhenTheRunIsStopped) {
    const Case test = random_case(7);
    const auto result = run(test.program, test.machine, test.launch);
    for (const std::int64_t cycles : {0, 1, 20, 50})
        EXPECT_TRUE(json::accept(
            text_of<ChromeTrace>(test.program, test.machine, test.launch, result, cycles)));
}

// Over random programs: slices of a track do not overlap, those of a warp fill the time from its
// start to its end, a port is occupied by one instruction at a time, and the write buffer drains
// completely.
TEST(ChromeTrace, FillsTheTracksWithoutOverlap) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE(seed);
        const Case test = random_case(seed);
        const auto result = run(test.program, test.machine, test.launch, {seed, Draw::Uniform, {}});
        const auto trace =
            json::parse(text_of<ChromeTrace>(test.program, test.machine, test.launch, result));
        std::size_t issues = 0;
        for (const auto& [track, slices] : slices_of(trace)) {
            const bool of_warp = track.first == 1;
            std::int64_t at = 0;
            for (const Slice& slice : slices) {
                if (slice.category == "issue") ++issues;
                const bool second_of_pair = slice.category == "issue" && slice.until == at;
                if (second_of_pair) continue;
                if (of_warp)
                    EXPECT_EQ(slice.from, at) << slice.name;
                else
                    EXPECT_GE(slice.from, at) << slice.name;
                at = slice.until;
            }
        }
        std::size_t issued = 0;
        for (const auto& event : result.events)
            if (std::holds_alternative<simulator::Issued>(event)) ++issued;
        EXPECT_EQ(issues, issued);
        std::int64_t entries = 0;
        for (const json& event : trace.at("traceEvents"))
            if (event.at("ph") == "C") entries = event.at("args").at("entries");
        EXPECT_EQ(entries, 0);
        if (testing::Test::HasFailure()) return;
    }
}

} // namespace
} // namespace warpbound::harness::trace
