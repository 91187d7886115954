# Evidence of launches whose atomics wait for each other at the L2: what certify and verify say, and the sums claimed.
include(${CMAKE_CURRENT_LIST_DIR}/../collect_commands.cmake)
certify_and_verify()
