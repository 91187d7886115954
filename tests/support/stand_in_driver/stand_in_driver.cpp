/// \file
/// A CUDA driver without a card: "runs" generated kernels by writing plausible clocks into their
/// records, and injects the faults of a script. Device memory is host memory.

#include "tests/support/stand_in_driver/played_kernels.hpp"
#include "tests/support/stand_in_driver/played_machine.hpp"
#include "tests/support/stand_in_driver/played_streams.hpp"
#include "tests/support/stand_in_driver/played_user_kernel.hpp"

#include <cstring>
#include <map>
#include <memory>
#include <string>

namespace warpbound::harness::cuda {

struct ContextTag {};
struct LinkStateTag {
    std::string text;
    char* log = nullptr;
    std::size_t log_bytes = 0;
    void** length = nullptr; ///< Where the caller reads the used length of the log.

    /// Drivers update it at every call, also at the last one.
    void write_length() const {
        if (length != nullptr) *length = reinterpret_cast<void*>(std::strlen(log));
    }
};

} // namespace warpbound::harness::cuda

namespace {

using namespace warpbound::harness::cuda;
using namespace warpbound::tests;

/// Start-up of 8 us, then 10 bytes per nanosecond.
Status run_copy(std::size_t bytes) {
    const Status begun = begin_work();
    if (begun != Status::Success) return begun;
    machine().elapsed = 8000.0 + static_cast<double>(bytes) / 10.0;
    machine().pass(machine().elapsed);
    return Status::Success;
}

} // namespace

extern "C" {

Status cuInit(unsigned) {
    machine() = Machine{};
    forget_work();
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
    case DeviceAttribute::MaxThreadsPerMultiprocessor:
        *value = static_cast<int>(played_device().threads);
        break;
    case DeviceAttribute::MaxBlocksPerMultiprocessor:
        *value = static_cast<int>(played_device().blocks);
        break;
    case DeviceAttribute::MaxSharedMemoryPerMultiprocessor:
        *value = static_cast<int>(played_device().shared_memory);
        break;
    case DeviceAttribute::MaxRegistersPerMultiprocessor:
        *value = 65536;
        break;
    case DeviceAttribute::AsyncEngineCount:
        *value = played_device().copy_engines;
        break;
    }
    return answer("cuDeviceGetAttribute");
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
    if (is_machine_code(image)) {
        loaded->text = machine_code(image);
        machine().is_new_code = true;
    } else {
        loaded->text = static_cast<const char*>(image);
    }
    *module = loaded.get();
    machine().modules.emplace(*module, std::move(loaded));
    return answer();
}
Status cuModuleUnload(Module module) {
    machine().modules.erase(module);
    return answer();
}
Status cuModuleGetFunction(Function* function, Module module, const char* name) {
    const bool is_code = is_machine_code(module->text.data());
    // The name as a whole in the table of symbols, or the entry in PTX or AMD's assembly.
    const std::string of_name{name};
    const auto has = [&](const std::string& text) {
        return module->text.find(text) != std::string::npos;
    };
    if (is_code ? !has('\0' + of_name + '\0')
                : !has(".entry " + of_name + "(") && !has(".amdhsa_kernel " + of_name + "\n"))
        return Status::InvalidValue;
    if (is_code) {
        module->function = {};
        module->function.kind = FunctionTag::Kind::User;
    } else {
        module->function = function_of(module->text, name);
    }
    *function = &module->function;
    if (module->function.kind == FunctionTag::Kind::PassingTime) play_streams();
    return answer();
}
Status cuFuncGetAttribute(int* value, FunctionAttribute attribute, Function function) {
    *value = attribute == FunctionAttribute::MaxThreadsPerBlock ? 1024
             : attribute == FunctionAttribute::NumRegs          ? function->registers
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
    constexpr Address alignment = 256; // Of the memory of cards.
    auto memory = std::make_unique<char[]>(bytes + alignment);
    *address = (reinterpret_cast<Address>(memory.get()) + alignment - 1) / alignment * alignment;
    at.memory[*address] = {std::move(memory), bytes};
    return answer();
}
Status cuMemFree_v2(Address address) {
    forget_work(address);
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
    if (const Status refused = answer("cuMemAllocHost_v2"); refused != Status::Success)
        return refused;
    Address memory = 0;
    const Status status = cuMemAlloc_v2(&memory, bytes);
    *address = reinterpret_cast<void*>(memory);
    return status;
}
Status cuMemFreeHost(void* address) {
    return cuMemFree_v2(reinterpret_cast<Address>(address));
}
Status cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream stream) {
    if (const Status refused = answer("cuMemcpyHtoDAsync_v2"); refused != Status::Success)
        return refused;
    if (streams_are_played()) return add_copy(stream, true, bytes);
    const Status begun = run_copy(bytes);
    if (begun == Status::Success) cuMemcpyHtoD_v2(to, from, bytes);
    return begun;
}
Status cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream stream) {
    if (const Status refused = answer("cuMemcpyDtoHAsync_v2"); refused != Status::Success)
        return refused;
    if (streams_are_played()) return add_copy(stream, false, bytes);
    const Status begun = run_copy(bytes);
    if (begun == Status::Success) cuMemcpyDtoH_v2(to, from, bytes);
    return begun;
}
Status cuMemsetD8_v2(Address to, unsigned char value, std::size_t bytes) {
    if (bytes >= 2 * static_cast<std::size_t>(machine().script.l2_bytes)) machine().evicted = true;
    if (answer() == Status::Success) std::memset(reinterpret_cast<void*>(to), value, bytes);
    return answer();
}
Status cuStreamCreate(Stream* stream, unsigned flags) {
    *stream = machine().streams.emplace_back(std::make_unique<StreamTag>()).get();
    (*stream)->blocks = flags != stream_non_blocking;
    machine().has_second_stream = machine().has_second_stream || !(*stream)->blocks;
    return answer("cuStreamCreate");
}
Status cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = 1 - machine().script.priorities;
    return answer("cuCtxGetStreamPriorityRange");
}
Status cuStreamCreateWithPriority(Stream* stream, unsigned, int priority) {
    *stream = machine().streams.emplace_back(std::make_unique<StreamTag>()).get();
    (*stream)->priority = priority;
    return answer("cuStreamCreateWithPriority");
}
Status cuStreamDestroy_v2(Stream) {
    return answer();
}
Status cuLaunchKernel(Function function, unsigned blocks, unsigned, unsigned, unsigned threads,
                      unsigned, unsigned, unsigned shared, Stream stream, void** arguments,
                      void** extra) {
    Machine& at = machine();
    if (answer() == Status::Success && function->kind == FunctionTag::Kind::ClockRate) {
        run_kernel(*function, blocks, threads, shared, arguments);
        wake_up();
        return Status::Success;
    }
    if (answer() == Status::Success && function->kind == FunctionTag::Kind::Empty) {
        at.elapsed = at.script.empty_time;
        at.pass(at.elapsed);
        wake_up();
        return Status::Success;
    }
    if (const Status refused = answer("cuLaunchKernel"); refused != Status::Success) return refused;
    if (answer() == Status::Success && function->kind == FunctionTag::Kind::User &&
        stream != nullptr && !stream->blocks)
        return run_beside();
    if (const Status begun = begin_work(); begun != Status::Success) return begun;
    if (function->kind == FunctionTag::Kind::PassingTime)
        return add_launch(stream, blocks, threads, shared, arguments);
    if (function->kind == FunctionTag::Kind::User) {
        run_user_kernel(extra);
        return Status::Success;
    }
    at.elapsed = 4000.0;
    run_kernel(*function, blocks, threads, shared, arguments);
    return Status::Success;
}
Status cuEventCreate(Event* event, unsigned) {
    *event = machine().events.emplace_back(std::make_unique<EventTag>()).get();
    return answer("cuEventCreate");
}
Status cuEventRecord(Event event, Stream stream) {
    if (streams_are_played())
        add_event(event, stream);
    else if (machine().has_second_stream)
        record_beside(event, stream);
    // Errors of a kernel are reported after it has run.
    const Status status = answer("cuEventRecord");
    return status == Status::IllegalAddress ? Status::Success : status;
}
Status cuEventQuery(Event event) {
    if (machine().hangs) return Status::NotReady;
    const Status status = answer("cuEventQuery");
    if (status != Status::Success) return status;
    if (!streams_are_played() && machine().has_second_stream && event->time)
        return has_come(event) ? Status::Success : Status::NotReady;
    if (!streams_are_played()) return status;
    return has_passed(event) ? Status::Success : Status::NotReady;
}
Status cuEventElapsedTime(float* milliseconds, Event from, Event to) {
    const double elapsed =
        from->time && to->time ? static_cast<double>(*to->time - *from->time) : machine().elapsed;
    *milliseconds = static_cast<float>(elapsed / 1e6);
    return answer("cuEventElapsedTime");
}
Status cuEventDestroy_v2(Event) {
    return answer();
}

// For tests, whose clock is that of the stand-in.
double stand_in_now() {
    return machine().nanoseconds;
}
void stand_in_pass(double nanoseconds) {
    machine().pass(nanoseconds);
}

} // extern "C"
