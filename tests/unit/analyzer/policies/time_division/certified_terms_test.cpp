#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/policies/time_division/certified_terms.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;

std::unique_ptr<Analyzed> slotted(const std::string& body, std::int64_t warps,
                                  models::FlowFacts facts = {}) {
    auto context = analyzed(body, std::move(facts));
    context->request.launch = {1, 32 * warps};
    context->request.policy = models::read_policy("variable-rate:fast=0,every=2").value();
    return context;
}

/// Seven warps on two schedulers, four places with slots 4 (the fast one) and 12 cycles apart,
/// three with 4 and 8. Every port is the multiprocessor's and taken for one slot.
struct SharedPorts {
    explicit SharedPorts(const std::string& body) : context{slotted(body, 7)} {
        for (auto& unit : context->architecture.units)
            unit.scope = models::UnitScope::Core;
        context->request.certificates = &certificates;
    }

    /// Fails the test where the terms do not add up to the bound.
    SideResult upper() {
        const auto analysis = context->run();
        if (!analysis) {
            ADD_FAILURE() << to_string(analysis.error());
            return {};
        }
        const SideResult& side = analysis.value().execution_time.upper;
        EXPECT_EQ(side.proved, sum_of(side.terms));
        return side;
    }

    std::unique_ptr<Analyzed> context;
    CertificateStore certificates;
};

const BoundTerm* term_of(const SideResult& side, const std::string& certificate) {
    const auto found =
        std::find_if(side.terms.begin(), side.terms.end(),
                     [&](const BoundTerm& term) { return term.certificate == certificate; });
    return found == side.terms.end() ? nullptr : &*found;
}

constexpr const char* blocked_by_ports_text =
    "slots of the warp in which another warp occupies a port";

const BoundTerm* blocked_by_ports(const SideResult& side) {
    const auto found =
        std::find_if(side.terms.begin(), side.terms.end(),
                     [](const BoundTerm& term) { return term.text == blocked_by_ports_text; });
    return found == side.terms.end() ? nullptr : &*found;
}

TEST(TimeDivisionCertificates, CountTheWarpsOfOtherSchedulersForTheSlowestPlace) {
    SharedPorts shared{"MOV R1, R2; @P0 EXIT; EXIT;"}; // Of two paths no schedule is explored.
    const SideResult upper = shared.upper();
    ASSERT_NE(term_of(upper, "execution-time-upper-slot-distance-12"), nullptr);
    // A warp of the fuller scheduler has three elsewhere; each of three instructions takes a slot.
    const BoundTerm* lost = blocked_by_ports(upper);
    ASSERT_NE(lost, nullptr);
    EXPECT_EQ(lost->count, 3);
    EXPECT_EQ(lost->cycles, 3 * 12);
    for (const char* every : {"4", "8", "12"})
        EXPECT_TRUE(std::any_of(
            shared.certificates.certificates.begin(), shared.certificates.certificates.end(),
            [&](const PathCertificate& certificate) {
                return certificate.id == std::string{"execution-time-upper-slot-distance-"} + every;
            }))
            << every;
}

TEST(TimeDivisionCertificates, AreNotTighterThanWithoutProofs) {
    models::FlowFacts facts;
    facts.memory.push_back(
        {0, models::CountRange{1, 1}, std::nullopt, models::MemoryLevel::Dram, {}, {}});
    for (const char* body : {"ST [R2], R3; MUFU.COS R1, R2; EXIT;",
                             "MOV R1, R2; MOV R3, R4; FFMA R8, R8, R3, R3; EXIT;"})
        for (const std::int64_t warps : {1, 2, 5, 8, 32}) {
            const auto context = slotted(body, warps, facts);
            const auto plain = context->run();
            CertificateStore certificates;
            context->request.certificates = &certificates;
            const auto proved = context->run();
            ASSERT_TRUE(plain && proved);
            const auto bounds = plain.value().execution_time.bounds();
            const auto with_proofs = proved.value().execution_time.bounds();
            EXPECT_LE(bounds.upper(), with_proofs.upper()) << body << warps;
            EXPECT_GE(bounds.lower(), with_proofs.lower()) << body << warps;
        }
}

// The chain may go over to a warp of any place.
TEST(TimeDivisionCertificates, CountAtBarriersThePlaceWhereItTakesLongest) {
    SharedPorts shared{"BAR.SYNC 0x0; MOV R1, R2; BAR.SYNC 0x0; EXIT;"};
    const SideResult upper = shared.upper();
    ASSERT_NE(term_of(upper, "execution-time-upper-in-any-warp-slot"), nullptr);
    EXPECT_TRUE(std::any_of(upper.terms.begin(), upper.terms.end(), [](const BoundTerm& term) {
        return term.text == "wait for a slot after a barrier" && term.count == 2 &&
               term.cycles == 11;
    }));
    // Between barriers the path is in one place: each of four instructions takes a slot of 12
    // cycles from the four warps of the fuller scheduler, of each of three warps elsewhere.
    std::int64_t lost = 0;
    for (const BoundTerm& term : upper.terms)
        if (term.text == blocked_by_ports_text) lost += term.count * term.cycles;
    EXPECT_EQ(lost, 4 * 3 * 12);
}

TEST(TimeDivisionCertificates, RefuseWarpsThatEndBeforeABarrier) {
    const auto context = slotted("@P0 BRA 0x10; BAR.SYNC 0x0; EXIT;", 4);
    CertificateStore certificates;
    context->request.certificates = &certificates;
    const auto refused = context->run();
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("may end before a barrier"));
}

} // namespace
} // namespace warpbound::analyzer
