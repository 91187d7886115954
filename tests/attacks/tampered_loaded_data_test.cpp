/// \file
/// Attacks on a lower bound by data that no cache can hold at the start (docs/theory, S79): numbers
/// of sectors, boxes of thread blocks, bases, capacities, and what they rest on.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpbound {
namespace {

using tests::all;
using tests::cut;
using tests::EvidenceFiles;
using tests::Honest;
using tests::json;
using tests::Json;
using tests::set;
using tests::Tampering;
using tests::text;

constexpr const char* claims = "claims.json";
constexpr const char* launch = "inputs/K1/launch.json";

// Two buffers of 4,095 blocks of 32 sectors; 22,528 sectors may be in the L2.
constexpr std::int64_t sectors_of_block = 32;
constexpr std::int64_t present = 22'528;
constexpr std::int64_t channels = 22;
constexpr std::int64_t of_line = 4;

/// Units of both sets, with the sums that follow from them.
auto sets(std::function<void(Json& sets)> change, std::int64_t held = present) {
    return json(claims, [=, change = std::move(change)](Json& file) {
        Json& claim = file["claims"][1];
        Json& data = claim["proof"]["loaded-data"];
        change(data["sets"]);
        std::int64_t units = 0;
        for (const Json& one : data["sets"])
            units += one["units"].get<std::int64_t>();
        data["units"] = units;
        Json& terms = claim["proof"]["terms"];
        terms[0]["count"] = (units - held + channels - 1) / channels - of_line;
        std::int64_t value = 0;
        for (const Json& term : terms)
            value += term["count"].get<std::int64_t>() * term["cycles"].get<std::int64_t>();
        claim["value"] = value;
    });
}

void raise(Json& loaded) {
    loaded[0]["units"] = loaded[0]["units"].get<std::int64_t>() + sectors_of_block;
}

void enlarge(Json& loaded) {
    for (Json& one : loaded) {
        one["last-block"] = {4095, 0, 0};
        one["units"] = 4096 * sectors_of_block;
    }
}

const std::vector<Tampering> of_loaded_data{
    {"SectorsRaised", Honest::Loaded, sets(raise), 1, "follow from the code"},
    {"BoxEnlarged", Honest::Loaded, sets(enlarge), 1, "may end without it"},
    {"BoxBeyondTheGrid", Honest::Loaded, sets([](Json& loaded) {
         for (Json& one : loaded)
             one["last-block"] = {8191, 0, 0};
     }),
     1, "thread blocks that the launch does not have"},
    {"BoxOfNoBlocks", Honest::Loaded, sets([](Json& loaded) {
         loaded[0]["first-block"] = {4095, 0, 0};
     }),
     1, "thread blocks"},
    {"BaseOfTheStores", Honest::Loaded, sets([](Json& loaded) { loaded[0]["pointer"] = 0x178; }), 1,
     "base"},
    {"OneBufferCountedTwice", Honest::Loaded, sets([](Json& loaded) { loaded[1] = loaded[0]; }), 1,
     "another set"},
    {"ThirdSet", Honest::Loaded, sets([](Json& loaded) { loaded.push_back(loaded[1]); }), 1,
     "another set"},
    {"LoadThatIsNone", Honest::Loaded, sets([](Json& loaded) { loaded[0]["load"] = 0x70; }), 1,
     "no such load"},
    {"CapacityLeftOut", Honest::Loaded, sets([](Json&) {}, 0), 1, "its sum lacks"},
    {"UnitsBeyondTheSets", Honest::Loaded,
     set(claims, "/claims/1/proof/loaded-data/units", 262'144), 1, "those of the sets"},
    {"UnitsOfAnotherSize", Honest::Loaded, set(claims, "/claims/1/proof/loaded-data/bytes", 16), 1,
     "caches may hold all"},
    {"UnitsOfNoBytes", Honest::Loaded, set(claims, "/claims/1/proof/loaded-data/bytes", 0), 1,
     "caches may hold all"},
    {"NegativeUnits", Honest::Loaded, sets([](Json& loaded) { loaded[0]["units"] = -1; }), 1,
     "are stated"},
    {"WithoutData", Honest::Loaded, cut(claims, "/claims/1/proof/loaded-data"), 1,
     "a lower bound cannot rest on"},
    {"SetsMissing", Honest::Loaded, cut(claims, "/claims/1/proof/loaded-data/sets"), 3,
     "claims.json"},
    {"DataOfTheUpperBound", Honest::Loaded,
     json(claims,
          [](Json& file) {
              file["claims"][0]["proof"]["loaded-data"] = file["claims"][1]["proof"]["loaded-data"];
          }),
     1, "only a lower bound"},
    {"BuffersThatMayOverlap", Honest::Loaded,
     text(launch, "0x168=disjoint:256", "0x168=multiple:256"), 1, "another set"},
    {"StoreThatMayGoAnywhere", Honest::Loaded,
     text(launch, "0x178=disjoint:256", "0x178=multiple:256"), 1, "follow from the code"},
    {"StatementWithdrawn", Honest::Loaded, set(launch, "/loads-through-caches", false), 1,
     "not stated"},
    {"AssumptionOfAnotherText", Honest::Loaded,
     json(claims,
          [](Json& file) {
              for (Json& row : file["assumptions"]) {
                  auto words = row["text"].get<std::string>();
                  const auto at = words.find("(S79)");
                  if (at != std::string::npos) row["text"] = words.erase(at, 5);
              }
          }),
     1, "assumption"},
    {"ThreadsMoreThanTheArgumentLetsLoad", Honest::Loaded,
     text(launch, "0x180=1048575", "0x180=1000000"), 1, "may end without it"},
    {"BoxEnlargedBehindALoop", Honest::LoadedBehindLoop, sets(enlarge), 1, "may end without it"},
    {"SectorsRaisedBehindALoop", Honest::LoadedBehindLoop, sets(raise), 1, "follow from the code"},
    {"LimitLoweredBehindALoop", Honest::LoadedBehindLoop,
     text(launch, "0x180=1048583", "0x180=1048320"), 1, "may end without it"},
};

WARPBOUND_ATTACKS(TamperedLoadedData, of_loaded_data);

} // namespace
} // namespace warpbound
