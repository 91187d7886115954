#pragma once
/// \file
/// A campaign in a folder of its own, and what is recorded in it.

#include "harness/campaign/campaign.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>

namespace warpbound::harness {

class CampaignFile : public testing::Test {
protected:
    tests::TemporaryFolder temporary_;
    std::filesystem::path folder_ = temporary_.path();
    std::filesystem::path file_ = folder_ / "campaign.db";
};

inline SeriesKey key() {
    return {"point", "simulated:x", "digest", "protocol", "sha256:1", "", "1x32", "region"};
}

inline Sample sample(std::int64_t run) {
    return {run,
            static_cast<std::uint64_t>(run) * 0x9e3779b97f4a7c15ULL,
            {run * 3, -run, INT64_MAX},
            run == 1 ? Remark{RunAnomaly::Throttled, "hot"} : Remark{}};
}

} // namespace warpbound::harness
