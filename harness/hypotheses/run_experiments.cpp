#include "harness/hypotheses/run_experiments.hpp"

namespace warpbound::harness::hypotheses {

Recording run_experiments(SchedulingDevice& device, const std::vector<Rule>& rules,
                          std::int64_t runs, std::uint64_t seed, const Progress& progress) {
    Recording recording;
    const auto experiments = experiments_of(rules);
    const std::int64_t wanted = runs * static_cast<std::int64_t>(experiments.size());
    std::int64_t done = 0;
    for (const Experiment* experiment : experiments) {
        if (experiment->operations.empty())
            recording.not_run.push_back(
                {std::string{experiment->name}, std::string{experiment->lacking}});
        for (std::int64_t run = 0; run < runs && !experiment->operations.empty(); ++run) {
            auto observed = device.run(*experiment, seed_of_run(seed, run));
            if (!observed) {
                recording.not_run.push_back({std::string{experiment->name}, observed.error().what});
                break;
            }
            recording.runs.push_back(std::move(observed).value());
            if (progress && !progress(done + run + 1, wanted)) break;
        }
        done += runs;
        if (progress && !progress(done, wanted)) break;
    }
    recording.notes = device.notes();
    return recording;
}

} // namespace warpbound::harness::hypotheses
