/// \file
/// Attacks on a bundle about code of AMD: its code object, its text, launch and times.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#ifdef WARPBOUND_HAS_LLVM

namespace warpbound {
namespace {

using tests::all;
using tests::Close;
using tests::cut;
using tests::drop;
using tests::EvidenceFiles;
using tests::Honest;
using tests::json;
using tests::Json;
using tests::put;
using tests::set;
using tests::Tampering;
using tests::text;

constexpr const char* code = "inputs/K1/code.hsaco";
constexpr const char* stall = "analysis/K1/execution-time-upper-stall.json";

/// Every cost of the table that is above a number becomes that number.
void cap_costs(EvidenceFiles& files) {
    json(stall, [](Json& table) {
        for (Json& edge : table.at("edges"))
            if (edge.at(2) > 100) edge.at(2) = 100;
    })(files);
}

const std::vector<Tampering> of_wavefronts{
    {"CodeEdited", Honest::Wavefront, text(code, "\x70\x0f\x8c\xbf", "\x7f\xcf\x8c\xbf"), 5,
     "code.hsaco", Close::Not},
    {"WaitRemoved", Honest::Wavefront, text(code, "\x70\x0f\x8c\xbf", "\x7f\xcf\x8c\xbf"), 1,
     "of another listing"},
    {"CodeCut", Honest::Wavefront, [](EvidenceFiles& files) { files.at(code).bytes.resize(900); },
     3, "code.hsaco"},
    {"CodeMissing", Honest::Wavefront, drop(code), 3, "code.hsaco"},
    {"CodeEmpty", Honest::Wavefront, put(code, ""), 3, "code.hsaco"},
    {"CodeOfNvidia", Honest::Wavefront, put(code, "!Kernel divergent_nest\nEXIT ;\n!EndKernel\n"),
     1, "another listing"},
    {"TextEdited", Honest::Wavefront, text("analysis/K1/listing.s", "vmcnt", "lgkmcnt"), 1,
     "analysis/K1/listing.s"},
    {"TextMissing", Honest::Wavefront, drop("analysis/K1/listing.s"), 1, "analysis/K1/listing.s"},
    {"BlocksTooLarge", Honest::Wavefront, set("inputs/K1/launch.json", "/launch", "8x512"), 1,
     "compiled for at most 256"},
    {"LaunchSmaller", Honest::Wavefront,
     set("inputs/K1/launch.json", "/launch", "1x64,block=64,grid=1"), 1, "K1"},
    {"KernelOfAnotherName", Honest::Wavefront, set("inputs/K1/launch.json", "/kernel", "copy"), 1,
     "facts-in-use.xml"},
    {"LatencyLowered", Honest::Wavefront,
     text("model/cdna2-mi210.xml", "typical=\"588\" hi=\"816\"", "typical=\"588\" hi=\"600\""), 1,
     "K1"},
    {"TableLowered", Honest::Wavefront, cap_costs, 1, "execution-time-upper-stall"},
    {"BoundLowered", Honest::Wavefront, set("claims.json", "/claims/0/value", 5000), 1, "K1.C1"},
    {"CountersNotNamed", Honest::Wavefront, cut("claims.json", "/assumptions/3"), 3,
     "unchecked assumptions"},
};

WARPBOUND_ATTACKS(TamperedWavefronts, of_wavefronts);

} // namespace
} // namespace warpbound

#endif
