#include "certification/verify/interference/certificate_values.hpp"

#include "certification/verify/interference/barrier_intervals.hpp"
#include "models/units.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

const Certificate* find_certificate(const KernelCase& kernel, const std::string& id) {
    const auto found =
        std::find_if(kernel.certificates.begin(), kernel.certificates.end(),
                     [&](const Certificate& certificate) { return certificate.id == id; });
    return found == kernel.certificates.end() ? nullptr : &*found;
}

std::int64_t cycles_of(const CertificateValues& values, const Term& term) {
    if (term.certificate.empty()) return term.cycles;
    if (const Certificate* certificate = find_certificate(values.code.kernel, term.certificate))
        return values.code.geometry.warps > 1 ? std::max<std::int64_t>(0, certificate->bound)
                                              : certificate->bound;
    const bool is_sum = values.tables.count(term.certificate) != 0;
    if (term.count == 0 || (is_sum && largest_demand(values.tables, term.certificate) == 0))
        return 0;
    const auto interval = costliest_barrier_interval(values.code, values.tables, term.certificate);
    if (interval.value_or(1) == 0) return 0;
    incomplete(values.claim + ": path certificate " + term.certificate + " is missing");
}

models::Cycles sum_of(const CertificateValues& values, const std::vector<Term>& terms) {
    models::Cycles sum{0};
    for (const Term& term : terms)
        sum += models::Cycles{models::times(term.count, cycles_of(values, term))};
    return sum;
}

} // namespace warpbound::certification::verify
