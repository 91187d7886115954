#pragma once
/// \file
/// What a campaign holds of a series: its key and its runs.

#include "harness/device.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

/// Identifies what was run, so that the same command finds the series again. Two series are the
/// same if all fields are equal.
struct SeriesKey {
    std::string name;          ///< Benchmark point or kernel.
    std::string device;        ///< "simulated:fermi-gtx470"
    std::string device_detail; ///< Architecture digest, policy, driver.
    std::string protocol;      ///< Canonical text of the protocol: warm-up, draw, first seed.
    std::string kernel_digest;
    std::string facts_digest;
    std::string launch;   ///< "1x32"
    std::string quantity; ///< As `to_string(Quantity)`.

    friend bool operator==(const SeriesKey&, const SeriesKey&) = default;
};

/// The fields of a key by the names that they have in JSON, in the order that they have in CSV.
struct KeyField {
    std::string_view name;
    std::string SeriesKey::*field;
};
inline constexpr std::array<KeyField, 8> key_fields{{{"name", &SeriesKey::name},
                                                     {"device", &SeriesKey::device},
                                                     {"device-detail", &SeriesKey::device_detail},
                                                     {"protocol", &SeriesKey::protocol},
                                                     {"kernel-digest", &SeriesKey::kernel_digest},
                                                     {"facts-digest", &SeriesKey::facts_digest},
                                                     {"launch", &SeriesKey::launch},
                                                     {"quantity", &SeriesKey::quantity}}};

/// One run: the seed and the values that `times_of` extracts for the quantity of the series.
/// `Unit:` `unit_of` the quantity.
struct Sample {
    std::int64_t run = 0; ///< Index within the series, from 0.
    std::uint64_t seed = 0;
    std::vector<std::int64_t> times; ///< Empty if the remark's anomaly excludes times.
    Remark remark{};

    friend bool operator==(const Sample&, const Sample&) = default;
};

} // namespace warpbound::harness
