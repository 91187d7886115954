#include "harness/suite/benchmarks/catalogue.hpp"

#include <numeric>

namespace warpbound::harness {

std::vector<std::int64_t> one_to(std::int64_t last) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(last));
    std::iota(values.begin(), values.end(), 1);
    return values;
}

Operation shared_access(Operation operation, std::int64_t conflict_degree) {
    operation.fact.emplace();
    operation.fact->conflict_degree = models::CountRange{conflict_degree, conflict_degree};
    return operation;
}

Operation global_access(Operation operation, std::int64_t transactions, models::MemoryLevel level) {
    operation.fact.emplace();
    operation.fact->transactions = models::CountRange{transactions, transactions};
    operation.fact->level = level;
    return operation;
}

} // namespace warpbound::harness
