/// \file
/// Attacks on path tables, scripts, control flow, checks and the comparison of policies.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

namespace warpbound {
namespace {

using tests::add;
using tests::cut;
using tests::drop;
using tests::Honest;
using tests::Json;
using tests::json;
using tests::put;
using tests::set;
using tests::Tampering;
using tests::text;

const std::vector<Tampering> of_the_analysis{
    {"BoundOfATableLowered", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/bound", 5522), 1,
     "execution-time-upper-stall"},
    {"BoundOfATableHuge", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/bound",
         std::int64_t{9223372036854775807}),
     3, "whole number"},
    {"CostOfAnEdgeLowered", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/edges/0/2", 1), 1,
     "execution-time-upper-stall"},
    {"CostOfAnEdgeHuge", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/edges/0/2",
         std::int64_t{4611686018427387904}),
     1, "execution-time-upper-stall"},
    {"EdgeRemoved", Honest::Saxpy, cut("analysis/K1/execution-time-upper-stall.json", "/edges/1"),
     1, "execution-time-upper-stall"},
    {"EdgeToNowhere", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/edges/0/1", 4096), 3,
     "execution-time-upper-stall"},
    {"EdgesRemoved", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/edges", Json::array()), 1,
     "execution-time-upper-stall"},
    {"NodesRemoved", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/nodes", Json::array()), 3,
     "execution-time-upper-stall"},
    {"NodeOfAnotherBlock", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/nodes/1/0", 2), 1,
     "execution-time-upper-stall"},
    {"NodeOfNoBlock", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/nodes/1/0", 77), 3,
     "execution-time-upper-stall"},
    {"EndOfANodeRemoved", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/nodes/6/1", nullptr), 1,
     "execution-time-upper-stall"},
    {"WitnessCheaper", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/witness/cost", 5000), 1,
     "execution-time-upper-stall"},
    {"WitnessShorter", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/witness/rules",
         Json::array({Json::array({0})})),
     1, "execution-time-upper-stall"},
    {"WitnessCounts", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/witness/counts/3/1", 4), 1,
     "execution-time-upper-stall"},
    {"WitnessOfARuleToItself", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/witness/rules/0", Json::array({-1})), 3,
     "execution-time-upper-stall"},
    {"WitnessOfExponentialLength", Honest::Saxpy,
     json("analysis/K1/execution-time-upper-stall.json",
          [](Json& file) {
              auto& rules = file["witness"]["rules"];
              rules = Json::array({Json::array({3})});
              for (int i = 0; i < 62; ++i)
                  rules.push_back(Json::array({-1 - i, -1 - i}));
          }),
     1, "execution-time-upper-stall"},
    {"SideOfATable", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/side", "lower"), 1,
     "execution-time-upper-stall"},
    {"FactsOfATable", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/facts", "loop-bounds"), 1,
     "execution-time-upper-stall"},
    {"IdOfATable", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/id", "execution-time-upper"), 3,
     "execution-time-upper-stall"},
    {"IdOfATableBreaksALine", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/id", "a\n(assert false)"), 3,
     "execution-time-upper-stall"},
    {"TextOfATableBreaksALine", Honest::Saxpy,
     set("analysis/K1/execution-time-upper-stall.json", "/text", "a\n(assert false)"), 3,
     "execution-time-upper-stall"},
    {"TableMissing", Honest::Saxpy, drop("analysis/K1/execution-time-upper-stall.json"), 1,
     "execution-time-upper-stall"},
    {"TableAdded", Honest::Saxpy, add("analysis/K1/more.json", "{}"), 3, "key"},
    {"ScriptWeakened", Honest::Saxpy,
     text("analysis/K1/execution-time-upper-stall.smt2", "(assert (>= x0 0))\n", ""), 1,
     "execution-time-upper-stall"},
    {"ScriptContradictory", Honest::Saxpy,
     text("analysis/K1/execution-time-upper-stall.smt2", "(set-logic QF_LIA)\n",
          "(set-logic QF_LIA)\n(assert false)\n"),
     1, "execution-time-upper-stall"},
    {"ScriptSaysSat", Honest::Saxpy,
     text("analysis/K1/execution-time-upper-stall.smt2", "(set-info :status unsat)",
          "(set-info :status sat)"),
     1, "execution-time-upper-stall"},
    {"ScriptPrintsUnsat", Honest::Saxpy,
     put("analysis/K1/execution-time-upper-stall.smt2", "(echo \"unsat\")\n(exit)\n"), 1,
     "execution-time-upper-stall"},
    {"ScriptEmpty", Honest::Saxpy, put("analysis/K1/execution-time-upper-stall.smt2", ""), 1,
     "execution-time-upper-stall"},
    {"ScriptMissing", Honest::Saxpy, drop("analysis/K1/execution-time-upper-stall.smt2"), 1,
     "execution-time-upper-stall.smt2"},
    {"ScriptReadsAFile", Honest::Saxpy,
     put("analysis/K1/execution-time-upper-stall.smt2", "(include \"/etc/passwd\")\n(check-sat)\n"),
     1, "execution-time-upper-stall"},
    {"SuccessorRemoved", Honest::Saxpy, cut("analysis/K1/blocks.json", "/blocks/1/successors/0"), 1,
     "K1"},
    {"SuccessorOfNoBlock", Honest::Saxpy,
     set("analysis/K1/blocks.json", "/blocks/1/successors/0", 99), 3, "successor"},
    {"ExitMovedAway", Honest::Saxpy, set("analysis/K1/blocks.json", "/blocks/0/exits", false), 1,
     "K1"},
    {"BlockShorter", Honest::Saxpy, set("analysis/K1/blocks.json", "/blocks/3/last", 256), 1, "K1"},
    {"BlocksRemoved", Honest::Saxpy, set("analysis/K1/blocks.json", "/blocks", Json::array()), 3,
     "node of a block"},
    {"LoopBoundInUseLowered", Honest::Saxpy,
     text("analysis/K1/facts-in-use.xml", "max=\"128\"", "max=\"4\""), 1, "K1"},
    {"LoopBoundInUseOfNothing", Honest::Saxpy,
     text("analysis/K1/facts-in-use.xml", "max=\"128\"", "max=\"-4\""), 3, "facts-in-use.xml"},
    {"LoopBoundInUseWiderThanStated", Honest::Saxpy,
     text("analysis/K1/facts-in-use.xml", "max=\"128\"", "max=\"129\""), 1, "facts-in-use.xml"},
    {"DivergenceForgotten", Honest::Saxpy,
     text("analysis/K1/facts-in-use.xml", "<divergent at=\"0x0050\"", "<uniform at=\"0x0130\""), 3,
     "facts-in-use.xml"},
    {"DivergenceCalledUniform", Honest::Saxpy,
     text("analysis/K1/facts-in-use.xml", "<divergent at=\"0x0050\"", "<uniform at=\"0x0050\""), 1,
     "facts-in-use.xml"},
    {"TransactionsInUseLowered", Honest::Saxpy,
     text("analysis/K1/facts-in-use.xml", "transactions=\"1\"", "transactions=\"0\""), 3,
     "facts-in-use.xml"},
    {"CodeThatNeverRunsInUse", Honest::Saxpy,
     text("analysis/K1/facts-in-use.xml", "</flow-facts>",
          "<never block=\"0x0100\"/></flow-facts>"),
     1, "facts-in-use.xml"},
    {"FactsInUseOfAnotherKernel", Honest::Saxpy,
     text("analysis/K1/facts-in-use.xml", "kernel=\"saxpy_loop\"", "kernel=\"other\""), 1,
     "facts-in-use.xml"},
    {"FactsInUseMissing", Honest::Saxpy, drop("analysis/K1/facts-in-use.xml"), 3,
     "facts-in-use.xml"},
    {"InstructionsInBlocks", Honest::Saxpy, set("analysis/K1/blocks.json", "/instructions", 2), 1,
     "blocks.json"},
    {"ResultLowered", Honest::Saxpy,
     set("analysis/K1/result.json", "/execution-time/upper/proved", 100), 1, "result.json"},
    {"ResultMissing", Honest::Saxpy, drop("analysis/K1/result.json"), 1, "result.json"},
    {"ReplayOfTheWitness", Honest::Saxpy,
     set("checks/K1.json", "/witness-replay/execution-time", 100), 1, "checks/K1.json"},
    {"FactsMarkedChecked", Honest::Saxpy, set("checks/K1.json", "/facts/0/status", "proved"), 1,
     "checks/K1.json"},
    {"ChecksMissing", Honest::Saxpy, drop("checks/K1.json"), 1, "checks/K1.json"},
    {"PolicyBoundLowered", Honest::Saxpy, set("policies/K1.json", "/policies/4/upper", 100), 1,
     "policies/K1.json"},
    {"PolicyCalledOwn", Honest::Saxpy, set("policies/K1.json", "/policies/4/own", true), 1,
     "policies/K1.json"},
    {"PolicyGuarantee", Honest::Saxpy, set("policies/K1.json", "/policies/7/guarantee", "slotted"),
     1, "policies/K1.json"},
    {"SerializedNodeCalledConverged", Honest::Divergent,
     set("analysis/K1/blocks.json", "/serialized-cfg/1/converged", true), 1, "K1"},
    {"SerializedSuccessorRemoved", Honest::Divergent,
     cut("analysis/K1/blocks.json", "/serialized-cfg/2/successors/1"), 1, "K1"},
    {"SerializedGroupsFewer", Honest::Divergent,
     set("analysis/K1/blocks.json", "/serialized-cfg/3/repeated", 1), 1, "K1"},
    {"SerializedGroupsNegative", Honest::Divergent,
     set("analysis/K1/blocks.json", "/serialized-cfg/3/repeated", -8), 1, "K1"},
    {"SerializedCfgRemoved", Honest::Divergent, cut("analysis/K1/blocks.json", "/serialized-cfg"),
     3, "node of a block"},
    {"SerializedNodeOfNoBlock", Honest::Divergent,
     set("analysis/K1/blocks.json", "/serialized-cfg/1/of", 99), 3, "block"},
};

WARPBOUND_ATTACKS(TamperedAnalysis, of_the_analysis);

} // namespace
} // namespace warpbound
