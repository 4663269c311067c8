# LLVM, clang, Z3 and the ROCm tree that kernels are parsed with.

set(HK_LLVM_MAJOR 22)

# LLVM's version file accepts an exact major.minor only, so the major is checked
# here; an LLVM_DIR that the user set comes first as always.
find_package(LLVM REQUIRED CONFIG HINTS "/usr/lib/llvm-${HK_LLVM_MAJOR}")
if(NOT LLVM_VERSION_MAJOR EQUAL HK_LLVM_MAJOR)
  message(FATAL_ERROR "LLVM ${HK_LLVM_MAJOR} is needed, ${LLVM_PACKAGE_VERSION} was found in "
                      "${LLVM_DIR}; set LLVM_DIR to the folder of LLVM ${HK_LLVM_MAJOR}'s LLVMConfig.cmake")
endif()
find_package(Clang REQUIRED CONFIG HINTS "${LLVM_INSTALL_PREFIX}" "${LLVM_DIR}/../clang")
foreach(target IN ITEMS LLVM clang-cpp)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "this LLVM has no shared library '${target}', which hk-opt links")
  endif()
endforeach()

find_path(Z3_CXX_INCLUDE_DIR z3++.h PATH_SUFFIXES z3)
find_library(Z3_LIBRARY NAMES z3 libz3)
mark_as_advanced(Z3_CXX_INCLUDE_DIR Z3_LIBRARY)
if(NOT Z3_CXX_INCLUDE_DIR OR NOT Z3_LIBRARY)
  message(FATAL_ERROR "Z3 with its C++ header z3++.h is needed (Debian: libz3-dev)")
endif()
add_library(hk_z3 INTERFACE)
target_include_directories(hk_z3 SYSTEM INTERFACE "${Z3_CXX_INCLUDE_DIR}")
target_link_libraries(hk_z3 INTERFACE "${Z3_LIBRARY}")

# LLVM and clang as hk's libraries use them: shared, their headers' warnings off.
add_library(hk_llvm INTERFACE)
target_include_directories(hk_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(hk_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(hk_llvm INTERFACE ${hk_llvm_definitions})
target_link_libraries(hk_llvm INTERFACE LLVM)

add_library(hk_clang INTERFACE)
target_include_directories(hk_clang SYSTEM INTERFACE ${CLANG_INCLUDE_DIRS})
target_link_libraries(hk_clang INTERFACE clang-cpp hk_llvm)

# The clang driver of the very LLVM that is linked, for tests, and its headers.
set(HK_CLANG "${LLVM_TOOLS_BINARY_DIR}/clang")
set(HK_CLANG_RESOURCE_DIR "${LLVM_LIBRARY_DIR}/clang/${LLVM_VERSION_MAJOR}")
if(NOT EXISTS "${HK_CLANG_RESOURCE_DIR}/include")
  execute_process(COMMAND "${HK_CLANG}" -print-resource-dir
                  OUTPUT_VARIABLE HK_CLANG_RESOURCE_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(NOT EXISTS "${HK_CLANG_RESOURCE_DIR}/include")
  message(FATAL_ERROR "clang ${HK_LLVM_MAJOR}'s own headers were not found below ${LLVM_LIBRARY_DIR}")
endif()

set(HK_ROCM_PATH "" CACHE PATH "ROCm tree with include/hip/hip_runtime.h")
if(NOT HK_ROCM_PATH)
  foreach(candidate IN ITEMS "$ENV{HK_ROCM_PATH}" "$ENV{ROCM_PATH}" /opt/rocm
                             "${PROJECT_BINARY_DIR}/rocm")
    if(candidate AND EXISTS "${candidate}/include/hip/hip_runtime.h")
      set_property(CACHE HK_ROCM_PATH PROPERTY VALUE "${candidate}")
      break()
    endif()
  endforeach()
endif()
if(NOT HK_ROCM_PATH)
  message(WARNING "No HIP headers found: set HK_ROCM_PATH, or run scripts/fetch-hip-headers "
                  "${PROJECT_BINARY_DIR}/rocm. hk-opt builds without them; its tests need them.")
endif()
