#include "cli/bounds/thread_trace_bounds.hpp"

#include "analyzer/preparation.hpp"
#include "cli/inspection/thread_trace.hpp"
#include "cli/output/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::cli {

using certification::HeldInstruction;
using certification::HeldThreadTrace;

Result<HeldThreadTrace> held_thread_trace(const std::string& folder, const LoadedKernel& kernel,
                                          const analyzer::Request& request) {
    const auto matched = matched_trace(folder, kernel);
    if (!matched) return matched.as_failure();
    auto context = analyzer::prepare(request);
    if (!context) return context.as_failure();
    auto bounds = analyzer::InstructionBounds::of(std::move(context).value());
    if (!bounds) return bounds.as_failure();
    return certification::hold(matched.value().trace, matched.value().kernel, *kernel.function,
                               bounds.value());
}

std::string text_of(const HeldThreadTrace& held) {
    std::string out = fmt::format(
        "instructions: cycles from the issue before to their own, and the bounds on them\n"
        "{:<10}{:>10}{:>9}{:>9}{:>9}{:>9}  {}\n",
        "address", "held", "lower", "least", "most", "upper", "instruction");
    const std::vector<std::string> reasons = certification::reasons_of(held);
    for (const HeldInstruction& one : held.instructions) {
        const bool is_held = one.distance.count > 0;
        const auto number = [&](std::int64_t value) {
            return is_held ? std::to_string(value) : std::string{"-"};
        };
        const std::string upper = upper_text(one, reasons);
        out += fmt::format("{:<10}{:>10}{:>9}{:>9}{:>9}{:>9}  {}{}\n", hexadecimal(one.address),
                           one.distance.count, number(one.lower), number(one.distance.least),
                           number(one.distance.most), upper.empty() ? "-" : upper, one.text,
                           one.outside > 0 ? fmt::format("  OUTSIDE {} times", one.outside) : "");
    }
    for (std::size_t i = 0; i < reasons.size(); ++i)
        out += fmt::format("({}) no upper bound is proved: {}\n", i + 1, reasons[i]);
    return out;
}

std::string json_of(const HeldThreadTrace& held) {
    Json instructions = Json::array();
    for (const HeldInstruction& one : held.instructions) {
        Json entry{{"address", hexadecimal(one.address)},
                   {"instruction", one.text},
                   {"executed", one.duration.count},
                   {"held", one.distance.count},
                   {"outside", one.outside}};
        if (one.distance.count > 0) {
            entry["distance"] = summary_json(one.distance);
            entry["lower"] = one.lower;
            entry["upper"] = one.upper ? Json(*one.upper) : Json();
        }
        if (one.no_upper) entry["no-upper"] = *one.no_upper;
        instructions.push_back(std::move(entry));
    }
    Json out{{"wavefronts", held.wavefronts}, {"longest", held.longest},
             {"file", held.longest_file},     {"held", held.held},
             {"outside", held.outside},       {"instructions", instructions}};
    if (!held.first_outside.empty()) out["first-outside"] = held.first_outside;
    return out.dump();
}

} // namespace warpbound::cli
