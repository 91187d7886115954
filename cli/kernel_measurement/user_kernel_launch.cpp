#include "cli/kernel_measurement/user_kernel_launch.hpp"

#include "assembly/support/source_text.hpp"
#include "cli/inputs/code_decoder.hpp"
#include "cli/inputs/kernel_arguments.hpp"
#include "cli/inputs/launch_inputs.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/command.hpp"
#include "harness/devices/cuda/user_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace warpbound::cli {

namespace {

using harness::UserKernel;

Result<std::vector<std::size_t>> checked_buffers(const std::string& text,
                                                 const std::vector<std::string>& names) {
    std::vector<std::size_t> checked;
    for (std::size_t i = 0; text == "all" && i < names.size(); ++i)
        checked.push_back(i);
    if (text == "all" || text == "none") return checked;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string name = text.substr(at, end - at);
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end())
            return Failure{fmt::format("no buffer '{}'; expected all, none or names of --arg: {}",
                                       name, fmt::join(names, ", ")),
                           "--outputs"};
        checked.push_back(static_cast<std::size_t>(found - names.begin()));
        at = end + 1;
    }
    return checked;
}

/// The parameters as one block of bytes, and where the addresses of buffers belong. Of an address,
/// the launch keeps only that it is a multiple of 256.
Result<void> add_parameters(const std::vector<assembly::KernelParameterLayout>& layouts,
                            const harness::execution::DeviceMemory& memory, models::Launch& launch,
                            UserKernel& kernel) {
    if (layouts.empty()) return boost::outcome_v2::success();
    std::int64_t first = layouts.front().offset;
    std::int64_t end = first;
    for (const auto& layout : layouts) {
        first = std::min(first, layout.offset);
        end = std::max(end, layout.offset + layout.size);
    }
    kernel.parameters.resize(static_cast<std::size_t>(end - first));
    for (const auto& [offset, word] : launch.arguments) {
        if (offset < first || offset >= end)
            return Failure{fmt::format("--arg 0x{:x}: no parameter lies there; the kernel's "
                                       "parameters: {}",
                                       offset, parameter_list(layouts))};
        std::memcpy(kernel.parameters.data() + (offset - first), &word.value,
                    static_cast<std::size_t>(std::min<std::int64_t>(4, end - offset)));
    }
    for (const auto& buffer : memory.buffers()) {
        const auto* const layout = find_parameter(layouts, buffer.name);
        const std::int64_t offset =
            layout != nullptr ? layout->offset
                              : static_cast<std::int64_t>(models::read_number(buffer.name).value());
        if (offset + 8 > end)
            return Failure{fmt::format("--arg {}: an address has 8 bytes; the kernel's parameters: "
                                       "{}",
                                       buffer.name, parameter_list(layouts))};
        constexpr unsigned bits_of_multiple = 8;
        static_assert(std::uint64_t{1} << bits_of_multiple == harness::buffer_alignment);
        launch.arguments[offset] = {0, bits_of_multiple};
        launch.arguments.erase(offset + 4);
        kernel.buffers.push_back({buffer.name, offset - first, buffer.bytes});
    }
    return boost::outcome_v2::success();
}

/// The digest of the listing, for comparisons with bounds; empty, with a note, where no
/// disassembler reads the code.
std::string listing_digest(harness::toolchain::KernelFile& file, std::size_t kernel) {
    const auto code = file.read(kernel);
    if (code) return code.value().program->digest;
    note("warpbound: the code is not read, so runs are not compared with code: {}\n",
         to_string(code.error()));
    return {};
}

/// `Source:` CUDA C++ Programming Guide, "Binary compatibility": code runs on devices of the same
/// major and of the same or a later minor version. AMD's runs on its own processor.
bool runs_on(const assembly::Target& code, const assembly::Target& card) {
    if (is_amd(code) || is_amd(card)) return code == card;
    return code.sm / 10 == card.sm / 10 && code.sm <= card.sm;
}

/// Code that the HIP runtime loads has been linked.
Result<void> check_is_linked(const UserKernel& kernel, const std::string& file) {
    constexpr std::size_t place_of_type = 16; // Of an ELF file.
    constexpr char shared_object = 3;
    if (kernel.image.size() > place_of_type && kernel.image[place_of_type] == shared_object)
        return boost::outcome_v2::success();
    return Failure{"is not linked, and the HIP runtime loads linked code; type: clang -target "
                   "amdgcn-amd-amdhsa -mcpu=PROCESSOR FILE -o app.hsaco",
                   file};
}

} // namespace

Result<PreparedLaunch> prepare_launch(const MeasuredKernelOptions& options,
                                      const harness::cuda::Card& card) {
    auto file =
        open_kernel_file(options.module, {}, card.session->device().target, &code_decoder());
    if (!file) return file.as_failure();
    const auto index = file.value().find(options.kernel);
    if (!index) return index.as_failure();
    const auto& summary = file.value().kernels()[index.value()];
    PreparedLaunch prepared;
    UserKernel& kernel = prepared.kernel;
    kernel.name = summary.name;
    kernel.image = file.value().image(index.value());
    if (kernel.image.empty())
        return Failure{"a listing is not loaded by a driver; expected a cubin, a fat binary, a "
                       "program, PTX or CUDA C++, or a code object of AMD",
                       options.module};
    if (summary.target && !runs_on(*summary.target, card.session->device().target))
        return Failure{fmt::format("has machine code for {}, which {} does not run; expected code "
                                   "for it{}",
                                   to_string(*summary.target),
                                   to_string(card.session->device().target),
                                   card.session->is_amd() ? "" : ", or PTX"),
                       options.module};
    if (card.session->is_amd())
        if (auto linked = check_is_linked(kernel, options.module); !linked)
            return linked.as_failure();
    if (!summary.parameters)
        return Failure{"the file does not describe all parameters of the kernel", options.module};
    auto launch = launch_with(options.launch, summary.shared_memory);
    if (!launch) return launch.as_failure();
    harness::execution::DeviceMemory memory;
    models::Launch& stated = launch.value();
    if (auto added =
            add_data_arguments(options.arguments, summary.parameters, memory, stated.arguments);
        !added)
        return added.as_failure();
    auto& identity = prepared.identity;
    identity.key.facts_digest = digest_of_inputs(stated, memory, {});
    if (auto added = add_parameters(*summary.parameters, memory, stated, kernel); !added)
        return added.as_failure();
    kernel.grid =
        stated.grid ? stated.grid->blocks : std::array<std::int64_t, 3>{stated.blocks, 1, 1};
    kernel.block = block_shape_of(stated).threads;
    kernel.dynamic_shared_memory = stated.shared_memory.value_or(0) -
                                   (stated.shared_memory ? summary.shared_memory.value_or(0) : 0);
    if (kernel.dynamic_shared_memory < 0)
        return Failure{fmt::format("the code has {} bytes of static shared memory; expected a "
                                   "launch with at least as many",
                                   *summary.shared_memory),
                       "--launch"};
    for (const auto& buffer : kernel.buffers)
        identity.buffers.push_back(buffer.name);
    auto checked = checked_buffers(options.outputs, identity.buffers);
    if (!checked) return checked.as_failure();
    prepared.checked = std::move(checked).value();
    identity.key.name = summary.name;
    const auto device = harness::cuda::identity_of(card);
    identity.key.device = device.name;
    identity.key.device_detail = device.detail;
    identity.key.launch = models::to_string(stated);
    identity.key.kernel_digest = listing_digest(file.value(), index.value());
    identity.module_digest = assembly::digest_of(kernel.image);
    identity.conditions = harness::cuda::conditions_of(card);
    return prepared;
}

Result<PreparedCoRunner> prepare_co_runner(const CoRunnerText& text,
                                           const harness::cuda::Card& card) {
    MeasuredKernelOptions options;
    options.module = text.module();
    options.kernel = text.kernel();
    options.launch.grid = text.grid;
    options.launch.block = text.block;
    options.launch.dynamic_shared_memory = text.dynamic_shared_memory;
    options.arguments = text.arguments;
    auto prepared = prepare_launch(options, card);
    if (!prepared) {
        Failure why = prepared.error();
        why.what = "the co-runner: " + why.what;
        if (why.where.rfind("--", 0) == 0) why.where.replace(0, 2, "--co-runner-");
        return why;
    }
    auto& [kernel, identity, checked] = prepared.value();
    return PreparedCoRunner{std::move(kernel), identity.key.launch, identity.module_digest,
                            identity.key.facts_digest};
}

} // namespace warpbound::cli
