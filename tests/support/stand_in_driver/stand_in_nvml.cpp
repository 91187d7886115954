/// \file
/// A stand-in NVML for the stand-in driver.

#include "tests/support/stand_in_driver/played_machine.hpp"

namespace warpbound::harness::cuda {

struct NvmlDeviceTag {};

} // namespace warpbound::harness::cuda

using namespace warpbound::harness::cuda;
using warpbound::tests::machine;
using warpbound::tests::Machine;

extern "C" {

NvmlStatus nvmlInit_v2() {
    return NvmlStatus::Success;
}
const char* nvmlErrorString(NvmlStatus) {
    return "said by the stand-in";
}
NvmlStatus nvmlDeviceGetHandleByPciBusId_v2(const char*, NvmlDevice* device) {
    static NvmlDeviceTag only;
    *device = &only;
    return NvmlStatus::Success;
}
NvmlStatus nvmlDeviceGetTemperature(NvmlDevice, NvmlSensor, unsigned* celsius) {
    *celsius = 41;
    return NvmlStatus::Success;
}
NvmlStatus nvmlDeviceGetPerformanceState(NvmlDevice, int* state) {
    *state = machine().is_low ? 8 : 0;
    return NvmlStatus::Success;
}
NvmlStatus nvmlDeviceGetClockInfo(NvmlDevice, NvmlClock clock, unsigned* megahertz) {
    const Machine& at = machine();
    const double of_cores = at.is_low      ? at.script.idle_rate
                            : at.is_slow() ? at.script.slow_rate
                                           : 1410;
    *megahertz = clock == NvmlClock::Memory ? 1215 : static_cast<unsigned>(of_cores);
    return NvmlStatus::Success;
}
NvmlStatus nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice, unsigned long long* reasons) {
    const Machine& at = machine();
    const bool lowered = at.script.reasons_from > 0 && at.launches >= at.script.reasons_from;
    *reasons = lowered ? at.script.reasons : 1; // 1: idle, which is not a reason for throttling.
    return NvmlStatus::Success;
}
NvmlStatus nvmlDeviceGetMigMode(NvmlDevice, unsigned*, unsigned*) {
    return NvmlStatus::NotSupported;
}

} // extern "C"
