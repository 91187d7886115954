/// \file
/// A CUDA driver and NVML without a card: "runs" generated kernels by writing plausible clocks into
/// their records, and plays the faults of a script. Memory is the host's.

#include "harness/devices/cuda/driver_abi.hpp"
#include "harness/ptx_kernel.hpp"
#include "tests/support/stand_in_driver/script.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warpbound::harness::cuda {

struct ContextTag {};
struct StreamTag {};
struct EventTag {};
struct NvmlDeviceTag {};
struct LinkStateTag {
    std::string text;
    char* log = nullptr;
    std::size_t log_bytes = 0;
    void** length = nullptr; ///< Where the caller reads how much of the log is used.

    /// Drivers do so at every call, also at the last one.
    void write_length() const {
        if (length != nullptr) *length = reinterpret_cast<void*>(std::strlen(log));
    }
};
struct FunctionTag {
    bool of_clock_rate = false;
    std::int64_t instructions = 0; ///< Between the clock reads.
    std::int64_t trips = 0;        ///< Of a walk; 0: it does none.
    bool semaphore = false;        ///< Blocks wait for each other.
    int registers = 0;             ///< That its text asks for; 0: it does not say.
};
struct ModuleTag {
    std::string text;
    FunctionTag function;
};

} // namespace warpbound::harness::cuda

namespace {

using namespace warpbound::harness::cuda;
using warpbound::harness::WarpRecord;

struct Machine {
    warpbound::tests::Script script;
    Status sticky = Status::Success; ///< What every call answers from now on.
    bool hangs = false;
    std::int64_t launches = 0;
    std::int64_t allocations = 0;
    double elapsed = 0.0; ///< Between the events around the last work. `Unit:` nanoseconds.
    double nanoseconds = 1e9;
    double cycles = 1e9;
    struct Allocation {
        std::unique_ptr<char[]> first;
        std::size_t bytes = 0;
    };
    std::map<Address, Allocation> memory;
    std::map<Module, std::unique_ptr<ModuleTag>> modules; ///< Also those that nobody gives back.

    [[nodiscard]] double rate() const { // Cycles of a nanosecond.
        const bool slow = script.slow_from > 0 && launches >= script.slow_from;
        return (slow ? script.slow_rate : script.rate) / 1000.0;
    }
    void pass(double nanoseconds_more) {
        nanoseconds += nanoseconds_more;
        cycles += nanoseconds_more * rate();
    }
};

Machine& machine() {
    static Machine only;
    return only;
}

/// Begins the next launch or copy, with the fault that the script has for it. What runs beside a
/// fault that shows later runs as if nothing were.
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

/// A start-up of 8 us and 10 bytes in a nanosecond.
Status run_copy(std::size_t bytes) {
    const Status begun = begin_work();
    if (begun != Status::Success) return begun;
    machine().elapsed = 8000.0 + static_cast<double>(bytes) / 10.0;
    machine().pass(machine().elapsed);
    return Status::Success;
}

/// Of the calls that a lost device answers with an error.
Status answer() {
    return machine().sticky;
}

std::int64_t lines_between(const std::string& text, const char* from, const char* to) {
    const auto begin = text.find(from);
    const auto end = text.find(to);
    if (begin == std::string::npos || end == std::string::npos) return 0;
    std::int64_t lines = -1; // Of the two lines one is counted, and the one between each.
    for (auto at = text.find('\n', begin); at < end; at = text.find('\n', at + 1))
        ++lines;
    return lines;
}

std::int64_t trips_of_walk(const std::string& text) {
    constexpr const char* counter = "mov.u32 %left, ";
    const auto at = text.find(counter);
    if (at == std::string::npos || text.find("%walk_by_") == std::string::npos) return 0;
    return std::stoll(text.substr(at + std::strlen(counter)));
}

void run_clock_rate(void** arguments) {
    Address record = 0;
    std::uint64_t window = 0;
    std::memcpy(&record, arguments[0], sizeof(record));
    std::memcpy(&window, arguments[1], sizeof(window));
    Machine& at = machine();
    const auto first = static_cast<std::uint64_t>(at.cycles);
    const auto begin = static_cast<std::uint64_t>(at.nanoseconds);
    at.pass(static_cast<double>(window));
    if (at.script.no_rate_at > 0 && at.launches == at.script.no_rate_at) return;
    const std::uint64_t values[4] = {first, static_cast<std::uint64_t>(at.cycles), begin,
                                     static_cast<std::uint64_t>(at.nanoseconds)};
    std::memcpy(reinterpret_cast<void*>(record), values, sizeof(values));
}

bool is_allocated(Address address) {
    const auto& memory = machine().memory;
    auto behind = memory.upper_bound(address);
    if (behind == memory.begin()) return false;
    --behind;
    return address + sizeof(Address) <= behind->first + behind->second.bytes;
}

/// How many addresses a walk from there visits; nothing when it leaves the memory.
std::optional<std::int64_t> stops_of(Address at, std::int64_t trips) {
    std::set<Address> seen;
    for (std::int64_t trip = 0; trip < trips; ++trip) {
        if (!is_allocated(at)) return std::nullopt;
        seen.insert(at);
        std::memcpy(&at, reinterpret_cast<const void*>(at), sizeof(at));
    }
    return static_cast<std::int64_t>(seen.size());
}

void run_region(const FunctionTag& function, unsigned blocks, unsigned threads, void** arguments) {
    Address records = 0;
    std::memcpy(&records, arguments[0], sizeof(records));
    Machine& at = machine();
    const auto& script = at.script;
    const std::int64_t warps = std::int64_t{blocks} * ((threads + 31) / 32);
    at.pass(1000.0);
    std::int64_t cycles = 24 + 6 * function.instructions;
    if (function.trips > 0) {
        Address memory = 0;
        std::memcpy(&memory, arguments[3], sizeof(memory));
        const auto stops = stops_of(memory, function.trips);
        if (!stops) at.sticky = Status::IllegalAddress;
        cycles = 100 * stops.value_or(0); // The walk of warp 0 is that of all.
    }
    for (std::int64_t warp = 0; warp < warps; ++warp) {
        auto* const place =
            reinterpret_cast<char*>(records) + warp * std::int64_t{sizeof(WarpRecord)};
        // A walk's address goes through the warp's record before its first clock read.
        if (function.trips > 0) std::memcpy(place, arguments[3], sizeof(Address));
        if (at.launches == script.no_record_at && warp == warps - 1) break;
        WarpRecord record;
        record.first_clock =
            static_cast<std::uint64_t>(at.cycles) + static_cast<std::uint64_t>(2 * warp);
        // Now and then a run is slower, as runs are.
        const std::int64_t region = cycles + (at.launches % 5 == 0 ? 4 : 0);
        record.last_clock = record.first_clock + static_cast<std::uint64_t>(region);
        if (at.launches == script.clock_back_at) record.last_clock = record.first_clock - 7;
        if (at.launches == script.clock_jump_at) record.last_clock += std::uint64_t{1} << 40U;
        record.nanoseconds_before = static_cast<std::uint64_t>(at.nanoseconds);
        record.nanoseconds_after = record.nanoseconds_before + 1024;
        std::memcpy(place, &record, sizeof(record));
    }
    at.pass(2000.0);
}

constexpr int multiprocessors = 2;
constexpr std::int64_t most_warps = 48;
constexpr std::int64_t most_blocks = 16;
constexpr std::int64_t register_file = 65536;
constexpr std::int64_t register_granularity = 256; // Of a warp.
constexpr std::int64_t register_partitions = 4;
constexpr std::int64_t shared_memory = 102400;
constexpr std::int64_t shared_granularity = 128;
constexpr std::int64_t shared_reserved = 1024;

std::int64_t round_up(std::int64_t amount, std::int64_t unit) {
    return (amount + unit - 1) / unit * unit;
}

/// Blocks that fit on an SM.
std::int64_t room(std::int64_t warps, std::int64_t registers, std::int64_t shared) {
    std::int64_t blocks = 0;
    while (blocks < most_blocks && (blocks + 1) * warps <= most_warps &&
           (blocks + 1) * round_up(shared + shared_reserved, shared_granularity) <= shared_memory &&
           round_up((blocks + 1) * warps, register_partitions) *
                   round_up(32 * registers, register_granularity) <=
               register_file)
        ++blocks;
    return blocks;
}

/// Blocks come to the SMs in turn, and to each as others leave; SMs have clocks of their own.
void run_semaphore(const FunctionTag& function, unsigned blocks, unsigned threads,
                   std::int64_t shared, void** arguments) {
    Address records = 0;
    std::memcpy(&records, arguments[0], sizeof(records));
    Address counter = 0;
    std::memcpy(&counter, arguments[3], sizeof(counter));
    std::uint32_t counted = 0; // Of a launch before, if nobody cleared it.
    std::memcpy(&counted, reinterpret_cast<const void*>(counter), sizeof(counted));
    Machine& at = machine();
    const std::int64_t warps = (threads + 31) / 32;
    const std::int64_t places =
        room(warps, function.registers > 0 ? function.registers : at.script.registers, shared);
    const bool all_meet = counted >= blocks || blocks <= multiprocessors * places;
    const std::int64_t life = all_meet ? 900 : warpbound::harness::semaphore_time_out + 40;
    for (std::int64_t warp = 0; warp < std::int64_t{blocks} * warps; ++warp) {
        const std::int64_t block = warp / warps;
        const std::int64_t of_sm = block / multiprocessors;
        WarpRecord record;
        record.multiprocessor = static_cast<std::uint64_t>(block % multiprocessors);
        const bool late = at.launches == at.script.late_block_at && of_sm == places - 1;
        const std::int64_t begin =
            of_sm / places * (life + 100) + 2 * (of_sm % places) + (late ? life - 90 : 0);
        record.first_clock = static_cast<std::uint64_t>(at.cycles) +
                             1000000 * record.multiprocessor + static_cast<std::uint64_t>(begin);
        record.last_clock = record.first_clock + static_cast<std::uint64_t>(life);
        record.nanoseconds_before =
            static_cast<std::uint64_t>(at.nanoseconds + static_cast<double>(begin));
        record.nanoseconds_after = record.nanoseconds_before + static_cast<std::uint64_t>(life);
        std::memcpy(reinterpret_cast<char*>(records) + warp * std::int64_t{sizeof(record)}, &record,
                    sizeof(record));
    }
    counted += blocks;
    std::memcpy(reinterpret_cast<void*>(counter), &counted, sizeof(counted));
    at.pass(static_cast<double>(blocks) * static_cast<double>(life));
}

} // namespace

extern "C" {

Status cuInit(unsigned) {
    machine() = Machine{};
    machine().script = warpbound::tests::read_script();
    return static_cast<Status>(machine().script.init);
}
Status cuDriverGetVersion(int* version) {
    *version = 13000;
    return Status::Success;
}
Status cuGetErrorName(Status status, const char** name) {
    static const std::map<Status, const char*> names{
        {Status::InvalidValue, "CUDA_ERROR_INVALID_VALUE"},
        {Status::OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
        {Status::StubLibrary, "CUDA_ERROR_STUB_LIBRARY"},
        {Status::DeviceUnavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
        {Status::NoDevice, "CUDA_ERROR_NO_DEVICE"},
        {Status::InvalidPtx, "CUDA_ERROR_INVALID_PTX"},
        {Status::IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {Status::LaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
        {Status::SystemNotReady, "CUDA_ERROR_SYSTEM_NOT_READY"}};
    const auto found = names.find(status);
    *name = found == names.end() ? nullptr : found->second;
    return found == names.end() ? Status::InvalidValue : Status::Success;
}
Status cuGetErrorString(Status, const char** text) {
    *text = "said by the stand-in";
    return Status::Success;
}
Status cuDeviceGetCount(int* count) {
    *count = machine().script.devices;
    return Status::Success;
}
Status cuDeviceGet(DeviceNumber* device, int ordinal) {
    *device = ordinal;
    return answer();
}
Status cuDeviceGetName(char* name, int length, DeviceNumber) {
    std::strncpy(name, "Stand-in", static_cast<std::size_t>(length));
    return answer();
}
Status cuDeviceGetPCIBusId(char* name, int length, DeviceNumber) {
    std::strncpy(name, "0000:00:00.0", static_cast<std::size_t>(length));
    return answer();
}
Status cuDeviceGetAttribute(int* value, DeviceAttribute attribute, DeviceNumber) {
    switch (attribute) {
    case DeviceAttribute::ComputeCapabilityMajor:
        *value = machine().script.target / 10;
        break;
    case DeviceAttribute::ComputeCapabilityMinor:
        *value = machine().script.target % 10;
        break;
    case DeviceAttribute::MultiprocessorCount:
        *value = multiprocessors;
        break;
    case DeviceAttribute::L2CacheSize:
        *value = machine().script.l2_bytes;
        break;
    case DeviceAttribute::MaxSharedMemoryPerBlock:
        *value = 49152;
        break;
    case DeviceAttribute::MaxSharedMemoryPerBlockOptin:
        *value = 98304;
        break;
    case DeviceAttribute::EccEnabled:
        *value = 1;
        break;
    }
    return answer();
}
Status cuDevicePrimaryCtxRetain(Context* context, DeviceNumber) {
    static ContextTag only;
    *context = &only;
    return answer();
}
Status cuDevicePrimaryCtxRelease_v2(DeviceNumber) {
    return answer();
}
Status cuCtxSetCurrent(Context) {
    return answer();
}
Status cuLinkCreate_v2(unsigned count, LinkOption* options, void** values, LinkState* state) {
    *state = new LinkStateTag;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == LinkOption::ErrorLogBuffer) (*state)->log = static_cast<char*>(values[i]);
        if (options[i] != LinkOption::ErrorLogBufferSizeBytes) continue;
        (*state)->length = &values[i];
        (*state)->log_bytes = reinterpret_cast<std::size_t>(values[i]);
    }
    return answer();
}
Status cuLinkAddData_v2(LinkState state, LinkInput, void* text, std::size_t size, const char*,
                        unsigned, LinkOption*, void**) {
    state->text.assign(static_cast<const char*>(text), size - 1);
    const std::string& error = machine().script.compile_error;
    if (!error.empty() && state->text.find("clock_rate") == std::string::npos) {
        std::strncpy(state->log, error.c_str(), state->log_bytes);
        state->write_length();
        return Status::InvalidPtx;
    }
    return answer();
}
Status cuLinkComplete(LinkState state, void** image, std::size_t* size) {
    *image = state->text.data();
    *size = state->text.size();
    return answer();
}
Status cuLinkDestroy(LinkState state) {
    state->write_length();
    delete state;
    return answer();
}
Status cuModuleLoadData(Module* module, const void* image) {
    auto loaded = std::make_unique<ModuleTag>();
    loaded->text = static_cast<const char*>(image);
    *module = loaded.get();
    machine().modules.emplace(*module, std::move(loaded));
    return answer();
}
Status cuModuleUnload(Module module) {
    machine().modules.erase(module);
    return answer();
}
Status cuModuleGetFunction(Function* function, Module module, const char* name) {
    if (module->text.find(".entry " + std::string{name} + "(") == std::string::npos)
        return Status::InvalidValue;
    module->function.of_clock_rate = std::string{name} == "clock_rate";
    module->function.instructions =
        lines_between(module->text, "mov.u64 %first, %clock64;", "mov.u64 %last, %clock64;");
    module->function.trips = trips_of_walk(module->text);
    module->function.semaphore = module->text.find("red.global.add") != std::string::npos;
    if (const auto at = module->text.find(".maxnreg "); at != std::string::npos)
        module->function.registers = std::min(std::stoi(module->text.substr(at + 9)), 255);
    *function = &module->function;
    return answer();
}
Status cuFuncGetAttribute(int* value, FunctionAttribute attribute, Function function) {
    const int registers =
        function->registers > 0 ? function->registers : machine().script.registers;
    *value = attribute == FunctionAttribute::MaxThreadsPerBlock ? 1024
             : attribute == FunctionAttribute::NumRegs          ? registers
                                                                : 0;
    return answer();
}
Status cuFuncSetAttribute(Function, FunctionAttribute, int) {
    return answer();
}
Status cuMemAlloc_v2(Address* address, std::size_t bytes) {
    Machine& at = machine();
    ++at.allocations;
    if (at.script.out_of_memory_at > 0 && at.allocations >= at.script.out_of_memory_at)
        return Status::OutOfMemory;
    auto memory = std::make_unique<char[]>(bytes);
    *address = reinterpret_cast<Address>(memory.get());
    at.memory[*address] = {std::move(memory), bytes};
    return answer();
}
Status cuMemFree_v2(Address address) {
    machine().memory.erase(address);
    return answer();
}
Status cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
    if (answer() == Status::Success) std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return answer();
}
Status cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
    if (answer() == Status::Success) std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return answer();
}
Status cuMemAllocHost_v2(void** address, std::size_t bytes) {
    Address memory = 0;
    const Status status = cuMemAlloc_v2(&memory, bytes);
    *address = reinterpret_cast<void*>(memory);
    return status;
}
Status cuMemFreeHost(void* address) {
    return cuMemFree_v2(reinterpret_cast<Address>(address));
}
Status cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream) {
    const Status begun = run_copy(bytes);
    if (begun == Status::Success) cuMemcpyHtoD_v2(to, from, bytes);
    return begun;
}
Status cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream) {
    const Status begun = run_copy(bytes);
    if (begun == Status::Success) cuMemcpyDtoH_v2(to, from, bytes);
    return begun;
}
Status cuMemsetD8_v2(Address to, unsigned char value, std::size_t bytes) {
    if (answer() == Status::Success) std::memset(reinterpret_cast<void*>(to), value, bytes);
    return answer();
}
Status cuStreamCreate(Stream* stream, unsigned) {
    static StreamTag only;
    *stream = &only;
    return answer();
}
Status cuStreamDestroy_v2(Stream) {
    return answer();
}
Status cuLaunchKernel(Function function, unsigned blocks, unsigned, unsigned, unsigned threads,
                      unsigned, unsigned, unsigned shared, Stream, void** arguments, void**) {
    Machine& at = machine();
    if (answer() == Status::Success && function->of_clock_rate) {
        run_clock_rate(arguments);
        return Status::Success;
    }
    if (const Status begun = begin_work(); begun != Status::Success) return begun;
    at.elapsed = 4000.0;
    if (function->semaphore)
        run_semaphore(*function, blocks, threads, shared, arguments);
    else
        run_region(*function, blocks, threads, arguments);
    return Status::Success;
}
Status cuEventCreate(Event* event, unsigned) {
    static EventTag only;
    *event = &only;
    return answer();
}
Status cuEventRecord(Event, Stream) {
    // What a kernel did wrong shows when it has run.
    return answer() == Status::IllegalAddress ? Status::Success : answer();
}
Status cuEventQuery(Event) {
    return machine().hangs ? Status::NotReady : answer();
}
Status cuEventElapsedTime(float* milliseconds, Event, Event) {
    *milliseconds = static_cast<float>(machine().elapsed / 1e6);
    return answer();
}
Status cuEventDestroy_v2(Event) {
    return answer();
}

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
    *state = 0;
    return NvmlStatus::Success;
}
NvmlStatus nvmlDeviceGetClockInfo(NvmlDevice, NvmlClock clock, unsigned* megahertz) {
    *megahertz = clock == NvmlClock::Memory ? 1215 : 1410;
    return NvmlStatus::Success;
}
NvmlStatus nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice, unsigned long long* reasons) {
    const Machine& at = machine();
    const bool lowered = at.script.reasons_from > 0 && at.launches >= at.script.reasons_from;
    *reasons = lowered ? at.script.reasons : 1; // 1: idle, which is no reason.
    return NvmlStatus::Success;
}
NvmlStatus nvmlDeviceGetMigMode(NvmlDevice, unsigned*, unsigned*) {
    return NvmlStatus::NotSupported;
}

} // extern "C"
