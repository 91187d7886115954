#include "models/architecture/whole_kernels.hpp"

#include "models/architecture/shipped.hpp"
#include "models/architecture/shipped_descriptions.hpp"

#include <fmt/format.h>

#include <sstream>

namespace warpbound::models {

std::optional<WholeKernels> whole_kernels_of(const Architecture& machine) {
    std::optional<WholeKernels> all;
    std::istringstream table{std::string{shipped_comparisons()}};
    std::string line;
    std::getline(table, line); // The heading.
    while (std::getline(table, line)) {
        std::istringstream record{line};
        std::string name;
        std::string set;
        WholeKernels one;
        char comma = 0;
        std::getline(record, name, ',');
        std::getline(record, set, ',');
        record >> one.launches >> comma >> one.inside >> comma >> one.simulated >> comma >>
            one.error;
        if (name != machine.name || record.fail()) continue;
        if (!all) all.emplace();
        const std::int64_t simulated = all->simulated + one.simulated;
        if (simulated > 0)
            all->error = (all->error * static_cast<double>(all->simulated) +
                          one.error * static_cast<double>(one.simulated)) /
                         static_cast<double>(simulated);
        all->launches += one.launches;
        all->inside += one.inside;
        all->simulated = simulated;
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
