# Evidence of a kernel whose lanes part, under a work-conserving policy, in strict turns and in slots, of one whose lanes
# leave a loop to further code and of one whose lanes leave a point by BREAK: what certify and verify say, and the sums that are claimed.
include(${CMAKE_CURRENT_LIST_DIR}/../collect_commands.cmake)
certify_and_verify()
