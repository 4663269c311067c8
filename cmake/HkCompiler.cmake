# Flags that hold for every target.

add_library(hk_flags INTERFACE)
target_compile_options(hk_flags INTERFACE -Wall -Wextra)
# A class that derives from one of LLVM's needs typeinfo exactly if LLVM has it.
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(hk_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()

if(HK_ENABLE_ASSERTIONS)
  foreach(config IN ITEMS RELEASE RELWITHDEBINFO MINSIZEREL)
    foreach(lang IN ITEMS C CXX)
      string(REGEX REPLACE "[-/]D *NDEBUG" "" CMAKE_${lang}_FLAGS_${config}
                           "${CMAKE_${lang}_FLAGS_${config}}")
    endforeach()
  endforeach()
endif()

include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld HK_HAVE_LLD)
if(HK_HAVE_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# A timestamp inside a precompiled header would change it on each build, and
# with it every object's ccache key.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(hk_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>)
endif()

# A launcher given on the command line or in the environment wins.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(HK_CCACHE ccache)
  mark_as_advanced(HK_CCACHE)
  if(HK_CCACHE)
    # ccache refuses precompiled headers without these two.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros "${HK_CCACHE}")
  endif()
endif()
