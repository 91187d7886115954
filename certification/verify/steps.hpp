#pragma once
/// \file
/// Steps of a check, in order, with their results.

#include "certification/verify/options.hpp"

#include <initializer_list>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

/// Runs the steps in order and keeps their results.
class Steps {
public:
    explicit Steps(const Options& options) : options_{options} {}

    /// Requires: the check throws nothing.
    template <class Check> Verdict run(const char* step, const Check& check) {
        if (options_.started) options_.started(step);
        return add(check());
    }
    Verdict add(StepResult result) {
        results_.push_back(std::move(result));
        if (options_.finished) options_.finished(results_.back());
        return results_.back().verdict;
    }
    void skip(std::initializer_list<const char*> steps, const char* why) {
        for (const char* step : steps)
            add({step, Verdict::NotRun, why});
    }
    [[nodiscard]] const std::vector<StepResult>& results() const { return results_; }

private:
    const Options& options_;
    std::vector<StepResult> results_;
};

} // namespace warpbound::certification::verify
