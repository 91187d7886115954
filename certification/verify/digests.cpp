#include "certification/verify/digests.hpp"

#include "assembly/support/source_text.hpp"
#include "certification/verify/bundle_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>
#include <vector>

namespace warpbound::certification::verify {

namespace {

using nlohmann::json;

[[noreturn]] void tampered(const std::string& what) {
    throw Finding{Verdict::Tampered, what};
}

/// Root of a binary tree over the leaves, in order; an odd one out is its own parent.
std::string root_of(const std::vector<std::string>& leaves) {
    if (leaves.empty()) tampered("manifest.json lists nothing");
    if (leaves.size() == 1) return leaves.front();
    std::vector<std::string> parents;
    std::size_t i = 0;
    for (; i + 1 < leaves.size(); i += 2)
        parents.push_back(assembly::digest_of("node\n" + leaves[i] + "\n" + leaves[i + 1]));
    if (i < leaves.size()) parents.push_back(leaves[i]);
    return root_of(parents);
}

/// Leaves of the listed files, each compared with its bytes.
std::vector<std::string> check_files(const json& manifest, const Files& files) {
    std::vector<std::string> leaves;
    std::set<std::string> listed;
    std::string before;
    for (const auto& entry : manifest.at("files")) {
        const auto path = entry.at("path").get<std::string>();
        if (path <= before) tampered(path + ": listed twice or out of order");
        before = path;
        listed.insert(path);
        const auto file = files.find(path);
        if (file == files.end()) tampered(path + ": listed in manifest.json, but missing");
        if (assembly::digest_of(file->second) != entry.at("sha256").get<std::string>())
            tampered(path + ": its bytes have another digest than manifest.json says");
        leaves.push_back(assembly::digest_of("leaf\n" + entry.dump()));
    }
    for (const auto& [path, bytes] : files)
        if (path != "manifest.json" && path != "signature.json" && listed.count(path) == 0)
            tampered(path + ": not listed in manifest.json");
    return leaves;
}

/// Leaves of the steps: each record names the one before, its files and those it could use.
std::vector<std::string> check_chain(const json& manifest) {
    constexpr std::size_t most_steps = 16;
    if (manifest.at("steps").size() > most_steps)
        tampered(fmt::format("manifest.json: more than {} steps", most_steps));
    std::vector<std::string> leaves;
    std::set<std::string> recorded;
    std::string previous;
    json usable = json::array();
    std::size_t files = 0;
    for (const auto& record : manifest.at("steps")) {
        const auto step = record.at("step").get<std::string>();
        if (!recorded.insert(step).second) tampered("step " + step + ": recorded twice");
        if (record.at("previous") != previous)
            tampered("step " + step + ": does not follow the record before it");
        if (record.at("inputs") != usable)
            tampered("step " + step + ": its inputs are not the files of the steps before");
        json outputs = json::array();
        for (const auto& entry : manifest.at("files"))
            if (entry.at("step") == step) outputs.push_back(entry.at("sha256"));
        if (record.at("outputs") != outputs)
            tampered("step " + step + ": its outputs are not the files listed for it");
        files += outputs.size();
        usable.insert(usable.end(), outputs.begin(), outputs.end());
        previous = assembly::digest_of(record.dump());
        leaves.push_back(assembly::digest_of("step\n" + previous));
    }
    if (files != manifest.at("files").size())
        tampered("manifest.json: a listed file belongs to no step");
    return leaves;
}

} // namespace

StepResult check_digests(const Files& files, const std::optional<std::string>& report_id) {
    try {
        const auto text = files.find("manifest.json");
        if (text == files.end())
            return {"digests", Verdict::Incomplete, "manifest.json is missing"};
        const json manifest = read_json(text->second, "manifest.json", Verdict::Tampered);
        if (manifest.dump() != text->second) tampered("manifest.json: not as it was written");
        std::vector<std::string> leaves = check_files(manifest, files);
        const auto steps = check_chain(manifest);
        leaves.insert(leaves.end(), steps.begin(), steps.end());
        const std::string root = root_of(leaves);
        if (manifest.at("report-id") != root)
            tampered("manifest.json: the report id is not the root over its files and steps");
        if (report_id && *report_id != root)
            tampered(fmt::format("the report id is {}, not {} as given", root, *report_id));
        return {"digests", Verdict::Holds,
                fmt::format("{} files, {} steps, report id {}", manifest.at("files").size(),
                            steps.size(), root)};
    } catch (const Finding& finding) {
        return {"digests", finding.verdict, finding.what()};
    } catch (const json::exception& error) {
        return {"digests", Verdict::Tampered, std::string{"manifest.json: "} + error.what()};
    }
}

} // namespace warpbound::certification::verify
