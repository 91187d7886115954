#include "harness/toolchain/image_choice.hpp"

#include "assembly/binary/cubin.hpp"
#include "harness/toolchain/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace warpbound::harness::toolchain {

namespace {

using assembly::Target;

std::string list_of(const std::vector<Target>& targets) {
    std::string out;
    for (const Target target : targets)
        out += fmt::format("{}{}", out.empty() ? "" : ", ", to_string(target));
    return out.empty() ? "no target" : out;
}

/// ", PTX for compute_90" for each PTX image's target.
std::string ptx_of(const std::vector<assembly::FatbinImage>& images) {
    std::set<int> targets;
    for (const auto& image : images)
        if (image.kind == assembly::ImageKind::Ptx) targets.insert(image.sm);
    std::string out;
    for (const int sm : targets)
        out += fmt::format(", PTX for compute_{}", sm);
    return out;
}

/// How a compiler is told a target.
std::string_view compiler_option(Target target) {
    return assembly::is_amd(target) ? "clang --offload-arch=" : "nvcc -arch=";
}

std::vector<Target> distinct(std::vector<Target> targets) {
    std::sort(targets.begin(), targets.end(),
              [](Target a, Target b) { return std::tie(a.gfx, a.sm) < std::tie(b.gfx, b.sm); });
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    return targets;
}

} // namespace

Result<Target> choose_target(const std::vector<Target>& targets, const TargetChoice& choice,
                             const std::string& also) {
    const std::vector<Target> known = distinct(targets);
    const auto has = [&](Target target) {
        return std::find(known.begin(), known.end(), target) != known.end();
    };
    const std::string there = fmt::format("holds code for {}{}", list_of(known), also);
    if (choice.stated) {
        if (has(*choice.stated)) return *choice.stated;
        return Failure{fmt::format("{}, not for --target {}; expected one of these, or compile for "
                                   "it: {}{}",
                                   there, to_string(*choice.stated),
                                   compiler_option(*choice.stated), to_string(*choice.stated))};
    }
    if (choice.machine) {
        if (has(*choice.machine)) return *choice.machine;
        std::optional<Target> latest;
        for (const Target target : known)
            if (assembly::objection_to_running(target, *choice.machine).empty()) latest = target;
        if (latest) return *latest;
        if (known.size() == 1) return known.front(); // The caller compares it with the machine.
        return Failure{fmt::format("{}, which {} does not run; compile for it: nvcc -arch={}",
                                   there, to_string(*choice.machine), to_string(*choice.machine))};
    }
    if (known.size() == 1) return known.front();
    if (known.empty())
        return Failure{fmt::format("{}; expected machine code: compile for the GPU's own target, "
                                   "as in nvcc -arch=sm_80",
                                   there)};
    return Failure{fmt::format("{}; choose with --target {}", there, to_string(known.front()))};
}

Result<std::vector<std::string>> chosen_cubins(const std::vector<assembly::FatbinImage>& images,
                                               const std::string& bytes,
                                               const TargetChoice& choice) {
    std::vector<Target> targets;
    for (const auto& image : images)
        if (const auto target = assembly::parse_target(fmt::format("sm_{}", image.sm));
            target && image.kind == assembly::ImageKind::Cubin)
            targets.push_back(*target);
    const auto chosen = choose_target(targets, choice, ptx_of(images));
    if (!chosen) return chosen.as_failure();
    std::vector<std::string> cubins;
    for (const auto& image : images) {
        if (image.kind != assembly::ImageKind::Cubin || image.sm != chosen.value().sm) continue;
        if (!image.is_compressed) {
            cubins.emplace_back(image.bytes);
            continue;
        }
        const auto tool = find_tool("cuobjdump");
        if (!tool) return missing_tool("its code is compressed", "cuobjdump");
        auto extracted = extract_cubins(*tool, bytes);
        if (!extracted) return extracted.as_failure();
        std::erase_if(extracted.value(), [&](const std::string& cubin) {
            return assembly::target_of_cubin(cubin) != chosen.value();
        });
        return std::move(extracted).value();
    }
    return cubins;
}

Failure missing_tool(const std::string& purpose, const std::string& tool) {
    const bool has_wheel = tool == "nvdisasm" || tool == "cuobjdump";
    return Failure{fmt::format(
        "{}, and {} was not found: install the CUDA toolkit{}, or set {}=PATH OF THE PROGRAM",
        purpose, tool,
        has_wheel ? fmt::format(" or type: pip install nvidia-cuda-{}", tool) : std::string{},
        variable_of_tool(tool))};
}

} // namespace warpbound::harness::toolchain
