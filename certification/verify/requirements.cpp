#include "certification/verify/requirements.hpp"

#include "certification/verify/bundle_json.hpp"
#include "models/time/deadline.hpp"
#include "models/xml/xml_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <set>

namespace warpbound::certification::verify {

namespace {

using nlohmann::json;

constexpr const char* run_file = "inputs/run.json";

/// `Unit:` core cycles, or nanoseconds.
struct Budget {
    std::string id;
    std::string text;
    std::string kernel; ///< Name of the function.
    std::optional<std::string> launch;
    std::string quantity = "execution-time";
    std::int64_t at_most = 0;
    bool in_seconds = false; ///< `at_most` is in nanoseconds.
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
    incomplete(what);
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
    const std::string& limit = *element.find("at-most");
    if (limit.find_first_not_of("0123456789") == std::string::npos) {
        budget.at_most = accepted(models::integer_attribute(source, element, "at-most", 1));
        return budget;
    }
    const auto deadline = models::parse_deadline(limit);
    if (!deadline) refuse("at-most: " + deadline.error().what);
    budget.in_seconds = deadline.value().is_time();
    budget.at_most = std::visit([](auto count) { return count.count(); }, deadline.value().limit);
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
    return fmt::format("bounded by {} to {} core cycles, observed worst {}",
                       shown.at_least ? std::to_string(*shown.at_least) : "nothing",
                       shown.at_most ? std::to_string(*shown.at_most) : "nothing",
                       shown.worst ? std::to_string(*shown.worst) : "none");
}

__extension__ using Product = __int128; // Of cycles and nanoseconds per second.
constexpr Product per_second = 1'000'000'000;

/// Whether `cycles` at `hertz` take longer than the budget: c / f > b, without a division.
bool is_longer(std::int64_t cycles, std::int64_t hertz, const Budget& budget) {
    if (!budget.in_seconds) return cycles > budget.at_most;
    return cycles * per_second > Product{budget.at_most} * hertz;
}

/// `clock`: of the kernel; read for budgets in seconds only. A time is certainly too long when it
/// is so at the highest frequency, and certainly short enough when it is so at the lowest.
Verdict verdict_on(const Budget& budget, const ShownTimes& shown, const models::ClockRange& clock) {
    if (is_longer(shown.at_least.value_or(0), clock.hi, budget) ||
        is_longer(shown.worst.value_or(0), clock.hi, budget))
        return Verdict::Violated;
    return shown.at_most && !is_longer(*shown.at_most, clock.lo, budget) ? Verdict::Holds
                                                                         : Verdict::Undecided;
}

/// The least whole number of nanoseconds in which `cycles` end at `hertz`.
std::int64_t least_nanoseconds(std::int64_t cycles, std::int64_t hertz) {
    const Product exact = cycles * per_second;
    const Product least = exact / hertz + (exact % hertz == 0 ? 0 : 1);
    if (least > std::numeric_limits<std::int64_t>::max())
        throw std::overflow_error{"a time of 2^63 ns or more"};
    return static_cast<std::int64_t>(least);
}

/// The range of the clock under which a kernel's times in seconds are claimed.
std::optional<models::ClockRange> clock_of(const KernelCase& kernel) {
    if (kernel.stated_clock) return kernel.stated_clock;
    const auto* value = kernel.architecture.geometry.find("core-clock");
    if (value == nullptr || !value->interval) return std::nullopt;
    return models::ClockRange{models::times(value->interval->lo, 1000),
                              models::times(value->interval->hi, 1000)};
}

/// The times in seconds of the claims follow from their cycles and the clock.
void check_claimed_times(const Evidence& evidence) {
    for (const auto& kernel : evidence.kernels)
        for (const ClaimRow& claim : kernel->claims) {
            if (!claim.time) continue;
            const auto clock = clock_of(*kernel);
            if (!clock) refuted(claim.id + ": a time in seconds without a clock");
            const Product exact = claim.value * per_second;
            const Product hertz = claim.upper ? clock->lo : clock->hi;
            const Product above = Product{*claim.time} * hertz - exact;
            // The nearest whole number on the outer side.
            if (claim.upper ? above < 0 || above >= hertz : above > 0 || above <= -hertz)
                refuted(fmt::format("{}: {} ns do not follow from {} cycles at {}", claim.id,
                                    *claim.time, claim.value, models::to_string(*clock)));
        }
}

/// As `claims.json` calls it.
std::string name_of(Verdict verdict) {
    if (verdict == Verdict::Holds) return "met";
    return to_string(verdict);
}

void judge_budget(const Budget& budget, const KernelCase* kernel, Judgement& judgement) {
    const ShownTimes shown =
        kernel != nullptr ? shown_times(*kernel, budget.quantity) : ShownTimes{};
    if (kernel != nullptr && budget.in_seconds && !kernel->stated_clock)
        throw Finding{
            Verdict::Incomplete,
            fmt::format("{}: in seconds, and no clock is stated for {}", budget.id, kernel->id)};
    const models::ClockRange clock = kernel != nullptr
                                         ? kernel->stated_clock.value_or(models::ClockRange{})
                                         : models::ClockRange{};
    const Verdict verdict = verdict_on(budget, shown, clock);
    json row{{"id", budget.id},
             {"text", budget.text},
             {"kernel-name", budget.kernel},
             {"quantity", budget.quantity},
             {"at-most", budget.at_most},
             {"unit", budget.in_seconds ? "ns" : "core cycles"},
             {"verdict", name_of(verdict)}};
    if (budget.in_seconds && kernel != nullptr) row["clock"] = models::to_string(clock);
    if (budget.launch) row["launch"] = *budget.launch;
    if (kernel != nullptr) row["kernel"] = kernel->id;
    if (shown.at_most) {
        const std::int64_t upper =
            budget.in_seconds ? least_nanoseconds(*shown.at_most, clock.lo) : *shown.at_most;
        row["proved-upper-bound"] = upper;
        row["margin"] = budget.at_most - upper;
    }
    if (shown.worst)
        row[budget.in_seconds ? "observed-worst-cycles" : "observed-worst"] = *shown.worst;
    judgement.requirements.push_back(std::move(row));
    judgement.outcomes.push_back(
        {verdict, kernel != nullptr
                      ? fmt::format("{}: {} of {} ({}) at most {} {}: {}, {}", budget.id,
                                    budget.quantity, budget.kernel, kernel->id, budget.at_most,
                                    budget.in_seconds ? "ns" : "core cycles", name_of(verdict),
                                    numbers(shown))
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
    const auto fail = [](const std::string& what) { refuted("claims.json: " + what); };
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
        check_claimed_times(evidence);
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
