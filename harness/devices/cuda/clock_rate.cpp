#include "harness/devices/cuda/clock_rate.hpp"

#include "harness/devices/hip/generated_code.hpp"
#include "harness/suite/emission/ptx_emission.hpp"

#include <fmt/format.h>

#include <array>

namespace warpbound::harness::cuda {

namespace {

constexpr std::uint64_t window_nanoseconds = 200'000;

/// The record that the kernel stores; times are those of the timer, of AMD in its steps.
struct Record {
    std::uint64_t first_clock = 0;
    std::uint64_t last_clock = 0;
    std::uint64_t first_time = 0;
    std::uint64_t last_time = 0;
};

constexpr const char* clock_rate_entry = "clock_rate";
/// Starts when the timer has just advanced. Gives up after some seconds if the timer does not
/// advance.
constexpr const char* clock_rate_body =
    R"(.visible .entry clock_rate(.param .u64 record, .param .u64 window)
{
  .reg .b64 %record, %window, %first, %last, %begin, %now, %passed;
  .reg .b32 %left;
  .reg .pred %on;
  ld.param.u64 %record, [record];
  ld.param.u64 %window, [window];
  mov.u32 %left, 67108864;
  mov.u64 %begin, %globaltimer;
edge:
  mov.u64 %now, %globaltimer;
  sub.u32 %left, %left, 1;
  setp.eq.u32 %on, %left, 0;
  @%on bra done;
  setp.eq.u64 %on, %now, %begin;
  @%on bra edge;
  mov.u64 %first, %clock64;
  mov.u64 %begin, %now;
passing:
  mov.u64 %now, %globaltimer;
  sub.u32 %left, %left, 1;
  setp.eq.u32 %on, %left, 0;
  @%on bra done;
  sub.u64 %passed, %now, %begin;
  setp.lt.u64 %on, %passed, %window;
  @%on bra passing;
  mov.u64 %last, %clock64;
  st.global.u64 [%record], %first;
  st.global.u64 [%record+8], %last;
  st.global.u64 [%record+16], %begin;
  st.global.u64 [%record+24], %now;
done:
  exit;
}
)";

} // namespace

Result<ClockRate> ClockRate::prepare(const std::shared_ptr<Session>& session) {
    auto text = session->is_amd() ? hip::clock_rate_code(session->device().target, clock_rate_entry)
                                  : ptx_header(session->device().target);
    if (!text) return text.as_failure();
    if (!session->is_amd()) text.value() += clock_rate_body;
    auto code = BuiltCode::build(session, text.value(), clock_rate_entry);
    if (!code) return code.as_failure();
    auto record = Buffer::make(session, sizeof(Record));
    if (!record) return record.as_failure();
    return ClockRate{session, std::move(code).value(), std::move(record).value()};
}

ClockRate::Rate ClockRate::measure() const {
    if (session_->lost()) return {{RunAnomaly::DeviceLost, *session_->lost()}};
    if (const Status status = record_.fill(0); status != Status::Success)
        return {session_->anomaly(status, "cuMemsetD8_v2")};
    Address address = record_.address();
    const double of_nanosecond = 1e-9 * session_->device().timer_rate;
    auto window =
        static_cast<std::uint64_t>(static_cast<double>(window_nanoseconds) * of_nanosecond);
    std::array<void*, 2> arguments{&address, &window};
    Launched launched = session_->launch(code_.function(), {}, arguments.data());
    if (launched.remark.anomaly != RunAnomaly::None) return {std::move(launched.remark)};
    Record record;
    if (const Status status = record_.read(&record); status != Status::Success)
        return {session_->anomaly(status, "cuMemcpyDtoH_v2")};
    if (record.last_time == 0) // Nothing was stored.
        return {{RunAnomaly::Clock,
                 "the nanosecond timer did not advance while the clock rate was measured"}};
    if (record.last_time <= record.first_time)
        return {{RunAnomaly::Clock, fmt::format("the nanosecond timer went from {} to {} while the "
                                                "clock rate was measured",
                                                record.first_time, record.last_time)}};
    if (record.last_clock <= record.first_clock)
        return {{RunAnomaly::Clock,
                 fmt::format("the clock went from {} to {} while its rate was measured",
                             record.first_clock, record.last_clock)}};
    return {{},
            session_->device().timer_rate *
                static_cast<double>(record.last_clock - record.first_clock) /
                static_cast<double>(record.last_time - record.first_time)};
}

} // namespace warpbound::harness::cuda
