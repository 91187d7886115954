# Evidence of accesses through caches in strict turns, in one wave and in several: what certify and verify say, and the sums that are claimed.
include(${CMAKE_CURRENT_LIST_DIR}/../collect_commands.cmake)
certify_and_verify()
