# hk/Config.h: what the tools must know about how they were built, so that they
# find their files both in the build tree and when installed.

# The runtime headers sit below a folder of their own: a program that includes
# them must not see the optimizer's headers, which share the prefix hk/.
set(HK_RUNTIME_INSTALL_DIR "${CMAKE_INSTALL_INCLUDEDIR}/hk-runtime")

set(HK_SOURCE_RUNTIME_INCLUDE "${PROJECT_SOURCE_DIR}/runtime/include")
file(RELATIVE_PATH HK_INSTALL_RUNTIME_INCLUDE
     "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_PREFIX}/${HK_RUNTIME_INSTALL_DIR}")

configure_file("${CMAKE_CURRENT_LIST_DIR}/Config.h.in" "${PROJECT_BINARY_DIR}/include/hk/Config.h"
               @ONLY)
