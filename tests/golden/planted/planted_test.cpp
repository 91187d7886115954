/// \file
/// Errors that an analysis could make are planted in a bundle that `certify` wrote, everything else
/// is brought in line with them, and `verify` names the check that finds each.

#include "cli/evidence/evidence_folder.hpp"
#include "tests/support/evidence.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>

namespace warpbound {
namespace {

using certification::EvidenceFiles;
using certification::Json;
using testing::HasSubstr;
using tests::edit;

const std::string source{WARPBOUND_SOURCE_DIR};
const std::string sums = "analysis/K1/execution-time-upper-";

struct Finished {
    int code = 0;
    std::string output;
};

Finished run(const std::string& arguments) {
    Finished finished;
    std::FILE* output = popen((WARPBOUND_PROGRAM " " + arguments + " 2>&1").c_str(), "r");
    if (output == nullptr) throw std::runtime_error{"the program could not be started"};
    for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output))
        finished.output += static_cast<char>(c);
    finished.code = WEXITSTATUS(pclose(output));
    return finished;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
}

/// With the roles that its manifest gives its files.
EvidenceFiles read_bundle(const std::string& folder) {
    const auto bytes = cli::read_evidence(folder).value();
    EvidenceFiles files;
    const Json manifest = Json::parse(bytes.at("manifest.json"));
    for (const auto& entry : manifest.at("files")) {
        const auto path = entry.at("path").get<std::string>();
        files[path] = {entry.at("role"), entry.at("step"), bytes.at(path)};
    }
    return files;
}

/// As `certify` writes it. `listing`: without ".sass", as the name of its flow facts begins.
EvidenceFiles certified(const std::string& listing, const std::string& launch,
                        const std::string& architecture, const std::string& policy = "unknown") {
    const tests::TemporaryFolder folder;
    const std::string bundle = (folder.path() / "bundle").string();
    const std::string file = source + "/" + listing;
    const Finished certify =
        run("certify " + file + ".sass --flow-facts " + file + ".flow-facts.xml --launch " +
            launch + " --architecture " + architecture + " --policy " + policy + " -o " + bundle);
    EXPECT_EQ(certify.code, 0) << certify.output;
    return read_bundle(bundle);
}

/// A launch of several warps with stores.
EvidenceFiles certified(const std::string& architecture) {
    return certified("examples/saxpy/sm_75", "2x128", architecture);
}

Finished verified(EvidenceFiles files) {
    tests::seal_again(files);
    const tests::TemporaryFolder folder;
    const std::string bundle = (folder.path() / "bundle").string();
    const auto written = cli::write_evidence(bundle, files);
    EXPECT_TRUE(written) << to_string(written.error());
    return run("verify " + bundle);
}

/// What a step of `verify` says.
std::string line_of(const std::string& output, const std::string& step) {
    const std::size_t at = output.find("\n" + step + " ");
    if (at == std::string::npos) return "no line of " + step;
    return output.substr(at + 1, output.find('\n', at + 1) - at - 1);
}

/// Changes the terms of the upper bound, and what it claims with them.
void change_terms(EvidenceFiles& files, const std::function<void(Json& terms)>& change) {
    edit(files, "claims.json", [&](Json& json) {
        Json& claim = json["claims"][0];
        change(claim["proof"]["terms"]);
        claim["value"] = tests::sum_of_terms(claim["proof"]["terms"]);
        Json kept = Json::array();
        for (const auto& evidence : claim["evidence"])
            if (files.count(evidence["path"]) != 0) kept.push_back(evidence);
        claim["evidence"] = kept;
    });
}

std::size_t term_of(const Json& terms, const std::string& certificate) {
    for (std::size_t i = 0; i < terms.size(); ++i)
        if (terms[i].value("certificate", "") == "execution-time-upper-" + certificate) return i;
    throw std::runtime_error{"no term of " + certificate};
}

void expect_found(const EvidenceFiles& files, const char* step, const char* why) {
    const Finished verify = verified(files);
    EXPECT_EQ(line_of(verify.output, "digests").find("digests       passed"), 0U) << verify.output;
    const std::string line = line_of(verify.output, step);
    EXPECT_THAT(line, HasSubstr(why)) << verify.output;
    const bool failed = line.find(" failed ") != std::string::npos;
    EXPECT_TRUE(failed || line.find(" incomplete ") != std::string::npos) << line;
    EXPECT_NE(verify.code, 0);
}

class Planted : public testing::Test {
protected:
    Planted() {
        static const EvidenceFiles once = certified("turing-t4");
        files = once;
    }
    EvidenceFiles files;
};

TEST_F(Planted, NothingHolds) {
    const Finished verify = verified(files);
    EXPECT_EQ(verify.code, 0) << verify.output;
}

TEST_F(Planted, LatencyLoweredByOneCycleIsFoundByReAnalysis) {
    const std::string model = "model/turing-t4.xml";
    std::string lowered = files.at(model).bytes;
    replace(lowered, "typical=\"496\" hi=\"1200\"", "typical=\"496\" hi=\"1199\"");
    const tests::TemporaryFolder folder;
    const std::string description = (folder.path() / "turing-t4.xml").string();
    std::ofstream{description} << lowered;
    EvidenceFiles other = certified(description);
    other.at(model).bytes = files.at(model).bytes;
    expect_found(other, "re-analysis", "other bytes than made now");
}

TEST_F(Planted, DeletedCutIsFoundByTheSolverStep) {
    std::string& script = files.at(sums + "demand-own-scheduler.smt2").bytes;
    const std::size_t at = script.find(":named cut_");
    ASSERT_NE(at, std::string::npos);
    const std::size_t begin = script.rfind('\n', at) + 1;
    script.erase(begin, script.find('\n', at) + 1 - begin);
    expect_found(files, "solver", "not the script of its certificate");
}

TEST_F(Planted, WrongLoopBoundIsFoundByTheStructure) {
    for (const char* const facts : {"inputs/K1/flow-facts.xml", "analysis/K1/facts-in-use.xml"})
        replace(files.at(facts).bytes, "max=\"128\"", "max=\"127\"");
    expect_found(files, "structure", "the best path under loop bounds costs");
}

TEST_F(Planted, DroppedWarpIsFoundByTheStructure) {
    change_terms(files, [](Json& terms) {
        Json& count = terms[term_of(terms, "demand-own-scheduler")]["count"];
        count = count.get<std::int64_t>() - 1;
    });
    expect_found(files, "structure",
                 "its sum lacks 1 x 932 cycles (execution-time-upper-demand-own-scheduler)");
}

TEST_F(Planted, ForgottenDrainsAreFoundByTheStructure) {
    files.erase(sums + "drain.json");
    files.erase(sums + "drain.smt2");
    change_terms(files, [](Json& terms) { terms.erase(term_of(terms, "drain")); });
    expect_found(files, "structure", "path certificate execution-time-upper-drain is missing");
}

TEST_F(Planted, DrainOfAStoreLeftOutOfItsBlockIsFoundByTheStructure) {
    edit(files, sums + "drain.json", [](Json& json) {
        for (auto& node : json["nodes"])
            if (!node[1].is_null()) node[1] = 0;
        json["bound"] = 0;
        json["witness"]["cost"] = 0;
    });
    change_terms(files, [](Json& terms) { terms[term_of(terms, "drain")]["cycles"] = 0; });
    expect_found(files, "structure",
                 "execution-time-upper-drain: a cost is not the sum over its "
                 "block");
}

TEST_F(Planted, DrainsOfOneWarpLeftOutAreFoundByTheStructure) {
    change_terms(files, [](Json& terms) {
        Json& count = terms[term_of(terms, "drain")]["count"];
        count = count.get<std::int64_t>() - 1;
    });
    expect_found(files, "structure", "its sum lacks 4 x 64 cycles (execution-time-upper-drain)");
}

// The atomics of all multiprocessors count, once for the launch.
TEST(PlantedInAtomics, ServicesThatAreLeftOutAreFoundByTheStructure) {
    const tests::TemporaryFolder folder;
    const std::string bundle = (folder.path() / "bundle").string();
    const Finished certify = run("certify " + source +
                                 "/tests/data/silicon/atomic_hotspot.sm_75.sass --launch 4x64 "
                                 "--arg 0x168=5 --multiprocessors 2 --architecture turing-t4 -o " +
                                 bundle);
    ASSERT_EQ(certify.code, 0) << certify.output;
    const EvidenceFiles files = read_bundle(bundle);
    EXPECT_EQ(verified(files).code, 0);
    EvidenceFiles fewer = files;
    change_terms(fewer, [](Json& terms) {
        Json& count = terms[term_of(terms, "atomics")]["count"];
        count = count.get<std::int64_t>() / 2;
    });
    expect_found(fewer, "structure", "its sum lacks 8 x 10 cycles (execution-time-upper-atomics)");
    EvidenceFiles without = files;
    change_terms(without, [](Json& terms) { terms.erase(term_of(terms, "atomics")); });
    expect_found(without, "structure", "cycles (execution-time-upper-atomics)");
}

/// More accesses than are listed by their addresses, on one of two paths: the sum takes path
/// certificates (S26), as the lines are of one path, the latest arrival of the other.
EvidenceFiles certified_in_caches(const std::string& architecture) {
    return certified("tests/golden/caches/either", "4x128", architecture,
                     "unknown "
                     "--assume memories/l1/mshr-entries=6 "
                     "--assume memories/interconnect/queue=2 "
                     "--assume classes/load-global/pass-cost=180");
}

/// The first access of this stride then has twice the lines.
void change_addresses(EvidenceFiles& files, const std::string& stride, const std::string& twice) {
    for (const char* const facts : {"inputs/K1/flow-facts.xml", "analysis/K1/facts-in-use.xml"})
        replace(files.at(facts).bytes, "thread-stride=\"" + stride + "\"",
                "thread-stride=\"" + twice + "\"");
}

class PlantedInCaches : public testing::Test {
protected:
    PlantedInCaches() {
        static const EvidenceFiles once =
            certified_in_caches(source + "/tests/golden/caches/machine.xml");
        files = once;
    }
    EvidenceFiles files;
};

TEST_F(PlantedInCaches, NothingHolds) {
    const Finished verify = verified(files);
    EXPECT_EQ(verify.code, 0) << verify.output;
}

TEST_F(PlantedInCaches, ServiceLoweredByOneCycleIsFoundByTheStructure) {
    const std::string model = "model/test-caches.xml";
    std::string lowered = files.at(model).bytes;
    replace(lowered, "name=\"row-miss\" unit=\"cycles\" value=\"40\"",
            "name=\"row-miss\" unit=\"cycles\" value=\"39\"");
    const tests::TemporaryFolder folder;
    const std::string description = (folder.path() / "machine.xml").string();
    std::ofstream{description} << lowered;
    EvidenceFiles other = certified_in_caches(description);
    other.at(model).bytes = files.at(model).bytes;
    expect_found(other, "structure",
                 "execution-time-upper-loads: a cost is not the sum over its block");
}

TEST_F(PlantedInCaches, WaitsThatAreLeftOutAreFoundByTheStructure) {
    for (const char* kind : {"loads", "stores", "mshr", "link-queue"}) {
        EvidenceFiles without = files;
        change_terms(without, [&](Json& terms) { terms.erase(term_of(terms, kind)); });
        expect_found(without, "structure",
                     (std::string{"cycles (execution-time-upper-"} + kind + ")").c_str());
    }
}

TEST_F(PlantedInCaches, RefreshLeftOutIsFoundByTheStructure) {
    change_terms(files, [](Json& terms) {
        Json& count = terms.back()["count"];
        count = count.get<std::int64_t>() - 1;
    });
    expect_found(files, "structure", "x 100 cycles (machine)");
}

TEST_F(PlantedInCaches, WaitsForOneWarpLeftOutAreFoundByTheStructure) {
    change_terms(files, [](Json& terms) {
        Json& count = terms[term_of(terms, "loads")]["count"];
        count = count.get<std::int64_t>() - 1;
    });
    expect_found(files, "structure",
                 "its sum lacks 16 x 2821200 cycles (execution-time-upper-loads)");
}

TEST_F(PlantedInCaches, FewerLinesThanThePatternHasAreFoundByTheStructure) {
    change_addresses(files, "16", "32");
    expect_found(files, "structure", ": a cost is not the sum over its block");
}

/// By addresses (S59), whatever the policy guarantees.
class PlantedInAddresses : public testing::TestWithParam<const char*> {
protected:
    EvidenceFiles files = certified("tests/golden/caches/rows", "4x128",
                                    source + "/tests/golden/caches/machine.xml", GetParam());
};

INSTANTIATE_TEST_SUITE_P(Policies, PlantedInAddresses,
                         testing::Values("unknown", "two-level:active=1", "srr"),
                         [](const auto& info) {
                             const std::string policy{info.param};
                             return policy.substr(0, policy.find_first_of("-:"));
                         });

TEST_P(PlantedInAddresses, NothingHolds) {
    EXPECT_NE(files.at("claims.json").bytes.find("\"queueing\""), std::string::npos);
    const Finished verify = verified(files);
    EXPECT_EQ(verify.code, 0) << verify.output;
}

TEST_P(PlantedInAddresses, EachTermIsNeeded) {
    std::size_t terms_of_claim = 0;
    change_terms(files, [&](Json& terms) { terms_of_claim = terms.size(); });
    for (std::size_t i = 0; i < terms_of_claim; ++i) {
        EvidenceFiles fewer = files;
        change_terms(fewer, [&](Json& terms) {
            Json& count = terms[i]["count"];
            count = count.get<std::int64_t>() - 1;
        });
        expect_found(fewer, "structure", "its sum lacks");
    }
}

TEST_P(PlantedInAddresses, FewerLinesThanThePatternHasAreFoundByTheStructure) {
    change_addresses(files, "4", "8");
    EXPECT_NE(verified(files).code, 0);
}

} // namespace
} // namespace warpbound
