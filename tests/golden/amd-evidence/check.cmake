# Evidence on code of AMD: what certify and verify say, and the sums claimed.
include(${CMAKE_CURRENT_LIST_DIR}/../collect_commands.cmake)
certify_and_verify()
