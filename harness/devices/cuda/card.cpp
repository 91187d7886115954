#include "harness/devices/cuda/card.hpp"

#include "harness/suite/emission/ptx_emission.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpbound::harness::cuda {

namespace {

constexpr double throttled_share = 0.95;

} // namespace

Result<std::shared_ptr<Card>> Card::open(std::shared_ptr<const Driver> driver, int ordinal,
                                         std::chrono::milliseconds time_out) {
    auto session = Session::open(std::move(driver), ordinal, time_out);
    if (!session) return session.as_failure();
    const auto& target = session.value()->device().target;
    if (!is_amd(target))
        if (auto header = ptx_header(target); !header) return header.as_failure();
    std::shared_ptr<Card> card{new Card{session.value(),
                                        DeviceState{session.value()->device()},
                                        std::nullopt,
                                        {},
                                        std::nullopt,
                                        0.0}};
    const auto lock = session.value()->busy();
    auto rate = ClockRate::prepare(session.value());
    if (!rate && is_amd(target) && !session.value()->lost()) {
        card->no_rate = rate.error().what;
        return card;
    }
    if (!rate) return rate.as_failure();
    card->rate.emplace(std::move(rate).value());
    return card;
}

Card::~Card() {
    const auto lock = session->busy();
    rate.reset();
    evicting.reset();
}

Result<void> Card::require_rate() const {
    if (rate) return boost::outcome_v2::success();
    return Failure{"times in cycles need the clock rate, which cannot be measured: " + no_rate,
                   session->name()};
}

ClockRate::Rate Card::measured_rate() const {
    if (rate) return rate->measure();
    return {{RunAnomaly::Clock, no_rate}};
}

Result<void> Card::prepare_eviction(bool wanted) {
    if (!wanted || evicting) return boost::outcome_v2::success();
    const std::int64_t l2_bytes = session->device().l2_bytes;
    if (l2_bytes <= 0)
        return Failure{fmt::format("the driver says that the L2 has {} bytes, so its contents "
                                   "cannot be evicted before a run that must miss in it",
                                   l2_bytes),
                       session->name()};
    auto made = Buffer::make(session, 2 * l2_bytes);
    if (!made) return made.as_failure();
    evicting.emplace(std::move(made).value());
    return boost::outcome_v2::success();
}

std::string Card::slowness(double hertz) {
    std::string slow;
    if (first_rate == 0.0) first_rate = hertz;
    if (hertz < throttled_share * first_rate)
        slow = fmt::format("clock rate {}, {} in the first run", megahertz(hertz),
                           megahertz(first_rate));
    if (const auto reason = state.throttled()) slow += (slow.empty() ? "" : "; ") + *reason;
    return slow;
}

Result<void> Card::check_options(const RunOptions& options) const {
    if (options.draw == Draw::Uniform && options.path.empty()) return boost::outcome_v2::success();
    return Failure{"a card takes neither draws nor paths; draws and paths are of simulated devices",
                   session->name()};
}

std::string megahertz(double hertz) {
    return fmt::format("{:.1f} MHz", hertz / 1e6);
}

} // namespace warpbound::harness::cuda
