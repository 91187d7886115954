#include "certification/verify/tool.hpp"

#include <fmt/format.h>

namespace warpbound::certification::verify {

StepResult check_tool(const ToolClaims& claimed, const Options& options) {
    if (claimed.version != options.tool_version)
        return {"tool", Verdict::Claimed,
                fmt::format("made by warpbound {} (claimed; this program is {})", claimed.version,
                            options.tool_version)};
    if (options.components.empty())
        return {"tool", Verdict::NotApplicable, "the bundle names the version of this program"};
    const auto of_program = [&](const std::string& name) {
        const auto known = options.components.find(name);
        return known == options.components.end() ? std::string{"without it"} : known->second;
    };
    for (const auto& [name, version] : claimed.components)
        if (of_program(name) != version)
            return {"tool", Verdict::Claimed,
                    fmt::format("made with {} {} (claimed; this program is built with {})", name,
                                version, of_program(name))};
    if (claimed.components.size() != options.components.size())
        return {"tool", Verdict::Claimed,
                fmt::format("made with {} components (claimed; this program has {})",
                            claimed.components.size(), options.components.size())};
    return {"tool", Verdict::NotApplicable,
            "the bundle names the version and the components of this program"};
}

} // namespace warpbound::certification::verify
