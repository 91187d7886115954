#include "cli/options/clock_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace warpbound::cli {

CLI::Option* add_clock(CLI::App& command, std::string& clock) {
    return command
        .add_option("--clock", clock,
                    "Range of the core clock, such as 1350..1590MHz: times in seconds stand beside "
                    "cycles, under the assumption that the clock stays within it (default: the "
                    "clock of the description, where it has one)")
        ->check([](const std::string& text) {
            const auto range = models::parse_clock(text);
            return range ? std::string{} : range.error().what;
        });
}

CLI::Option* add_deadline(CLI::App& command, std::string& deadline) {
    return command
        .add_option("--deadline", deadline,
                    "Deadline of the execution time, such as 10ms, 250us or 8000cycles: met "
                    "(exit code 0), violated (1) or undecided (4)")
        ->check([](const std::string& text) {
            const auto read = models::parse_deadline(text);
            return read ? std::string{} : read.error().what;
        });
}

Result<std::optional<models::Deadline>> deadline_of(const std::string& text,
                                                    const std::optional<models::Clock>& clock,
                                                    const models::Architecture& architecture) {
    if (text.empty()) return std::optional<models::Deadline>{};
    const auto deadline = models::parse_deadline(text);
    if (!deadline) return deadline.as_failure();
    if (deadline.value().is_time() && !clock)
        return Failure{fmt::format("a deadline of {} needs a clock, and the description of {} has "
                                   "none; state its range, as in --clock 1350..1590MHz, or a "
                                   "deadline such as 8000cycles",
                                   models::to_string(deadline.value()), architecture.name),
                       "--deadline"};
    return std::optional{deadline.value()};
}

} // namespace warpbound::cli
