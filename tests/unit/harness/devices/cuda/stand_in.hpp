#pragma once
/// \file
/// Replaces the real driver by the stand-in driver.

#include "harness/suite/measure_point.hpp"
#include "harness/suite/suites.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace warpbound::tests {

/// During its lifetime, `cuda:0` is the stand-in with the given script; launches time out after 50
/// ms, and disassemblers are found only in `folder()`.
class StandIn {
public:
    explicit StandIn(const std::string& script = "") {
        play(script);
        setenv("WARPBOUND_STAND_IN", (folder_.path() / "script").c_str(), 1);
        setenv("WARPBOUND_CUDA_DRIVER", WARPBOUND_TEST_STAND_IN, 1);
        setenv("WARPBOUND_NVML", WARPBOUND_TEST_STAND_IN, 1);
        setenv("WARPBOUND_CUDA_TIME_OUT", "50", 1);
        const char* path = std::getenv("PATH");
        path_ = path == nullptr ? "" : path;
        setenv("PATH", folder_.path().c_str(), 1);
    }
    ~StandIn() {
        for (const char* name : {"WARPBOUND_STAND_IN", "WARPBOUND_CUDA_DRIVER", "WARPBOUND_NVML",
                                 "WARPBOUND_CUDA_TIME_OUT"})
            unsetenv(name);
        setenv("PATH", path_.c_str(), 1);
    }
    StandIn(const StandIn&) = delete;
    StandIn& operator=(const StandIn&) = delete;
    StandIn(StandIn&&) = delete;
    StandIn& operator=(StandIn&&) = delete;

    /// Sets the script of devices that are opened from now on.
    void play(const std::string& script) const {
        std::ofstream{folder_.path() / "script"} << script;
    }
    /// Installs an executable file.
    void install(const std::string& name, const std::string& text) const {
        const auto path = folder_.path() / name;
        std::ofstream{path} << text;
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

private:
    TemporaryFolder folder_;
    std::string path_;
};

/// A point of a benchmark for the stand-in's default target.
inline harness::BenchmarkPoint ptx_point(const std::string& benchmark, std::size_t index = 0) {
    auto points = harness::ptx_points_of(benchmark, {80});
    if (!points) throw std::runtime_error{to_string(points.error())};
    return points.value().at(index);
}
inline harness::BenchmarkPoint ptx_point_named(const std::string& name) {
    auto points = harness::ptx_points_of(name.substr(0, name.find('/')), {80});
    if (!points) throw std::runtime_error{to_string(points.error())};
    for (auto& point : points.value())
        if (point.name == name) return std::move(point);
    throw std::runtime_error{"no point " + name};
}

} // namespace warpbound::tests
