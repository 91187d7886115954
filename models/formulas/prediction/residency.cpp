#include "models/formulas/prediction/residency.hpp"

#include "models/formulas/occupancy.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>

namespace warpbound::models::prediction {
namespace {

std::optional<std::int64_t> whole(std::optional<double> value) {
    if (!value) return std::nullopt;
    return static_cast<std::int64_t>(*value);
}

std::optional<std::int64_t> limit(Inputs& inputs, std::string_view name) {
    return whole(inputs.described(fmt::format("limits/{}", name)));
}

/// The kernel's number, or one that is stated; refuses a stated one that `agrees` does not allow.
template <typename Agrees>
Result<std::optional<std::int64_t>>
of_kernel(std::optional<std::int64_t> known, std::string_view name, Inputs& inputs, Agrees agrees) {
    if (!known) return whole(inputs.stated(name));
    if (const auto stated = whole(inputs.stated_if_any(name))) {
        if (!agrees(*stated, *known))
            return Failure{fmt::format("{} is stated to be {}; the kernel itself has {}", name,
                                       *stated, *known)};
        return stated;
    }
    inputs.use({std::string{name}, real(*known), std::string{find_rule(name)->unit}, "kernel"});
    return known;
}

/// The kernel's own, or stated to be more: dynamic shared memory is the launch's.
Result<std::optional<std::int64_t>> shared_memory_of(const NamedProfile& profile, Inputs& inputs) {
    return of_kernel(profile.shared_memory, "shared-memory", inputs, std::greater_equal{});
}

/// Resource of a block as the launch states it; refuses a different --set value.
Result<std::optional<std::int64_t>> of_launch(std::int64_t known, std::string_view name,
                                              Inputs& inputs) {
    if (const auto stated = whole(inputs.stated_if_any(name)); stated && *stated != known)
        return Failure{
            fmt::format("{} is stated to be {}; the launch has {}", name, *stated, known)};
    inputs.use({std::string{name}, real(known), std::string{find_rule(name)->unit}, "launch"});
    return std::optional{known};
}

/// Blocks that a multiprocessor holds at a time.
Result<std::optional<std::int64_t>> slots_of(const Launch& launch, const NamedProfile& profile,
                                             Inputs& inputs) {
    occupancy::Limits limits;
    limits.name = inputs.architecture().name;
    const std::array<std::pair<std::string_view, std::int64_t*>, 12> names{{
        {"max-blocks", &limits.blocks},
        {"max-warps", &limits.warps},
        {"max-threads-per-block", &limits.threads_per_block},
        {"registers", &limits.registers},
        {"registers-per-block", &limits.registers_per_block},
        {"registers-per-thread", &limits.registers_per_thread},
        {"register-granularity", &limits.register_unit},
        {"register-partitions", &limits.register_partitions},
        {"shared-memory", &limits.shared_memory},
        {"shared-memory-per-block", &limits.shared_per_block},
        {"shared-granularity", &limits.shared_unit},
        {"shared-reserved", &limits.shared_reserved},
    }};
    for (const auto& [name, place] : names)
        if (const auto value = limit(inputs, name)) *place = *value;
    limits.fermi_register_rule =
        !is_amd(inputs.architecture().target) &&
        assembly::generation_of(inputs.architecture().target) == assembly::Generation::Fermi;
    if (is_amd(inputs.architecture().target))
        if (const auto lanes = whole(inputs.described("geometry/warp-size"))) {
            limits.warp_size = *lanes;
            // A work-group of one wavefront needs no barrier, of which there are max-blocks (C104).
            if (launch.threads <= *lanes) limits.blocks = limits.warps;
        }
    const auto known_registers = registers_of(launch, profile, inputs);
    if (!known_registers) return known_registers.as_failure();
    const auto known_shared = launch.shared_memory
                                  ? of_launch(*launch.shared_memory, "shared-memory", inputs)
                                  : shared_memory_of(profile, inputs);
    if (!known_shared) return known_shared.as_failure();
    if (!inputs.missing().empty()) return std::optional<std::int64_t>{};
    const std::int64_t registers = *known_registers.value();
    const std::int64_t shared = *known_shared.value();
    const auto found = occupancy::resident(
        {.threads = launch.threads, .registers_per_thread = registers, .shared_memory = shared},
        limits);
    if (!found) return found.as_failure();
    if (found.value().blocks == 0)
        return Failure{fmt::format("a block of {} threads, {} registers a thread and {} bytes of "
                                   "shared memory does not fit a multiprocessor",
                                   launch.threads, registers, shared),
                       inputs.architecture().name};
    return std::optional{found.value().blocks};
}

} // namespace

Result<std::optional<std::int64_t>> registers_of(const Launch& launch, const NamedProfile& profile,
                                                 Inputs& inputs) {
    return launch.registers ? of_launch(*launch.registers, "registers", inputs)
                            : of_kernel(profile.registers, "registers", inputs, std::equal_to{});
}

Result<std::optional<Residency>> residency_of(const Launch& launch, const NamedProfile& profile,
                                              Inputs& inputs) {
    const auto warp_size = whole(inputs.described("geometry/warp-size"));
    const auto most = limit(inputs, "max-warps");
    if (!warp_size || !most) return std::optional<Residency>{};
    Residency found{.warps_per_block = launch.warps_per_block(*warp_size)};
    if (found.warps_per_block > *most)
        return Failure{fmt::format("a block of {} warps does not fit a multiprocessor of {} warps",
                                   found.warps_per_block, *most),
                       inputs.architecture().name};
    if (launch.blocks == 1) return std::optional{found};
    const auto multiprocessors = whole(inputs.described("geometry/multiprocessors"));
    if (!multiprocessors) return std::optional<Residency>{};
    found.multiprocessors = std::min(launch.blocks, *multiprocessors);
    found.blocks = divide_up(launch.blocks, *multiprocessors);
    if (found.blocks == 1) return std::optional{found};
    const auto slots = slots_of(launch, profile, inputs);
    if (!slots) return slots.as_failure();
    if (!slots.value()) return std::optional<Residency>{};
    found.slots = std::min(*slots.value(), found.blocks);
    found.full_waves = found.blocks / found.slots;
    found.rest = found.blocks % found.slots;
    return std::optional{found};
}

Result<std::optional<Residency>> residency_of_warps(std::int64_t warps, Inputs& inputs) {
    const auto most = limit(inputs, "max-warps");
    if (!most) return std::optional<Residency>{};
    if (warps < 1 || warps > *most)
        return Failure{
            fmt::format("{} warps; expected 1 to {}, what a multiprocessor holds", warps, *most),
            inputs.architecture().name};
    return std::optional{Residency{.blocks = warps, .slots = warps}};
}

} // namespace warpbound::models::prediction
