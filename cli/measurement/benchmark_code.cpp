#include "cli/measurement/benchmark_code.hpp"

#include "assembly/amd/processor.hpp"
#include "harness/suite/amd/hip_source.hpp"
#include "harness/suite/suites.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>

namespace warpbound::cli {

namespace {

constexpr std::string_view hip_prefix = "hip:";

std::optional<assembly::Target> target_of(std::string_view text) {
    if (const auto nvidia = assembly::parse_target(text)) return nvidia;
    return assembly::amd::parse_processor(text);
}

} // namespace

Exit print_code(const std::string& target, const std::vector<std::string>& benchmarks) {
    const bool as_hip = target.starts_with(hip_prefix);
    const auto of = target_of(as_hip ? std::string_view{target}.substr(hip_prefix.size()) : target);
    if (!of || (as_hip && !is_amd(*of)))
        return refuse(Failure{fmt::format("--code {}; expected sm_80 or another target of PTX, a "
                                          "processor of AMD as in gfx90a, or hip:gfx90a",
                                          target)});
    if (benchmarks.empty())
        return refuse(Failure{"expected one or more --benchmark, which --list shows", "--code"});
    std::string text;
    for (const std::string& name : benchmarks) {
        const auto points = harness::card_points_of(name, *of);
        if (!points) return refuse(points.error());
        for (const auto& point : points.value()) {
            const auto code =
                as_hip ? harness::hip_source(point, *of) : Result<std::string>{point.code()};
            if (!code) return refuse(code.error());
            text += fmt::format("// {}\n{}", point.name, code.value());
        }
    }
    return write_result(text);
}

} // namespace warpbound::cli
