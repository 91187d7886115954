/// \file
/// Attacks on what people and other programs read of a bundle.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace warpbound {
namespace {

using tests::drop;
using tests::Honest;
using tests::put;
using tests::Tampering;
using tests::text;

const std::vector<Tampering> of_reports{
    {"Page", Honest::Saxpy, text("report.html", "8051", "1973"), 1, "report.html"},
    {"PageMissing", Honest::Saxpy, drop("report.html"), 1, "report.html"},
    {"PageWithAScript", Honest::Saxpy,
     text("report.html", "</body>", "<script>document.title=1</script></body>"), 1, "report.html"},
    {"Xml", Honest::Saxpy, text("report.xml", "8051", "1973"), 1, "report.xml"},
    {"Sarif", Honest::Saxpy, text("results.sarif", "\"level\":\"none\"", "\"level\":\"note\""), 1,
     "results.sarif"},
    {"Junit", Honest::Saxpy, text("results.junit.xml", "failures=\"0\"", "failures=\"1\""), 1,
     "results.junit.xml"},
    {"Attestation", Honest::Saxpy, text("attestation.intoto.json", "PASSED", "passed"), 1,
     "attestation.intoto.json"},
    {"Argument", Honest::Saxpy, text("argument.gsn.json", "8051", "1973"), 1, "argument.gsn.json"},
    {"DrawingOfTheArgument", Honest::Saxpy, text("argument.gsn.svg", "8051", "1973"), 1,
     "argument.gsn.svg"},
    {"BillOfMaterials", Honest::Saxpy,
     text("tool/sbom.cdx.json", "\"name\":\"Boost\"", "\"name\":\"boost\""), 1,
     "tool/sbom.cdx.json"},
    {"KnownProblems", Honest::Saxpy, put("tool/known-problems.md", "None.\n"), 1,
     "tool/known-problems.md"},
    {"ToolRequirements", Honest::Saxpy, put("tool/requirements.md", "None.\n"), 1,
     "tool/requirements.md"},
    {"Worksheet", Honest::Saxpy, text("tool/worksheet.json", "{", "{\"approved\":true,"), 1,
     "tool/worksheet.json"},
};

WARPBOUND_ATTACKS(TamperedReports, of_reports);

} // namespace
} // namespace warpbound
