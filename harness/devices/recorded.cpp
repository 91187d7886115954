#include "harness/devices/recorded.hpp"

#include "harness/campaign/exchange.hpp"
#include "harness/campaign/exchange_check.hpp"
#include "harness/card_identity.hpp"
#include "harness/protocol/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

namespace warpbound::harness {

namespace {

/// A series of the recording.
struct HeldSeries {
    SeriesKey key;
    std::int64_t id = 0; ///< In the campaign, where there is one.
    /// Filled for a text; samples of a campaign are read on demand.
    std::vector<Sample> samples;
    std::vector<RecordedConditions> conditions;
};

/// The recorded series, from a campaign file or a text.
class Recording {
public:
    static Result<std::unique_ptr<Recording>> open(const std::string& file) {
        auto recording = std::make_unique<Recording>();
        const auto text = trace::TraceBytes::open(file);
        if (!text) return text.as_failure();
        std::string begin(15, '\0');
        const auto read = text.value().read(0, begin);
        if (!read) return read.as_failure();
        const auto opened = begin == "SQLite format 3" ? recording->open_campaign(file)
                                                       : recording->take(text.value());
        if (!opened) return opened.as_failure();
        if (recording->series_.empty()) return Failure{"holds no series", file};
        return recording;
    }

    [[nodiscard]] const std::vector<HeldSeries>& series() const { return series_; }
    /// The series with samples and conditions. Conditions are read after the samples, so that those
    /// of all these samples are included.
    [[nodiscard]] Result<HeldSeries> whole(const HeldSeries& series) {
        if (!campaign_) return series;
        const std::lock_guard lock{mutex_};
        auto samples = campaign_->samples(series.id);
        if (!samples) return samples.as_failure();
        auto conditions = campaign_->conditions(series.id);
        if (!conditions) return conditions.as_failure();
        return HeldSeries{series.key, series.id, std::move(samples).value(),
                          std::move(conditions).value()};
    }

private:
    Result<void> open_campaign(const std::string& file) {
        auto opened = Campaign::open_existing(file);
        if (!opened) return opened.as_failure();
        campaign_ = std::move(opened).value();
        const auto list = campaign_->list();
        if (!list) return list.as_failure();
        for (const auto& info : list.value())
            series_.push_back({info.key, info.id, {}, {}});
        return boost::outcome_v2::success();
    }

    Result<void> take(const trace::TraceBytes& text) {
        CampaignListener listener;
        listener.series = [this](const SeriesKey& key) -> Result<void> {
            series_.push_back({key, 0, {}, {}});
            return boost::outcome_v2::success();
        };
        listener.conditions = [this](const RecordedConditions& recorded) -> Result<void> {
            series_.back().conditions.push_back(recorded);
            return boost::outcome_v2::success();
        };
        listener.sample = [this](Sample sample) -> Result<void> {
            series_.back().samples.push_back(std::move(sample));
            return boost::outcome_v2::success();
        };
        return read_campaign(text, listener);
    }

    std::unique_ptr<Campaign> campaign_;
    std::mutex mutex_;
    std::vector<HeldSeries> series_;
};

/// The runs of one series.
class RecordedKernel final : public PreparedKernel {
public:
    static Result<std::unique_ptr<PreparedKernel>> make(HeldSeries series,
                                                        const models::Launch& launch) {
        const auto quantity = parse_quantity(series.key.quantity, series.key.name);
        if (!quantity) return quantity.as_failure();
        auto kernel = std::make_unique<RecordedKernel>();
        kernel->quantity_ = quantity.value();
        kernel->key_ = std::move(series.key);
        kernel->launch_ = launch;
        kernel->conditions_ = std::move(series.conditions);
        for (auto& sample : series.samples) {
            const std::uint64_t seed = sample.seed;
            if (!kernel->by_seed_.emplace(seed, std::move(sample)).second)
                return Failure{fmt::format("was recorded with two runs of seed {}", seed),
                               kernel->key_.name};
        }
        return std::unique_ptr<PreparedKernel>{std::move(kernel)};
    }

    Result<Outcome> run(const RunOptions& options) const override {
        const std::string draw = fmt::format("draw {},", to_string(options.draw));
        if (!options.path.empty() || key_.protocol.find(draw) == std::string::npos)
            return Failure{fmt::format("was recorded with '{}'; no other draw and no path can be "
                                       "asked for",
                                       key_.protocol),
                           key_.name};
        const auto found = by_seed_.find(options.seed);
        if (found == by_seed_.end())
            return Failure{fmt::format("a run with seed {} was not recorded; there are {} runs "
                                       "of '{}'",
                                       options.seed, by_seed_.size(), key_.protocol),
                           key_.name};
        return outcome_of(found->second);
    }

    [[nodiscard]] std::vector<RecordedConditions> recorded_conditions() const override {
        return conditions_;
    }

    [[nodiscard]] Result<void> supports(Quantity quantity) const override {
        if (quantity_ == quantity) return boost::outcome_v2::success();
        return Failure{fmt::format("the quantity {} is not in a series of {}", to_string(quantity),
                                   key_.quantity),
                       key_.name};
    }

private:
    [[nodiscard]] Result<Outcome> outcome_of(const Sample& sample) const {
        Outcome outcome;
        outcome.observation.seed = sample.seed;
        outcome.remark = sample.remark;
        if (sample.times.empty()) return outcome;
        if (auto wrong = contradiction_in(sample.times, quantity_, launch_); !wrong.empty())
            return Failure{
                fmt::format("run {} {}: {} of {}", sample.run, wrong, key_.quantity, key_.launch),
                key_.name};
        if (quantity_ == Quantity::ExecutionTime) {
            outcome.observation.execution_time = models::Cycles{sample.times.front()};
            return outcome;
        }
        if (quantity_ == Quantity::ResidentBlocks) {
            // The recorded number of blocks on one SM at once, with one warp each: nothing else was
            // recorded.
            for (std::int64_t block = 0; block < sample.times.front(); ++block)
                outcome.observation.warps.push_back(
                    {block, 0, 0, models::Cycles{0}, models::Cycles{1}, {}});
            return outcome;
        }
        const bool clocks = quantity_ == Quantity::Clocks;
        const bool checked = quantity_ == Quantity::CheckedRegion;
        const std::int64_t per_block = launch_.warps_per_block();
        const auto warps = static_cast<std::size_t>(launch_.blocks * per_block);
        outcome.observation.warps.resize(warps);
        for (std::size_t i = 0; i < warps; ++i) {
            auto& warp = outcome.observation.warps[i];
            warp.block = static_cast<std::int64_t>(i) / per_block;
            warp.warp = static_cast<std::int64_t>(i) % per_block;
            warp.first_clock = models::Cycles{clocks ? sample.times[2 * i] : 0};
            warp.last_clock = models::Cycles{sample.times[clocks    ? 2 * i + 1
                                                          : checked ? 2 * i
                                                                    : i]};
            if (checked) warp.stored_right = sample.times[2 * i + 1] == 0;
        }
        return outcome;
    }

    SeriesKey key_;
    Quantity quantity_ = Quantity::Region;
    models::Launch launch_;
    std::map<std::uint64_t, Sample> by_seed_;
    std::vector<RecordedConditions> conditions_;
};

/// The axes in a point's name: "dependent-add/n=5" has 5 for "n".
std::map<std::string, double, std::less<>> parts_of(std::string_view name) {
    std::map<std::string, double, std::less<>> parts;
    std::size_t at = name.find('/');
    while (at != std::string_view::npos) {
        const std::size_t end = name.find('/', at + 1);
        const std::string part{
            name.substr(at + 1, end == std::string_view::npos ? end : end - at - 1)};
        const std::size_t equals = part.find('=');
        if (equals != std::string::npos)
            parts[part.substr(0, equals)] = std::strtod(part.c_str() + equals + 1, nullptr);
        at = end;
    }
    return parts;
}

/// Distance between two points of a benchmark; points of other benchmarks are farther.
double point_distance(std::string_view a, std::string_view b) {
    constexpr double other_benchmark = 1e12;
    if (a.substr(0, a.find('/')) != b.substr(0, b.find('/'))) return other_benchmark;
    double sum = 0;
    const auto of_b = parts_of(b);
    for (const auto& [axis, value] : parts_of(a)) {
        const auto found = of_b.find(axis);
        sum += found == of_b.end() ? 1e6 : std::abs(value - found->second);
    }
    return sum;
}

/// The fields in which a recorded series differs from the wanted one of the same name: "protocol
/// 'warm-up 10, draw uniform, seed 1'".
std::string differences(const SeriesKey& recorded, const SeriesKey& wanted) {
    std::vector<std::string> all;
    for (const auto& [name, field] : key_fields)
        if (recorded.*field != wanted.*field)
            all.push_back(fmt::format("{} '{}'", name, recorded.*field));
    return fmt::format("{}", fmt::join(all, ", "));
}

class RecordedDevice final : public Device {
public:
    RecordedDevice(std::unique_ptr<Recording> recording, DeviceIdentity identity)
        : recording_{std::move(recording)}, identity_{std::move(identity)} {}

    [[nodiscard]] DeviceIdentity identity() const override { return identity_; }
    [[nodiscard]] bool replays() const override { return true; }
    [[nodiscard]] bool compiles() const override { return is_card(identity_.name); }

    /// For a simulated device, the description of that name; one that was read from a file is not
    /// found. For a card, the target in its detail.
    [[nodiscard]] Result<models::Architecture> machine() const override {
        constexpr std::string_view simulated = "simulated:";
        if (identity_.name.rfind(simulated, 0) == 0)
            return models::load_architecture(identity_.name.substr(simulated.size()));
        if (!compiles())
            return Failure{"no benchmark points exist for the recorded device; expected a "
                           "simulated device or a card",
                           identity_.name};
        const auto target = target_of_card(identity_);
        if (!target) return target.as_failure();
        models::Architecture machine;
        machine.name = identity_.name;
        machine.target = target.value();
        return machine;
    }

    Result<std::unique_ptr<PreparedKernel>> prepare(const Kernel& kernel) const override {
        if (kernel.series == nullptr)
            return Failure{"a recorded kernel is found by its series; none is named",
                           std::string{kernel.name}};
        // A key belongs to one series only: a campaign and its text refuse a second one.
        for (const auto& series : recording_->series()) {
            if (!(series.key == *kernel.series)) continue;
            auto whole = recording_->whole(series);
            if (!whole) return whole.as_failure();
            return RecordedKernel::make(std::move(whole).value(), kernel.launch);
        }
        return not_recorded(*kernel.series);
    }

private:
    [[nodiscard]] Failure not_recorded(const SeriesKey& wanted) const {
        constexpr std::size_t few = 3;
        std::vector<const SeriesKey*> keys;
        for (const auto& series : recording_->series())
            if (series.key.device == identity_.name && series.key.device_detail == identity_.detail)
                keys.push_back(&series.key);
        std::stable_sort(keys.begin(), keys.end(), [&](const SeriesKey* a, const SeriesKey* b) {
            return point_distance(wanted.name, a->name) < point_distance(wanted.name, b->name);
        });
        keys.resize(std::min(keys.size(), few));
        std::vector<std::string> nearest;
        for (const auto* key : keys)
            nearest.push_back(
                fmt::format("{} ({})", key->name,
                            key->name == wanted.name ? differences(*key, wanted) : key->launch));
        return Failure{fmt::format("was not recorded with launch {}; nearest: {}", wanted.launch,
                                   fmt::join(nearest, ", ")),
                       wanted.name};
    }

    std::unique_ptr<Recording> recording_;
    DeviceIdentity identity_;
};

/// The distinct machines of a recording.
std::vector<DeviceIdentity> machines_of(const Recording& recording) {
    std::vector<DeviceIdentity> machines;
    for (const auto& series : recording.series())
        if (std::none_of(machines.begin(), machines.end(), [&](const DeviceIdentity& one) {
                return one.name == series.key.device && one.detail == series.key.device_detail;
            }))
            machines.push_back({series.key.device, series.key.device_detail});
    return machines;
}

std::string identity_text(const DeviceIdentity& identity) {
    return identity.name + " " + identity.detail;
}

/// The machines in whose text `part` occurs; if exactly one ends with it, only that one.
std::vector<DeviceIdentity> chosen(const std::vector<DeviceIdentity>& machines,
                                   std::string_view part) {
    std::vector<DeviceIdentity> with;
    std::vector<DeviceIdentity> ending;
    for (const auto& machine : machines) {
        const std::string text = identity_text(machine);
        if (text.find(part) != std::string::npos) with.push_back(machine);
        if (text.ends_with(part)) ending.push_back(machine);
    }
    return ending.size() == 1 ? ending : with;
}

} // namespace

Result<std::unique_ptr<Device>> recorded_device(std::string_view name) {
    std::error_code ignored;
    const std::size_t hash = std::filesystem::exists(std::filesystem::path{name}, ignored)
                                 ? std::string_view::npos
                                 : name.rfind('#');
    const std::string file{name.substr(0, hash)};
    const std::string_view part = hash == std::string_view::npos ? "" : name.substr(hash + 1);
    auto recording = Recording::open(file);
    if (!recording) return recording.as_failure();
    const auto machines = chosen(machines_of(*recording.value()), part);
    if (machines.empty())
        return Failure{fmt::format("no device recorded has '{}' in its name or detail", part),
                       file};
    if (machines.size() > 1) {
        std::vector<std::string> texts;
        for (const auto& machine : machines)
            texts.push_back(identity_text(machine));
        return Failure{fmt::format("holds several machines; choose one with #PART, which must "
                                   "occur in one of them only, or end one: {}",
                                   fmt::join(texts, "; ")),
                       file};
    }
    return std::unique_ptr<Device>{
        std::make_unique<RecordedDevice>(std::move(recording).value(), machines.front())};
}

} // namespace warpbound::harness
