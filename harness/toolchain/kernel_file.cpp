#include "harness/toolchain/kernel_file.hpp"

#include "assembly/amd/program_builder.hpp"
#include "assembly/binary/compressed.hpp"
#include "assembly/binary/elf.hpp"
#include "assembly/binary/fatbin.hpp"
#include "assembly/isa/kernel_names.hpp"
#include "assembly/isa/reader.hpp"
#include "assembly/support/source_text.hpp"
#include "harness/toolchain/amd_code.hpp"
#include "harness/toolchain/disassembler.hpp"
#include "harness/toolchain/parameter_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace warpbound::harness::toolchain {

namespace {

using assembly::Target;

constexpr std::size_t largest_binary = std::size_t{512} << 20U; // `Unit:` bytes.

/// Whether a line of the text begins with this word, blanks aside.
bool has_line(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        std::size_t begin = at;
        while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t'))
            --begin;
        if (begin == 0 || text[begin - 1] == '\n') return true;
    }
    return false;
}

bool is_ptx(std::string_view text) {
    return has_line(text, ".version") && has_line(text, ".target") &&
           text.find(".text.") == std::string_view::npos;
}

bool is_cuda(std::string_view text) {
    return (text.find("__global__") != std::string_view::npos || has_line(text, "#include")) &&
           text.find("Function : ") == std::string_view::npos &&
           text.find(".text.") == std::string_view::npos;
}

/// The target that PTX names in its `.target` line.
std::optional<Target> target_of_ptx(std::string_view text) {
    const std::size_t at = text.find(".target");
    const std::size_t begin = text.find_first_not_of(" \t", at + 7);
    if (at == std::string_view::npos || begin == std::string_view::npos) return std::nullopt;
    return assembly::parse_target(
        text.substr(begin, text.find_first_of(" \t,\r\n", begin) - begin));
}

/// The cubin's resources as lines that the reader of listings knows, in front of the disassembly.
std::string resource_lines(const assembly::Cubin& cubin) {
    std::string out = fmt::format("\t.target\t{}\n", to_string(cubin.target));
    for (const auto& kernel : cubin.kernels) {
        if (kernel.registers)
            out += fmt::format(" Function {}:\n  REG:{} STACK:{}\n", kernel.name, *kernel.registers,
                               kernel.stack.value_or(0));
        out += fmt::format("\t.section\t.nv.shared.{},\"aw\",@nobits\n\t.zero\t\t{}\n", kernel.name,
                           kernel.shared_memory + reserved_shared_memory(cubin.target));
    }
    return out;
}

KernelSummary summary_of(const assembly::Function& function) {
    KernelSummary summary;
    summary.name = function.name;
    summary.target = function.target;
    summary.registers = function.register_count;
    summary.shared_memory = function.shared_memory;
    return summary;
}

Failure located(Failure failure, const std::string& name) {
    if (failure.where.empty()) failure.where = name;
    return failure;
}

/// Names the file in front of what a compiler's run refuses.
Failure of_compiler(const Failure& failure, const std::string& name) {
    return Failure{fmt::format("does not compile: {}", to_string(failure)), name};
}

} // namespace

Result<KernelFile> KernelFile::open(const std::string& path, const TargetChoice& choice,
                                    const assembly::amd::CodeDecoder* decoder) {
    auto source = assembly::read_source(path, largest_binary);
    if (!source) return source.as_failure();
    KernelFile file{source.value().name, choice};
    file.file_digest_ = assembly::digest_of(source.value().text);
    auto contents = assembly::decompressed(std::move(source.value().text), largest_binary);
    if (!contents) return located(contents.error(), file.name_);
    std::string& bytes = contents.value();
    Result<void> added = boost::outcome_v2::success();
    if (is_amd_code(bytes))
        added = file.add_amd(std::move(bytes), decoder);
    else if (assembly::is_elf(bytes) || assembly::is_fatbin(bytes))
        added = file.add_binary(bytes);
    else if (bytes.size() > assembly::source_size_limit)
        added = Failure{
            fmt::format("a text larger than the limit of {} bytes", assembly::source_size_limit)};
    else if (is_ptx(bytes))
        added = file.add_ptx(bytes);
    else if (is_cuda(bytes))
        added = file.add_cuda(bytes, path);
    else
        added = file.add_listing(bytes);
    if (!added) return located(added.error(), file.name_);
    if (file.kernels_.empty()) return Failure{"holds no kernel for this target", file.name_};
    return file;
}

Result<void> KernelFile::add_amd(std::string contents, const assembly::amd::CodeDecoder* decoder) {
    if (decoder == nullptr)
        return Failure{"AMD code, which this command does not take; inspect, flow-facts, bound, "
                       "analyze, simulate, predict, schedulers and certify do"};
    auto image = amd_image(std::move(contents), name_, choice_, *decoder);
    if (!image) return image.as_failure();
    const auto object = assembly::amd::read_code_object(image.value());
    if (!object) return object.as_failure();
    const Target target = object.value().target;
    if (choice_.stated && *choice_.stated != target)
        return Failure{fmt::format("is code for {}, not for --target {}", to_string(target),
                                   to_string(*choice_.stated))};
    for (const auto& kernel : object.value().kernels)
        kernels_.push_back(
            {kernel.name,
             target,
             kernel.vgprs,
             kernel.lds_bytes,
             kernel.scratch_bytes,
             kernel.parameters,
             modules_.size(),
             {},
             AmdResources{kernel.lanes, kernel.sgprs, kernel.agprs, kernel.allocated_vgprs,
                          kernel.max_lanes, kernel.in_compute_unit_mode}});
    Module module;
    auto program = assembly::amd::build_program(object.value(), name_, *decoder);
    program.digest = assembly::digest_of(image.value());
    module.program = std::make_shared<const assembly::Program>(std::move(program));
    module.image = std::move(image).value();
    modules_.push_back(std::move(module));
    return boost::outcome_v2::success();
}

Result<void> KernelFile::add_listing(std::string text) {
    auto program = assembly::read_program({name_, text});
    if (!program) return program.as_failure();
    std::vector<Target> targets;
    for (const auto& function : program.value().functions)
        targets.push_back(function.target);
    // A listing for several targets of which none is chosen keeps them all.
    std::optional<Target> chosen;
    if (choice_.stated || choice_.machine) {
        const auto one = choose_target(targets, choice_);
        if (!one && choice_.stated) return one.as_failure();
        if (one) chosen = one.value();
    }
    for (const auto& function : program.value().functions)
        if (!chosen || function.target == *chosen) kernels_.push_back(summary_of(function));
    for (const auto& function : program.value().unread) {
        KernelSummary summary;
        summary.name = function.name;
        summary.target = function.target;
        if (!chosen || !function.target || *function.target == *chosen)
            kernels_.push_back(std::move(summary));
    }
    Module module;
    module.listing = std::move(text);
    module.program = std::make_shared<const assembly::Program>(std::move(program).value());
    modules_.push_back(std::move(module));
    return boost::outcome_v2::success();
}

Result<void> KernelFile::add_cubin(std::string image, std::string_view source) {
    auto records = assembly::read_cubin(image);
    if (!records) return records.as_failure();
    const Target target = records.value().target;
    if (choice_.stated && *choice_.stated != target)
        return Failure{fmt::format("is code for {}, not for --target {}", to_string(target),
                                   to_string(*choice_.stated))};
    for (auto& kernel : records.value().kernels) {
        const auto names = parameter_names(source, assembly::plain_name(kernel.name));
        if (kernel.parameters && names && names->size() == kernel.parameters->size())
            for (std::size_t i = 0; i < names->size(); ++i)
                (*kernel.parameters)[i].name = (*names)[i];
        if (is_repeated(image, kernel.name)) continue;
        kernels_.push_back({kernel.name, target, kernel.registers, kernel.shared_memory,
                            kernel.stack, kernel.parameters, modules_.size(), kernel.constants});
    }
    Module module;
    module.origin = ListingOrigin{file_digest_, assembly::digest_of(image), {}};
    module.image = std::move(image);
    module.records = std::move(records).value();
    modules_.push_back(std::move(module));
    return boost::outcome_v2::success();
}

bool KernelFile::is_repeated(const std::string& image, const std::string& kernel) const {
    const auto code_of = [&](const std::string& bytes) {
        const auto file = assembly::read_elf(bytes);
        const auto* section = file ? file.value().section(".text." + kernel) : nullptr;
        return section != nullptr ? section->contents : std::string_view{};
    };
    return std::any_of(kernels_.begin(), kernels_.end(), [&](const KernelSummary& before) {
        if (before.name != kernel) return false;
        const std::string_view code = code_of(image);
        return !code.empty() && code == code_of(modules_[before.module].image);
    });
}

Result<void> KernelFile::add_binary(const std::string& bytes) {
    if (assembly::is_cubin(bytes)) return add_cubin(bytes, {});
    const auto images =
        assembly::is_fatbin(bytes) ? assembly::read_fatbins(bytes) : assembly::read_host_elf(bytes);
    if (!images) return images.as_failure();
    auto cubins = chosen_cubins(images.value(), bytes, choice_);
    if (!cubins) return cubins.as_failure();
    for (std::string& cubin : cubins.value())
        if (auto added = add_cubin(std::move(cubin), {}); !added) return added;
    return boost::outcome_v2::success();
}

Result<void> KernelFile::add_ptx(const std::string& text) {
    const auto written_for = target_of_ptx(text);
    const auto target =
        choice_.stated ? choice_.stated : (choice_.machine ? choice_.machine : written_for);
    if (!target) return Failure{"PTX without a known .target; say --target sm_80"};
    const auto ptxas = find_tool("ptxas");
    if (!ptxas) return missing_tool("PTX is not the code that runs", "ptxas");
    auto cubin = assemble_ptx(*ptxas, text, *target);
    if (!cubin) return of_compiler(cubin.error(), name_);
    return add_cubin(std::move(cubin).value(), text);
}

Result<void> KernelFile::add_cuda(const std::string& text, const std::string& path) {
    const auto target = choice_.stated ? choice_.stated : choice_.machine;
    if (!target) return Failure{"CUDA C++ is compiled for one target; say which: --target sm_80"};
    const auto nvcc = find_tool("nvcc");
    if (!nvcc) return missing_tool("CUDA C++ is not the code that runs", "nvcc");
    const WorkFolder folder;
    // A compressed file, or standard input, is compiled from a copy.
    const auto plain =
        path == "-" ? Result<assembly::SourceText>{Failure{}} : assembly::read_source(path);
    std::string compiled = path;
    if (!plain || plain.value().text != text) {
        const auto copy = folder.write("code.cu", text);
        if (!copy) return copy.as_failure();
        compiled = copy.value();
    }
    const auto includes = std::filesystem::absolute(path == "-" ? "." : path);
    auto cubin =
        compile_cuda(*nvcc, compiled,
                     path == "-" ? includes.string() : includes.parent_path().string(), *target);
    if (!cubin) return of_compiler(cubin.error(), name_);
    return add_cubin(std::move(cubin).value(), text);
}

Result<void> KernelFile::disassemble_module(Module& module) const {
    const auto tool = find_disassembler();
    if (!tool) return missing_tool("machine code is read through a disassembler", "nvdisasm");
    auto text = disassemble(*tool, module.image);
    if (!text)
        return Failure{fmt::format("is not disassembled: {}", to_string(text.error())), name_};
    module.listing = resource_lines(*module.records) + text.value();
    auto program = assembly::read_program({name_ + " (disassembled)", module.listing});
    if (!program) return program.as_failure();
    module.program = std::make_shared<const assembly::Program>(std::move(program).value());
    module.origin->disassembler = *tool;
    return boost::outcome_v2::success();
}

Result<std::size_t> KernelFile::find(const std::string& name) const {
    std::vector<std::string> names;
    for (const KernelSummary& kernel : kernels_)
        names.push_back(kernel.name);
    auto found = assembly::find_kernel_name(names, name);
    if (!found) return located(found.error(), name_);
    return found;
}

Result<KernelCode> KernelFile::read(std::size_t kernel) {
    const KernelSummary& summary = kernels_.at(kernel);
    Module& module = modules_[summary.module];
    if (!module.program)
        if (auto made = disassemble_module(module); !made) return located(made.error(), name_);
    const auto& functions = module.program->functions;
    const auto is_meant = [&](const auto& one) {
        return one.name == summary.name && (!summary.target || one.target == *summary.target);
    };
    const auto found = std::find_if(functions.begin(), functions.end(), is_meant);
    if (found != functions.end()) {
        KernelCode code{module.program, &*found,       summary.amd ? module.image : module.listing,
                        summary,        module.origin, file_digest_};
        if (!code.summary.registers) code.summary.registers = found->register_count;
        return code;
    }
    for (const auto& function : module.program->unread)
        if (function.name == summary.name) return assembly::refusal_of(function);
    return Failure{fmt::format("the disassembly lacks kernel '{}'", summary.name), name_};
}

} // namespace warpbound::harness::toolchain
