/// \file
/// Attacks on the register of assumptions.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace warpbound {
namespace {

using tests::cut;
using tests::Honest;
using tests::Json;
using tests::json;
using tests::set;
using tests::Tampering;

const std::vector<Tampering> of_assumptions{
    {"AssumptionRemovedFromTheRegister", Honest::Saxpy, cut("claims.json", "/assumptions/0"), 3,
     "claims.json"},
    {"AssumptionRemovedEverywhere", Honest::Saxpy,
     json("claims.json",
          [](Json& file) {
              file["assumptions"].erase(0);
              for (auto& claim : file["claims"]) {
                  auto& named = claim["assumptions"];
                  for (std::size_t i = 0; i < named.size(); ++i)
                      if (named[i] == "A1") named.erase(i);
                  if (claim.contains("unchecked-assumptions"))
                      claim["unchecked-assumptions"] =
                          claim["unchecked-assumptions"].get<int>() - 1;
              }
              file["unchecked-assumptions"] = file["unchecked-assumptions"].get<int>() - 1;
          }),
     1, "claims.json"},
    {"AllAssumptionsRemoved", Honest::Saxpy,
     json("claims.json",
          [](Json& file) {
              file["assumptions"] = Json::array();
              file["unchecked-assumptions"] = 0;
              for (auto& claim : file["claims"]) {
                  claim["assumptions"] = Json::array();
                  if (claim["kind"] != "observed") {
                      claim["kind"] = "proved-bound";
                      claim["unchecked-assumptions"] = 0;
                  }
              }
          }),
     1, "claims.json"},
    {"StatusProved", Honest::Saxpy,
     json("claims.json",
          [](Json& file) {
              file["assumptions"][0]["status"] = "proved";
              file["unchecked-assumptions"] = file["unchecked-assumptions"].get<int>() - 1;
          }),
     1, "claims.json"},
    {"StatusReviewed", Honest::Saxpy,
     json("claims.json",
          [](Json& file) {
              file["assumptions"][2]["status"] = "reviewed";
              file["assumptions"][2]["how"] = "reviewed by a person";
              file["unchecked-assumptions"] = file["unchecked-assumptions"].get<int>() - 1;
          }),
     1, "claims.json"},
    {"StatusUnknownWord", Honest::Saxpy, set("claims.json", "/assumptions/0/status", "certain"), 3,
     "claims.json"},
    {"TextSoftened", Honest::Saxpy,
     set("claims.json", "/assumptions/2/text", "Branches are as they are."), 1, "claims.json"},
    {"UncheckedCountLowered", Honest::Saxpy, set("claims.json", "/unchecked-assumptions", 0), 3,
     "unchecked"},
    {"UncheckedCountOfAClaimLowered", Honest::Saxpy,
     set("claims.json", "/claims/0/unchecked-assumptions", 0), 1,
     "claims.json: claim K1.C1 rests on"},
    {"DependentsShortened", Honest::Saxpy, cut("claims.json", "/assumptions/0/claims/0"), 3, "A1"},
    {"ClaimNamesFewer", Honest::Saxpy, cut("claims.json", "/claims/0/assumptions/0"), 3, "A1"},
    {"ClaimNamesAnUnknownOne", Honest::Saxpy, set("claims.json", "/claims/0/assumptions/0", "A99"),
     3, "K1.C1"},
    {"AssumptionTwice", Honest::Saxpy,
     json("claims.json", [](Json& file) { file["assumptions"].push_back(file["assumptions"][0]); }),
     3, "A1"},
};

WARPBOUND_ATTACKS(TamperedAssumptions, of_assumptions);

} // namespace
} // namespace warpbound
