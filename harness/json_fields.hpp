#pragma once
/// \file
/// Typed reading of a JSON document: the first value that is missing or of another type is a
/// failure with its path.

#include "assembly/support/source_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace warpbound::harness {

/// Parses a document. Refuses what is no JSON, with line and column.
Result<nlohmann::json> parse_json(const assembly::SourceText& source);

/// A value of the document and its path. Reads give a default after the first failure.
class JsonField {
public:
    JsonField(const nlohmann::json& value, std::string path, std::optional<Failure>& failure)
        : value_{&value}, path_{std::move(path)}, failure_{&failure} {}

    [[nodiscard]] bool has(std::string_view key) const;
    [[nodiscard]] JsonField member(std::string_view key) const;
    /// An item; what is none fails.
    [[nodiscard]] JsonField item(std::size_t index) const;
    /// Of an array; else it fails, with 0.
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] bool is_array() const;
    [[nodiscard]] bool is_object() const;
    [[nodiscard]] bool is_null() const;

    [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const;
    [[nodiscard]] double number() const;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool boolean() const;

    void fail(std::string what) const;
    [[nodiscard]] bool failed() const { return failure_->has_value(); }

private:
    const nlohmann::json* value_;
    std::string path_;
    std::optional<Failure>* failure_;
};

} // namespace warpbound::harness
