#include "harness/campaign/exchange.hpp"

#include <cstdlib>

/// The listener is called in order: runs of a series from 0 on, conditions and runs after a series.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound;
    using boost::outcome_v2::success;
    const harness::trace::TraceBytes text{
        assembly::SourceText{"fuzz", {reinterpret_cast<const char*>(bytes), size}}};
    std::int64_t next = -1; // Before the first series.
    harness::CampaignListener listener;
    listener.series = [&](const harness::SeriesKey&) -> Result<void> {
        next = 0;
        return success();
    };
    listener.conditions = [&](const harness::RecordedConditions& recorded) -> Result<void> {
        if (next < 0 || recorded.conditions.empty()) std::abort();
        return success();
    };
    listener.sample = [&](const harness::Sample& sample) -> Result<void> {
        if (sample.run != next++) std::abort();
        return success();
    };
    static_cast<void>(harness::read_campaign(text, listener));
    return 0;
}
