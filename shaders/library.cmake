# SPDX-License-Identifier: BSD-2-Clause
# SPIR-V of every shader, embedded in the library ${shader_library}: compiled with
# ${shader_macros}, then through spirv-opt's ${shader_passes}.
find_program(GLSLANG glslangValidator)
find_program(SPIRV_OPT spirv-opt)
if(NOT GLSLANG OR NOT SPIRV_OPT)
  message(STATUS "glslangValidator or spirv-opt not found: no shaders")
  return()
endif()

file(GLOB shader_includes CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/*.glsl ${CMAKE_CURRENT_LIST_DIR}/*/*.glsl
  ${CMAKE_SOURCE_DIR}/kernels/shared/*.h
  ${CMAKE_SOURCE_DIR}/kernels/shared/*/*.h)
set(embedded)

# shader(<name> <source> [<macro>...])
function(shader name source)
  set(spirv ${CMAKE_CURRENT_BINARY_DIR}/${name}.spv)
  get_filename_component(folder ${spirv} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  set(macros ${ARGN})
  list(TRANSFORM macros PREPEND -D)
  add_custom_command(OUTPUT ${spirv}
    COMMAND ${GLSLANG} --quiet -V --target-env vulkan1.1 -S comp
      -I${CMAKE_SOURCE_DIR} ${shader_macros} ${macros}
      ${CMAKE_CURRENT_LIST_DIR}/${source} -o ${spirv}.plain
    COMMAND ${SPIRV_OPT} ${shader_passes} --target-env=vulkan1.1 ${spirv}.plain
      -o ${spirv}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/${source} ${shader_includes} VERBATIM)
  set(embedded ${embedded} ${name} PARENT_SCOPE)
endfunction()

foreach(stem cdef cdef_copy cdef_direction deblock film_grain intra_pred
    residual_dc restoration_copy self_guided super_res wiener)
  shader(av1/${stem} av1/${stem}.comp)
  shader(av1/${stem}_10 av1/${stem}.comp SAMPLE_BITS=10)
endforeach()
shader(av1/deblock_lines av1/deblock_lines.comp)
shader(av1/super_res_copy av1/super_res_copy.comp)
foreach(log2 2 3 4 5 6)
  math(EXPR length "1 << ${log2}")
  foreach(stem residual_rows residual_columns)
    shader(av1/${stem}_${length} av1/${stem}.comp LENGTH_LOG2=${log2})
    shader(av1/${stem}_${length}_10 av1/${stem}.comp LENGTH_LOG2=${log2}
      SAMPLE_BITS=10)
  endforeach()
endforeach()
foreach(suffix "" _10)
  string(REPLACE _ "SAMPLE_BITS=" bits "${suffix}")
  foreach(stem inter_pred inter_blend)
    shader(av1/${stem}${suffix} av1/${stem}.comp PLANE=0 ${bits})
    shader(av1/${stem}_chroma${suffix} av1/${stem}.comp PLANE=1 ${bits})
  endforeach()
  shader(av1/inter_overlap${suffix} av1/inter_pred.comp PLANE=0 OVERLAP ${bits})
  shader(av1/inter_overlap_chroma${suffix} av1/inter_pred.comp PLANE=1 OVERLAP
    ${bits})
endforeach()
shader(final_shift final_shift.comp)
shader(metrics/checksum metrics/checksum.comp)
shader(metrics/luma metrics/luma.comp)
shader(noop noop.comp)
foreach(suffix "" _10)
  string(REPLACE _ "SAMPLE_BITS=" bits "${suffix}")
  shader(quality/sse${suffix} quality/sse.comp ${bits})
  shader(quality/motion_blur${suffix} quality/motion_blur.comp ${bits})
  shader(quality/vif_down_0${suffix} quality/vif_down.comp SCALE=0 ${bits})
  shader(quality/vif_stat_0${suffix} quality/vif_stat.comp SCALE=0 ${bits})
  shader(quality/adm_dwt_0${suffix} quality/adm_dwt.comp SCALE=0 ${bits})
endforeach()
foreach(scale 1 2)
  shader(quality/vif_down_${scale} quality/vif_down.comp SCALE=${scale})
endforeach()
foreach(scale 1 2 3)
  shader(quality/vif_stat_${scale} quality/vif_stat.comp SCALE=${scale})
  shader(quality/adm_dwt_${scale} quality/adm_dwt.comp SCALE=${scale})
endforeach()
foreach(scale 0 1 2 3)
  shader(quality/adm_mask_${scale} quality/adm_mask.comp SCALE=${scale})
endforeach()
shader(reduce reduce.comp)
shader(reduce_64 reduce.comp SUM_64)
shader(vp9/inter_pred vp9/inter_pred.comp)
shader(vp9/inter_pred_rte vp9/inter_pred.comp ROUND_TO_EVEN)
shader(vp9/inter_pred_10 vp9/inter_pred.comp SAMPLE_BITS=10)
shader(vp9/inter_pred_10_rte vp9/inter_pred.comp SAMPLE_BITS=10 ROUND_TO_EVEN)
shader(vp9/intra_pred vp9/intra_pred.comp)
shader(vp9/intra_pred_10 vp9/intra_pred.comp SAMPLE_BITS=10)
foreach(log2 2 3 4 5)
  math(EXPR size "1 << ${log2}")
  shader(vp9/inverse_transform_${size} vp9/inverse_transform.comp
    TX_LOG2=${log2})
  shader(vp9/inverse_transform_${size}_10 vp9/inverse_transform.comp
    TX_LOG2=${log2} SAMPLE_BITS=10)
  shader(vp9/inverse_transform_${size}_10_exact vp9/inverse_transform.comp
    TX_LOG2=${log2} SAMPLE_BITS=10 EXACT)
endforeach()
shader(vp9/loop_filter vp9/loop_filter.comp)
shader(vp9/loop_filter_10 vp9/loop_filter.comp SAMPLE_BITS=10)
shader(vp9/loop_filter_lines vp9/loop_filter_lines.comp)
shader(vp9/loop_filter_lines_10 vp9/loop_filter_lines.comp SAMPLE_BITS=10)

set(spirv_files ${embedded})
list(TRANSFORM spirv_files PREPEND ${CMAKE_CURRENT_BINARY_DIR}/)
list(TRANSFORM spirv_files APPEND .spv)
set(table ${CMAKE_CURRENT_BINARY_DIR}/shader_table.cc)
list(JOIN embedded "," names)
add_custom_command(OUTPUT ${table}
  COMMAND ${CMAKE_COMMAND} -DNAMES=${names} -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}
    -DOUTPUT=${table} -P ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  DEPENDS ${spirv_files} ${CMAKE_CURRENT_LIST_DIR}/embed.cmake VERBATIM)
add_library(${shader_library} ${table})
target_link_libraries(${shader_library} PUBLIC perdix_options)
