#include "harness/execution/device_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::harness::execution {

namespace {

constexpr std::uint64_t small_alignment = 512;
constexpr std::uint64_t large = std::uint64_t{1} << 20U;
constexpr std::uint64_t large_alignment = std::uint64_t{2} << 20U;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) {
    return (value + step - 1) / step * step;
}

} // namespace

std::size_t size_of(ElementType type) {
    switch (type) {
    case ElementType::U8:
    case ElementType::I8:
        return 1;
    case ElementType::U16:
    case ElementType::I16:
    case ElementType::F16:
        return 2;
    case ElementType::U32:
    case ElementType::I32:
    case ElementType::F32:
        return 4;
    case ElementType::U64:
    case ElementType::I64:
    case ElementType::F64:
        break;
    }
    return 8;
}

std::uint64_t DeviceMemory::add(Buffer buffer) {
    buffer.base =
        rounded_up(next_, buffer.bytes.size() >= large ? large_alignment : small_alignment);
    next_ = buffer.base + buffer.bytes.size() + small_alignment;
    buffers_.push_back(std::move(buffer));
    return buffers_.back().base;
}

bool DeviceMemory::search(std::uint64_t address, std::size_t bytes) const {
    const auto after = std::upper_bound(
        buffers_.begin(), buffers_.end(), address,
        [](std::uint64_t value, const Buffer& buffer) { return value < buffer.base; });
    if (after == buffers_.begin()) return false;
    last_ = static_cast<std::size_t>(after - buffers_.begin()) - 1;
    return hit(address, bytes);
}

std::string DeviceMemory::place_of(std::uint64_t address) const {
    const Buffer* nearest = nullptr;
    std::uint64_t distance = 0;
    for (const Buffer& buffer : buffers_) {
        const std::uint64_t end = buffer.base + buffer.bytes.size();
        const std::uint64_t away = address < buffer.base ? buffer.base - address
                                   : address >= end      ? address - end
                                                         : 0;
        if (nearest != nullptr && away >= distance) continue;
        nearest = &buffer;
        distance = away;
    }
    constexpr std::uint64_t near = std::uint64_t{1} << 32U;
    if (nearest == nullptr) return "the launch has no buffers";
    const std::string named = fmt::format("'{}' ({} bytes at 0x{:x})", nearest->name,
                                          nearest->bytes.size(), nearest->base);
    if (distance >= near) return "near no buffer; the nearest is " + named;
    if (address < nearest->base) return fmt::format("{} bytes before {}", distance, named);
    if (address >= nearest->base + nearest->bytes.size())
        return fmt::format("{} bytes past the end of {}", distance, named);
    return fmt::format("offset {} of {}", address - nearest->base, named);
}

} // namespace warpbound::harness::execution
