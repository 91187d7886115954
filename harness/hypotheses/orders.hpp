#pragma once
/// \file
/// What is certain about the order of events in an observed workload, and the comparisons of one
/// rule.

#include "harness/hypotheses/judgement.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpbound::harness::hypotheses {

/// Orders that hold for all readings of the observed times.
class Orders {
public:
    explicit Orders(const ObservedWorkload& workload);

    [[nodiscard]] const ObservedWorkload& workload() const { return *workload_; }
    [[nodiscard]] const std::vector<ObservedOperation>& operations() const {
        return workload_->operations;
    }
    /// More than the resolution lies between them.
    [[nodiscard]] bool surely_before(const TimeRange& a, const TimeRange& b) const {
        return a.latest + workload_->resolution < b.earliest;
    }
    [[nodiscard]] bool surely_before(std::int64_t a, std::int64_t b) const {
        return a + workload_->resolution < b;
    }
    /// The host called for i before it called for j.
    [[nodiscard]] bool issued_before(std::size_t i, std::size_t j) const;
    /// When the operation was first in its stream and nothing of the NULL stream was before it.
    [[nodiscard]] const TimeRange& head(std::size_t operation) const { return heads_[operation]; }
    /// From then on only queues, resources and engines delay it.
    [[nodiscard]] std::int64_t ready(std::size_t operation) const {
        return heads_[operation].latest + workload_->latency;
    }
    /// The operation of its stream that is issued next; none: it is the last one.
    [[nodiscard]] std::optional<std::size_t> next_in_stream(std::size_t operation) const;
    /// Whether both need the same copy engine. Requires: copies.
    [[nodiscard]] bool share_engine(std::size_t a, std::size_t b) const;

private:
    const ObservedWorkload* workload_;
    std::vector<TimeRange> heads_;
};

/// The comparisons of a rule in one run.
class Comparisons {
public:
    explicit Comparisons(const ObservedWorkload& workload) : workload_{&workload} {}

    /// One comparison. `text` is called only where it is needed.
    template <typename Text> void compare(bool holds, std::int64_t at, Text text) {
        ++judgement_.compared;
        if (holds || (judgement_.violated && judgement_.violated->at <= at)) return;
        judgement_.violated = CounterExample{workload_->experiment, 0, at, text()};
    }
    void miss(std::string reason) {
        if (judgement_.missing.empty()) judgement_.missing = std::move(reason);
    }
    [[nodiscard]] Judgement take() { return std::move(judgement_); }

private:
    const ObservedWorkload* workload_;
    Judgement judgement_;
};

// The judgements, by what they look at.
Judgement judge_streams(Rule rule, const Orders& orders);
Judgement judge_execution_queue(Rule rule, const Orders& orders);
Judgement judge_resources(Rule rule, const Orders& orders);
Judgement judge_copies(Rule rule, const Orders& orders);
Judgement judge_priorities(Rule rule, const Orders& orders);
Judgement judge_servers(Rule rule, const Orders& orders);

} // namespace warpbound::harness::hypotheses
