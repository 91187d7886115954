#include "assembly/flow/dependences.hpp"
#include "assembly/isa/reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warpbound::assembly {
namespace {

std::vector<Dependence> dependences(const std::string& body, int sm = 20) {
    const auto program = read_program(
        {"test", "!Arch sm_" + std::to_string(sm) + "\n!Kernel k\n" + body + "\n!EndKernel\n"});
    EXPECT_TRUE(program) << to_string(program.error());
    if (!program) return {};
    const auto& function = program.value().functions.front();
    return dependences_of(function, 0, function.instructions.size() - 1);
}

bool has(const std::vector<Dependence>& list, std::size_t producer, std::size_t consumer,
         DependenceKind kind) {
    return std::any_of(list.begin(), list.end(), [&](const Dependence& dependence) {
        return dependence.producer == producer && dependence.consumer == consumer &&
               dependence.kind == kind;
    });
}

TEST(Dependences, NameTheNearestWriter) {
    const auto list = dependences("MOV R1, R2; MOV R1, R3; MOV R4, R1; EXIT;");
    EXPECT_TRUE(has(list, 1, 2, DependenceKind::ReadAfterWrite));
    EXPECT_FALSE(has(list, 0, 2, DependenceKind::ReadAfterWrite));
    EXPECT_TRUE(has(list, 0, 1, DependenceKind::WriteAfterWrite));
}

TEST(Dependences, SeeThroughAGuardedWrite) {
    const auto list = dependences("MOV R1, R2; @P0 MOV R1, R3; MOV R4, R1; EXIT;");
    EXPECT_TRUE(has(list, 0, 2, DependenceKind::ReadAfterWrite));
    EXPECT_TRUE(has(list, 1, 2, DependenceKind::ReadAfterWrite));
}

TEST(Dependences, FollowPredicatesIntoGuards) {
    EXPECT_TRUE(has(dependences("ISETP.GE.AND P0, PT, R1, R2, PT; @P0 MOV R4, R1; EXIT;"), 0, 1,
                    DependenceKind::ReadAfterWrite));
}

TEST(Dependences, ProtectAReadFromALaterWrite) {
    EXPECT_TRUE(
        has(dependences("MOV R1, R2; MOV R2, R3; EXIT;"), 0, 1, DependenceKind::WriteAfterRead));
}

TEST(Dependences, ConnectScoreboards) {
    const auto list = dependences("LDG R4, [R2] &wr=0x1 ?trans1; MOV R7, R8 ?trans1; MOV R5, R4 "
                                  "&req={1} ?trans1; EXIT ?trans5;",
                                  75);
    EXPECT_TRUE(has(list, 0, 2, DependenceKind::Scoreboard));
}

TEST(Dependences, OrderStoresThatMayOverlap) {
    const auto list = dependences("ST [R2], R4; LD R5, [R2]; LD R6, [R2+0x4]; EXIT;");
    EXPECT_TRUE(has(list, 0, 1, DependenceKind::Memory));
    EXPECT_FALSE(has(list, 0, 2, DependenceKind::Memory));
}

} // namespace
} // namespace warpbound::assembly
