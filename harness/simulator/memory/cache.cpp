#include "harness/simulator/memory/cache.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

const Cache::Line* Cache::find(std::uint64_t line) const {
    const Line* const first = lines_.data() + static_cast<std::size_t>(line % sets_) * ways_;
    const Line* const last = first + ways_;
    const Line* const found = std::find_if(
        first, last, [&](const Line& other) { return other.valid != 0 && other.number == line; });
    return found == last ? nullptr : found;
}

void Cache::touch(std::uint64_t line) {
    if (Line* const found = find(line); found != nullptr) found->used = ++uses_;
}

std::optional<Cache::Evicted> Cache::fill(std::uint64_t line, std::uint64_t sectors, bool dirty) {
    std::optional<Evicted> evicted;
    Line* way = find(line);
    if (way == nullptr) {
        const auto first = lines_.begin() + static_cast<std::ptrdiff_t>(line % sets_ * ways_);
        way = &*std::min_element(first, first + static_cast<std::ptrdiff_t>(ways_),
                                 [](const Line& a, const Line& b) { return a.used < b.used; });
        if (way->valid != 0) evicted = Evicted{.line = way->number, .dirty = way->dirty};
        *way = Line{.number = line, .valid = 0, .dirty = 0, .used = 0};
    }
    way->valid |= sectors;
    if (dirty) way->dirty |= sectors;
    way->used = ++uses_;
    return evicted;
}

void Cache::drop(std::uint64_t line) {
    if (Line* const found = find(line); found != nullptr) *found = Line{};
}

} // namespace warpbound::harness::simulator
