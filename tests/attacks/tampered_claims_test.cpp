/// \file
/// Attacks on what a bundle claims: bounds, kinds, observed times.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

using tests::cut;
using tests::Honest;
using tests::Json;
using tests::json;
using tests::set;
using tests::Tampering;

const std::vector<Tampering> of_claims{
    {"UpperBoundLowered", Honest::Saxpy, set("claims.json", "/claims/0/value", 7972), 1, "K1.C1"},
    {"UpperBoundLoweredWithItsTerms", Honest::Saxpy,
     json("claims.json",
          [](Json& file) {
              auto& claim = file["claims"][0];
              claim["proof"]["terms"] =
                  Json::array({{{"text", "all"}, {"count", 1}, {"cycles", 100}}});
              claim["value"] = 100;
          }),
     1, "K1.C1"},
    {"TermLoweredAndBound", Honest::Saxpy,
     json("claims.json",
          [](Json& file) {
              auto& claim = file["claims"][0];
              auto& term = claim["proof"]["terms"][0];
              term["cycles"] = term["cycles"].get<int>() - 1;
              claim["value"] = claim["value"].get<int>() - term["count"].get<int>();
          }),
     1, "K1.C1"},
    {"TermCountLowered", Honest::Saxpy, set("claims.json", "/claims/0/proof/terms/0/count", 0), 1,
     "K1.C1"},
    {"TermCountNegative", Honest::Saxpy, set("claims.json", "/claims/0/proof/terms/0/count", -1), 1,
     "K1.C1"},
    {"TermOfNoCertificate", Honest::Saxpy,
     cut("claims.json", "/claims/0/proof/terms/0/certificate"), 1, "K1.C1"},
    {"TermOfAnotherCertificate", Honest::Saxpy,
     set("claims.json", "/claims/0/proof/terms/0/certificate", "execution-time-lower"), 1, "K1.C1"},
    {"TermOfAMissingCertificate", Honest::Saxpy,
     set("claims.json", "/claims/0/proof/terms/0/certificate", "execution-time-upper-none"), 1,
     "K1.C1"},
    {"TermsEmpty", Honest::Saxpy, set("claims.json", "/claims/0/proof/terms", Json::array()), 1,
     "K1.C1"},
    {"LowerBoundRaised", Honest::Saxpy, set("claims.json", "/claims/1/value", 1022), 1, "K1.C2"},
    {"UpperBoundZero", Honest::Saxpy, set("claims.json", "/claims/0/value", 0), 1, "K1.C1"},
    {"UpperBoundNegative", Honest::Saxpy, set("claims.json", "/claims/0/value", -5), 1, "K1.C1"},
    {"UpperBoundBeyondTheRange", Honest::Saxpy,
     set("claims.json", "/claims/0/value", std::uint64_t{18446744073709551615U}), 3,
     "whole number"},
    {"UpperBoundAFraction", Honest::Saxpy, set("claims.json", "/claims/0/value", 8051.5), 3,
     "8051.5"},
    {"UpperBoundNull", Honest::Saxpy, set("claims.json", "/claims/0/value", nullptr), 3, "null"},
    {"UpperBoundAText", Honest::Saxpy, set("claims.json", "/claims/0/value", "8051"), 3, "8051"},
    {"UpperBoundRemoved", Honest::Saxpy, cut("claims.json", "/claims/0"), 3, "claims.json"},
    {"LowerBoundRemoved", Honest::Saxpy, cut("claims.json", "/claims/1"), 3, "claims.json"},
    {"ClaimTwice", Honest::Saxpy,
     json("claims.json", [](Json& file) { file["claims"].push_back(file["claims"][0]); }), 3,
     "K1.C1"},
    {"ClaimOfNoKernel", Honest::Saxpy, set("claims.json", "/claims/0/kernel", "K9"), 3,
     "claims.json"},
    {"KindProved", Honest::Saxpy, set("claims.json", "/claims/0/kind", "proved-bound"), 1,
     "proved-bound"},
    {"KindUnknown", Honest::Saxpy, set("claims.json", "/claims/0/kind", "certain"), 3, "certain"},
    {"KindObserved", Honest::Saxpy, set("claims.json", "/claims/0/kind", "observed"), 3,
     "claims.json"},
    {"QuantityRenamed", Honest::Saxpy, set("claims.json", "/claims/0/quantity", "measured-time"), 1,
     "no claim on the execution time"},
    {"UnitRenamed", Honest::Saxpy, set("claims.json", "/claims/0/unit", "nanoseconds"), 1,
     "claims.json"},
    {"SidesSwapped", Honest::Saxpy,
     json("claims.json",
          [](Json& file) { std::swap(file["claims"][0]["side"], file["claims"][1]["side"]); }),
     1, "K1.C"},
    {"LimitReachedAdded", Honest::Saxpy, set("claims.json", "/claims/0/limit-reached", true), 1,
     "claims.json"},
    {"ProofRuleRenamed", Honest::Saxpy, set("claims.json", "/claims/0/proof/rule", "exact"), 1,
     "claims.json"},
    {"EvidenceRemoved", Honest::Saxpy, set("claims.json", "/claims/0/evidence", Json::array()), 1,
     "claims.json"},
    {"EvidenceOfAnotherClaim", Honest::Saxpy,
     json("claims.json",
          [](Json& file) { file["claims"][0]["evidence"] = file["claims"][1]["evidence"]; }),
     1, "claims.json"},
    {"EvidenceMissing", Honest::Saxpy,
     set("claims.json", "/claims/0/evidence/0/path", "analysis/K1/none.json"), 1, "none.json"},
    {"ObservedWorstLowered", Honest::Saxpy, set("claims.json", "/claims/2/worst", 4000), 1,
     "samples-1.json"},
    {"ObservedBestRaised", Honest::Saxpy, set("claims.json", "/claims/2/best", 2000), 1,
     "samples-1.json"},
    {"ObservedCountRaised", Honest::Saxpy, set("claims.json", "/claims/2/count", 100000), 1,
     "samples-1.json"},
    {"ObservedClaimRemoved", Honest::Saxpy, cut("claims.json", "/claims/2"), 1, "claims.json"},
    {"ObservedOnAnotherDevice", Honest::Saxpy,
     set("claims.json", "/claims/2/device", "cuda:0 Tesla T4"), 1, "samples-1.json"},
    {"ObservedUnderAnotherProtocol", Honest::Saxpy,
     set("claims.json", "/claims/2/protocol", "warm-up 0, draw adversarial, seed 1"), 1,
     "samples-1.json"},
    {"ObservedOutsideRemoved", Honest::Saxpy, set("claims.json", "/claims/2/outside-bounds", -1), 1,
     "claims.json"},
    {"VerdictOfTheBundle", Honest::Saxpy, set("claims.json", "/verdict", "proved"), 1,
     "claims.json"},
    {"LimitationsRemoved", Honest::Saxpy, set("claims.json", "/limitations", Json::array()), 1,
     "claims.json"},
    {"KernelVerdict", Honest::Saxpy, set("claims.json", "/kernels/0/verdict", "proved"), 1,
     "claims.json"},
    {"KernelLaunch", Honest::Saxpy, set("claims.json", "/kernels/0/launch", "16x1024"), 1,
     "claims.json"},
    {"KernelPolicy", Honest::Saxpy, set("claims.json", "/kernels/0/policy", "srr"), 1,
     "claims.json"},
    {"KernelArchitectureTitle", Honest::Saxpy,
     set("claims.json", "/kernels/0/architecture/title", "NVIDIA H100"), 1, "claims.json"},
    {"ListingDigest", Honest::Saxpy, set("claims.json", "/kernels/0/listing", "sha256:0"), 1,
     "claims.json"},
    {"BoundUnderAnotherPolicy", Honest::Several, set("claims.json", "/claims/4/value", 1), 1, "K"},
    {"BoundOfSeveralMultiprocessors", Honest::Several,
     json("claims.json",
          [](Json& file) {
              for (auto& claim : file["claims"])
                  if (claim["kernel"] == "K3" && claim.value("side", "") == "upper")
                      claim["value"] = claim["value"].get<int>() / 3;
          }),
     1, "K3"},
    {"BoundsOfTwoKernelsSwapped", Honest::Several,
     json("claims.json",
          [](Json& file) {
              for (auto& claim : file["claims"])
                  if (claim["kernel"] == "K1")
                      claim["kernel"] = "K3";
                  else if (claim["kernel"] == "K3")
                      claim["kernel"] = "K1";
          }),
     1, "K"},
};

WARPBOUND_ATTACKS(TamperedClaims, of_claims);

} // namespace
} // namespace warpbound
