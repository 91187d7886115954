#include "harness/simulator/decode/instruction_cache_shape.hpp"

#include "harness/simulator/decode/architecture_values.hpp"

namespace warpbound::harness::simulator {

Result<std::optional<InstructionCacheShape>>
instruction_caches_of(const models::Architecture& architecture) {
    if (!architecture.has_instruction_caches()) return std::optional<InstructionCacheShape>{};
    ArchitectureValues values{architecture};
    const ArchitectureValues::Group group{&architecture.fetch, "fetch"};
    constexpr std::int64_t most_streamed = 1024;
    InstructionCacheShape caches;
    caches.line = values.bytes(group, "line");
    caches.stream = values.range(group, "stream", 0, most_streamed);
    caches.l0 = {.sets = values.count(group, "l0-sets"),
                 .ways = values.range(group, "l0-ways", 1, count_limit),
                 .miss = values.range(group, "l0-miss", 1)};
    caches.l1 = {.sets = values.count(group, "l1-sets"),
                 .ways = values.range(group, "l1-ways", 1, count_limit),
                 .miss = values.range(group, "l1-miss", 1)};
    caches.service = values.range(group, "l1-service");
    caches.is_warm = architecture.fetch.find("warm") != nullptr && values.flag(group, "warm");
    if (values.failure()) return *values.failure();
    return std::optional{caches};
}

} // namespace warpbound::harness::simulator
