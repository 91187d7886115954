#include "harness/hypotheses/experiments.hpp"

#include <algorithm>

namespace warpbound::harness::hypotheses {

namespace {

using models::HostOperationKind;

PlannedOperation kernel(std::string_view name, std::optional<std::size_t> stream, double call,
                        double waves, double length = 1) {
    return {.name = name, .stream = stream, .call = call, .waves = waves, .length = length};
}

PlannedOperation filling(PlannedOperation kernel, Filling resource) {
    kernel.filling = resource;
    return kernel;
}

PlannedOperation urgent(PlannedOperation kernel) {
    kernel.is_urgent = true;
    return kernel;
}

PlannedOperation copy(std::string_view name, std::size_t stream, double call,
                      HostOperationKind kind) {
    return {.name = name, .stream = stream, .call = call, .kind = kind};
}

std::vector<Experiment> make_experiments() {
    using enum HostOperationKind;
    return {
        {"one-stream",
         "four kernels of one stream, called at once",
         {kernel("K1", 0, 0, 1.5), kernel("K2", 0, 0, 0.5), kernel("K3", 0, 0, 1),
          kernel("K4", 0, 0, 0.25)}},
        {"streams",
         "kernels of four streams, of several waves and of a part of one, called one after another",
         {kernel("K1", 0, 0, 2.5), kernel("K2", 1, 0.3, 0.25, 0.5), kernel("K3", 2, 0.6, 1.5),
          kernel("K4", 1, 0.9, 0.25), kernel("K5", 3, 1.2, 0.5)}},
        {"resources",
         "kernels of one stream that fill threads, shared memory and block slots of all SMs",
         {filling(kernel("K1", 0, 0, 2), Filling::Threads),
          filling(kernel("K2", 0, 0, 2), Filling::SharedMemory),
          filling(kernel("K3", 0, 0, 1.5), Filling::BlockSlots)}},
        {"copies",
         "copies of three streams in both directions beside a long kernel",
         {kernel("K1", 3, 0, 0.5, 6), copy("C1", 0, 0.5, CopyToDevice),
          copy("C2", 1, 0.6, CopyToDevice), copy("C3", 2, 0.7, CopyToDevice),
          kernel("K2", 0, 0.8, 0.25), copy("C4", 1, 0.9, CopyToHost),
          copy("C5", 2, 1.0, CopyToHost)}},
        {"null-stream",
         "a kernel of the NULL stream between kernels of other streams",
         {kernel("K1", 0, 0, 0.5), kernel("K2", {}, 0.2, 0.25), kernel("K3", 1, 0.4, 0.25),
          kernel("K4", 0, 0.5, 0.25)}},
        {"priorities",
         "an urgent kernel, called while one of low priority runs and another one waits",
         {kernel("K1", 0, 0, 5), kernel("K2", 1, 0.3, 1), urgent(kernel("K3", 2, 0.6, 1.5))}},
        {"partitions",
         "kernels of two partitions",
         {},
         "needs SMs in partitions (MIG, green contexts), which no device offers here; a recording "
         "may name them"},
    };
}

} // namespace

const std::vector<Experiment>& all_experiments() {
    static const std::vector<Experiment> all = make_experiments();
    return all;
}

std::vector<const Experiment*> experiments_of(const std::vector<Rule>& rules) {
    std::vector<const Experiment*> chosen;
    for (const Experiment& experiment : all_experiments())
        if (std::any_of(rules.begin(), rules.end(),
                        [&](Rule rule) { return entry_of(rule).experiment == experiment.name; }))
            chosen.push_back(&experiment);
    return chosen;
}

} // namespace warpbound::harness::hypotheses
