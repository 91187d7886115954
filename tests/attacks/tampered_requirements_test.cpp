/// \file
/// Attacks on requirements and on the comparison of bounds with observed times.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace warpbound {
namespace {

using tests::Close;
using tests::cut;
using tests::drop;
using tests::EvidenceFiles;
using tests::Honest;
using tests::Json;
using tests::json;
using tests::put;
using tests::set;
using tests::Tampering;
using tests::text;

const std::vector<Tampering> of_requirements{
    {"VerdictEdited", Honest::Saxpy, set("claims.json", "/requirements/0/verdict", "violated"), 1,
     "claims.json"},
    {"BudgetRaisedInTheClaims", Honest::Saxpy,
     set("claims.json", "/requirements/0/at-most", 100000), 1, "claims.json"},
    {"MarginRaised", Honest::Saxpy, set("claims.json", "/requirements/0/margin", 5000), 1,
     "claims.json"},
    {"BoundOfARequirementLowered", Honest::Saxpy,
     set("claims.json", "/requirements/0/proved-upper-bound", 10), 1, "claims.json"},
    {"WorstOfARequirementLowered", Honest::Saxpy,
     set("claims.json", "/requirements/0/observed-worst", 10), 1, "claims.json"},
    {"RemovedFromTheClaims", Honest::Saxpy, set("claims.json", "/requirements", Json::array()), 1,
     "claims.json"},
    {"BudgetLoweredBelowTheBound", Honest::Saxpy,
     text("inputs/requirements.xml", "at-most=\"14000\"", "at-most=\"5000\""), 1, "claims.json"},
    {"BudgetRaisedInTheFile", Honest::Saxpy,
     text("inputs/requirements.xml", "at-most=\"14000\"", "at-most=\"90000\""), 1, "claims.json"},
    {"BudgetNegative", Honest::Saxpy,
     text("inputs/requirements.xml", "at-most=\"14000\"", "at-most=\"-9000\""), 1,
     "requirements.xml"},
    {"BudgetTooLarge", Honest::Saxpy,
     text("inputs/requirements.xml", "at-most=\"14000\"", "at-most=\"99999999999999999999\""), 1,
     "requirements.xml"},
    {"BudgetNotANumber", Honest::Saxpy,
     text("inputs/requirements.xml", "at-most=\"14000\"", "at-most=\"nan\""), 1,
     "requirements.xml"},
    {"OfAnotherKernel", Honest::Saxpy,
     text("inputs/requirements.xml", "kernel=\"saxpy_loop\"", "kernel=\"other\""), 1,
     "claims.json"},
    {"FileMissing", Honest::Saxpy, drop("inputs/requirements.xml"), 1, "requirements.xml"},
    {"FileNotNamed", Honest::Saxpy, cut("inputs/run.json", "/requirements"), 1,
     "re-analysis   failed"},
    {"FileOutsideTheBundle", Honest::Saxpy,
     set("inputs/run.json", "/requirements", "../../../../etc/passwd"), 1, "/etc/passwd"},
    {"EntityInTheFile", Honest::Saxpy,
     put("inputs/requirements.xml",
         "<!DOCTYPE r [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><requirements><requirement "
         "id=\"R1\" kernel=\"&a;\" at-most=\"14000\"/></requirements>"),
     1, "requirements.xml"},
    {"LoosenessBoundRemoved", Honest::Saxpy, cut("inputs/run.json", "/check-factor-thousandths"), 1,
     "re-analysis   failed"},
    {"LoosenessBoundBelowOne", Honest::Saxpy,
     set("inputs/run.json", "/check-factor-thousandths", 999), 1, "inputs/run.json"},
    {"LoosenessBoundExceeded", Honest::Saxpy,
     set("inputs/run.json", "/check-factor-thousandths", 1001), 1, "re-analysis   failed"},
    {"LooseBoundAdded", Honest::Saxpy,
     json("claims.json",
          [](Json& file) {
              file["loose-bounds"].push_back({{"kernel", "K1"},
                                              {"quantity", "execution-time"},
                                              {"proved-upper-bound", 1},
                                              {"observed-worst", 1}});
          }),
     1, "claims.json"},
    // Honest bundles whose requirements are not met: `certify` wrote them, and said so.
    {"HonestlyViolated", Honest::Saxpy,
     text("inputs/requirements.xml", "at-most=\"14000\"", "at-most=\"3000\""), 1, "R1",
     Close::Remake},
    {"HonestlyUndecided", Honest::Saxpy,
     text("inputs/requirements.xml", "at-most=\"14000\"", "at-most=\"6000\""), 4, "R1",
     Close::Remake},
    {"HonestlyOfNoKernel", Honest::Saxpy,
     text("inputs/requirements.xml", "kernel=\"saxpy_loop\"", "kernel=\"other\""), 4, "R1",
     Close::Remake},
    {"HonestlyTooLoose", Honest::Saxpy, set("inputs/run.json", "/check-factor-thousandths", 1001),
     1, "K1", Close::Remake},
    {"ViolatedAndVerdictEdited", Honest::Saxpy,
     [](EvidenceFiles& files) {
         text("inputs/requirements.xml", "at-most=\"14000\"", "at-most=\"3000\"")(files);
         tests::remake(files);
         text("claims.json", "\"verdict\":\"violated\"", "\"verdict\":\"met\"")(files);
     },
     1, "claims.json"},
    {"ViolatedAndWorstLowered", Honest::Saxpy,
     [](EvidenceFiles& files) {
         text("inputs/requirements.xml", "at-most=\"14000\"", "at-most=\"3000\"")(files);
         json("inputs/K1/samples-1.json", [](Json& file) {
             for (auto& row : file["samples"])
                 if (row[1].get<int>() > 3000) row[1] = 3000;
         })(files);
     },
     1, "inputs/K1/samples-1.json", Close::Remake},
};

WARPBOUND_ATTACKS(TamperedRequirements, of_requirements);

} // namespace
} // namespace warpbound
