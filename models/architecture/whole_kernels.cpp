#include "models/architecture/whole_kernels.hpp"

#include "models/architecture/shipped.hpp"
#include "models/architecture/shipped_descriptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace warpbound::models {

namespace {

/// The text before `end`, which leaves `text` with it; all of it where there is no `end`.
std::string_view next(std::string_view& text, char end) {
    const std::size_t at = std::min(text.find(end), text.size());
    const std::string_view field = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return field;
}

template <typename Number> Number number_of(std::string_view text) {
    Number number{};
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

} // namespace

std::optional<WholeKernels> whole_kernels_of(const Architecture& machine) {
    std::optional<WholeKernels> all;
    std::string_view table = shipped_comparisons();
    next(table, '\n'); // The heading.
    while (!table.empty()) {
        std::string_view row = next(table, '\n');
        if (next(row, ',') != machine.name) continue;
        next(row, ','); // Which set of launches.
        const auto launches = number_of<std::int64_t>(next(row, ','));
        const auto inside = number_of<std::int64_t>(next(row, ','));
        const auto simulated = number_of<std::int64_t>(next(row, ','));
        const auto error = number_of<double>(next(row, ','));
        if (!all) all.emplace();
        if (simulated > 0)
            all->error = (all->error * static_cast<double>(all->simulated) +
                          error * static_cast<double>(simulated)) /
                         static_cast<double>(all->simulated + simulated);
        all->launches += launches;
        all->inside += inside;
        all->simulated += simulated;
    }
    if (all && provenance_of(machine).standing != Standing::Shipped) return std::nullopt;
    return all;
}

std::string to_string(const std::optional<WholeKernels>& kernels) {
    if (!kernels) return "no whole kernel compared";
    std::string text = fmt::format("whole kernels: {} of {} measured times inside the bounds",
                                   kernels->inside, kernels->launches);
    if (kernels->simulated > 0)
        text += fmt::format(", {} simulated with an error of {:.1f} %", kernels->simulated,
                            kernels->error);
    return text;
}

} // namespace warpbound::models
