# Evidence of accesses through caches in slots, in one wave and in several: what certify and verify say, and the sums that are claimed.
include(${CMAKE_CURRENT_LIST_DIR}/../collect_commands.cmake)
certify_and_verify()
