#pragma once
/// \file
/// The kernels of a file: a listing, a cubin, a fat binary, a host program with GPU code, PTX or
/// CUDA C++, AMD's code objects and assembly, each also compressed with gzip or xz. What it is
/// follows from its contents.

#include "assembly/amd/code_decoder.hpp"
#include "assembly/binary/cubin.hpp"
#include "assembly/isa/program.hpp"
#include "harness/toolchain/image_choice.hpp"
#include "harness/toolchain/program_run.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::harness::toolchain {

/// What a listing was made from; a listing itself has neither.
struct ListingOrigin {
    std::string file_digest;  ///< SHA-256 of the file as it was given.
    std::string cubin_digest; ///< SHA-256 of the machine code in it.
    Tool disassembler;        ///< `version_of` gives its version.
};

/// What a kernel of AMD takes besides what all kernels do.
struct AmdResources {
    int lanes = 64;                              ///< Of a wavefront.
    std::optional<std::int64_t> sgprs{};         ///< Of a wavefront.
    std::optional<std::int64_t> agprs{};         ///< Of a lane.
    std::int64_t allocated_vgprs = 0;            ///< Of a lane, AGPRs included.
    std::optional<std::int64_t> max_workgroup{}; ///< Lanes of the largest work-group.
    bool in_compute_unit_mode = false;           ///< See `CodeObjectKernel`.
};

/// A kernel as the file describes it.
struct KernelSummary {
    std::string name;
    std::optional<assembly::Target> target;
    std::optional<std::int64_t> registers;     ///< Per thread.
    std::optional<std::int64_t> shared_memory; ///< Static, of a block. `Unit:` bytes.
    std::optional<std::int64_t> stack;         ///< Local memory of a thread. `Unit:` bytes.
    std::optional<std::vector<assembly::KernelParameterLayout>> parameters; ///< None: not known.
    std::size_t module = 0;                          ///< Kernels of one module are in one listing.
    std::map<std::int64_t, std::string> constants{}; ///< As of `CubinKernel`.
    std::optional<AmdResources> amd{};               ///< Of AMD's code.
};

/// A kernel with its code.
struct KernelCode {
    std::shared_ptr<const assembly::Program> program;
    const assembly::Function* function = nullptr; ///< Into `program`.
    std::string listing; ///< The text that `program` was read from, or AMD's code object.
    KernelSummary summary;
    std::optional<ListingOrigin> origin; ///< None: the file is the listing.
    std::string file_digest;             ///< SHA-256 of the file as it was given.
};

/// A file and what was read of it so far.
class KernelFile {
public:
    /// Refuses a file of no known form, and one that holds code for several targets unless one of
    /// them is chosen; runs ptxas or nvcc where the file is PTX or CUDA C++. `decoder`: of AMD's
    /// code, which is refused without one.
    static Result<KernelFile> open(const std::string& path, const TargetChoice& choice,
                                   const assembly::amd::CodeDecoder* decoder = nullptr);

    /// All kernels, those that cannot be read included. At least one.
    [[nodiscard]] const std::vector<KernelSummary>& kernels() const { return kernels_; }

    /// The index of the kernel with this name (`assembly::find_kernel_name`); empty: of the only
    /// one.
    [[nodiscard]] Result<std::size_t> find(const std::string& name) const;

    /// The kernel's code. The first kernel of a binary's module runs the disassembler. Refuses a
    /// kernel that cannot be read, with all that was found in it.
    Result<KernelCode> read(std::size_t kernel);

    /// The machine code that holds the kernel, as a cubin; empty for a listing.
    [[nodiscard]] const std::string& image(std::size_t kernel) const {
        return modules_[kernels_.at(kernel).module].image;
    }

private:
    struct Module {
        std::string listing; ///< Empty until it is disassembled.
        std::string image;   ///< Machine code; empty for a listing.
        std::optional<assembly::Cubin> records;
        std::optional<ListingOrigin> origin;
        std::shared_ptr<const assembly::Program> program;
    };

    KernelFile(std::string name, TargetChoice choice) : name_{std::move(name)}, choice_{choice} {}

    Result<void> add_listing(std::string text);
    Result<void> add_cubin(std::string image, std::string_view source);
    /// Whether an earlier image has this kernel with the same code, as templates in several
    /// translation units do.
    [[nodiscard]] bool is_repeated(const std::string& image, const std::string& kernel) const;
    Result<void> add_binary(const std::string& bytes);
    Result<void> add_amd(std::string contents, const assembly::amd::CodeDecoder* decoder);
    Result<void> add_ptx(const std::string& text);
    Result<void> add_cuda(const std::string& text, const std::string& path);
    Result<void> disassemble_module(Module& module) const;

    std::string name_;
    std::string file_digest_;
    TargetChoice choice_;
    std::vector<Module> modules_;
    std::vector<KernelSummary> kernels_;
};

} // namespace warpbound::harness::toolchain
