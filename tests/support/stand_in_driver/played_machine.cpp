#include "tests/support/stand_in_driver/played_machine.hpp"

namespace warpbound::tests {

using harness::cuda::Status;

Machine& machine() {
    static Machine only;
    return only;
}

Status begin_work() {
    Machine& at = machine();
    if (at.sticky != Status::Success) return at.sticky;
    ++at.launches;
    if (at.launches == at.script.refused_at) return Status::LaunchOutOfResources;
    if (at.launches == at.script.lost_at) return at.sticky = Status::DeviceUnavailable;
    if (at.launches == at.script.time_out_at) at.hangs = true;
    if (at.launches == at.script.illegal_address_at) at.sticky = Status::IllegalAddress;
    return Status::Success;
}

Status answer() {
    return machine().sticky;
}

Status answer(const char* function) {
    Machine& at = machine();
    if (at.sticky != Status::Success || at.script.fail_call != function) return at.sticky;
    if (at.calls[function]++ < at.script.fail_after) return Status::Success;
    return static_cast<Status>(at.script.fail_status);
}

} // namespace warpbound::tests
