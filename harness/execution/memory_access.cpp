#include "harness/execution/memory_access.hpp"

#include "assembly/isa/opcode.hpp"

#include <fmt/format.h>

namespace warpbound::harness::execution {

namespace {

/// From sm_90 on the runtime keeps the lowest bytes of shared memory.
constexpr int reserves_shared_sm = 90;
constexpr std::size_t reserved_shared = 1024;
constexpr std::size_t local_words_limit = (std::size_t{512} << 10U) / 4;

} // namespace

std::size_t access_bytes(const Step& step) {
    using enum Modifier;
    const auto any = [&](auto... modifiers) { return (step.has(modifiers) || ...); };
    if (any(Bits128)) return 16;
    if (any(Bits64, U64, S64, F64)) return 8;
    if (any(U16, S16)) return 2;
    return any(U8, S8) ? 1 : 4;
}

assembly::StateSpace space_of(const Step& step) {
    const auto info = assembly::find_opcode(step.operation->instruction->mnemonic);
    return info ? info->space : assembly::StateSpace::Global;
}

std::byte* find_shared_bytes(Step& step, std::size_t lane, std::uint64_t address,
                             std::size_t bytes) {
    const std::size_t reserved =
        step.launch.sm >= reserves_shared_sm ? reserved_shared : std::size_t{0};
    const std::size_t size = step.launch.shared_bytes + reserved;
    if (address < reserved || address > size || size - address < bytes) {
        step.fail(lane, fmt::format("accesses {} bytes at 0x{:x} of shared memory, which has {} "
                                    "bytes from 0x{:x} on",
                                    bytes, address, step.launch.shared_bytes, reserved));
        return nullptr;
    }
    if (step.block.shared.size() < size) step.block.shared.resize(size);
    return step.block.shared.data() + address;
}

std::byte* find_bytes(Step& step, std::size_t lane, std::uint64_t address, std::size_t bytes,
                      bool is_written) {
    if (address % bytes != 0) {
        step.fail(lane, fmt::format("accesses {} bytes at 0x{:x}, which is no multiple of {}",
                                    bytes, address, bytes));
        return nullptr;
    }
    if (space_of(step) == assembly::StateSpace::Shared)
        return find_shared_bytes(step, lane, address, bytes);
    std::byte* const found = is_written
                                 ? step.written.memory.find_written(address, bytes)
                                 : const_cast<std::byte*>(step.launch.memory.find(address, bytes));
    if (found == nullptr)
        step.fail(lane, fmt::format("{} {} bytes at 0x{:x}, outside of all buffers: {}",
                                    is_written ? "writes" : "reads", bytes, address,
                                    step.launch.memory.place_of(address)));
    return found;
}

std::uint32_t* find_local_word(Step& step, std::size_t lane, std::uint64_t address) {
    const std::uint64_t below = (local_top - 4 - (address & ~std::uint64_t{3})) / 4;
    if (address >= local_top || below >= local_words_limit) {
        step.fail(lane, fmt::format("accesses local memory at 0x{:x}; the stack lies below 0x{:x}",
                                    address, local_top));
        return nullptr;
    }
    auto& local = step.warp.local;
    if (local.size() <= below) local.resize(below + 1, Words{});
    return &local[below][lane];
}

Wides interleaved_local(const Step& step, const Wides& addresses) {
    constexpr std::uint64_t region = std::uint64_t{1} << 44U;
    constexpr std::uint64_t of_warp = std::uint64_t{1} << 25U;
    const auto warp = static_cast<std::uint64_t>(step.block.number * step.launch.warps_per_block +
                                                 step.warp.number);
    const std::uint64_t base = region + warp * of_warp;
    Wides out{};
    const auto bytes = static_cast<std::uint64_t>(access_bytes(step));
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        const std::uint64_t word = (addresses[lane] & 0xffffffU) / 4;
        const std::uint64_t side = bytes > 4 ? lane * bytes : lane * 4 + addresses[lane] % 4;
        out[lane] = base + word * 4 * lane_count + side;
    }
    return out;
}

} // namespace warpbound::harness::execution
