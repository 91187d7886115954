#include "certification/verify/requirements.hpp"

#include "certification/verify/bundle_json.hpp"
#include "models/xml/xml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace warpbound::certification::verify {

namespace {

using nlohmann::json;

constexpr const char* run_file = "inputs/run.json";

/// `Unit:` core cycles.
struct Budget {
    std::string id;
    std::string text;
    std::string kernel; ///< Name of the function.
    std::optional<std::string> launch;
    std::string quantity = "execution-time";
    std::int64_t at_most = 0;
};

/// What the bundle shows about one quantity of a kernel. `Unit:` core cycles.
struct ShownTimes {
    std::optional<std::int64_t> at_least;
    std::optional<std::int64_t> at_most;
    std::optional<std::int64_t> worst; ///< Recorded.
};

struct Outcome {
    Verdict verdict = Verdict::Holds;
    std::string why;
};

/// Outcomes, and the rows of `claims.json` that say the same.
struct Judgement {
    std::vector<Outcome> outcomes; ///< One per comparison.
    json requirements = json::array();
    json loose = json::array();
};

[[noreturn]] void unreadable(const std::string& what) {
    throw Finding{Verdict::Incomplete, what};
}

template <class Value> Value accepted(Result<Value> result) {
    if (!result) unreadable(to_string(result.error()));
    return std::move(result).value();
}
void accepted(const Result<void>& result) {
    if (!result) unreadable(to_string(result.error()));
}

Budget budget_of(const assembly::SourceText& source, const models::XmlElement& element) {
    const auto refuse = [&](const std::string& what) {
        unreadable(to_string(models::refuse(source, element, what)));
    };
    if (element.name != "requirement") refuse("<" + element.name + ">: expected <requirement>");
    accepted(models::check_attributes(source, element, {"id", "kernel", "at-most"},
                                      {"launch", "quantity", "text"}));
    accepted(models::check_no_children(source, element));
    Budget budget;
    budget.id = *element.find("id");
    budget.kernel = *element.find("kernel");
    if (const auto* quantity = element.find("quantity")) budget.quantity = *quantity;
    if (budget.quantity != "execution-time" && budget.quantity != "measured-time")
        refuse("quantity '" + budget.quantity + "': expected execution-time or measured-time");
    if (const auto* text = element.find("text")) budget.text = *text;
    if (const auto* launch = element.find("launch")) {
        const auto read = models::parse_launch(*launch);
        if (!read) refuse(read.error().what);
        budget.launch = models::to_string(read.value());
    }
    budget.at_most = accepted(models::integer_attribute(source, element, "at-most", 1));
    return budget;
}

std::vector<Budget> budgets_of(const Files& files, const json& run) {
    if (!run.contains("requirements")) return {};
    const auto path = run.at("requirements").get<std::string>();
    const auto file = files.find(path);
    if (file == files.end()) unreadable(path + ": missing");
    const assembly::SourceText source{path, file->second};
    const auto root = accepted(models::read_xml(source, "requirements"));
    accepted(models::check_attributes(source, root, {}));
    std::vector<Budget> budgets;
    std::set<std::string> ids;
    for (const auto& element : root.children) {
        budgets.push_back(budget_of(source, element));
        if (!ids.insert(budgets.back().id).second)
            unreadable(
                fmt::format("{}: a second requirement with id '{}'", path, budgets.back().id));
    }
    return budgets;
}

ShownTimes shown_times(const KernelCase& kernel, const std::string& quantity) {
    ShownTimes shown;
    for (const ClaimRow& claim : kernel.claims) {
        if (claim.quantity != quantity) continue;
        // Of several claims on one side each holds: the tightest counts.
        if (claim.upper)
            shown.at_most = std::min(shown.at_most.value_or(claim.value), claim.value);
        else
            shown.at_least = std::max(shown.at_least.value_or(claim.value), claim.value);
    }
    for (const Series& series : kernel.series) {
        const std::string& recorded = series.key.quantity;
        if ((recorded == "region" ? "measured-time" : recorded) != quantity) continue;
        for (const std::int64_t time : series.samples.times())
            shown.worst = std::max(shown.worst.value_or(time), time);
    }
    return shown;
}

std::string numbers(const ShownTimes& shown) {
    return fmt::format("bounded by {} to {}, observed worst {}",
                       shown.at_least ? std::to_string(*shown.at_least) : "nothing",
                       shown.at_most ? std::to_string(*shown.at_most) : "nothing",
                       shown.worst ? std::to_string(*shown.worst) : "none");
}

Verdict verdict_on(const Budget& budget, const ShownTimes& shown) {
    if (shown.at_least.value_or(0) > budget.at_most || shown.worst.value_or(0) > budget.at_most)
        return Verdict::Violated;
    return shown.at_most && *shown.at_most <= budget.at_most ? Verdict::Holds : Verdict::Undecided;
}

/// As `claims.json` calls it.
std::string name_of(Verdict verdict) {
    if (verdict == Verdict::Holds) return "met";
    return to_string(verdict);
}

void judge_budget(const Budget& budget, const KernelCase* kernel, Judgement& judgement) {
    const ShownTimes shown =
        kernel != nullptr ? shown_times(*kernel, budget.quantity) : ShownTimes{};
    const Verdict verdict = verdict_on(budget, shown);
    json row{{"id", budget.id},
             {"text", budget.text},
             {"kernel-name", budget.kernel},
             {"quantity", budget.quantity},
             {"at-most", budget.at_most},
             {"unit", "core cycles"},
             {"verdict", name_of(verdict)}};
    if (budget.launch) row["launch"] = *budget.launch;
    if (kernel != nullptr) row["kernel"] = kernel->id;
    if (shown.at_most) {
        row["proved-upper-bound"] = *shown.at_most;
        row["margin"] = budget.at_most - *shown.at_most;
    }
    if (shown.worst) row["observed-worst"] = *shown.worst;
    judgement.requirements.push_back(std::move(row));
    judgement.outcomes.push_back(
        {verdict, kernel != nullptr
                      ? fmt::format("{}: {} of {} ({}) at most {} core cycles: {}, {}", budget.id,
                                    budget.quantity, budget.kernel, kernel->id, budget.at_most,
                                    name_of(verdict), numbers(shown))
                      : fmt::format("{}: {} with this launch is not in the bundle", budget.id,
                                    budget.kernel)});
}

void judge_budgets(const std::vector<Budget>& budgets, const Evidence& evidence,
                   Judgement& judgement) {
    for (const Budget& budget : budgets) {
        bool found = false;
        for (const auto& kernel : evidence.kernels) {
            if (kernel->function->name != budget.kernel ||
                (budget.launch && *budget.launch != models::to_string(kernel->launch)))
                continue;
            found = true;
            judge_budget(budget, kernel.get(), judgement);
        }
        if (!found) judge_budget(budget, nullptr, judgement);
    }
}

/// The factor of `--check`: an upper bound beyond so many thousandths of the worst recorded time is
/// too loose.
void judge_tightness(std::int64_t thousandths, const Evidence& evidence, Judgement& judgement) {
    for (const auto& kernel : evidence.kernels) {
        bool compared = false;
        for (const char* quantity : {"execution-time", "measured-time"}) {
            const ShownTimes shown = shown_times(*kernel, quantity);
            if (!shown.at_most || !shown.worst) continue;
            compared = true;
            const bool loose =
                models::Cycles{*shown.at_most} * 1000 > models::Cycles{*shown.worst} * thousandths;
            judgement.outcomes.push_back(
                {loose ? Verdict::Violated : Verdict::Holds,
                 fmt::format("{}: {} at most {}, observed worst {}; --check allows {}.{:03} times "
                             "as much",
                             kernel->id, quantity, *shown.at_most, *shown.worst, thousandths / 1000,
                             thousandths % 1000)});
            if (loose)
                judgement.loose.push_back({{"kernel", kernel->id},
                                           {"quantity", quantity},
                                           {"proved-upper-bound", *shown.at_most},
                                           {"observed-worst", *shown.worst}});
        }
        if (!compared)
            judgement.outcomes.push_back(
                {Verdict::Undecided,
                 kernel->id + ": --check compares with recorded times, and there are none"});
    }
}

Verdict worst_of(const std::vector<Outcome>& outcomes) {
    for (const Verdict verdict : {Verdict::Violated, Verdict::Undecided})
        if (std::any_of(outcomes.begin(), outcomes.end(),
                        [&](const Outcome& outcome) { return outcome.verdict == verdict; }))
            return verdict;
    return Verdict::Holds;
}

/// `claims.json` says of the requirements what follows from claims and recorded times.
void compare_with_stated(const json& claims, const Judgement& judgement, Verdict verdict,
                         bool required) {
    const auto fail = [](const std::string& what) {
        throw Finding{Verdict::Failed, "claims.json: " + what};
    };
    const json& stated = claims.at("requirements");
    if (stated.size() != judgement.requirements.size())
        fail(fmt::format("{} requirements, the inputs state {}", stated.size(),
                         judgement.requirements.size()));
    for (std::size_t i = 0; i < stated.size(); ++i)
        if (stated[i] != judgement.requirements[i])
            fail(fmt::format("requirement {} is stated as {}, it is {}", i + 1, stated[i].dump(),
                             judgement.requirements[i].dump()));
    if (claims.at("loose-bounds") != judgement.loose)
        fail("the bounds beyond the factor of --check are others than stated");
    const std::string expected =
        verdict == Verdict::Holds ? required ? "holds" : "none" : to_string(verdict);
    if (claims.at("verdict") != expected)
        fail(fmt::format("its verdict is {}, it follows \"{}\"", claims.at("verdict").dump(),
                         expected));
}

std::string summary_of(const std::vector<Outcome>& outcomes, Verdict verdict) {
    const auto count = std::count_if(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) {
        return outcome.verdict == verdict;
    });
    const auto first = std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) {
        return outcome.verdict == verdict;
    });
    return fmt::format("{} of {} {}; {}", count, outcomes.size(), name_of(verdict), first->why);
}

} // namespace

StepResult check_requirements(const Files& files, const Evidence& evidence) {
    try {
        const json run = read_json(files.at(run_file), run_file, Verdict::Incomplete);
        const json claims = read_json(files.at("claims.json"), "claims.json", Verdict::Incomplete);
        Judgement judgement;
        judge_budgets(budgets_of(files, run), evidence, judgement);
        if (run.contains("check-factor-thousandths"))
            judge_tightness(whole_number(run.at("check-factor-thousandths")), evidence, judgement);
        const bool required = !judgement.outcomes.empty();
        for (const auto& kernel : evidence.kernels)
            for (const ClaimRow& claim : kernel->claims)
                if (claim.limit_reached && claim.quantity == "execution-time")
                    judgement.outcomes.push_back(
                        {Verdict::Undecided,
                         claim.id + ": a limit stopped the search for a tighter bound"});
        const Verdict verdict = worst_of(judgement.outcomes);
        compare_with_stated(claims, judgement, verdict, required);
        if (judgement.outcomes.empty())
            return {"requirements", Verdict::NotApplicable, "no requirement was stated"};
        return {"requirements", verdict, summary_of(judgement.outcomes, verdict)};
    } catch (const Finding& finding) {
        return {"requirements", finding.verdict, finding.what()};
    } catch (const json::exception& error) {
        return {"requirements", Verdict::Incomplete, error.what()};
    } catch (const std::overflow_error& error) {
        return {"requirements", Verdict::Failed, error.what()};
    }
}

} // namespace warpbound::certification::verify
