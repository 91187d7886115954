#pragma once
/// \file
/// Kernels of a CUDA binary (cubin), from its own records: resources and the layout of parameters.

#include "assembly/isa/target.hpp"
#include "assembly/support/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::assembly {

/// A parameter of a kernel, in declaration order.
struct KernelParameterLayout {
    std::int64_t offset = 0; ///< In constant bank 0. `Unit:` bytes.
    std::int64_t size = 0;   ///< `Unit:` bytes.
    std::string name{};      ///< Empty where it is not known.

    friend bool operator==(const KernelParameterLayout&, const KernelParameterLayout&) = default;
};

struct CubinKernel {
    std::string name;                        ///< As the symbol table has it (mangled).
    std::optional<std::int64_t> registers{}; ///< Per thread.
    /// Static shared memory of a block, without what the compiler reserves from sm_90 on.
    /// `Unit:` bytes.
    std::int64_t shared_memory = 0;
    std::optional<std::int64_t> stack{}; ///< Local memory of a thread. `Unit:` bytes.
    /// Nothing where the file does not describe all parameters.
    std::optional<std::vector<KernelParameterLayout>> parameters{};
    /// Contents of its constant banks other than 0, as loaded; without banks in which the loader
    /// places addresses.
    std::map<std::int64_t, std::string> constants{};
};

struct Cubin {
    Target target;
    std::vector<CubinKernel> kernels; ///< In the order of the symbol table.
};

/// Whether the bytes are an ELF file of NVIDIA's machine type.
bool is_cubin(std::string_view bytes);

/// Refuses what is no whole cubin, targets that no generation covers, and code that is still to be
/// linked.
Result<Cubin> read_cubin(std::string_view bytes);

/// The target alone; nothing where it is not known.
std::optional<Target> target_of_cubin(std::string_view bytes);

} // namespace warpbound::assembly
