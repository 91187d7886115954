#include "tests/support/stand_in_driver/played_user_kernel.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>

namespace warpbound::tests {

namespace {

using harness::cuda::Address;
using harness::cuda::Event;
using harness::cuda::Status;
using harness::cuda::Stream;

constexpr double launch_time = 4000.0; // Of every launch. Unit: ns.

template <typename Number> Number number_at(const char* bytes, std::size_t offset) {
    Number number{};
    std::memcpy(&number, bytes + offset, sizeof(number));
    return number;
}

/// Real and played time together. Unit: ns.
double moment() {
    return machine().nanoseconds +
           static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

/// Up to `most`, the same sequence in every process.
double jitter(double most, std::int64_t launch) {
    const auto mixed = static_cast<std::uint64_t>(launch) * 0x9e3779b97f4a7c15U;
    return most * static_cast<double>(mixed >> 40U) / 16777216.0;
}

/// Adds one to every byte of the buffer at the address. Returns false where there is none.
bool add_one(Address address) {
    Machine& at = machine();
    const auto found = at.memory.find(address);
    if (found == at.memory.end()) return false;
    auto* const bytes = reinterpret_cast<unsigned char*>(address);
    for (std::size_t i = 0; i < found->second.bytes; ++i)
        ++bytes[i];
    if (at.launches == at.script.wrong_output_at) bytes[0] ^= 0x10U;
    return true;
}

} // namespace

bool is_machine_code(const void* image) {
    return std::memcmp(image, "\177ELF", 4) == 0;
}

std::string machine_code(const void* image) {
    const char* const bytes = static_cast<const char*>(image);
    // Elf64_Ehdr and Elf64_Shdr.
    const auto headers = number_at<std::uint64_t>(bytes, 0x28);
    const std::uint64_t header_size = number_at<std::uint16_t>(bytes, 0x3a);
    const std::uint64_t count = number_at<std::uint16_t>(bytes, 0x3c);
    std::uint64_t end = headers + header_size * count;
    for (std::uint64_t i = 0; i < count; ++i) {
        const char* const section = bytes + headers + i * header_size;
        constexpr std::uint32_t no_bits = 8;
        if (number_at<std::uint32_t>(section, 0x04) != no_bits)
            end = std::max(end, number_at<std::uint64_t>(section, 0x18) +
                                    number_at<std::uint64_t>(section, 0x20));
    }
    return {bytes, end};
}

void run_user_kernel(void** extra) {
    Machine& at = machine();
    const Script& script = at.script;
    at.is_low = script.idle_after > 0 && at.last_end > 0 &&
                moment() - at.last_end > static_cast<double>(script.idle_after);
    double time = script.user_time + jitter(script.user_jitter, at.launches);
    if (at.evicted) time += script.user_from_dram;
    if (at.is_new_code) time += script.user_code;
    if (at.beside_until > at.nanoseconds) time += script.beside_slows;
    at.evicted = at.is_new_code = false;
    at.elapsed = launch_time + time * script.rate / (1000.0 * at.rate());
    at.pass(at.elapsed);
    at.last_end = moment();
    if (extra == nullptr) return;
    std::size_t size = 0;
    std::memcpy(&size, extra[3], sizeof(size));
    Address address = 0;
    if (size < sizeof(address)) return;
    std::memcpy(&address, extra[1], sizeof(address));
    if (!add_one(address)) at.sticky = Status::IllegalAddress;
}

Status run_beside() {
    Machine& at = machine();
    const std::int64_t launch = ++at.launches_beside;
    if (launch == at.script.beside_refused_at) return Status::LaunchOutOfResources;
    const bool ends = at.script.beside_ends_at > 0 && launch >= at.script.beside_ends_at;
    at.beside_until =
        std::max(at.beside_until, at.nanoseconds) + (ends ? 0.0 : at.script.beside_time);
    return Status::Success;
}

void record_beside(Event event, Stream stream) {
    const Machine& at = machine();
    const bool blocks = stream == nullptr || stream->blocks;
    event->time = static_cast<std::int64_t>(blocks ? at.nanoseconds
                                                   : std::max(at.nanoseconds, at.beside_until));
}

bool has_come(Event event) {
    Machine& at = machine();
    constexpr double of_query = 50'000.0;
    if (static_cast<double>(*event->time) > at.nanoseconds) at.pass(of_query);
    return static_cast<double>(*event->time) <= at.nanoseconds;
}

void wake_up() {
    machine().is_low = false;
    machine().last_end = moment();
}

} // namespace warpbound::tests
