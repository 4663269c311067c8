# HK_SANITIZE: everything instrumented, any finding ends the program. Whether
# libFuzzer is there as well, which tools/hk-sim-fuzz needs, is HK_HAVE_FUZZER.

set(HK_HAVE_FUZZER FALSE)
if(NOT HK_SANITIZE)
  return()
endif()

include(CheckCXXSourceCompiles)

# LLVM has no typeinfo, which the check of virtual calls would read.
set(hk_sanitize_flags -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
list(JOIN hk_sanitize_flags " " hk_sanitize_text)

set(CMAKE_REQUIRED_FLAGS "${hk_sanitize_text}")
check_cxx_source_compiles("int main() { return 0; }" HK_HAVE_SANITIZERS)
if(NOT HK_HAVE_SANITIZERS)
  message(WARNING "HK_SANITIZE: this compiler has no sanitizer runtime (Debian: "
                  "libclang-rt-${HK_LLVM_MAJOR}-dev); building without")
  unset(CMAKE_REQUIRED_FLAGS)
  return()
endif()
set(CMAKE_REQUIRED_FLAGS "${hk_sanitize_text} -fsanitize=fuzzer")
check_cxx_source_compiles("
#include <cstddef>
#include <cstdint>
extern \"C\" int LLVMFuzzerTestOneInput(const uint8_t *, size_t) { return 0; }" HK_HAVE_LIBFUZZER)
unset(CMAKE_REQUIRED_FLAGS)

add_compile_options(${hk_sanitize_flags})
add_link_options(${hk_sanitize_flags})
if(HK_HAVE_LIBFUZZER)
  set(HK_HAVE_FUZZER TRUE)
  # Coverage for the fuzzers; programs without one ignore it.
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
else()
  message(STATUS "HK_SANITIZE: this compiler has no libFuzzer, hk-sim-fuzz is left out")
endif()
