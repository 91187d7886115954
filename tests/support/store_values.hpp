#pragma once
/// \file
/// Values of stores and lines, made for a random machine.
#include "tests/support/made_values.hpp"

#include <cstdint>
#include <string>

namespace warpbound::tests {

/// Drains by sectors (C94), lines that follow each other faster than instructions (C95), and write
/// buffers that fill, for some seeds.
inline void vary_stores(models::Architecture& machine, std::uint64_t seed) {
    const auto pick = [&](std::uint64_t salt, std::int64_t lo, std::int64_t hi) {
        std::uint64_t bits = (seed + 1) * 0x9e3779b97f4a7c15U + salt * 0xbf58476d1ce4e5b9U;
        bits = (bits ^ (bits >> 31U)) * 0x94d049bb133111ebU;
        return lo +
               static_cast<std::int64_t>((bits >> 33U) % static_cast<std::uint64_t>(hi - lo + 1));
    };
    if (pick(1, 0, 1) == 0) {
        const std::int64_t entries = pick(2, 1, 8);
        put_value(machine, "write-buffer/entries", {entries, entries, entries});
        const std::int64_t drain = pick(3, 1, 6);
        put_value(machine, "write-buffer/drain", {drain, drain, drain + pick(4, 0, 5)});
    }
    if (pick(5, 0, 2) == 0) {
        put_value(machine, "memories/l1/line", {128, 128, 128});
        const std::int64_t sector = 128 >> pick(6, 0, 2);
        put_value(machine, "memories/l1/sector", {sector, sector, sector});
        const std::int64_t least = pick(7, 0, 3);
        put_value(machine, "write-buffer/sector-drain", {least, least, least + pick(8, 0, 9)});
    }
    if (pick(9, 0, 2) == 0)
        for (const char* name : {"load-global", "store-global", "load-local", "store-local"}) {
            const std::int64_t least = pick(10, 1, 3);
            put_value(machine, std::string{"classes/"} + name + "/line-interval",
                      {least, least, least + pick(11, 0, 2)});
        }
}

} // namespace warpbound::tests
