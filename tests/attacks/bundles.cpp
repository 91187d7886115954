#include "tests/attacks/bundles.hpp"

#include "assembly/support/digest.hpp"
#include "assembly/support/source_text.hpp"
#include "certification/bundle/build.hpp"
#include "certification/bundle/manifest.hpp"
#include "certification/bundle/signature.hpp"
#include "certification/pipeline/evidence/pipeline_evidence.hpp"
#include "cli/evidence/evidence_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

namespace warpbound::tests {

namespace {

namespace fs = std::filesystem;

const std::string tree{WARPBOUND_SOURCE_DIR};

/// A key of the author's own: RFC 8410, section 10.3.
constexpr const char* own_key = "-----BEGIN PRIVATE KEY-----\n"
                                "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
                                "-----END PRIVATE KEY-----\n";

constexpr const char* counted_loop = "!Arch sm_70\n"
                                     "IADD3 R1, RZ, RZ, RZ ?trans4 ;\n"
                                     "L: FADD R2, R2, R2 ?trans4 ;\n"
                                     "IADD3 R1, R1, 0x1, RZ ?trans4 ;\n"
                                     "ISETP.LT.AND P0, PT, R1, 0x14, PT ?trans5 ;\n"
                                     "@P0 BRA L ?trans5 ;\n"
                                     "EXIT ?trans5 ;\n";

constexpr const char* decided_by_block = "!Arch sm_70\n"
                                         "S2R R0, SR_TID.X &wr=0x0 ?trans2 ;\n"
                                         "S2R R1, SR_CTAID.X &wr=0x1 ?trans2 ;\n"
                                         "ISETP.EQ.AND P0, PT, R1, 0x0, PT &req={0,1} ?trans5 ;\n"
                                         "@P0 BRA A ?trans5 ;\n"
                                         "FADD R3, R3, R3 ?trans4 ;\n"
                                         "A: SHF.L.U32 R2, R0, 0x2, RZ ?trans4 ;\n"
                                         "LDS R4, [R2] &wr=0x0 ?trans2 ;\n"
                                         "EXIT &req={0} ?trans5 ;\n";

constexpr const char* correlated_branches =
    "!Arch sm_70\n"
    "ISETP.LT.AND P0, PT, RZ, c[0x0][0x160], PT ?trans5 ;\n"
    "@P0 BRA A ?trans5 ;\n"
    "FADD R3, R3, R3 ?trans4 ;\n"
    "A: ISETP.LT.AND P1, PT, RZ, c[0x0][0x160], PT ?trans5 ;\n"
    "@!P1 BRA B ?trans5 ;\n"
    "FADD R4, R4, R4 ?trans4 ;\n"
    "B: EXIT ?trans5 ;\n";

void run_or_throw(const std::vector<std::string>& arguments) {
    const Outcome made = run_warpbound(arguments, {}, {}, {std::chrono::seconds{60}});
    if (made.exit_code != 0)
        throw std::runtime_error{fmt::format("{}: exit code {}: {}{}", arguments.front(),
                                             made.exit_code, made.out, made.err)};
}

EvidenceFiles read_bundle(const std::string& folder) {
    EvidenceFiles files;
    const auto bytes = cli::read_evidence(folder).value();
    const Json manifest = Json::parse(bytes.at("manifest.json"));
    for (const auto& entry : manifest.at("files")) {
        const auto path = entry.at("path").get<std::string>();
        files[path] = {entry.at("role"), entry.at("step"), bytes.at(path)};
    }
    files["manifest.json"] = {"manifest", "manifest", bytes.at("manifest.json")};
    return files;
}

constexpr const char* one_path = "FADD R1, R0, R0 ;\nFADD R2, R0, R0 ;\nEXIT ;\n";
constexpr const char* two_paths = "ISETP.EQ.AND P0, PT, R9, c [0x0] [0x20], PT ;\n"
                                  "@P0 BRA B ;\n"
                                  "S2R R0, SR_TID.X ;\n"
                                  "SHL R0, R0, 0x2 ;\n"
                                  "LDS R1, [R0] ;\n"
                                  "FADD R2, R0, R0 ;\n"
                                  "B: EXIT ;\n";

/// Threads whose index plus eight iterations is below a limit load.
constexpr const char* counted_limit = "!Arch sm_75\n!Kernel k\n"
                                      "S2R R2, SR_CTAID.X ?trans6;\n"
                                      "S2R R3, SR_TID.X ?trans6;\n"
                                      "IMAD R4, R2, 0x100, R3 ?trans6;\n"
                                      "MOV R20, RZ ?trans6;\n"
                                      "L: IADD3 R20, R20, 0x1, RZ ?trans6;\n"
                                      "ISETP.GE.AND P2, PT, R20, 0x8, PT ?trans6;\n"
                                      "@!P2 BRA L ?trans6;\n"
                                      "IADD3 R21, R4, R20, RZ ?trans6;\n"
                                      "ISETP.GE.AND P0, PT, R21, c[0x0][0x180], PT ?trans6;\n"
                                      "@P0 EXIT ?trans6;\n"
                                      "MOV R6, 0x4 ?trans6;\n"
                                      "IMAD.WIDE R8, R4, R6, c[0x0][0x168] ?trans6;\n"
                                      "LDG.E.SYS R10, [R8] ?trans6;\n"
                                      "EXIT ?trans6;\n"
                                      "!EndKernel\n";

EvidenceFiles certified(Honest which) {
    const Folder folder;
    const std::string saxpy = tree + "/examples/saxpy/sm_75";
    const std::vector<std::string> launched{
        saxpy + ".sass", "--flow-facts", saxpy + ".flow-facts.xml", "--architecture", "turing-t4",
        "--launch",      "2x128"};
    std::vector<std::string> certify{"certify"};
    const auto append = [](std::vector<std::string>& list, const std::vector<std::string>& more) {
        list.insert(list.end(), more.begin(), more.end());
    };
    switch (which) {
    case Honest::Several:
        append(certify, {"--plan", tree + "/tests/golden/evidence/plan.xml", "--runs", "8"});
        break;
    case Honest::Divergent: {
        const std::string leaving = tree + "/tests/golden/evidence-divergent-branches/leaving";
        append(certify, {leaving + ".sass", "--flow-facts", leaving + ".flow-facts.xml",
                         "--architecture", "turing-t4", "--launch", "2x64", "--runs", "8"});
        break;
    }
    case Honest::Commented:
        append(certify,
               {tree + "/examples/rows/sm_75.nvdisasm-gi.sass", "--source", tree + "/examples/rows",
                "--architecture", "turing-t4", "--launch", "4x32", "--runs", "8"});
        break;
    case Honest::Wavefront:
        append(certify, {tree + "/tests/data/amd/gfx90a.hsaco.xz", "--kernel", "divergent_nest",
                         "--architecture", "cdna2-mi210", "--launch", "8x256", "--runs", "8"});
        break;
    case Honest::Cached:
    case Honest::InSlots:
    case Honest::InTurns:
    case Honest::InActiveSet:
    case Honest::Unlisted: {
        const std::string seven = tree + "/docs/theory/examples/7-";
        append(certify, {seven + "loads.sass", "--flow-facts", seven + "loads.flow-facts.xml",
                         "--architecture", seven + "caches.xml", "--multiprocessors", "1"});
        if (which == Honest::Unlisted) {
            append(certify, {"--launch", "20000x64"});
            break;
        }
        append(certify, {"--launch", "4x64", "--runs", "8"});
        if (which == Honest::InSlots) append(certify, {"--policy", "variable-rate:fast=0,every=2"});
        if (which == Honest::InTurns) append(certify, {"--policy", "srr"});
        if (which == Honest::InActiveSet) append(certify, {"--policy", "two-level:active=1"});
        break;
    }
    case Honest::DivergentTurns: {
        const std::string examples = tree + "/docs/theory/examples/";
        append(certify, {examples + "break.sass", "--architecture", examples + "small-encoded.xml",
                         "--launch", "1x96", "--assume", "schedulers/count=1", "--policy", "srr"});
        break;
    }
    case Honest::Turns:
    case Honest::Schedule:
        append(certify, {folder.write("turns.sass", which == Honest::Turns ? two_paths : one_path),
                         "--architecture", tree + "/docs/theory/examples/small.xml", "--launch",
                         "1x96", "--assume", "schedulers/count=1", "--policy", "srr"});
        break;
    case Honest::Slots:
    case Honest::Starts:
    case Honest::Orders: {
        const std::string examples = tree + "/docs/theory/examples/";
        append(certify, {examples + "5-two-warps.sass", "--architecture", examples + "small.xml",
                         "--policy", "variable-rate:fast=0,every=2"});
        // With an interval the schedule is open.
        if (which == Honest::Slots)
            append(certify,
                   {"--launch", "1x192", "--assume", "classes/load-shared/latency=28..30"});
        if (which == Honest::Starts)
            append(certify, {"--launch", "1x96", "--assume", "schedulers/count=1"});
        if (which == Honest::Orders) append(certify, {"--launch", "1x192"});
        break;
    }
    case Honest::OnePathInSlots:
    case Honest::OnePathInTurns: {
        const std::string examples = tree + "/docs/theory/examples/";
        append(certify, {examples + "list.sass", "--flow-facts", examples + "list.flow-facts.xml",
                         "--architecture", examples + "small.xml", "--launch", "1x96", "--assume",
                         "schedulers/count=1", "--policy",
                         which == Honest::OnePathInSlots ? "variable-rate:fast=0,every=2" : "srr"});
        break;
    }
    case Honest::SlotsOfQueue: {
        const std::string ten = tree + "/docs/theory/examples/10-";
        append(certify,
               {ten + "barrier.sass", "--architecture", ten + "queue.xml", "--launch", "1x128",
                "--multiprocessors", "1", "--policy", "variable-rate:fast=0,every=2"});
        break;
    }
    case Honest::SlotsOfStores:
    case Honest::SlotsOfReads:
    case Honest::SlotsAtBarrier: {
        const std::string examples = tree + "/docs/theory/examples/";
        const bool reads = which == Honest::SlotsOfReads;
        append(certify, {examples + (reads                            ? "10-reads.sass"
                                     : which == Honest::SlotsOfStores ? "stores.sass"
                                                                      : "5-barrier.sass"),
                         "--architecture", examples + (reads ? "10-read-ports.xml" : "small.xml"),
                         "--launch", "1x96", "--assume", "schedulers/count=1", "--policy",
                         "variable-rate:fast=0,every=2"});
        break;
    }
    case Honest::Counted:
        append(certify, {folder.write("counted.sass", counted_loop), "--architecture",
                         tree + "/docs/theory/examples/small-encoded.xml", "--launch", "1x32"});
        break;
    case Honest::Alike:
        append(certify, {folder.write("alike.sass", decided_by_block), "--architecture",
                         tree + "/docs/theory/examples/small-encoded.xml", "--launch", "2x32"});
        break;
    case Honest::Correlated:
        append(certify, {folder.write("correlated.sass", correlated_branches), "--architecture",
                         tree + "/docs/theory/examples/small-encoded.xml", "--launch", "2x32"});
        break;
    case Honest::Waves: {
        const std::string examples = tree + "/docs/theory/examples/";
        append(certify, {examples + "5-two-warps.sass", "--architecture", examples + "small.xml",
                         "--launch", "17x64", "--assume", "limits/max-blocks=4",
                         "--multiprocessors", "1", "--runs", "8"});
        break;
    }
    case Honest::ByWarp:
        append(certify, {tree + "/tests/data/silicon/kernels/reduce_sum.sm_75.sass",
                         "--architecture", "turing-rtx2080ti", "--launch",
                         "16x256,grid=16,block=256,shared-memory=1024,0x170=8192", "--assume",
                         "fetch=none", "--assume", "register-file=none", "--multiprocessors", "1"});
        break;
    case Honest::Loaded:
        append(certify,
               {tree + "/tests/data/silicon/kernels/saxpy.sm_75.sass", "--architecture",
                "turing-rtx2080ti", "--launch",
                "4096x256,grid=4096,0x160=0x40000000,0x168=disjoint:256,0x170=disjoint:256,"
                "0x178=disjoint:256,0x180=1048575",
                "--assume", "fetch=none", "--assume", "register-file=none", "--assume",
                "memories/l2/sets=8", "--assume", "memories/l2/size=720896", "--multiprocessors",
                "68"});
        break;
    case Honest::LoadedBehindLoop:
        append(certify,
               {folder.write("counted.sass", counted_limit), "--architecture", "turing-rtx2080ti",
                "--launch", "4096x256,grid=4096,0x168=disjoint:256,0x180=1048583", "--assume",
                "fetch=none", "--assume", "register-file=none", "--assume", "memories/l2/sets=8",
                "--assume", "memories/l2/size=720896", "--multiprocessors", "68"});
        break;
    case Honest::Pipeline:
        run_or_throw({"pipeline", tree + "/examples/pipeline/control.xml", "--evidence",
                      folder.path("bundle")});
        return read_bundle(folder.path("bundle"));
    case Honest::Campaign: {
        std::vector<std::string> simulate{"simulate"};
        append(simulate, launched);
        append(simulate, {"--runs", "40", "--campaign", folder.path("runs.campaign")});
        run_or_throw(simulate);
        append(certify, launched);
        append(certify, {"--campaign", folder.path("runs.campaign")});
        break;
    }
    default:
        append(certify, launched);
        append(certify, {"--runs", "40", "--check", "3", "--requirements",
                         folder.write("requirements.xml",
                                      "<requirements><requirement id=\"R1\" kernel=\"saxpy_loop\" "
                                      "at-most=\"14000\"/></requirements>\n")});
    }
    append(certify, {"-o", folder.path("bundle")});
    run_or_throw(certify);
    return read_bundle(folder.path("bundle"));
}

std::map<std::string, std::string> bytes_of(const EvidenceFiles& files) {
    std::map<std::string, std::string> bytes;
    for (const auto& [path, file] : files)
        bytes.emplace(path, file.bytes);
    return bytes;
}

void close_bundle(EvidenceFiles& files, Close how) {
    if (how == Close::Not) return;
    if (how == Close::Remake) return remake(files);
    seal(files);
    if (how != Close::Sign) return;
    auto signature = certification::sign_manifest(files.at("manifest.json").bytes, own_key);
    files["signature.json"] = {"signature", "signature", std::move(signature).value()};
}

/// Writes without any of the checks that `certify` makes.
void write_bundle(const Folder& folder, const EvidenceFiles& files) {
    fs::create_directories(folder.path("bundle"));
    for (const auto& [path, file] : files)
        folder.write("bundle/" + path, file.bytes);
}

} // namespace

const EvidenceFiles& honest(Honest which) {
    static std::map<Honest, EvidenceFiles> made;
    const auto known = made.find(which);
    return known != made.end() ? known->second
                               : made.emplace(which, certified(which)).first->second;
}

void remake(EvidenceFiles& files) {
    if (certification::is_pipeline_bundle(bytes_of(files))) {
        const auto inputs = certification::pipeline_inputs_of(bytes_of(files));
        if (!inputs) throw std::runtime_error{to_string(inputs.error())};
        auto bundle = certification::build_pipeline_bundle(inputs.value());
        if (!bundle) throw std::runtime_error{to_string(bundle.error())};
        files = std::move(bundle.value().files);
        return;
    }
    const auto inputs = certification::inputs_of(bytes_of(files));
    if (!inputs) throw std::runtime_error{to_string(inputs.error())};
    auto bundle = certification::build_bundle(inputs.value());
    if (!bundle) throw std::runtime_error{to_string(bundle.error())};
    files = std::move(bundle.value().files);
}

std::string name_of(const Tampering& tampering) {
    return tampering.name;
}

void seal(EvidenceFiles& files) {
    Json claims = Json::parse(files["claims.json"].bytes, nullptr, false);
    if (claims.is_object() && claims.contains("claims") && claims["claims"].is_array()) {
        bool changed = false;
        for (auto& claim : claims["claims"]) {
            if (!claim.is_object() || !claim.contains("evidence")) continue;
            for (auto& evidence : claim["evidence"]) {
                const auto file = files.find(evidence.value("path", std::string{}));
                if (file == files.end()) continue;
                const std::string digest = assembly::digest_of(file->second.bytes);
                changed = changed || evidence.at("sha256") != digest;
                evidence["sha256"] = digest;
            }
        }
        // Otherwise the text stays as the author wrote it.
        if (changed) files["claims.json"].bytes = claims.dump();
    }
    if (files["claims.json"].bytes.empty()) files.erase("claims.json");
    const char* const format = certification::is_pipeline_bundle(bytes_of(files))
                                   ? certification::pipeline_evidence_format
                                   : certification::kernel_evidence_format;
    files.erase("manifest.json");
    std::string version = "0.1.0";
    if (files.count("inputs/run.json") != 0) {
        const Json run = Json::parse(files.at("inputs/run.json").bytes, nullptr, false);
        if (run.is_object() && run.contains("tool") && run["tool"].is_object())
            version = run["tool"].value("version", version);
    }
    files["manifest.json"] = {"manifest", "manifest",
                              certification::manifest_of(files, version, format).text};
}

Outcome verify_files(const EvidenceFiles& files, const std::vector<std::string>& options,
                     const std::function<void(const std::string&)>& on_disk, const Limits& limits) {
    const Folder folder;
    write_bundle(folder, files);
    if (on_disk) on_disk(folder.path("bundle"));
    std::vector<std::string> arguments{"verify", folder.path("bundle")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_warpbound(arguments, {}, {}, limits);
}

void expect_refused(const Tampering& tampering) {
    EvidenceFiles files = honest(tampering.base);
    tampering.edit(files);
    ASSERT_TRUE(tampering.on_disk || tampering.close == Close::Sign ||
                bytes_of(files) != bytes_of(honest(tampering.base)))
        << "the edit changes nothing";
    close_bundle(files, tampering.close);
    const Outcome verify = verify_files(files, tampering.options, tampering.on_disk);
    EXPECT_EQ(misbehaviour_of(verify), "");
    const std::string said = verify.out + verify.err;
    EXPECT_EQ(verify.exit_code, tampering.exit_code) << said;
    EXPECT_NE(verify.exit_code, 0) << said;
    EXPECT_EQ(said.find("\nverdict       holds"), std::string::npos) << said;
    EXPECT_THAT(said, testing::HasSubstr(tampering.message));
}

std::function<void(EvidenceFiles&)> json(const std::string& path,
                                         std::function<void(Json&)> change) {
    return [path, change = std::move(change)](EvidenceFiles& files) {
        Json value = Json::parse(files.at(path).bytes);
        change(value);
        files.at(path).bytes = value.dump();
    };
}

std::function<void(EvidenceFiles&)> set(const std::string& path, const std::string& pointer,
                                        Json value) {
    return json(path, [pointer, value = std::move(value)](Json& file) {
        file[Json::json_pointer{pointer}] = value;
    });
}

std::function<void(EvidenceFiles&)> cut(const std::string& path, const std::string& pointer) {
    return json(path, [pointer](Json& file) {
        const Json::json_pointer at{pointer};
        Json& parent = file.at(at.parent_pointer());
        if (parent.is_array())
            parent.erase(static_cast<std::size_t>(std::stoul(at.back())));
        else
            parent.erase(at.back());
    });
}

std::function<void(EvidenceFiles&)> text(const std::string& path, const std::string& from,
                                         const std::string& to) {
    return [=](EvidenceFiles& files) {
        std::string& bytes = files.at(path).bytes;
        const std::size_t at = bytes.find(from);
        if (at == std::string::npos) throw std::runtime_error{path + " lacks " + from};
        bytes.replace(at, from.size(), to);
    };
}

std::function<void(EvidenceFiles&)> put(const std::string& path, const std::string& bytes) {
    return [=](EvidenceFiles& files) { files.at(path).bytes = bytes; };
}

std::function<void(EvidenceFiles&)> drop(const std::string& path) {
    return [=](EvidenceFiles& files) {
        if (files.erase(path) == 0) throw std::runtime_error{path + " does not exist"};
    };
}

std::function<void(EvidenceFiles&)> add(const std::string& path, const std::string& bytes) {
    return [=](EvidenceFiles& files) { files[path] = {"samples", "inputs", bytes}; };
}

std::function<void(EvidenceFiles&)> other_listing(const std::string& from, const std::string& to) {
    return [from, to](EvidenceFiles& files) {
        const auto listing = std::find_if(files.begin(), files.end(), [](const auto& file) {
            return file.first.starts_with("inputs/") &&
                   file.second.bytes.find("ISETP") != std::string::npos;
        });
        if (listing == files.end()) throw std::runtime_error{"no listing"};
        std::string& code = listing->second.bytes;
        const std::string before = assembly::digest_of(code);
        const std::size_t at = code.find(from);
        if (at == std::string::npos) throw std::runtime_error{from + " is not there"};
        code.replace(at, from.size(), to);
        const std::string after = assembly::digest_of(code);
        for (auto& [path, file] : files)
            for (std::size_t place = file.bytes.find(before); place != std::string::npos;
                 place = file.bytes.find(before, place + after.size()))
                file.bytes.replace(place, before.size(), after);
        json("inputs/run.json", [](Json& run) { run["tool"]["version"] = "9"; })(files);
    };
}

std::function<void(EvidenceFiles&)> all(std::vector<std::function<void(EvidenceFiles&)>> edits) {
    return [edits = std::move(edits)](EvidenceFiles& files) {
        for (const auto& edit : edits)
            edit(files);
    };
}

} // namespace warpbound::tests
