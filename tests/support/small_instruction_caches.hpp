#pragma once
/// \file
/// Machines with instruction caches of few lines (C66 to C70), so that a small kernel fits into
/// both, the L1 alone, or neither.

#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"

#include <cstdint>
#include <string>

namespace warpbound::tests {

/// Adds random instruction caches. `random(most)`: 0 to most - 1. `function`: the kernel, whose
/// lines the caches hold or not. `alone`: one warp runs, for which a line may come before the
/// requests behind it are served (S35).
template <typename Random>
void add_instruction_caches(models::Architecture& machine, const assembly::Function& function,
                            Random random, bool alone) {
    const auto give = [&](const char* name, std::int64_t lo, std::int64_t hi) {
        models::SourcedValue value;
        value.name = name;
        value.unit =
            std::string{name} == "line" ? "bytes"
            : std::string{name}.ends_with("-miss") || std::string{name}.ends_with("-service")
                ? "cycles"
                : "1";
        value.interval = models::Interval{lo, std::nullopt, hi};
        value.source = "made up";
        value.grade = models::Grade::Inferred;
        machine.fetch.values.push_back(value);
    };
    const auto one = [&](const char* name, std::int64_t number) { give(name, number, number); };
    const std::int64_t line = std::int64_t{32} << static_cast<unsigned>(random(3));
    const std::int64_t lines = function.instructions.back().address / line + 1;
    const std::int64_t stream = random(2) * random(4);
    one("line", line);
    give("stream", stream - random(stream + 1), stream);
    const auto give_level = [&](const char* sets_name, const char* ways_name, std::int64_t needed) {
        const std::int64_t ways = 1 + random(4);
        const bool fits = random(2) == 0;
        const std::int64_t sets = fits ? (needed + ways - 1) / ways : 1 + random(4);
        one(sets_name, sets);
        give(ways_name, ways, ways + random(3));
    };
    give_level("l0-sets", "l0-ways", lines);
    give_level("l1-sets", "l1-ways", lines + stream);
    // Sometimes what delays lines is that the L1 serves many.
    const bool is_crowded = random(3) == 0;
    const std::int64_t service = is_crowded ? 8 + random(12) : random(4);
    const bool is_early = alone && random(2) == 0;
    const std::int64_t least = (is_early ? 0 : service * (stream + 1)) + 1 + random(30);
    give("l0-miss", least, least + random(30));
    const std::int64_t miss = is_crowded ? 1 : 1 + random(150);
    give("l1-miss", miss, miss + random(is_crowded ? 3 : 150));
    give("l1-service", random(service + 1), service);
    if (random(4) == 0) one("warm", 1);
}

} // namespace warpbound::tests
