#pragma once
/// \file
/// Values that a test adds to an architecture description.
#include "models/architecture/value_path.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace warpbound::tests {

/// Sets an assumed value at a path, replacing an existing one.
inline void put_value(models::Architecture& machine, const std::string& path,
                      models::Interval interval) {
    models::SourcedValue value;
    value.interval = interval;
    value.source = "made for this test";
    value.grade = models::Grade::Assumed;
    value.reason = "made for this test";
    const auto set = models::set_value(machine, path, std::move(value));
    EXPECT_TRUE(set) << to_string(set.error());
}

} // namespace warpbound::tests
