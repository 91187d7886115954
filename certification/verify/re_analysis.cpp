#include "certification/verify/re_analysis.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

namespace {

/// Paths of both, but for the signature: inputs, then what is made of them, then what repeats it.
std::vector<std::string> in_order_of_making(const Files& files, const Files& again) {
    constexpr std::array<std::string_view, 8> order{"inputs/", "model/",       "analysis/",
                                                    "checks/", "policies/",    "claims.json",
                                                    "",        "manifest.json"};
    const auto rank = [&](const std::string& path) {
        if (path == order.back()) return order.size() - 1;
        std::size_t at = 0;
        while (path.rfind(order[at], 0) != 0)
            ++at;
        return at;
    };
    std::set<std::pair<std::size_t, std::string>> ranked;
    for (const Files* side : {&files, &again})
        for (const auto& [path, bytes] : *side)
            if (path != "signature.json") ranked.emplace(rank(path), path);
    std::vector<std::string> paths;
    for (const auto& [unused, path] : ranked)
        paths.push_back(path);
    return paths;
}

} // namespace

StepResult check_again(const Files& files, const std::string& tool_version,
                       const Options& options) {
    // With another version nothing is shown either way.
    const auto differs = [&](const std::string& what) -> StepResult {
        if (tool_version == options.tool_version) return {"re-analysis", Verdict::Failed, what};
        return {"re-analysis", Verdict::Incomplete,
                fmt::format("{}; the bundle was made by warpbound {}, this is {}", what,
                            tool_version, options.tool_version)};
    };
    const auto again = [&]() -> Result<Files> {
        try {
            return options.rebuild(files);
        } catch (const std::exception& error) { // inputs that no certify writes
            return Failure{error.what(), "inputs"};
        }
    }();
    if (!again) return differs("the inputs are refused now: " + to_string(again.error()));
    // The file that was edited, not one that only repeats what stands there.
    for (const auto& path : in_order_of_making(files, again.value())) {
        const auto made = again.value().find(path);
        const auto file = files.find(path);
        if (made == again.value().end()) return differs(path + ": in the bundle, not made now");
        if (file == files.end()) return differs(path + ": made now, not in the bundle");
        if (file->second != made->second) return differs(path + ": other bytes than made now");
    }
    return {"re-analysis", Verdict::Holds,
            fmt::format("{} files made again, every byte the same", again.value().size())};
}

} // namespace warpbound::certification::verify
