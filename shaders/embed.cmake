# SPDX-License-Identifier: BSD-2-Clause
# Writes OUTPUT, a C++ file with the words of FOLDER/<name>.spv for each of
# NAMES and the function of shaders/shaders.h that finds them.
string(REPLACE "," ";" names "${NAMES}")
set(arrays)
set(rows)
foreach(name ${names})
  file(READ ${FOLDER}/${name}.spv hex HEX)
  string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${hex}")
  string(MAKE_C_IDENTIFIER ${name} identifier)
  string(APPEND arrays "constexpr uint32_t ${identifier}[] = {${words}};\n")
  string(APPEND rows "    {\"${name}\", ${identifier}},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by shaders/embed.cmake.
#include \"shaders/shaders.h\"

namespace perdix {
namespace {
${arrays}
constexpr Shader kShaders[] = {
${rows}};
}  // namespace

std::span<const Shader> Shaders() { return kShaders; }

std::span<const uint32_t> FindShader(std::string_view name) {
  for (const Shader& shader : kShaders) {
    if (name == shader.name) return shader.spirv;
  }
  return {};
}

}  // namespace perdix
")
