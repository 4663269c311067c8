# hk_add_library(NAME [EXCEPTIONS] [PCH clang|llvm] [LINK target...])
#
# A static library of all *.cpp in the current folder, so that adding a source
# needs no edit here. A folder without sources gives an interface library of the
# same name.
#   EXCEPTIONS  compile with exceptions; everything else goes without, as LLVM does
#   PCH         precompile the heaviest headers of clang's AST or of LLVM's IR
#   LINK        what the library uses and its users see
function(hk_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EXCEPTIONS" "PCH" "LINK")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hk_add_library(${name}): unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()

  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  # Headers are listed for IDEs and so that a private one next to them counts.
  file(GLOB headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  if(NOT sources)
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  else()
    add_library(${name} STATIC ${sources} ${headers})
    set(scope PUBLIC)
    hk_target_exceptions(${name} "${arg_EXCEPTIONS}")
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:hk_flags>)
    hk_target_pch(${name} "${arg_PCH}" "${arg_EXCEPTIONS}")
    set_property(GLOBAL APPEND PROPERTY HK_LIBRARIES ${name})
  endif()
  target_include_directories(${name} ${scope}
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>")
  target_link_libraries(${name} ${scope} ${arg_LINK})
endfunction()

# hk_add_tool(NAME [EXCEPTIONS] [LINK target...])
#
# An executable of all *.cpp in the current folder, put into bin and installed.
# Nothing is built while the folder has no source.
function(hk_add_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EXCEPTIONS" "" "LINK")
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(NOT sources)
    message(STATUS "${name}: no source yet, skipped")
    return()
  endif()
  add_executable(${name} ${sources})
  hk_target_exceptions(${name} "${arg_EXCEPTIONS}")
  target_link_libraries(${name} PRIVATE hk_flags ${arg_LINK})
  set_property(GLOBAL APPEND PROPERTY HK_TOOLS ${name})
endfunction()

function(hk_target_exceptions name exceptions)
  if(exceptions)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fexceptions>)
  elseif(NOT LLVM_ENABLE_EH)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
  endif()
endfunction()

# Parsing these costs several seconds in each source; a source still includes by
# name what it uses, so that it also builds without them.
set(HK_PCH_clang
  <functional> <map> <memory> <optional> <string> <vector>
  <clang/AST/ASTContext.h>
  <clang/AST/DynamicRecursiveASTVisitor.h>
  <clang/ASTMatchers/ASTMatchFinder.h>
  <clang/ASTMatchers/ASTMatchers.h>
  <clang/Frontend/CompilerInstance.h>
  <clang/Lex/Lexer.h>
  <clang/Lex/Preprocessor.h>
  <clang/Tooling/Core/Replacement.h>
  <clang/Tooling/Tooling.h>)
set(HK_PCH_llvm
  <functional> <map> <memory> <optional> <string> <vector>
  <llvm/Analysis/AliasAnalysis.h>
  <llvm/Analysis/LoopInfo.h>
  <llvm/Analysis/MemorySSA.h>
  <llvm/Analysis/ScalarEvolutionExpressions.h>
  <llvm/Analysis/UniformityAnalysis.h>
  <llvm/IR/DebugInfoMetadata.h>
  <llvm/IR/Dominators.h>
  <llvm/IR/InstIterator.h>
  <llvm/IR/IntrinsicInst.h>
  <llvm/IR/IntrinsicsAMDGPU.h>
  <llvm/IR/Module.h>
  <llvm/Passes/PassBuilder.h>)

# One precompiled header serves all libraries of the same set and the same
# exception model, which is the one flag in which they differ.
function(hk_target_pch name set exceptions)
  if(NOT set OR NOT HK_ENABLE_PCH)
    return()
  endif()
  if(NOT DEFINED HK_PCH_${set})
    message(FATAL_ERROR "${name}: there is no precompiled header set '${set}'")
  endif()
  set(pch hk_pch_${set})
  if(exceptions)
    string(APPEND pch _exceptions)
  endif()
  if(NOT TARGET ${pch})
    set(source "${PROJECT_BINARY_DIR}/pch/${pch}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Holds a precompiled header only.\n")
    add_library(${pch} OBJECT "${source}")
    hk_target_exceptions(${pch} "${exceptions}")
    target_link_libraries(${pch} PRIVATE hk_flags hk_clang)
    target_precompile_headers(${pch} PRIVATE ${HK_PCH_${set}})
  endif()
  target_precompile_headers(${name} REUSE_FROM ${pch})
endfunction()
