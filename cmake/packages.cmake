# Finds oneDNN, oneTBB and torch where pip put them. Under build isolation sys.prefix is the target environment, so the
# packages' own file lists are asked.
execute_process(
  COMMAND "${Python_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/cmake/find_packages.py"
  OUTPUT_VARIABLE NPU_PACKAGES OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE result ERROR_VARIABLE errors)
if(result)
  message(FATAL_ERROR "${errors}")
endif()
foreach(line IN LISTS NPU_PACKAGES)
  string(REGEX MATCH "^([A-Z_]+)=(.*)$" _ "${line}")
  set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
  message(STATUS "${CMAKE_MATCH_1}: ${CMAKE_MATCH_2}")
endforeach()

add_library(npu_onednn INTERFACE)
target_include_directories(npu_onednn SYSTEM INTERFACE "${ONEDNN_INCLUDE}")
target_link_libraries(npu_onednn INTERFACE "${ONEDNN_LIBRARY}")
add_library(npu_tbb INTERFACE)
target_include_directories(npu_tbb SYSTEM INTERFACE "${TBB_INCLUDE}")
target_link_libraries(npu_tbb INTERFACE "${TBB_LIBRARY}")

# Run-time search: beside itself, the environment's lib (oneDNN, oneTBB), torch's lib (one libgomp for the process).
set(NPU_CANN_RPATH "$ORIGIN;$ORIGIN/../../../../..;$ORIGIN/../../../torch/lib")
get_filename_component(NPU_PACKAGES_LIB "${TBB_LIBRARY}" DIRECTORY)
set(NPU_CANN_BUILD_RPATH "$ORIGIN;${NPU_PACKAGES_LIB};${TORCH_DIR}/lib")
