#include "assembly/isa/source_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace warpbound::assembly {

namespace {

constexpr std::string_view opening = "//## File \"";
constexpr std::string_view between = "\", line ";
constexpr std::string_view inlined = " inlined at \"";
/// Below the length of a line, so that a printed marker is read again.
constexpr std::size_t marker_length_limit = 4000;

Failure malformed() {
    return Failure{fmt::format("no line marker; expected //## File \"NAME\", line N, with N up to "
                               "{}, or the same followed by inlined at \"NAME\", line N",
                               source_line_limit)};
}

/// Takes `NAME", line N` from the front of `text`.
std::optional<SourcePlace> take_place(std::string_view& text) {
    const std::size_t end = text.find(between);
    if (end == std::string_view::npos) return std::nullopt;
    SourcePlace place{std::string{text.substr(0, end)}, 0};
    text.remove_prefix(end + between.size());
    const char* const stop = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), stop, place.line);
    if (error != std::errc{} || place.line < 0 || place.line > source_line_limit)
        return std::nullopt;
    if (place.file.empty() && place.line != 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    return place;
}

std::string place_text(const SourceLines& lines, std::uint32_t frame) {
    return fmt::format("\"{}\", line {}", lines.file_of(frame), lines.frames[frame].line);
}

std::string_view without_folders(std::string_view file) {
    const std::size_t slash = file.find_last_of("/\\");
    return slash == std::string_view::npos || slash + 1 == file.size() ? file
                                                                       : file.substr(slash + 1);
}

} // namespace

bool is_source_marker(std::string_view text) {
    return text.substr(0, opening.size()) == opening;
}

Result<SourceMarker> read_source_marker(std::string_view text) {
    if (text.size() > marker_length_limit) return malformed();
    text.remove_prefix(std::min(opening.size(), text.size()));
    const auto at = take_place(text);
    if (!at) return malformed();
    SourceMarker marker{*at, std::nullopt};
    if (text.empty()) return marker;
    if (text.substr(0, inlined.size()) != inlined) return malformed();
    text.remove_prefix(inlined.size());
    marker.inlined_at = take_place(text);
    if (!marker.inlined_at || marker.inlined_at->line == 0 || !text.empty()) return malformed();
    return marker;
}

std::string print_source_markers(const SourceLines& lines, std::optional<std::uint32_t> frame) {
    if (!frame) return "\t//## File \"\", line 0\n";
    std::string out;
    for (auto at = frame; at; at = lines.frames[*at].caller) {
        out += fmt::format("\t//## File {}", place_text(lines, *at));
        if (const auto caller = lines.frames[*at].caller)
            out += fmt::format(" inlined at {}", place_text(lines, *caller));
        out += "\n";
    }
    return out;
}

Result<void> SourceLineCollector::marker(SourceMarker marker) {
    const bool continues =
        chain_is_open_ && !chain_.empty() && chain_.back().inlined_at == marker.at;
    if (!continues) chain_.clear();
    if (chain_.size() == inlining_limit)
        return Failure{fmt::format("more than {} calls inlined into each other", inlining_limit)};
    chain_.push_back(std::move(marker));
    chain_is_open_ = true;
    return boost::outcome_v2::success();
}

std::optional<std::uint32_t> SourceLineCollector::frame() {
    if (!chain_is_open_) return current_;
    chain_is_open_ = false;
    current_.reset();
    if (chain_.empty() || chain_.front().at.line == 0) return current_;
    // The last marker may name a place of inlining that has no marker of its own.
    if (const auto& outermost = chain_.back().inlined_at)
        current_ = frame_of(*outermost, std::nullopt);
    for (auto marker = chain_.rbegin(); marker != chain_.rend(); ++marker)
        current_ = frame_of(marker->at, current_);
    return current_;
}

std::uint32_t SourceLineCollector::frame_of(const SourcePlace& place,
                                            std::optional<std::uint32_t> caller) {
    const auto [file, is_new_file] = files_.emplace(place.file, lines_.files.size());
    if (is_new_file) lines_.files.push_back(place.file);
    const std::int64_t caller_key = caller ? std::int64_t{*caller} : -1;
    const auto number = static_cast<std::uint32_t>(lines_.frames.size());
    const auto [frame, is_new] =
        frames_.emplace(std::tuple{file->second, place.line, caller_key}, number);
    if (is_new) lines_.frames.push_back({file->second, place.line, caller});
    return frame->second;
}

std::string display_name(const SourceLines& lines, std::size_t file) {
    const std::string_view whole = lines.files[file];
    const std::string_view name = without_folders(whole);
    const bool is_shared =
        std::count_if(lines.files.begin(), lines.files.end(),
                      [&](const std::string& other) { return without_folders(other) == name; }) > 1;
    return std::string{is_shared ? whole : name};
}

} // namespace warpbound::assembly
