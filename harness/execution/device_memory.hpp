#pragma once
/// \file
/// Global memory of a launch: buffers at addresses, and nothing between them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::harness::execution {

/// What a buffer is filled with, which decides how its values are compared and printed.
enum class ElementType { U8, I8, U16, I16, U32, I32, U64, I64, F16, F32, F64 };
/// `Unit:` bytes.
std::size_t size_of(ElementType type);

/// Memory that the host allocated for an argument.
struct Buffer {
    std::string name; ///< Of the argument.
    ElementType type = ElementType::U8;
    std::vector<std::byte> bytes;
    std::uint64_t base = 0; ///< Device address; set by `DeviceMemory::add`.
    bool was_written = false;
};

/// Addresses follow cudaMalloc: buffers of 1 MiB and more begin at multiples of 2 MiB, smaller ones
/// at multiples of 512 bytes. At least 512 bytes that belong to no buffer lie between two.
class DeviceMemory {
public:
    /// The buffer's address.
    std::uint64_t add(Buffer buffer);
    [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }

    /// The bytes of an access that lies in one buffer; null: it does not.
    [[nodiscard]] const std::byte* find(std::uint64_t address, std::size_t bytes) const {
        return hit(address, bytes) || search(address, bytes)
                   ? buffers_[last_].bytes.data() + (address - buffers_[last_].base)
                   : nullptr;
    }
    /// The same for an access that writes.
    [[nodiscard]] std::byte* find_written(std::uint64_t address, std::size_t bytes) {
        if (!hit(address, bytes) && !search(address, bytes)) return nullptr;
        buffers_[last_].was_written = true;
        return buffers_[last_].bytes.data() + (address - buffers_[last_].base);
    }
    /// "4 bytes past the end of 'image' (4096 bytes at 0x7f0000000000)".
    [[nodiscard]] std::string place_of(std::uint64_t address) const;

private:
    [[nodiscard]] bool hit(std::uint64_t address, std::size_t bytes) const {
        if (last_ >= buffers_.size()) return false;
        const Buffer& buffer = buffers_[last_];
        const std::uint64_t offset = address - buffer.base;
        return offset < buffer.bytes.size() && buffer.bytes.size() - offset >= bytes;
    }
    [[nodiscard]] bool search(std::uint64_t address, std::size_t bytes) const;

    std::vector<Buffer> buffers_; ///< By address.
    std::uint64_t next_ = std::uint64_t{0x7f} << 40U;
    mutable std::size_t last_ = 0; ///< The buffer that was found last.
};

} // namespace warpbound::harness::execution
