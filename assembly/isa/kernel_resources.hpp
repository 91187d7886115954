#pragma once
/// \file
/// Registers and shared memory of kernels, from the lines of a listing outside the code.

#include "assembly/isa/program.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace warpbound::assembly {

/// Collects resource information outside of code:
/// `cuobjdump -res-usage` (`Function k:` and `REG:26 STACK:0 SHARED:2560 ..`), the attribute
/// REGCOUNT and the section `.nv.shared.k` in the texts of `cuobjdump -elf` and `nvdisasm`.
/// From sm_90 on the section counts less what the system reserves (`reserved_shared_memory`); the
/// resource usage, which may contain it, is then not used.
class KernelResources {
public:
    /// A line outside of code, trimmed. `target` is that of the code around it, if known. Refuses
    /// numbers that are none or too large, and contradictions; the caller adds the location.
    Result<void> line(std::string_view text, std::optional<Target> target, std::int64_t number);

    /// Adds what is known to a function. Refuses a contradiction to the function's own resources,
    /// with the line.
    [[nodiscard]] Result<void> add_to(Function& function) const;

private:
    struct Value {
        std::int64_t count = 0;
        std::int64_t line = 0;
    };
    struct Known {
        std::optional<Value> registers;
        std::optional<Value> shared_memory; ///< `Unit:` bytes.
    };

    Known& of(std::string_view kernel);
    Result<void> note_registers(std::string_view kernel, std::int64_t count);
    Result<void> note_shared_memory(std::string_view kernel, std::int64_t bytes);
    Result<void> note(std::optional<Value>& known, std::string_view what, std::int64_t count,
                      std::int64_t most) const;
    Result<void> usage(std::string_view text);
    Result<void> section_row(std::string_view text);
    Result<void> shared_section(std::string_view kernel, std::int64_t bytes);
    Result<void> zeros(std::string_view text);
    Result<void> word(std::string_view text);

    /// By kernel and SM number; 0 where the target was not known.
    std::map<std::pair<std::string, int>, Known> known_;
    std::optional<Target> target_;  ///< Of the line.
    std::optional<Target> of_file_; ///< After a line `arch = sm_75`.
    std::int64_t number_ = 0;
    std::string used_by_;          ///< The kernel of the current resource usage line.
    std::string shared_of_;        ///< The kernel of the current section `.nv.shared.k`.
    bool shared_is_sized_ = false; ///< The size of that section is known.
    std::string counted_of_;       ///< The kernel of the current attribute REGCOUNT.
    bool counting_ = false;        ///< Within such an attribute.
};

} // namespace warpbound::assembly
