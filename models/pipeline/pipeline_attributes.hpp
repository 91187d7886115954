#pragma once
/// \file
/// Attributes of the file of pipelines: times, sizes and rates with their units, and words.

#include "models/pipeline/system.hpp"
#include "models/xml/xml_reader.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::models {

/// Reads attributes; every refusal has the line of the element.
class PipelineAttributes {
public:
    explicit PipelineAttributes(const assembly::SourceText& source) : source_{source} {}

    Failure refuse(const XmlElement& element, std::string what) const {
        return models::refuse(source_, element, std::move(what));
    }
    [[nodiscard]] const assembly::SourceText& source() const { return source_; }

    /// Requires: the attribute is there. Refuses an empty text.
    [[nodiscard]] Result<std::string> text(const XmlElement& element,
                                           std::string_view attribute) const;
    /// A time from 0 to a day. Requires: the attribute is there.
    [[nodiscard]] Result<Nanoseconds> time(const XmlElement& element,
                                           std::string_view attribute) const;
    /// "32kB" and the like, at most 2^50 bytes. Requires: the attribute is there.
    [[nodiscard]] Result<std::int64_t> bytes(const XmlElement& element,
                                             std::string_view attribute) const;
    /// "20GB/s", in bytes per second. Requires: the attribute is there.
    [[nodiscard]] Result<std::int64_t> rate(const XmlElement& element,
                                            std::string_view attribute) const;
    /// The number of the word among the words; `missing` when the attribute is absent.
    [[nodiscard]] Result<std::size_t> word(const XmlElement& element, std::string_view attribute,
                                           const std::vector<std::string_view>& words,
                                           std::size_t missing) const;
    /// `PREFIXat-least` .. `PREFIXat-most`; 0 is least when only the second is there. None: neither
    /// is there.
    [[nodiscard]] Result<std::optional<Bounds<Nanoseconds>>>
    times(const XmlElement& element, const std::string& prefix = {}) const;

private:
    const assembly::SourceText& source_;
};

} // namespace warpbound::models
