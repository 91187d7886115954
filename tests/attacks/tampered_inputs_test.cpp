/// \file
/// Attacks on the inputs of a bundle: machine, facts, listing, launch, tool.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

namespace warpbound {
namespace {

using tests::all;
using tests::Close;
using tests::cut;
using tests::drop;
using tests::Honest;
using tests::Json;
using tests::json;
using tests::put;
using tests::set;
using tests::Tampering;
using tests::text;

const std::vector<Tampering> of_inputs{
    {"LatencyLowered", Honest::Saxpy,
     text("model/turing-t4.xml", "typical=\"496\" hi=\"1200\"", "typical=\"496\" hi=\"500\""), 1,
     "re-analysis"},
    {"GradeRaised", Honest::Saxpy,
     text("model/turing-t4.xml", "up to 1200\" grade=\"inferred\"",
          "up to 1200\" grade=\"vendor\""),
     1, "re-analysis"},
    {"ValueNotANumber", Honest::Saxpy, text("model/turing-t4.xml", "hi=\"1200\"", "hi=\"nan\""), 3,
     "turing-t4.xml"},
    {"ValueInfinite", Honest::Saxpy, text("model/turing-t4.xml", "hi=\"1200\"", "hi=\"1e999\""), 3,
     "turing-t4.xml"},
    {"ValueNegative", Honest::Saxpy, text("model/turing-t4.xml", "lo=\"424\"", "lo=\"-424\""), 3,
     "turing-t4.xml"},
    {"IntervalReversed", Honest::Saxpy, text("model/turing-t4.xml", "lo=\"424\"", "lo=\"42400\""),
     3, "turing-t4.xml"},
    {"MachineRenamed", Honest::Saxpy,
     text("model/turing-t4.xml", "name=\"turing-t4\"", "name=\"hopper-h200\""), 1, "re-analysis"},
    {"MachineOfAnotherTarget", Honest::Saxpy,
     text("model/turing-t4.xml", "isa=\"sm_75\"", "isa=\"sm_90\""), 1, "re-analysis"},
    {"MachineMissing", Honest::Saxpy, drop("model/turing-t4.xml"), 3, "model/turing-t4.xml"},
    {"ValueOfACampaign", Honest::Saxpy,
     text("model/turing-t4.xml", "up to 1200\" grade=\"inferred\"",
          "up to 1200\" grade=\"measured\""),
     1, "re-analysis"},
    {"LoopBoundLowered", Honest::Saxpy,
     text("inputs/K1/flow-facts.xml", "max=\"128\"", "max=\"4\""), 1, "K1"},
    {"LoopBoundNegative", Honest::Saxpy,
     text("inputs/K1/flow-facts.xml", "max=\"128\"", "max=\"-1\""), 3, "flow-facts.xml"},
    {"LoopBoundTooLarge", Honest::Saxpy,
     text("inputs/K1/flow-facts.xml", "max=\"128\"", "max=\"18446744073709551616\""), 3,
     "flow-facts.xml"},
    {"FactProved", Honest::Saxpy,
     text("inputs/K1/flow-facts.xml", "status=\"unchecked\"", "status=\"proved\""), 1,
     "re-analysis"},
    {"FactAdded", Honest::Saxpy,
     text("inputs/K1/flow-facts.xml", "</flow-facts>", "<never block=\"0x0100\"/></flow-facts>"), 1,
     "analysis/K1"},
    {"FactsOfAnotherKernel", Honest::Saxpy,
     text("inputs/K1/flow-facts.xml", "kernel=\"saxpy_loop\"", "kernel=\"other\""), 1,
     "flow-facts.xml"},
    {"FactsOfAnotherListing", Honest::Saxpy,
     text("inputs/K1/flow-facts.xml", "digest=\"sha256:c", "digest=\"sha256:d"), 1,
     "flow-facts.xml"},
    {"FactsNotNamed", Honest::Saxpy, cut("inputs/K1/launch.json", "/flow-facts"), 1, "K1"},
    {"CommentedBoundLowered", Honest::Commented,
     text("inputs/K1/flow-facts.xml", "max=\"64\"", "max=\"8\""), 1,
     "the comment states at most 64"},
    {"CommentedBoundLoweredEverywhere", Honest::Commented,
     text("inputs/K1/flow-facts.xml", "max=\"64\"", "max=\"8\""), 1,
     "the comment states at most 64", Close::Remake},
    {"CommentedFactOfALineWithoutOne", Honest::Commented,
     text("inputs/K1/flow-facts.xml", "rows.cu:22\"", "rows.cu:21\""), 1,
     "no comment there states this fact"},
    {"CommentEdited", Honest::Commented,
     text("inputs/K1/source-1.txt", "loop max 6\n", "loop max 2\n"), 1, "source file 1"},
    {"SourceOfFactsNotNamed", Honest::Commented, cut("inputs/K1/launch.json", "/sources"), 1,
     "names 1 source files, the launch 0"},
    {"SourceOfFactsMissing", Honest::Commented, drop("inputs/K1/source-1.txt"), 3, "source-1.txt"},
    {"InstructionReplaced", Honest::Saxpy,
     text("inputs/K1/listing.sass", "MOV R5, 0x4", "MOV R6, 0x4"), 1, "flow-facts.xml"},
    {"InstructionRemoved", Honest::Saxpy,
     text("inputs/K1/listing.sass", "IMAD R4, R4, c[0x0][0x0], R3", "NOP"), 1, "flow-facts.xml"},
    {"ListingEmpty", Honest::Saxpy, put("inputs/K1/listing.sass", ""), 3, "listing.sass"},
    {"ListingMissing", Honest::Saxpy, drop("inputs/K1/listing.sass"), 3, "listing.sass"},
    {"LaunchSmaller", Honest::Saxpy, set("inputs/K1/launch.json", "/launch", "1x32"), 1, "K1"},
    {"LaunchNegative", Honest::Saxpy, set("inputs/K1/launch.json", "/launch", "-1x32"), 3,
     "inputs/K1"},
    {"LaunchTooLarge", Honest::Saxpy,
     set("inputs/K1/launch.json", "/launch", "18446744073709551616x32"), 3, "inputs/K1"},
    {"PolicyReplaced", Honest::Saxpy, set("inputs/K1/launch.json", "/policy", "srr"), 1, "K1"},
    {"PolicyUnknown", Honest::Saxpy, set("inputs/K1/launch.json", "/policy", "fastest"), 3,
     "inputs/K1"},
    {"MultiprocessorsMore", Honest::Saxpy, set("inputs/K1/launch.json", "/multiprocessors", 41), 1,
     "K1"},
    {"MultiprocessorsNegative", Honest::Saxpy, set("inputs/K1/launch.json", "/multiprocessors", -1),
     1, "K1"},
    {"MultiprocessorsHuge", Honest::Saxpy,
     set("inputs/K1/launch.json", "/multiprocessors", std::int64_t{4611686018427387904}), 1, "K1"},
    {"KernelOfAnotherName", Honest::Saxpy, set("inputs/K1/launch.json", "/kernel", "other"), 3,
     "listing.sass"},
    {"ListingOutsideTheBundle", Honest::Saxpy,
     set("inputs/K1/launch.json", "/listing", "../../../../etc/passwd"), 3, "/etc/passwd"},
    {"MachineOutsideTheBundle", Honest::Saxpy,
     set("inputs/K1/launch.json", "/architecture", "/etc/passwd"), 3, "/etc/passwd"},
    {"SamplesOutsideTheBundle", Honest::Saxpy,
     set("inputs/K1/launch.json", "/samples/0", "../samples-1.json"), 3, "../samples-1.json"},
    {"SamplesTwice", Honest::Saxpy,
     json("inputs/K1/launch.json",
          [](Json& file) { file["samples"].push_back(file["samples"][0]); }),
     3, "samples-1.json"},
    {"SamplesNotNamed", Honest::Saxpy, set("inputs/K1/launch.json", "/samples", Json::array()), 1,
     "K1"},
    {"LaunchAList", Honest::Saxpy, put("inputs/K1/launch.json", "[]"), 3, "array"},
    {"KernelsNone", Honest::Saxpy, set("inputs/run.json", "/kernels", Json::array()), 3,
     "inputs/run.json"},
    {"KernelTwice", Honest::Saxpy, set("inputs/run.json", "/kernels", Json::array({"K1", "K1"})), 3,
     "inputs/run.json"},
    {"KernelOutsideTheBundle", Honest::Saxpy, set("inputs/run.json", "/kernels/0", "../K1"), 3,
     "../K1"},
    {"KernelBreaksALine", Honest::Saxpy,
     set("inputs/run.json", "/kernels/0", "K1\nverdict       holds"), 3, "inputs/run.json"},
    {"KernelLeftOut", Honest::Several, cut("inputs/run.json", "/kernels/3"), 3, "kernel"},
    {"SolverSeed", Honest::Saxpy, set("inputs/run.json", "/solver-seed", 7), 1, "re-analysis"},
    {"SolverSeedNegative", Honest::Saxpy, set("inputs/run.json", "/solver-seed", -1), 1,
     "re-analysis"},
    {"VersionOfAnotherTool", Honest::Saxpy,
     all({set("inputs/run.json", "/tool/version", "9.9"),
          set("checks/K1.json", "/witness-replay/execution-time", 100)}),
     3, "made by warpbound 9.9 (claimed; this program is"},
    {"VersionWithAnEscape", Honest::Saxpy, set("inputs/run.json", "/tool/version", "\x1b[2Jholds"),
     3, "inputs/run.json"},
    {"ComponentRaised", Honest::Saxpy, set("inputs/run.json", "/components/5/version", "99.9"), 1,
     "made with Z3 99.9 (claimed;"},
    {"ComponentsNone", Honest::Saxpy, set("inputs/run.json", "/components", Json::array()), 1,
     "made with 0 components (claimed;"},
};

WARPBOUND_ATTACKS(TamperedInputs, of_inputs);

} // namespace
} // namespace warpbound
