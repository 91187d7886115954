#include "certification/bundle/manifest.hpp"

#include "assembly/support/source_text.hpp"
#include "certification/bundle/canonical_json.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace warpbound::certification {

namespace {

/// Merkle root of a list of digests; the last digest of a level with an odd number is passed up
/// unchanged.
std::string merkle_root(std::vector<std::string> level) {
    while (level.size() > 1) {
        std::vector<std::string> above;
        for (std::size_t i = 0; i < level.size(); i += 2)
            above.push_back(i + 1 < level.size()
                                ? assembly::digest_of("node\n" + level[i] + "\n" + level[i + 1])
                                : level[i]);
        level = std::move(above);
    }
    return level.front();
}

} // namespace

Manifest manifest_of(const EvidenceFiles& files, const std::string& tool_version,
                     const char* format) {
    Json list = Json::array();
    std::vector<std::string> leaves;
    std::map<std::string, Json> outputs; // by step
    for (const auto& [path, file] : files) {
        const std::string digest = assembly::digest_of(file.bytes);
        list.push_back(
            {{"path", path}, {"sha256", digest}, {"role", file.role}, {"step", file.step}});
        leaves.push_back(assembly::digest_of("leaf\n" + canonical(list.back())));
        outputs[file.step].push_back(digest);
    }
    Json steps = Json::array();
    Json inputs = Json::array();
    std::string previous;
    for (const char* step : evidence_steps) {
        const Json made = outputs.count(step) != 0 ? outputs[step] : Json::array();
        steps.push_back({{"step", step},
                         {"tool", "warpbound " + tool_version},
                         {"inputs", inputs},
                         {"outputs", made},
                         {"previous", previous}});
        previous = assembly::digest_of(canonical(steps.back()));
        leaves.push_back(assembly::digest_of("step\n" + previous));
        inputs.insert(inputs.end(), made.begin(), made.end());
    }
    const std::string root = merkle_root(std::move(leaves));
    const Json manifest{{"format", format}, {"report-id", root}, {"files", list}, {"steps", steps}};
    return {canonical(manifest), root};
}

} // namespace warpbound::certification
