#pragma once
/// \file
/// Options that describe a launch: --launch, or --grid and --block.

#include "assembly/isa/program.hpp"
#include "assembly/support/result.hpp"
#include "models/launch/launch.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace warpbound::cli {

struct LaunchText {
    std::string launch; ///< GxB[,..]
    std::string grid;
    std::string block;
    std::optional<std::int64_t> dynamic_shared_memory; ///< `Unit:` bytes.

    void add_to(CLI::App& command);
    [[nodiscard]] bool is_given() const { return !launch.empty() || !grid.empty(); }
};

/// The launch of the kernel. Refuses a launch that is not stated, and dynamic shared memory where
/// no listing states the static one. `function`: null without a listing.
Result<models::Launch> launch_of(const LaunchText& text, const assembly::Function* function);
/// The same with the static shared memory of a block, as another file states it; none: unknown.
/// `Unit:` bytes.
Result<models::Launch> launch_with(const LaunchText& text,
                                   std::optional<std::int64_t> static_shared_memory);

} // namespace warpbound::cli
