#include "harness/toolchain/amd_code.hpp"

#include "assembly/amd/offload_bundle.hpp"
#include "assembly/amd/processor.hpp"
#include "assembly/amd/program_builder.hpp"
#include "assembly/binary/elf.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace warpbound::harness::toolchain {

namespace {

namespace amd = assembly::amd;

/// The bundle in a program that HIP's compiler made; empty: there is none.
std::string_view bundle_of_host(std::string_view contents) {
    if (!assembly::is_elf(contents)) return {};
    const auto file = assembly::read_elf(contents);
    const auto* const section = file ? file.value().section(".hip_fatbin") : nullptr;
    return section == nullptr ? std::string_view{} : section->contents;
}

Result<std::string> chosen_code(std::string_view bundle, const TargetChoice& choice) {
    const auto entries = amd::read_offload_bundle(bundle);
    if (!entries) return entries.as_failure();
    std::vector<assembly::Target> targets;
    for (const amd::BundledCode& entry : entries.value())
        targets.push_back(entry.target);
    const auto target = choose_target(targets, choice);
    if (!target) return target.as_failure();
    const amd::BundledCode* chosen = nullptr;
    for (const amd::BundledCode& entry : entries.value()) {
        if (entry.target != target.value()) continue;
        if (chosen != nullptr)
            return Failure{fmt::format(
                "holds {} and {}; unbundle the one that is meant: clang-offload-bundler "
                "--unbundle --type=o --targets={} --input=FILE --output=code.hsaco",
                chosen->id, entry.id, entry.id)};
        chosen = &entry;
    }
    return std::string{chosen->bytes};
}

} // namespace

bool is_amd_code(const std::string& contents) {
    return amd::is_code_object(contents) || amd::is_offload_bundle(contents) ||
           !bundle_of_host(contents).empty() ||
           (!assembly::is_elf(contents) && amd::is_amd_assembly(contents));
}

Result<std::string> amd_image(std::string contents, const std::string& name,
                              const TargetChoice& choice, const amd::CodeDecoder& decoder) {
    if (amd::is_code_object(contents)) return contents;
    if (amd::is_offload_bundle(contents)) return chosen_code(contents, choice);
    if (const auto bundle = bundle_of_host(contents); !bundle.empty())
        return chosen_code(bundle, choice);
    const auto text = amd::describe_text(name, std::move(contents), choice.stated);
    if (!text) return text.as_failure();
    return decoder.assemble(text.value());
}

} // namespace warpbound::harness::toolchain
