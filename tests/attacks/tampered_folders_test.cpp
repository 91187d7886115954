/// \file
/// Attacks on the folder of a bundle and on its signature.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace warpbound {
namespace {

using tests::Close;
using tests::EvidenceFiles;
using tests::Honest;
using tests::set;
using tests::Tampering;
using tests::text;

namespace fs = std::filesystem;

const std::vector<Tampering> of_folders{
    {"LinkToAFile",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     3,
     "report.html",
     Close::Not,
     {},
     [](const std::string& folder) {
         fs::remove(folder + "/report.html");
         fs::create_symlink("/etc/hostname", folder + "/report.html");
     }},
    {"LinkToAFolder",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     3,
     "more",
     Close::Not,
     {},
     [](const std::string& folder) { fs::create_directory_symlink("/", folder + "/more"); }},
    {"LinkToItself",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     3,
     "more",
     Close::Not,
     {},
     [](const std::string& folder) { fs::create_symlink("more", folder + "/more"); }},
    {"LinkToADevice",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     3,
     "report.html",
     Close::Not,
     {},
     [](const std::string& folder) {
         fs::remove(folder + "/report.html");
         fs::create_symlink("/dev/zero", folder + "/report.html");
     }},
    {"Pipe",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     3,
     "report.html",
     Close::Not,
     {},
     [](const std::string& folder) {
         fs::remove(folder + "/report.html");
         ASSERT_EQ(mkfifo((folder + "/report.html").c_str(), 0600), 0);
     }},
    {"FolderInPlaceOfAFile",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     5,
     "report.html",
     Close::Not,
     {},
     [](const std::string& folder) {
         fs::remove(folder + "/report.html");
         fs::create_directory(folder + "/report.html");
     }},
    {"FolderInPlaceOfTheManifest",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     3,
     "manifest.json",
     Close::Not,
     {},
     [](const std::string& folder) {
         fs::remove(folder + "/manifest.json");
         fs::create_directory(folder + "/manifest.json");
     }},
    {"FoldersNestedDeeply",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     3,
     "deeper",
     Close::Not,
     {},
     [](const std::string& folder) {
         fs::create_directories(folder + "/1/2/3/4/5/6/7/8/9/10");
         std::ofstream{folder + "/1/2/3/4/5/6/7/8/9/10/file"} << "more";
     }},
    {"FileOfManyBytes",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     3,
     "report.html",
     Close::Not,
     {},
     [](const std::string& folder) {
         fs::resize_file(folder + "/report.html", std::uintmax_t{8} << 30U);
     }},
    {"FilesOfManyBytes",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     3,
     "bytes",
     Close::Not,
     {},
     [](const std::string& folder) {
         for (int i = 0; i < 20; ++i) {
             const std::string file = folder + "/more" + std::to_string(i);
             std::ofstream{file} << "more";
             fs::resize_file(file, std::uintmax_t{63} << 20U);
         }
     }},
    {"Empty",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     3,
     "manifest.json",
     Close::Not,
     {},
     [](const std::string& folder) {
         for (const auto& entry : fs::directory_iterator{folder})
             fs::remove_all(entry.path());
     }},
    {"SignedByAnother",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     5,
     "another key",
     Close::Sign,
     {"--public-key", "0000000000000000000000000000000000000000000000000000000000000001"}},
    {"SignedAfterAnEdit", Honest::Saxpy, set("claims.json", "/claims/0/value", 100), 1, "K1.C1",
     Close::Sign},
    {"NotSigned",
     Honest::Saxpy,
     text("report.html", "8051", "1973"),
     1,
     "signature.json is missing",
     Close::Seal,
     {"--public-key", "1111111111111111111111111111111111111111111111111111111111111111"}},
    {"SignatureOfAnotherManifest",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     5,
     "not a signature over this manifest",
     Close::Sign,
     {},
     [](const std::string& folder) {
         std::ofstream{folder + "/manifest.json", std::ios::app} << " ";
     }},
    {"SignatureNoHexadecimal",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     5,
     "signature.json",
     Close::Sign,
     {},
     [](const std::string& folder) {
         std::ofstream{folder + "/signature.json"}
             << R"({"algorithm":"Ed25519","public-key":"xyz","signature":"xyz","signed":"manifest.json"})";
     }},
    {"SignatureOfNoAlgorithm",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     5,
     "signature.json",
     Close::Sign,
     {},
     [](const std::string& folder) {
         std::ofstream{folder + "/signature.json"}
             << R"({"algorithm":"none","public-key":"","signature":"","signed":"manifest.json"})";
     }},
    {"SignatureAllZero",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     5,
     "signature",
     Close::Sign,
     {},
     [](const std::string& folder) {
         std::ofstream{folder + "/signature.json"} << "{\"algorithm\":\"Ed25519\",\"public-key\":\""
                                                   << std::string(64, '0') << "\",\"signature\":\""
                                                   << std::string(128, '0')
                                                   << "\",\"signed\":\"manifest.json\"}";
     }},
    {"SignatureNestedDeeply",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     5,
     "signature.json",
     Close::Sign,
     {},
     [](const std::string& folder) {
         std::ofstream{folder + "/signature.json"} << std::string(100'000, '[');
     }},
    {"SignatureEmpty",
     Honest::Saxpy,
     [](EvidenceFiles&) {},
     5,
     "signature.json",
     Close::Sign,
     {},
     [](const std::string& folder) { std::ofstream{folder + "/signature.json"} << ""; }},
};

WARPBOUND_ATTACKS(TamperedFolders, of_folders);

} // namespace
} // namespace warpbound
