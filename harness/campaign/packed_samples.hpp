#pragma once
/// \file
/// The runs of a series in as much memory as their seeds and times take.

#include "harness/campaign/series.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpbound::harness {

/// Runs from 0 on, without remarks.
class PackedSamples {
public:
    struct Run {
        std::int64_t run = 0; ///< Index within the series.
        std::uint64_t seed = 0;
        std::span<const std::int64_t> times;
    };
    class Iterator {
    public:
        using value_type = Run;
        using difference_type = std::ptrdiff_t;

        Iterator() = default;
        Iterator(const PackedSamples& samples, std::size_t run) : samples_{&samples}, run_{run} {}
        Run operator*() const { return (*samples_)[run_]; }
        Iterator& operator++() {
            ++run_;
            return *this;
        }
        Iterator operator++(int) {
            Iterator before = *this;
            ++run_;
            return before;
        }
        bool operator==(const Iterator&) const = default;

    private:
        const PackedSamples* samples_ = nullptr;
        std::size_t run_ = 0;
    };

    PackedSamples() = default;
    PackedSamples(const std::vector<Sample>& samples) { // NOLINT: the same runs
        for (const Sample& sample : samples)
            add(sample.seed, sample.times);
    }

    /// The next run.
    void add(std::uint64_t seed, std::span<const std::int64_t> times) {
        // Ends are kept only once two runs have different numbers of times.
        if (ends_.empty() && !seeds_.empty() && times.size() != times_.size() / seeds_.size())
            for (std::size_t run = 1; run <= seeds_.size(); ++run)
                ends_.push_back(times_.size() / seeds_.size() * run);
        const bool keeps_ends = !ends_.empty();
        seeds_.push_back(seed);
        times_.insert(times_.end(), times.begin(), times.end());
        if (keeps_ends) ends_.push_back(times_.size());
    }
    void shrink_to_fit() {
        seeds_.shrink_to_fit();
        times_.shrink_to_fit();
        ends_.shrink_to_fit();
    }

    [[nodiscard]] std::size_t size() const { return seeds_.size(); }
    [[nodiscard]] bool empty() const { return seeds_.empty(); }
    [[nodiscard]] Run operator[](std::size_t run) const {
        const std::size_t first = run == 0 ? 0 : end_of(run - 1);
        return {static_cast<std::int64_t>(run), seeds_[run],
                std::span{times_}.subspan(first, end_of(run) - first)};
    }
    [[nodiscard]] Run front() const { return (*this)[0]; }
    [[nodiscard]] Iterator begin() const { return {*this, 0}; }
    [[nodiscard]] Iterator end() const { return {*this, size()}; }
    /// All times, run by run.
    [[nodiscard]] std::span<const std::int64_t> times() const { return times_; }

    [[nodiscard]] std::vector<Sample> unpacked() const {
        std::vector<Sample> samples;
        for (const Run& run : *this)
            samples.push_back({run.run, run.seed, {run.times.begin(), run.times.end()}});
        return samples;
    }

private:
    [[nodiscard]] std::size_t end_of(std::size_t run) const {
        return ends_.empty() ? times_.size() / seeds_.size() * (run + 1) : ends_[run];
    }

    std::vector<std::uint64_t> seeds_;
    std::vector<std::int64_t> times_;
    std::vector<std::size_t> ends_; ///< Per run, in `times_`; empty: all have as many times.
};

} // namespace warpbound::harness
