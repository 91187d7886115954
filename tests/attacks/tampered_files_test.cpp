/// \file
/// Attacks on the manifest and on the form of files.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

using tests::add;
using tests::Close;
using tests::drop;
using tests::EvidenceFiles;
using tests::Honest;
using tests::Json;
using tests::json;
using tests::put;
using tests::set;
using tests::Tampering;
using tests::text;

const std::vector<Tampering> of_files{
    {"FileNotListed", Honest::Saxpy, add("inputs/K1/more.txt", "more"), 5, "inputs/K1/more.txt",
     Close::Not},
    {"FileListedAndNotMade", Honest::Saxpy, add("inputs/K1/more.txt", "more"), 1,
     "inputs/K1/more.txt"},
    {"HiddenFile", Honest::Saxpy, add(".hidden", "more"), 1, ".hidden"},
    {"FileMissing", Honest::Saxpy, drop("report.html"), 5, "report.html", Close::Not},
    {"ManifestMissing", Honest::Saxpy, drop("manifest.json"), 3, "manifest.json", Close::Not},
    {"ManifestEmpty", Honest::Saxpy, put("manifest.json", ""), 5, "manifest.json", Close::Not},
    {"ManifestAList", Honest::Saxpy, put("manifest.json", "[]"), 5, "manifest.json", Close::Not},
    {"ManifestNothingListed", Honest::Saxpy,
     put("manifest.json",
         "{\"files\":[],\"format\":\"warpbound-evidence/2\",\"report-id\":\"\",\"steps\":[]}"),
     5, "manifest.json", Close::Not},
    {"ManifestNestedDeeply", Honest::Saxpy, put("manifest.json", std::string(1'000'000, '[')), 5,
     "manifest.json", Close::Not},
    {"ManifestWithSpace", Honest::Saxpy, text("manifest.json", "{\"files\":[", "{ \"files\":["), 5,
     "manifest.json", Close::Not},
    {"ManifestByteOrderMark", Honest::Saxpy, put("manifest.json", "\xef\xbb\xbf{}"), 5,
     "manifest.json", Close::Not},
    {"ManifestEntryTwice", Honest::Saxpy,
     json("manifest.json", [](Json& file) { file["files"].push_back(file["files"][0]); }), 5,
     "listed twice", Close::Not},
    {"ManifestEntriesOutOfOrder", Honest::Saxpy,
     json("manifest.json", [](Json& file) { std::swap(file["files"][0], file["files"][1]); }), 5,
     "out of order", Close::Not},
    {"ManifestPathOutside", Honest::Saxpy,
     json("manifest.json", [](Json& file) { file["files"][0]["path"] = "../claims.json"; }), 5,
     "../claims.json", Close::Not},
    {"ManifestDigestOfAnother", Honest::Saxpy,
     json("manifest.json",
          [](Json& file) { file["files"][0]["sha256"] = file["files"][1]["sha256"]; }),
     5, "blocks.json", Close::Not},
    {"ManifestRole", Honest::Saxpy,
     json("manifest.json", [](Json& file) { file["files"][0]["role"] = "listing"; }), 5,
     "manifest.json", Close::Not},
    {"ManifestStep", Honest::Saxpy,
     json("manifest.json", [](Json& file) { file["files"][0]["step"] = "inputs"; }), 5, "step",
     Close::Not},
    {"ManifestReportId", Honest::Saxpy,
     json("manifest.json", [](Json& file) { file["report-id"] = "sha256:0"; }), 5, "manifest.json",
     Close::Not},
    {"ManifestChainBroken", Honest::Saxpy,
     json("manifest.json", [](Json& file) { file["steps"][1]["previous"] = ""; }), 5, "step",
     Close::Not},
    {"ManifestStepTwice", Honest::Saxpy,
     json("manifest.json", [](Json& file) { file["steps"].push_back(file["steps"][0]); }), 5,
     "recorded twice", Close::Not},
    {"ManifestStepRemoved", Honest::Saxpy,
     json("manifest.json", [](Json& file) { file["steps"].erase(4); }), 5, "manifest.json",
     Close::Not},
    {"ManifestManySteps", Honest::Saxpy,
     json("manifest.json",
          [](Json& file) {
              for (int i = 0; i < 100; ++i)
                  file["steps"].push_back(file["steps"][0]);
          }),
     5, "more than 16 steps", Close::Not},
    {"ManifestInputsOfAStep", Honest::Saxpy,
     json("manifest.json", [](Json& file) { file["steps"][1]["inputs"] = Json::array(); }), 5,
     "step", Close::Not},
    {"ReportIdOfAnother",
     Honest::Saxpy,
     set("claims.json", "/verdict", "x"),
     5,
     "as given",
     Close::Seal,
     {"--report-id", "sha256:0"}},
    {"ClaimsNestedDeeply", Honest::Saxpy, put("claims.json", std::string(1'000'000, '[')), 3,
     "claims.json"},
    {"ClaimsEmpty", Honest::Saxpy, put("claims.json", "{}"), 3, "key"},
    {"ClaimsKeyTwice", Honest::Saxpy,
     text("claims.json",
          "{\"assumptions\":", "{\"verdict\":\"holds\",\"verdict\":\"holds\",\"assumptions\":"),
     1, "claims.json"},
    {"ClaimsBoundTwice", Honest::Saxpy,
     text("claims.json", "\"value\":8051", "\"value\":10,\"value\":8051"), 1, "claims.json"},
    {"ClaimsBoundTwiceTheOtherFirst", Honest::Saxpy,
     text("claims.json", "\"value\":8051", "\"value\":8051,\"value\":10"), 1, "K1.C1"},
    {"ClaimsNotUtf8", Honest::Saxpy,
     text("claims.json", "\"verdict\":\"", "\"verdict\":\"\\xff\\xfe"), 3, "claims.json"},
    {"ClaimsByteOrderMark", Honest::Saxpy,
     [](EvidenceFiles& files) {
         auto& bytes = files.at("claims.json").bytes;
         bytes.insert(0, "\xef\xbb\xbf");
     },
     1, "claims.json"},
    {"ClaimsEndWithANulByte", Honest::Saxpy,
     [](EvidenceFiles& files) { files.at("claims.json").bytes.push_back('\0'); }, 1, "claims.json"},
    {"ClaimsEndWithALine", Honest::Saxpy,
     [](EvidenceFiles& files) { files.at("claims.json").bytes += "\r\n"; }, 1, "claims.json"},
    {"ClaimsUtf16", Honest::Saxpy, put("claims.json", std::string{"\xff\xfe{\0}\0", 6}), 3,
     "claims.json"},
    {"ClaimsNumberTooLarge", Honest::Saxpy,
     text("claims.json", "\"value\":8051", "\"value\":1e999"), 3, "claims.json"},
    {"ClaimsNotANumber", Honest::Saxpy, text("claims.json", "\"value\":8051", "\"value\":NaN"), 3,
     "claims.json"},
    {"ClaimsWithAComment", Honest::Saxpy,
     text("claims.json", "{\"assumptions\":", "/* */{\"assumptions\":"), 3, "claims.json"},
    {"RunKeyTwice", Honest::Saxpy,
     text("inputs/run.json", "\"kernels\":[\"K1\"]", "\"kernels\":[],\"kernels\":[\"K1\"]"), 1,
     "inputs/run.json"},
    {"LaunchPolicyTwice", Honest::Saxpy,
     text("inputs/K1/launch.json", "\"policy\":\"unknown\"",
          "\"policy\":\"srr\",\"policy\":\"unknown\""),
     1, "inputs/K1/launch.json"},
    {"LaunchNestedDeeply", Honest::Saxpy, put("inputs/K1/launch.json", std::string(100'000, '[')),
     3, "inputs/K1/launch.json"},
    {"TableNestedDeeply", Honest::Saxpy,
     put("analysis/K1/execution-time-upper-stall.json", std::string(100'000, '[')), 3,
     "execution-time-upper-stall.json"},
    {"ListingWithNulBytes", Honest::Saxpy,
     [](EvidenceFiles& files) {
         files.at("inputs/K1/listing.sass").bytes += std::string(10, '\0');
     },
     3, "listing.sass"},
    {"ListingWithCarriageReturns", Honest::Saxpy,
     [](EvidenceFiles& files) {
         auto& bytes = files.at("inputs/K1/listing.sass").bytes;
         for (std::size_t at = 0; (at = bytes.find('\n', at)) != std::string::npos; at += 2)
             bytes.insert(at, 1, '\r');
     },
     1, "flow-facts.xml"},
    {"FactsNestedDeeply", Honest::Saxpy,
     [](EvidenceFiles& files) {
         std::string deep;
         for (int i = 0; i < 100'000; ++i)
             deep += "<a>";
         files.at("inputs/K1/flow-facts.xml").bytes = deep;
     },
     3, "flow-facts.xml"},
    {"FactsOfManyEntities", Honest::Saxpy,
     put("inputs/K1/flow-facts.xml", "<!DOCTYPE l [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b "
                                     "\"&a;&a;&a;&a;&a;&a;&a;&a;\">]><flow-facts kernel=\"&b;\"/>"),
     3, "flow-facts.xml"},
    {"NameNotUtf8", Honest::Saxpy, add("inputs/K1/\xff.txt", "more"), 5, ".txt"},
    {"NameWithAnEscape", Honest::Saxpy, add("inputs/K1/\x1b[2J.txt", "more"), 1,
     "in the bundle, not made now"},
    {"NameWithALine", Honest::Saxpy, add("inputs/K1/a\nverdict       holds", "more"), 1,
     "in the bundle, not made now"},
};

WARPBOUND_ATTACKS(TamperedFiles, of_files);

} // namespace
} // namespace warpbound
