#pragma once
/// \file
/// Planted: a header uses std::string without <string>. The layering test must refuse it.
#include <vector>
inline std::string name() {
    return {};
}
