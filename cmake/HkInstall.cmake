# What `cmake --install` puts where, and the package other projects find.

include(CMakePackageConfigHelpers)

# hk::runtime: the core kernels that rewritten sources include.
add_library(hk_runtime INTERFACE)
add_library(hk::runtime ALIAS hk_runtime)
set_target_properties(hk_runtime PROPERTIES EXPORT_NAME runtime)
target_compile_features(hk_runtime INTERFACE cxx_std_17)
target_include_directories(hk_runtime INTERFACE
  "$<BUILD_INTERFACE:${HK_SOURCE_RUNTIME_INCLUDE}>"
  "$<INSTALL_INTERFACE:${HK_RUNTIME_INSTALL_DIR}>")
install(TARGETS hk_runtime EXPORT hk-optTargets)
if(EXISTS "${HK_SOURCE_RUNTIME_INCLUDE}")
  install(DIRECTORY "${HK_SOURCE_RUNTIME_INCLUDE}/" DESTINATION "${HK_RUNTIME_INSTALL_DIR}"
          FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
endif()

get_property(hk_tools GLOBAL PROPERTY HK_TOOLS)
if(hk_tools)
  install(TARGETS ${hk_tools} EXPORT hk-optTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

get_property(hk_libraries GLOBAL PROPERTY HK_LIBRARIES)
if(hk_libraries)
  install(TARGETS ${hk_libraries} ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
if(EXISTS "${PROJECT_SOURCE_DIR}/include/hk")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/hk" "${PROJECT_BINARY_DIR}/include/hk"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
endif()

set(hk_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/hk-opt")
install(EXPORT hk-optTargets NAMESPACE hk:: DESTINATION "${hk_package_dir}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/hk-optConfig.cmake.in" "${PROJECT_BINARY_DIR}/hk-optConfig.cmake"
  INSTALL_DESTINATION "${hk_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/hk-optConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/hk-optConfig.cmake"
              "${PROJECT_BINARY_DIR}/hk-optConfigVersion.cmake"
        DESTINATION "${hk_package_dir}")
