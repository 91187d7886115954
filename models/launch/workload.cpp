#include "models/launch/workload.hpp"

#include "models/xml/xml_reader.hpp"

#include <fmt/core.h>

#include <array>
#include <map>
#include <set>
#include <utility>

namespace warpbound::models {

namespace {

using assembly::SourceText;

constexpr std::int64_t latest = std::int64_t{1} << 40U;

class WorkloadReader {
public:
    explicit WorkloadReader(const SourceText& source) : source_{source} {}

    Result<WorkloadFile> read(const XmlElement& root);

private:
    Result<void> operation(const XmlElement& element);
    Result<void> launch(const XmlElement& element, HostOperation& read);
    Result<void> copy(const XmlElement& element, HostOperation& read);
    Result<void> name(const XmlElement& element, HostOperation& read);
    /// Refuses an attribute that is there and empty.
    Result<std::string> text(const XmlElement& element, std::string_view attribute);

    const SourceText& source_;
    WorkloadFile workload_;
    std::set<std::string> names_;
    std::map<std::array<std::string, 4>, std::size_t> kernel_index_; ///< By their attributes.
    std::map<std::string, std::size_t> stream_places_;
};

Result<std::string> WorkloadReader::text(const XmlElement& element, std::string_view attribute) {
    const std::string* const found = element.find(attribute);
    if (found == nullptr) return std::string{};
    if (found->empty())
        return refuse(source_, element, fmt::format("'{}' is empty; expected a name", attribute));
    return *found;
}

Result<void> WorkloadReader::launch(const XmlElement& element, HostOperation& read) {
    const auto known = check_attributes(source_, element, {"file", "grid"},
                                        {"kernel", "flow-facts", "name", "stream", "at"});
    if (!known) return known.as_failure();
    KernelSource kernel;
    for (const auto& [attribute, member] :
         {std::pair{"file", &KernelSource::file}, std::pair{"kernel", &KernelSource::kernel},
          std::pair{"flow-facts", &KernelSource::flow_facts}}) {
        const auto value = text(element, attribute);
        if (!value) return value.as_failure();
        kernel.*member = value.value();
    }
    const auto grid = parse_launch(*element.find("grid"));
    if (!grid) return refuse(source_, element, fmt::format("'grid': {}", grid.error().what));
    kernel.launch = grid.value();
    auto& kernels = workload_.kernels;
    const auto [same, added] = kernel_index_.try_emplace(
        {kernel.file, kernel.kernel, kernel.flow_facts, to_string(kernel.launch)}, kernels.size());
    read.kernel = same->second;
    if (added) kernels.push_back(kernel);
    return boost::outcome_v2::success();
}

Result<void> WorkloadReader::copy(const XmlElement& element, HostOperation& read) {
    const auto known =
        check_attributes(source_, element, {"direction", "bytes"}, {"name", "stream", "at"});
    if (!known) return known.as_failure();
    const std::string& direction = *element.find("direction");
    if (direction == to_string(HostOperationKind::CopyToDevice))
        read.kind = HostOperationKind::CopyToDevice;
    else if (direction == to_string(HostOperationKind::CopyToHost))
        read.kind = HostOperationKind::CopyToHost;
    else
        return refuse(
            source_, element,
            fmt::format("'direction' is \"{}\"; expected host-to-device or device-to-host",
                        direction));
    const auto bytes = integer_attribute(source_, element, "bytes", 1, most_copy_bytes);
    if (!bytes) return bytes.as_failure();
    read.bytes = bytes.value();
    return boost::outcome_v2::success();
}

Result<void> WorkloadReader::name(const XmlElement& element, HostOperation& read) {
    const auto own = text(element, "name");
    if (!own) return own.as_failure();
    read.name = own.value().empty()
                    ? fmt::format("{} {}", element.name, workload_.operations.size())
                    : own.value();
    if (!names_.insert(read.name).second)
        return refuse(
            source_, element,
            fmt::format("a second operation '{}'; expected names that differ", read.name));
    const auto stream = text(element, "stream");
    if (!stream) return stream.as_failure();
    if (stream.value().empty()) return boost::outcome_v2::success();
    auto& streams = workload_.streams;
    const auto [same, added] = stream_places_.try_emplace(stream.value(), streams.size());
    read.stream = same->second;
    if (added) streams.push_back(stream.value());
    return boost::outcome_v2::success();
}

Result<void> WorkloadReader::operation(const XmlElement& element) {
    if (element.name != "launch" && element.name != "copy")
        return refuse(
            source_, element,
            fmt::format("unknown element <{}>; expected <launch> or <copy>", element.name));
    if (const auto leaf = check_no_children(source_, element); !leaf) return leaf.as_failure();
    HostOperation read;
    const auto what = element.name == "launch" ? launch(element, read) : copy(element, read);
    if (!what) return what.as_failure();
    if (const auto named = name(element, read); !named) return named.as_failure();
    if (element.find("at") != nullptr) {
        const auto at = integer_attribute(source_, element, "at", 0, latest);
        if (!at) return at.as_failure();
        read.at = at.value();
    }
    workload_.operations.push_back(std::move(read));
    return boost::outcome_v2::success();
}

Result<WorkloadFile> WorkloadReader::read(const XmlElement& root) {
    if (const auto known = check_attributes(source_, root, {}); !known) return known.as_failure();
    for (const XmlElement& child : root.children)
        if (const auto read = operation(child); !read) return read.as_failure();
    if (workload_.kernels.empty())
        return refuse(source_, root, "a <workload> without a <launch>; expected one at least");
    workload_.name = source_.name;
    workload_.digest = assembly::digest_of(source_.text);
    return std::move(workload_);
}

} // namespace

std::string_view to_string(HostOperationKind kind) {
    switch (kind) {
    case HostOperationKind::Launch:
        break;
    case HostOperationKind::CopyToDevice:
        return "host-to-device";
    case HostOperationKind::CopyToHost:
        return "device-to-host";
    }
    return "launch";
}

Result<WorkloadFile> read_workload(const SourceText& source) {
    const auto root = read_xml(source, "workload");
    if (!root) return root.as_failure();
    return WorkloadReader{source}.read(root.value());
}

} // namespace warpbound::models
