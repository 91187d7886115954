#include "models/formulas/prediction/inputs.hpp"

#include "models/architecture/value_path.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace warpbound::models::prediction {

std::string_view to_string(Variant variant) {
    switch (variant) {
    case Variant::Best:
        return "best";
    case Variant::Typical:
        return "typical";
    case Variant::Worst:
        break;
    }
    return "worst";
}

double choose(const Interval& interval, Variant variant) {
    switch (variant) {
    case Variant::Best:
        return real(interval.lo);
    case Variant::Typical:
        return interval.typical ? real(*interval.typical)
                                : (real(interval.lo) + real(interval.hi)) / 2;
    case Variant::Worst:
        break;
    }
    return real(interval.hi);
}

std::optional<double> Inputs::look_up(std::string_view path, Variant end) {
    const SourcedValue* const value = find_value(architecture_, path);
    if (value == nullptr || !value->interval) {
        miss(fmt::format("{} (not known of {})", path, architecture_.name));
        return std::nullopt;
    }
    const double number = choose(*value->interval, end);
    if (!is_used(path))
        used_.push_back({std::string{path}, number, value->unit,
                         fmt::format("{} ({})", value->source, to_string(value->grade))});
    return number;
}

std::optional<double> Inputs::described(std::string_view path) {
    return look_up(path, variant_);
}

std::optional<double> Inputs::described_if_known(std::string_view path) {
    const SourcedValue* const value = find_value(architecture_, path);
    return value == nullptr || !value->interval ? std::nullopt : described(path);
}

std::optional<double> Inputs::described_rate(std::string_view path) {
    return look_up(path, variant_ == Variant::Best    ? Variant::Worst
                         : variant_ == Variant::Worst ? Variant::Best
                                                      : Variant::Typical);
}

std::optional<double> Inputs::stated_if_any(std::string_view name) {
    const auto value = stated_.find(name);
    if (value && !is_used(name))
        used_.push_back({std::string{name}, *value, std::string{find_rule(name)->unit}, "stated"});
    return value;
}

std::optional<double> Inputs::stated(std::string_view name) {
    const auto value = stated_if_any(name);
    if (!value) miss(fmt::format("{} ({})", name, find_rule(name)->meaning));
    return value;
}

std::optional<double> Inputs::stated_or_described(std::string_view name, std::string_view path) {
    if (const auto value = stated_if_any(name)) return value;
    return described(path);
}

void Inputs::miss(std::string what) {
    if (std::ranges::find(missing_, what) == missing_.end()) missing_.push_back(std::move(what));
}

void Inputs::use(ExplainedSymbol symbol) {
    if (!is_used(symbol.symbol)) used_.push_back(std::move(symbol));
}

bool Inputs::is_used(std::string_view name) const {
    return std::ranges::find(used_, name, &ExplainedSymbol::symbol) != used_.end();
}

} // namespace warpbound::models::prediction
