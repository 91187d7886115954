/// \file
/// Attacks on recorded runs. The author makes everything else again with `certify`, so that only
/// the runs themselves are wrong.

#include "assembly/support/source_text.hpp"
#include "harness/protocol/protocol.hpp"
#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

using tests::Close;
using tests::cut;
using tests::EvidenceFiles;
using tests::Honest;
using tests::Json;
using tests::json;
using tests::set;
using tests::Tampering;
using tests::text;

const std::vector<Tampering> of_samples{
    {"WorstLowered",
     Honest::Saxpy,
     json("inputs/K1/samples-1.json",
          [](Json& file) {
              auto& rows = file["samples"];
              for (auto& row : rows)
                  if (row[1].get<int>() > 4900) row[1] = 4000;
          }),
     1,
     "inputs/K1/samples-1.json",
     Close::Remake,
     {"--replay"}},
    {"OneLowered",
     Honest::Saxpy,
     json("inputs/K1/samples-1.json",
          [](Json& file) { file["samples"][17][1] = file["samples"][17][1].get<int>() - 1; }),
     1,
     "run 17",
     Close::Remake,
     {"--replay"}},
    {"OneRaised",
     Honest::Saxpy,
     json("inputs/K1/samples-1.json",
          [](Json& file) { file["samples"][5][1] = file["samples"][5][1].get<int>() + 1; }),
     1,
     "run 5",
     Close::Remake,
     {"--replay"}},
    {"WorstRaisedIsFoundByAnyChoice",
     Honest::Saxpy,
     json("inputs/K1/samples-1.json", [](Json& file) { file["samples"][9][1] = 7000; }),
     1,
     "run 9",
     Close::Remake,
     {"--replay-seed", "1"}},
    {"BestLoweredIsFoundByAnyChoice",
     Honest::Saxpy,
     json("inputs/K1/samples-1.json", [](Json& file) { file["samples"][11][1] = 50; }),
     1,
     "run 11",
     Close::Remake,
     {"--replay-seed", "2"}},
    {"AllLoweredIsFoundByAnyChoice", Honest::Saxpy,
     json("inputs/K1/samples-1.json",
          [](Json& file) {
              for (auto& row : file["samples"])
                  row[1] = row[1].get<int>() - 1;
          }),
     1, "inputs/K1/samples-1.json", Close::Remake},
    {"TimesOfTwoRunsSwapped",
     Honest::Saxpy,
     json("inputs/K1/samples-1.json",
          [](Json& file) { std::swap(file["samples"][3][1], file["samples"][4][1]); }),
     1,
     "run 3",
     Close::Remake,
     {"--replay"}},
    {"OfACampaignLowered",
     Honest::Campaign,
     json("inputs/K1/samples-1.json", [](Json& file) { file["samples"][17][1] = 3000; }),
     1,
     "run 17",
     Close::Remake,
     {"--replay"}},
    {"OfDivergentLanesLowered", Honest::Divergent,
     json("inputs/K1/samples-1.json",
          [](Json& file) { file["samples"][0][1] = file["samples"][0][1].get<int>() - 1; }),
     1, "run 0", Close::Remake},
    {"OfTheThirdKernelLowered", Honest::Several,
     json("inputs/K3/samples-1.json",
          [](Json& file) { file["samples"][2][1] = file["samples"][2][1].get<int>() - 1; }),
     1, "inputs/K3/samples-1.json", Close::Remake},
    {"OfAnotherDevice", Honest::Saxpy, set("inputs/K1/samples-1.json", "/series/device", "cuda:0"),
     1, "device", Close::Remake},
    {"OfAnotherMachine", Honest::Saxpy,
     set("inputs/K1/samples-1.json", "/series/device-detail", "sha256:0, policy lrr"), 1,
     "device-detail", Close::Remake},
    {"OfAnotherPolicy", Honest::Saxpy,
     json("inputs/K1/samples-1.json",
          [](Json& file) {
              auto& detail = file["series"]["device-detail"];
              auto changed = detail.get<std::string>();
              changed.replace(changed.find("unknown"), 7, "gto");
              detail = changed;
          }),
     1, "device-detail", Close::Remake},
    {"OfOtherFacts", Honest::Saxpy,
     set("inputs/K1/samples-1.json", "/series/facts-digest", "sha256:0"), 1, "facts-digest",
     Close::Remake},
    {"OfAnotherListing", Honest::Saxpy,
     set("inputs/K1/samples-1.json", "/series/kernel-digest", "sha256:0"), 1,
     "inputs/K1/samples-1.json", Close::Remake},
    {"OfAnotherLaunch", Honest::Saxpy, set("inputs/K1/samples-1.json", "/series/launch", "1x32"), 1,
     "inputs/K1/samples-1.json", Close::Remake},
    {"OfAnotherKernel", Honest::Saxpy, set("inputs/K1/samples-1.json", "/series/name", "other"), 1,
     "inputs/K1/samples-1.json", Close::Remake},
    {"OfAnotherQuantity", Honest::Saxpy,
     set("inputs/K1/samples-1.json", "/series/quantity", "resident-blocks"), 1,
     "inputs/K1/samples-1.json", Close::Remake},
    {"OfNoQuantity", Honest::Saxpy, set("inputs/K1/samples-1.json", "/series/quantity", "speed"), 1,
     "inputs/K1/samples-1.json", Close::Remake},
    {"UnderAnotherDraw", Honest::Saxpy,
     set("inputs/K1/samples-1.json", "/series/protocol", "warm-up 0, draw adversarial, seed 1"), 1,
     "inputs/K1/samples-1.json", Close::Remake},
    {"UnderNoDraw", Honest::Saxpy,
     set("inputs/K1/samples-1.json", "/series/protocol", "warm-up 0, seed 1"), 1,
     "inputs/K1/samples-1.json", Close::Remake},
    {"UnderAnotherSeed", Honest::Saxpy,
     set("inputs/K1/samples-1.json", "/series/protocol", "warm-up 0, draw uniform, seed 2"), 1,
     "run 0", Close::Remake},
    {"UnderNoSeed", Honest::Saxpy,
     set("inputs/K1/samples-1.json", "/series/protocol", "warm-up 0, draw uniform"), 3, "seed",
     Close::Remake},
    {"SeedsOfAnotherProtocol", Honest::Saxpy,
     json("inputs/K1/samples-1.json",
          [](Json& file) {
              file["series"]["protocol"] = "warm-up 0, draw uniform, seed 2";
              for (std::size_t run = 0; run < file["samples"].size(); ++run)
                  file["samples"][run][0] =
                      std::to_string(harness::seed_of_run(2, static_cast<std::int64_t>(run)));
          }),
     1, "inputs/K1/samples-1.json", Close::Remake},
    {"FirstRunLeftOut", Honest::Saxpy,
     json("inputs/K1/samples-1.json", [](Json& file) { file["samples"].erase(0); }), 1, "run 0",
     Close::Remake},
    {"ARunLeftOut", Honest::Saxpy,
     json("inputs/K1/samples-1.json", [](Json& file) { file["samples"].erase(12); }), 1, "run 12",
     Close::Remake},
    {"ARunTwice", Honest::Saxpy,
     json("inputs/K1/samples-1.json",
          [](Json& file) {
              auto& rows = file["samples"];
              rows.insert(rows.begin() + 4, rows[4]);
          }),
     1, "run 5", Close::Remake},
    {"InReverseOrder", Honest::Saxpy,
     json("inputs/K1/samples-1.json",
          [](Json& file) { std::reverse(file["samples"].begin(), file["samples"].end()); }),
     1, "run 0", Close::Remake},
    {"LastRunsLeftOut", Honest::Saxpy,
     json("inputs/K1/samples-1.json",
          [](Json& file) {
              auto& rows = file["samples"];
              rows.erase(rows.begin() + 20, rows.end());
          }),
     1, "inputs/K1/samples-1.json"},
    {"RunsAdded", Honest::Saxpy,
     json("inputs/K1/samples-1.json",
          [](Json& file) {
              auto& rows = file["samples"];
              for (std::int64_t run = 40; run < 80; ++run)
                  rows.push_back(Json::array({std::to_string(harness::seed_of_run(1, run)), 1022}));
          }),
     1, "inputs/K1/samples-1.json", Close::Remake},
    {"TimeNegative", Honest::Saxpy, set("inputs/K1/samples-1.json", "/samples/3/1", -1), 1, "run 3",
     Close::Remake},
    {"TimeBeyondTheRange", Honest::Saxpy,
     set("inputs/K1/samples-1.json", "/samples/3/1", std::uint64_t{18446744073709551615U}), 3,
     "inputs/K1/samples-1.json"},
    {"TimeAFraction", Honest::Saxpy, set("inputs/K1/samples-1.json", "/samples/3/1", 1.5), 3,
     "1.5"},
    {"TimeAText", Honest::Saxpy, set("inputs/K1/samples-1.json", "/samples/3/1", "1459"), 3,
     "1459"},
    {"RunWithoutTimes", Honest::Saxpy, cut("inputs/K1/samples-1.json", "/samples/3/1"), 3, "run 3"},
    {"RunWithTwoTimes", Honest::Saxpy,
     json("inputs/K1/samples-1.json", [](Json& file) { file["samples"][3].push_back(1500); }), 3,
     "run 3", Close::Remake},
    {"NoRuns", Honest::Saxpy, set("inputs/K1/samples-1.json", "/samples", Json::array()), 3,
     "inputs/K1/samples-1.json"},
    {"SeedANumber", Honest::Saxpy, set("inputs/K1/samples-1.json", "/samples/3/0", 5), 3,
     "run 3: a list of its seed, as text"},
    {"SeedNegative", Honest::Saxpy, set("inputs/K1/samples-1.json", "/samples/3/0", "-1"), 3,
     "inputs/K1/samples-1.json"},
    {"SeedBeyondTheRange", Honest::Saxpy,
     set("inputs/K1/samples-1.json", "/samples/3/0", "18446744073709551616"), 3,
     "inputs/K1/samples-1.json"},
    {"SeedNotANumber", Honest::Saxpy, set("inputs/K1/samples-1.json", "/samples/3/0", "nan"), 3,
     "inputs/K1/samples-1.json"},
    {"UnitRenamed", Honest::Saxpy, set("inputs/K1/samples-1.json", "/unit", "nanoseconds"), 1,
     "inputs/K1/samples-1.json"},
    // Runs that would never end are not begun.
    {"OfALoopThatNeverEnds", Honest::Saxpy,
     [](EvidenceFiles& files) {
         text("inputs/K1/flow-facts.xml", "min=\"1\" max=\"128\"",
              "min=\"1000000000\" max=\"1000000000\"")(files);
         const std::string digest = assembly::digest_of(files.at("inputs/K1/flow-facts.xml").bytes);
         set("inputs/K1/samples-1.json", "/series/facts-digest", digest)(files);
     },
     1, "K1"},
};

WARPBOUND_ATTACKS(TamperedSamples, of_samples);

} // namespace
} // namespace warpbound
