#include "tests/coverage/score.hpp"

#include "tests/coverage/program_run.hpp"

#include <nlohmann/json.hpp>
#include <tinyxml2.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>

namespace warpbound::coverage {

namespace {

using nlohmann::json;
using Options = std::vector<std::string>;

/// Machines on which the targets of the set are bounded.
std::string machine_of(const std::string& target) {
    if (target == "sm_75") return "turing-t4";
    if (target == "sm_80") return "ampere-a100";
    if (target == "sm_86") return "ampere-rtxa6000";
    if (target == "sm_100") return "blackwell-b200";
    return "hopper-h200";
}

Options operator+(Options left, const Options& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

std::string first_line(const std::string& text, std::string_view without = {}) {
    std::string line = text.substr(0, text.find('\n'));
    if (const std::size_t at = line.find(without); !without.empty() && at != std::string::npos)
        line.erase(0, at + without.size());
    return line;
}

/// Whether the instruction, which the template shows behind its facts, reads or writes a texture or
/// surface. These are no global accesses: no program knows where their texels lie.
bool is_of_a_texture(const tinyxml2::XMLElement& facts) {
    const tinyxml2::XMLNode* behind = facts.NextSibling();
    if (behind == nullptr || behind->ToComment() == nullptr) return false;
    static const std::regex texture{
        R"(^ *(@!?U?P\d+ +)?(TEX|TLD|TLD4|TXD|TXQ|SULD|SUST|SURED|SUATOM)\b)"};
    return std::regex_search(behind->Value(), texture);
}

/// One kernel under work.
class Scoring {
public:
    Scoring(const KernelCase& kernel, const std::string& program,
            const std::filesystem::path& sources, const Limits& limits)
        : kernel_{kernel}, program_{program}, sources_{sources}, limits_{limits},
          file_{kernel.listing.string(), "--kernel", kernel.kernel, "-q"},
          launch_{file_ + Options{"--gpu", machine_of(kernel.target)} + kernel.launch} {}

    Score score(const std::filesystem::path& scratch) {
        read();
        if (!score_.read) return score_;
        const json needs = missing_without_facts();
        count_facts(needs);
        const bool stated = !score_.bounded && !needs.empty();
        const Options options = stated ? launch_ + Options{"--source", sources_.string()} : launch_;
        if (stated) bound(options);
        if (score_.bounded) certify(options, scratch);
        if (score_.certified) observe_ends(options);
        return score_;
    }

private:
    ProgramRun run(const std::string& command, const Options& options) const {
        return run_program(program_, Options{command} + options, limits_.seconds);
    }

    /// The message of a command that gave no result.
    std::string refusal(const ProgramRun& ended) const {
        if (ended.code < 0) return "the time limit was reached";
        return first_line(ended.errors, "'" + kernel_.kernel + "': ");
    }

    void read() {
        const ProgramRun inspected = run("inspect", file_ + Options{"--format", "json"});
        const json result = json::parse(inspected.output, nullptr, false);
        score_.read = inspected.code == 0 && !result.is_discarded() &&
                      result.value("unknown-opcodes", json::array()).empty();
        if (!score_.read) score_.cause = refusal(inspected);
    }

    /// The answer of `bound`, whose bounds are kept.
    json bound(const Options& options) {
        const ProgramRun answered =
            run("bound", options + Options{"--time-limit", "10", "--format", "json"});
        json result = json::parse(answered.output, nullptr, false);
        if (result.is_discarded() || result.value("kernels", json::array()).empty()) {
            score_.cause = refusal(answered);
            return json::object();
        }
        const json kernel = result["kernels"].front();
        if (kernel.contains("needs"))
            score_.cause = kernel["needs"].front().value("what", "");
        else if (kernel.contains("refusal"))
            score_.cause = kernel.value("refusal", "");
        if (kernel.contains("report"))
            for (const json& claim : kernel["report"]["claims"])
                if (claim.value("quantity", "") == "execution-time")
                    (claim.value("side", "") == "upper" ? score_.upper : score_.lower) =
                        claim.value("value", std::int64_t{0});
        score_.bounded = score_.upper.has_value();
        if (score_.bounded) score_.cause.clear();
        return kernel;
    }

    json missing_without_facts() { return bound(launch_).value("needs", json::array()); }

    /// Loops and accesses of the template, and what must be stated of them.
    void count_facts(const json& needs) {
        const ProgramRun printed = run("flow-facts", launch_);
        tinyxml2::XMLDocument document;
        if (document.Parse(printed.output.c_str()) != tinyxml2::XML_SUCCESS) return;
        const auto count = [&](const char* element, const char* attribute, Derived& into) {
            for (const auto* one = document.RootElement()->FirstChildElement(element);
                 one != nullptr; one = one->NextSiblingElement(element))
                if (const char* value = one->Attribute(attribute);
                    value != nullptr && !is_of_a_texture(*one)) {
                    ++into.all;
                    into.derived += std::string_view{value} != "?";
                }
        };
        count("loop", "max", score_.loops);
        count("memory", "transactions", score_.transactions);
        count("memory", "conflict-degree", score_.conflicts);
        score_.facts = static_cast<std::int64_t>(needs.size());
        // Loops without a bound that no path reaches need none.
        const auto missing = std::count_if(needs.begin(), needs.end(), [](const json& need) {
            return need.value("what", "").rfind("the loop at", 0) == 0;
        });
        if (score_.bounded || missing > 0) score_.loops.derived = score_.loops.all - missing;
    }

    void certify(const Options& options, const std::filesystem::path& scratch) {
        const std::string bundle = (scratch / "evidence").string();
        const ProgramRun made =
            run("certify", options + Options{"--runs", std::to_string(limits_.runs), "-o", bundle});
        score_.certified = made.code == 0;
        if (!score_.certified) {
            score_.cause = refusal(made);
            return;
        }
        observe(std::filesystem::path{bundle} / "checks" / "K1.json");
        const ProgramRun checked = run("verify", {bundle, "-q"});
        score_.verified = checked.code == 0 && checked.seconds <= 10;
        if (!score_.verified)
            score_.cause = checked.code == 0 ? "verify takes more than ten seconds"
                                             : "verify: " + first_line(checked.errors);
        std::filesystem::remove_all(bundle);
    }

    void observe(const std::filesystem::path& checks) {
        std::ifstream file{checks};
        const json result = json::parse(file, nullptr, false);
        if (result.is_discarded()) return;
        for (const json& observed : result.value("observations", json::array())) {
            if (observed.value("quantity", "") != "execution-time") continue;
            score_.shortest = observed.value("best", std::int64_t{0});
            score_.longest = observed.value("worst", std::int64_t{0});
            score_.outside |= observed.value("outside-bounds", std::int64_t{0}) != 0;
        }
    }

    /// Runs in which each value of the machine is at the end of its interval that the bound takes.
    void observe_ends(const Options& options) {
        const auto shortest = observed_time(options, "all-low", "best");
        const auto longest = observed_time(options, "all-high", "worst");
        if (shortest && (!score_.shortest || *shortest < *score_.shortest))
            score_.shortest = shortest;
        score_.longest = std::max(score_.longest, longest);
        score_.outside |= (longest && *longest > *score_.upper) ||
                          (shortest && score_.lower && *shortest < *score_.lower);
    }

    std::optional<std::int64_t> observed_time(const Options& options, const char* draw,
                                              const char* which) {
        const ProgramRun ran =
            run("simulate", options + Options{"--runs", std::to_string(limits_.runs), "--draw",
                                              draw, "--format", "json"});
        const json result = json::parse(ran.output, nullptr, false);
        if (result.is_discarded()) return std::nullopt;
        const json observed = result.value("observations", json::object());
        if (!observed.contains("execution-time")) return std::nullopt;
        return observed["execution-time"].value(which, std::int64_t{0});
    }

    const KernelCase& kernel_;
    const std::string& program_;
    const std::filesystem::path& sources_;
    Limits limits_;
    Options file_;
    Options launch_;
    Score score_;
};

} // namespace

Score score_of(const KernelCase& kernel, const std::string& program,
               const std::filesystem::path& sources, const std::filesystem::path& scratch,
               const Limits& limits) {
    return Scoring{kernel, program, sources, limits}.score(scratch);
}

} // namespace warpbound::coverage
