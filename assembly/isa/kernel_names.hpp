#pragma once
/// \file
/// Names of kernels as compilers and as people write them.

#include "assembly/support/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::assembly {

/// "void fill<int>(int*, int)" for "_Z4fillIiEvPT_S0_"; other names as they are.
std::string demangled(const std::string& name);

/// "fill" for "_Z4fillIiEvPT_S0_": the demangled name without return type, namespaces, template
/// arguments and parameters.
std::string plain_name(const std::string& name);

/// Which kernel is meant, by the first of these that fits exactly one: its name; its demangled name
/// with parameters, without them, or without template arguments; a part of either name. An empty
/// `wanted` means the only kernel. Refuses an unknown name with similar ones, and an ambiguous one
/// with those that it fits.
Result<std::size_t> find_kernel_name(const std::vector<std::string>& names,
                                     std::string_view wanted);

/// "scale, fill<int> (_Z4fillIiEvPT_S0_)", at most 20 names.
std::string list_of_names(const std::vector<std::string>& names);

} // namespace warpbound::assembly
