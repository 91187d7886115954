#include "harness/hypotheses/orders.hpp"

#include <algorithm>

namespace warpbound::harness::hypotheses {

Orders::Orders(const ObservedWorkload& workload) : workload_{&workload} {
    const auto& all = operations();
    for (std::size_t j = 0; j < all.size(); ++j) {
        TimeRange head = all[j].issued;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool is_related =
                all[i].stream == all[j].stream || !all[i].stream || !all[j].stream;
            // What may have been called before it may have delayed it.
            if (i == j || !is_related || issued_before(j, i)) continue;
            head.latest = std::max(head.latest, all[i].end.latest);
            if (issued_before(i, j)) head.earliest = std::max(head.earliest, all[i].end.earliest);
        }
        heads_.push_back(head);
    }
}

bool Orders::issued_before(std::size_t i, std::size_t j) const {
    return i < j && (workload_->calls_in_order ||
                     operations()[i].issued.latest <= operations()[j].issued.earliest);
}

std::optional<std::size_t> Orders::next_in_stream(std::size_t operation) const {
    for (std::size_t j = operation + 1; j < operations().size(); ++j)
        if (operations()[j].stream == operations()[operation].stream && issued_before(operation, j))
            return j;
    return std::nullopt;
}

bool Orders::share_engine(std::size_t a, std::size_t b) const {
    return workload_->copy_engines == 1 || operations()[a].kind == operations()[b].kind;
}

} // namespace warpbound::harness::hypotheses
