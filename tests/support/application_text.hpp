#pragma once
/// \file
/// Plans of applications that are written in tests.

#include "models/application/application_file.hpp"
#include "models/application/plan.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpbound::tests {

/// The plan of `<application>` with these elements.
inline Result<models::application::Plan> plan_in(const std::string& elements) {
    const auto application = models::application::read_application(
        {.name = "test.xml", .text = "<application>\n" + elements + "</application>"});
    if (!application) return application.as_failure();
    return models::application::plan_of(application.value());
}

/// The same, of elements that are right.
inline models::application::Plan plan_of_text(const std::string& elements) {
    auto plan = plan_in(elements);
    EXPECT_TRUE(plan) << to_string(plan.error());
    return plan ? std::move(plan).value() : models::application::Plan{};
}

} // namespace warpbound::tests
