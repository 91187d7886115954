/// \file
/// A bundle verifies; every planted change is caught by the step that is named for it.

#include "assembly/support/source_text.hpp"
#include "certification/bundle/manifest.hpp"
#include "tests/unit/certification/sample_bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <functional>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using tests::edit;
using verify::Verdict;

TEST(Evidence, OfTheSameInputsHasTheSameBytes) {
    const auto again = build_bundle(inputs());
    ASSERT_TRUE(again);
    EXPECT_EQ(tests::plain(again.value().files), tests::plain(bundle().files));
}

TEST(Evidence, ThatIsUntouchedHolds) {
    const auto steps = verify::verify(tests::plain(bundle().files), options());
    EXPECT_EQ(verify::overall(steps), Verdict::Holds) << text_of(steps);
    for (const char* step :
         {"digests", "schema", "structure", "solver", "re-analysis", "observations"})
        EXPECT_EQ(tests::step_of(steps, step).verdict, Verdict::Holds) << text_of(steps);
    EXPECT_EQ(tests::step_of(steps, "refit").verdict, Verdict::NotApplicable);
}

TEST(Evidence, NamesNoPathOfTheMachineThatMadeIt) {
    for (const auto& [path, file] : bundle().files) {
        EXPECT_THAT(file.bytes, testing::Not(HasSubstr(WARPBOUND_SOURCE_DIR))) << path;
        EXPECT_THAT(file.bytes, testing::Not(HasSubstr("compliant"))) << path;
    }
}

TEST(Evidence, WithAFlippedByteInAnyFileIsTampered) {
    for (const auto& [path, file] : bundle().files) {
        verify::Files files = tests::plain(bundle().files);
        files[path][file.bytes.size() / 2] ^= 1;
        const auto steps = verify::verify(files, options());
        EXPECT_EQ(tests::step_of(steps, "digests").verdict, Verdict::Tampered) << path;
        EXPECT_EQ(verify::overall(steps), Verdict::Tampered) << path;
    }
}

TEST(Evidence, WithAMissingOrAnAddedFileIsTampered) {
    verify::Files fewer = tests::plain(bundle().files);
    fewer.erase("model/turing-t4.xml");
    EXPECT_EQ(verify::overall(verify::verify(fewer, options())), Verdict::Tampered);
    verify::Files more = tests::plain(bundle().files);
    more["inputs/K1/samples-9.json"] = "{}";
    EXPECT_EQ(verify::overall(verify::verify(more, options())), Verdict::Tampered);
}

TEST(Evidence, WithoutAManifestIsIncomplete) {
    verify::Files files = tests::plain(bundle().files);
    files.erase("manifest.json");
    EXPECT_EQ(verify::overall(verify::verify(files, options())), Verdict::Incomplete);
}

TEST(Evidence, WithAnotherReportIdThanPublishedIsTampered) {
    auto asked = options();
    asked.report_id = bundle().report_id;
    const auto files = tests::plain(bundle().files);
    EXPECT_EQ(verify::overall(verify::verify(files, asked)), Verdict::Holds);
    asked.report_id = "sha256:0";
    EXPECT_EQ(tests::step_of(verify::verify(files, asked), "digests").verdict, Verdict::Tampered);
}

TEST(Evidence, WithoutTheSecondSolverThatWasAskedForIsIncomplete) {
    const char* before = std::getenv("PATH");
    const std::string path = before != nullptr ? before : "";
    setenv("PATH", "/nonexistent", 1);
    auto asked = options();
    asked.second_solver = true;
    const auto steps = verify::verify(tests::plain(bundle().files), asked);
    setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(tests::step_of(steps, "solver").verdict, Verdict::Incomplete);
}

/// A change by somebody who brings all digests, the chain and the root in line.
struct Change {
    const char* name;
    const char* step; ///< That must catch it.
    std::function<void(EvidenceFiles&)> make;
};

void replace(EvidenceFiles& files, const std::string& path, const std::string& from,
             const std::string& to) {
    std::string& bytes = files.at(path).bytes;
    const std::size_t at = bytes.find(from);
    ASSERT_NE(at, std::string::npos) << path << " lacks " << from;
    bytes.replace(at, from.size(), to);
}

void drop_line_with(EvidenceFiles& files, const std::string& path, const std::string& mark) {
    std::string& bytes = files.at(path).bytes;
    const std::size_t at = bytes.find(mark);
    ASSERT_NE(at, std::string::npos);
    const std::size_t start = bytes.rfind('\n', at) + 1;
    bytes.erase(start, bytes.find('\n', at) + 1 - start);
}

constexpr const char* upper = "analysis/K2/execution-time-upper";

const std::vector<Change>& changes() {
    static const std::vector<Change> list{
        {"a deleted cut", "solver",
         [](EvidenceFiles& files) {
             drop_line_with(files, std::string{upper} + ".smt2", ":named cut_");
         }},
        {"a script weakened by a contradiction", "solver",
         [](EvidenceFiles& files) {
             replace(files, std::string{upper} + ".smt2", "(check-sat)",
                     "(assert (! false :named more))\n(check-sat)");
         }},
        {"a script that asks for more than the bound", "solver",
         [](EvidenceFiles& files) {
             std::string& text = files.at(std::string{upper} + ".smt2").bytes;
             const std::size_t end = text.find(") :named goal");
             ASSERT_NE(end, std::string::npos);
             text.insert(end, "0");
         }},
        {"a lowered bound of a certificate", "structure",
         [](EvidenceFiles& files) {
             edit(files, std::string{upper} + ".json",
                  [](Json& json) { json["bound"] = json["bound"].get<std::int64_t>() - 1; });
         }},
        {"a claim lowered by one", "structure",
         [](EvidenceFiles& files) {
             edit(files, "claims.json", [](Json& json) {
                 auto& value = json["claims"][0]["value"];
                 value = value.get<std::int64_t>() - 1;
             });
         }},
        {"a claim and a term lowered", "structure",
         [](EvidenceFiles& files) {
             edit(files, "claims.json", [](Json& json) {
                 Json& claim = json["claims"][0];
                 Json& term = claim["proof"]["terms"][0];
                 term["cycles"] = term["cycles"].get<std::int64_t>() - 1;
                 claim["value"] =
                     claim["value"].get<std::int64_t>() - term["count"].get<std::int64_t>();
             });
         }},
        {"a dropped warp in a sum", "structure",
         [](EvidenceFiles& files) {
             edit(files, "claims.json", [](Json& json) {
                 Json& claim = json["claims"][0];
                 Json& term = claim["proof"]["terms"][1];
                 term["count"] = term["count"].get<std::int64_t>() - 1;
                 claim["value"] =
                     claim["value"].get<std::int64_t>() - term["cycles"].get<std::int64_t>();
             });
         }},
        {"a changed count on the witness", "structure",
         [](EvidenceFiles& files) {
             edit(files, std::string{upper} + ".json", [](Json& json) {
                 Json& count = json["witness"]["counts"][0][1];
                 count = count.get<std::int64_t>() + 1;
             });
         }},
        {"a shortest path in place of a longest one", "structure",
         [](EvidenceFiles& files) {
             const Json other =
                 Json::parse(files.at("analysis/K2/execution-time-lower.json").bytes);
             edit(files, std::string{upper} + ".json", [&](Json& json) {
                 const auto id = json["id"];
                 json = other;
                 json["id"] = id;
             });
         }},
        {"a way left out of a path table", "structure",
         [](EvidenceFiles& files) {
             edit(files, "analysis/K1/execution-time-upper-demand-own-scheduler.json",
                  [](Json& json) { json["edges"].erase(1); });
         }},
        {"a lowered cost of a block", "structure",
         [](EvidenceFiles& files) {
             edit(files, "analysis/K1/execution-time-upper-demand-own-scheduler.json",
                  [](Json& json) {
                      Json& cost = json["edges"][0][2];
                      cost = cost.get<std::int64_t>() - 1;
                  });
         }},
        {"a changed launch", "structure",
         [](EvidenceFiles& files) {
             edit(files, "inputs/K1/launch.json", [](Json& json) { json["launch"] = "1x128"; });
         }},
        {"a policy without a bound", "structure",
         [](EvidenceFiles& files) {
             edit(files, "inputs/K1/launch.json", [](Json& json) { json["policy"] = "srr"; });
         }},
        {"a lowered loop bound", "structure",
         [](EvidenceFiles& files) {
             replace(files, "inputs/K1/flow-facts.xml", "max=\"128\"", "max=\"64\"");
             replace(files, "analysis/K1/facts-in-use.xml", "max=\"128\"", "max=\"64\"");
         }},
        {"a lowered loop bound that the facts in use do not have", "schema",
         [](EvidenceFiles& files) {
             replace(files, "inputs/K1/flow-facts.xml", "max=\"128\"", "max=\"64\"");
         }},
        {"a stated loop bound left out of the facts in use", "schema",
         [](EvidenceFiles& files) {
             drop_line_with(files, "analysis/K1/facts-in-use.xml", "<loop");
         }},
        {"an instruction that may diverge left out of the facts in use", "schema",
         [](EvidenceFiles& files) {
             drop_line_with(files, "analysis/K1/facts-in-use.xml", "<divergent");
         }},
        {"a <never> in the facts in use that nobody states", "re-analysis",
         [](EvidenceFiles& files) {
             replace(files, "analysis/K1/facts-in-use.xml", "</flow-facts>",
                     "<never block=\"0x0100\"/></flow-facts>");
         }},
        {"lanes that agree where it follows from nothing", "re-analysis",
         [](EvidenceFiles& files) {
             replace(files, "analysis/K1/facts-in-use.xml", "<divergent", "<uniform");
         }},
        {"a line break in the text of a certificate", "schema",
         [](EvidenceFiles& files) {
             edit(files, std::string{upper} + ".json",
                  [](Json& json) { json["text"] = "x\n(assert false)\n;"; });
             std::string& script = files.at(std::string{upper} + ".smt2").bytes;
             script.replace(0, script.find('\n'), "; execution-time-upper: x\n(assert false)\n;");
         }},
        {"a bound whose next number has 64 bits no more", "schema",
         [](EvidenceFiles& files) {
             edit(files, std::string{upper} + ".json",
                  [](Json& json) { json["bound"] = INT64_MAX; });
         }},
        {"a cost that cannot be negated", "schema",
         [](EvidenceFiles& files) {
             edit(files, "analysis/K2/execution-time-lower.json",
                  [](Json& json) { json["edges"][0][2] = INT64_MIN; });
         }},
        {"a bound that is a fraction", "schema",
         [](EvidenceFiles& files) {
             std::string& bytes = files.at(std::string{upper} + ".json").bytes;
             bytes.insert(bytes.find(',', bytes.find("\"bound\":")), ".5");
         }},
        {"a table with too many nodes of a block", "structure",
         [](EvidenceFiles& files) {
             edit(files, std::string{upper} + ".json", [](Json& json) {
                 const Json node = json["nodes"].back();
                 for (int i = 0; i < 98; ++i)
                     json["nodes"].push_back(node);
             });
         }},
        {"a kernel named twice", "schema",
         [](EvidenceFiles& files) {
             edit(files, "inputs/run.json", [](Json& json) { json["kernels"].push_back("K1"); });
         }},
        {"samples named twice", "schema",
         [](EvidenceFiles& files) {
             edit(files, "inputs/K1/launch.json",
                  [](Json& json) { json["samples"].push_back("inputs/K1/samples-1.json"); });
         }},
        {"an instruction taken from the listing", "schema",
         [](EvidenceFiles& files) { drop_line_with(files, "inputs/K1/listing.sass", "FFMA"); }},
        {"a lowered latency", "re-analysis",
         [](EvidenceFiles& files) {
             replace(files, "model/turing-t4.xml", "typical=\"496\" hi=\"1200\"",
                     "typical=\"496\" hi=\"1100\"");
         }},
        {"a made-up loop bound from the code", "re-analysis",
         [](EvidenceFiles& files) {
             replace(files, "analysis/K2/facts-in-use.xml", "min=\"8\" max=\"8\"",
                     "min=\"8\" max=\"8\" ");
         }},
        {"a changed report", "re-analysis",
         [](EvidenceFiles& files) { replace(files, "report.html", "core", "c0re"); }},
        {"an assumption called proved", "re-analysis",
         [](EvidenceFiles& files) {
             edit(files, "claims.json", [](Json& json) {
                 json["assumptions"][0]["status"] = "proved";
                 const auto lower = [](Json& counted) {
                     Json& count = counted["unchecked-assumptions"];
                     count = count.get<int>() - 1;
                 };
                 lower(json);
                 for (Json& claim : json["claims"])
                     for (const Json& id : claim["assumptions"])
                         if (id == json["assumptions"][0]["id"] &&
                             claim.contains("unchecked-assumptions"))
                             lower(claim);
             });
         }},
        {"an assumption called proved, but still counted", "schema",
         [](EvidenceFiles& files) {
             edit(files, "claims.json",
                  [](Json& json) { json["assumptions"][0]["status"] = "proved"; });
         }},
        {"an assumption taken from a claim", "schema",
         [](EvidenceFiles& files) {
             edit(files, "claims.json",
                  [](Json& json) { json["claims"][0]["assumptions"].erase(0); });
         }},
        {"a stronger kind", "schema",
         [](EvidenceFiles& files) {
             edit(files, "claims.json",
                  [](Json& json) { json["claims"][0]["kind"] = "proved-bound"; });
         }},
        {"swapped samples", "observations",
         [](EvidenceFiles& files) {
             std::swap(files.at("inputs/K1/samples-1.json").bytes,
                       files.at("inputs/K2/samples-1.json").bytes);
         }},
        {"a removed outlier", "observations",
         [](EvidenceFiles& files) {
             edit(files, "inputs/K1/samples-1.json", [](Json& json) {
                 std::size_t worst = 0;
                 const Json& samples = json["samples"];
                 for (std::size_t i = 0; i + 1 < samples.size(); ++i)
                     if (samples[i][1] > samples[worst][1]) worst = i;
                 json["samples"].erase(worst);
             });
         }},
        {"a seed that is no number", "schema",
         [](EvidenceFiles& files) {
             edit(files, "inputs/K1/samples-1.json",
                  [](Json& json) { json["samples"][0][0] = "12x"; });
         }},
        {"a seed beyond 64 bits", "schema",
         [](EvidenceFiles& files) {
             edit(files, "inputs/K1/samples-1.json",
                  [](Json& json) { json["samples"][0][0] = "18446744073709551616"; });
         }},
        {"no samples", "schema",
         [](EvidenceFiles& files) {
             edit(files, "inputs/K1/samples-1.json",
                  [](Json& json) { json["samples"] = Json::array(); });
         }},
        {"a check factor beyond all times", "re-analysis",
         [](EvidenceFiles& files) {
             edit(files, "inputs/run.json",
                  [](Json& json) { json["check-factor-thousandths"] = INT64_MAX; });
         }},
        {"a time above the bound", "observations",
         [](EvidenceFiles& files) {
             edit(files, "inputs/K1/samples-1.json",
                  [](Json& json) { json["samples"][3][1] = 1'000'000; });
         }},
    };
    return list;
}

TEST(Evidence, ThatWasChangedConsistentlyIsCaughtByTheNamedStep) {
    for (const Change& change : changes()) {
        EvidenceFiles files = bundle().files;
        change.make(files);
        ASSERT_NE(tests::plain(files), tests::plain(bundle().files)) << change.name;
        tests::seal_again(files);
        const auto steps = verify::verify(tests::plain(files), options());
        EXPECT_EQ(tests::step_of(steps, "digests").verdict, Verdict::Holds) << change.name << "\n"
                                                                            << text_of(steps);
        const Verdict verdict = tests::step_of(steps, change.step).verdict;
        EXPECT_TRUE(verdict == Verdict::Failed || verdict == Verdict::Incomplete)
            << change.name << "\n"
            << text_of(steps);
        EXPECT_NE(verify::overall(steps), Verdict::Holds) << change.name;
        // The published report id betrays every one of them.
        auto asked = options();
        asked.report_id = bundle().report_id;
        asked.rebuild = [](const verify::Files& same) -> Result<verify::Files> { return same; };
        EXPECT_EQ(verify::overall(verify::verify(tests::plain(files), asked)), Verdict::Tampered)
            << change.name;
    }
}

TEST(Evidence, ThatStopsTheAnalysisKeepsTheOtherVerdicts) {
    auto asked = options();
    asked.rebuild = [](const verify::Files&) -> Result<verify::Files> {
        throw std::overflow_error{"tick product"};
    };
    const auto steps = verify::verify(tests::plain(bundle().files), asked);
    EXPECT_EQ(tests::step_of(steps, "re-analysis").verdict, Verdict::Failed);
    EXPECT_THAT(tests::step_of(steps, "re-analysis").detail, HasSubstr("tick product"));
    EXPECT_EQ(tests::step_of(steps, "solver").verdict, Verdict::Holds);
    EXPECT_EQ(tests::step_of(steps, "observations").verdict, Verdict::Holds);
}

TEST(Evidence, WhoseStructureIsWrongGivesNoScriptToASolver) {
    EvidenceFiles files = bundle().files;
    edit(files, std::string{upper} + ".json",
         [](Json& json) { json["bound"] = json["bound"].get<std::int64_t>() - 1; });
    tests::seal_again(files);
    const auto steps = verify::verify(tests::plain(files), options());
    EXPECT_EQ(tests::step_of(steps, "solver").verdict, Verdict::NotRun) << text_of(steps);
}

/// 200,000 lists in each other.
std::string nested() {
    constexpr std::size_t depth = 200'000;
    return std::string(depth, '[') + std::string(depth, ']');
}

TEST(Evidence, ThatNestsTooDeeplyIsTampered) {
    for (const char* file : {"manifest.json", "signature.json"}) {
        verify::Files files = tests::plain(bundle().files);
        files[file] = nested();
        const auto steps = verify::verify(files, options());
        const char* step = std::string_view{file} == "manifest.json" ? "digests" : "signature";
        EXPECT_EQ(tests::step_of(steps, step).verdict, Verdict::Tampered);
        EXPECT_EQ(tests::step_of(steps, step).detail, std::string{file} + ": nested too deeply");
    }
}

TEST(Evidence, WithAStepRecordedTwiceOrTooManyStepsIsTampered) {
    const auto detail = [](const std::function<void(Json&)>& change) {
        EvidenceFiles files = bundle().files;
        edit(files, "manifest.json", change);
        const auto digests =
            tests::step_of(verify::verify(tests::plain(files), options()), "digests");
        EXPECT_EQ(digests.verdict, Verdict::Tampered);
        return digests.detail;
    };
    EXPECT_THAT(detail([](Json& json) { json["steps"].push_back(json["steps"][0]); }),
                HasSubstr("recorded twice"));
    EXPECT_THAT(detail([](Json& json) {
                    for (int i = 0; i < 12; ++i)
                        json["steps"].push_back(json["steps"][0]);
                }),
                HasSubstr("more than 16 steps"));
}

TEST(Evidence, OfAnotherVersionIsIncompleteWhereItsBytesDiffer) {
    auto asked = options();
    asked.tool_version = "1.2.4";
    EXPECT_EQ(verify::overall(verify::verify(tests::plain(bundle().files), asked)), Verdict::Holds);
    EvidenceFiles files = bundle().files;
    replace(files, "report.html", "core", "c0re");
    tests::seal_again(files);
    const auto steps = verify::verify(tests::plain(files), asked);
    EXPECT_EQ(tests::step_of(steps, "re-analysis").verdict, Verdict::Incomplete);
}

TEST(Evidence, WithARecordTakenFromTheChainIsTampered) {
    EvidenceFiles files = bundle().files;
    edit(files, "manifest.json", [](Json& json) { json["steps"].erase(2); });
    const auto steps = verify::verify(tests::plain(files), options());
    EXPECT_EQ(tests::step_of(steps, "digests").verdict, Verdict::Tampered);
}

} // namespace
} // namespace warpbound::certification
