#pragma once
/// \file
/// A series being measured batch by batch, alone or interleaved with other series.

#include "harness/protocol/protocol.hpp"
#include "harness/protocol/warm_up.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace warpbound::harness {

/// Reads the runs that a campaign has of a series, makes the next ones, and records them in the
/// campaign. See `measure` for what is refused.
class SeriesRun {
public:
    /// Reads the recorded runs. `prepared`: the kernel on the device, both of which must outlive
    /// the series, like the campaign, which may be null.
    static Result<std::unique_ptr<SeriesRun>> begin(const Device& device, const Kernel& kernel,
                                                    const PreparedKernel& prepared, SeriesKey key,
                                                    const Protocol& protocol, Quantity quantity,
                                                    Campaign* campaign);

    [[nodiscard]] bool wants_more() const;
    /// Warms up once, then makes at most `count` of the next runs, fewer once `stop` returns true.
    /// Runs made before a failure or an exception are kept.
    Result<void> advance(std::int64_t count, unsigned threads, const std::function<bool()>& stop);
    /// Records the runs made since the last call in the campaign; without a campaign it does
    /// nothing.
    Result<void> record();

    [[nodiscard]] std::int64_t runs() const {
        return static_cast<std::int64_t>(measured_.samples.size());
    }
    [[nodiscard]] std::int64_t runs_wanted() const { return protocol_.repetitions; }
    /// Moves the result out; the series is then empty.
    Measured take();

private:
    SeriesRun(const Device& device, const PreparedKernel& prepared, const Protocol& protocol,
              Quantity quantity, Campaign* campaign)
        : device_{&device}, prepared_{&prepared}, protocol_{protocol}, quantity_{quantity},
          campaign_{campaign}, rule_{make_rule(protocol.stop, protocol.repetitions)} {}

    [[nodiscard]] Result<Sample> one_run(std::int64_t number, unsigned threads) const;
    /// Stores the conditions and warms up.
    Result<void> prepare_runs(const std::function<bool()>& stop);
    [[nodiscard]] bool loses_device(const Sample& sample) const;
    /// Adds a run; returns false if the stopping rule was satisfied before it.
    bool add(Sample sample);

    const Device* device_;
    const PreparedKernel* prepared_;
    Protocol protocol_;
    Quantity quantity_;
    Campaign* campaign_;
    std::unique_ptr<StoppingRule> rule_;
    Measured measured_;
    std::int64_t recorded_ = 0;                  ///< Number of runs in the campaign.
    std::vector<RecordedConditions> conditions_; ///< Conditions of the runs made in this process.
    bool warm_ = false;
    bool time_is_up_ = false;
    std::chrono::steady_clock::duration spent_{};
};

} // namespace warpbound::harness
