#include "harness/simulator/decode/occupancy_limit.hpp"

#include "harness/simulator/decode/architecture_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::harness::simulator {

namespace {

std::int64_t round_up(std::int64_t amount, std::int64_t unit) {
    return (amount + unit - 1) / unit * unit;
}

/// Fermi allocates some numbers of registers in double units (C30).
bool needs_double_unit(std::int64_t registers, const models::Architecture& architecture) {
    constexpr std::array<std::int64_t, 8> doubled{21, 22, 29, 30, 37, 38, 45, 46};
    return !is_amd(architecture.target) &&
           assembly::generation_of(architecture.target) == assembly::Generation::Fermi &&
           std::find(doubled.begin(), doubled.end(), registers) != doubled.end();
}

class OccupancyReader {
public:
    OccupancyReader(const models::Architecture& architecture, const models::Launch& launch,
                    std::int64_t warp_size, bool several_blocks)
        : architecture_{architecture}, launch_{launch}, warp_size_{warp_size},
          several_blocks_{several_blocks}, values_{architecture}, limits_{&architecture.limits,
                                                                          "limits"} {}

    Result<OccupancyLimit> read(const assembly::Function& function);

private:
    void read_registers(std::int64_t registers);
    void read_shared_memory(std::int64_t bytes);
    void expect_fit(std::int64_t wanted, std::int64_t most, std::string_view resource,
                    std::string_view whose);
    [[nodiscard]] Failure does_not_fit(Resource resource) const;

    const models::Architecture& architecture_;
    const models::Launch& launch_;
    std::int64_t warp_size_;
    bool several_blocks_;
    ArchitectureValues values_;
    ArchitectureValues::Group limits_;
    OccupancyLimit limit_;
};

void OccupancyReader::expect_fit(std::int64_t wanted, std::int64_t most, std::string_view resource,
                                 std::string_view whose) {
    values_.expect(wanted <= most,
                   fmt::format("a block of {} warps fits no SM by its {}: it takes {} of the {} "
                               "{} may have",
                               limit_.demand.warps, resource, wanted, most, whose));
}

void OccupancyReader::read_registers(std::int64_t registers) {
    Capacity& capacity = limit_.capacity;
    Demand& demand = limit_.demand;
    std::int64_t unit = values_.number(limits_, "register-granularity");
    const std::int64_t of_thread = values_.number(limits_, "registers-per-thread");
    const std::int64_t of_block = values_.number(limits_, "registers-per-block");
    const std::int64_t all = values_.number(limits_, "registers");
    capacity.register_partitions = values_.number(limits_, "register-partitions");
    expect_fit(registers, of_thread, "registers", "that a thread");
    values_.expect(capacity.register_partitions <= capacity.warps,
                   fmt::format("limits/register-partitions is {}; expected at most "
                               "limits/max-warps, which is {}",
                               capacity.register_partitions, capacity.warps));
    if (values_.failure()) return;
    if (needs_double_unit(registers, architecture_)) unit *= 2;
    capacity.registers = all / capacity.register_partitions;
    demand.registers = round_up(registers * warp_size_, unit);
    expect_fit(demand.registers * round_up(demand.warps, capacity.register_partitions), of_block,
               "registers", "that a block");
}

void OccupancyReader::read_shared_memory(std::int64_t bytes) {
    const std::int64_t all = values_.number(limits_, "shared-memory");
    const std::int64_t of_block = values_.number(limits_, "shared-memory-per-block");
    const std::int64_t unit = values_.number(limits_, "shared-granularity");
    const std::int64_t reserved = values_.number(limits_, "shared-reserved", 0);
    expect_fit(bytes, of_block, "shared memory", "bytes that a block");
    if (values_.failure()) return;
    limit_.capacity.shared_memory = all;
    limit_.demand.shared_memory = round_up(bytes + reserved, unit);
}

Failure OccupancyReader::does_not_fit(Resource resource) const {
    const Capacity& capacity = limit_.capacity;
    const Demand& demand = limit_.demand;
    std::string detail;
    if (resource == Resource::Registers)
        detail = fmt::format("it takes {} registers a warp of each partition's {}",
                             demand.registers, capacity.registers);
    else if (resource == Resource::SharedMemory)
        detail =
            fmt::format("it takes {} bytes of {}", demand.shared_memory, capacity.shared_memory);
    else
        detail = fmt::format("it takes {} of {}", demand.warps, capacity.warps);
    return Failure{fmt::format("a block of {} warps fits no SM by its {}: {}", demand.warps,
                               to_string(resource), detail),
                   architecture_.name, 0, 0};
}

Result<OccupancyLimit> OccupancyReader::read(const assembly::Function& function) {
    limit_.demand.warps = launch_.warps_per_block(warp_size_);
    limit_.capacity.warps = values_.number(limits_, "max-warps", 1, count_limit);
    // A work-group of one wavefront needs no barrier, of which there are max-blocks (C104).
    const bool needs_barrier = !is_amd(architecture_.target) || limit_.demand.warps > 1;
    limit_.capacity.blocks =
        several_blocks_ ? values_.number(limits_, "max-blocks", 1, count_limit) : 1;
    if (several_blocks_ && !needs_barrier) limit_.capacity.blocks = limit_.capacity.warps;
    auto registers = launch_.registers;
    if (!registers && several_blocks_ && function.register_count.value_or(0) > 0)
        registers = function.register_count;
    auto shared_memory = launch_.shared_memory;
    if (!shared_memory && several_blocks_) shared_memory = function.shared_memory;
    if (registers) read_registers(*registers);
    if (shared_memory) read_shared_memory(*shared_memory);
    if (values_.failure()) return *values_.failure();
    Residency residency{limit_.capacity};
    if (const auto missing = residency.missing(limit_.demand)) return does_not_fit(*missing);
    for (limit_.slots = 0; limit_.slots < launch_.blocks && residency.fits(limit_.demand);
         ++limit_.slots)
        residency.enter(limit_.demand);
    return limit_;
}

} // namespace

Result<OccupancyLimit> occupancy_limit_of(const models::Architecture& architecture,
                                          const models::Launch& launch,
                                          const assembly::Function& function,
                                          std::int64_t warp_size, bool several_blocks) {
    return OccupancyReader{architecture, launch, warp_size, several_blocks}.read(function);
}

} // namespace warpbound::harness::simulator
