// SPDX-License-Identifier: BSD-2-Clause
// spvstat: what Mesa's v3dv makes of a compute shader. Started by v3d-run,
// which puts the driver and its GPU in place. Compiles a pipeline, executes
// nothing.
#include <fcntl.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace {

const char kUsage[] =
    "usage: spvstat [-c | -q | -i] [-S ID=VALUE]... FILE.spv\n"
    "  -c  CSV: the compiler's statistics, and accesses through the memory\n"
    "      unit (tmu_addr_writes); the default\n"
    "  -q  the GPU's assembly\n"
    "  -i  the compiler's last intermediate representation (NIR)\n"
    "  -S  value of a specialisation constant\n"
    "With V3D_DEBUG=perf,ra,vir and the like the driver says more on stderr.\n";

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "spvstat: %s\n", what.c_str());
  std::exit(1);
}

void Check(VkResult result, const char* what) {
  if (result < 0)
    Fail(std::string(what) + ": VkResult " + std::to_string(result));
}

struct Options {
  char show = 'c';
  std::map<uint32_t, uint32_t> constants;  // value by id
  std::string file;
};

Options ParseOptions(int argc, char** argv) {
  Options options;
  for (int option; (option = getopt(argc, argv, "cqiS:")) != -1;) {
    unsigned id = 0, value = 0;
    if (option == 'S' && std::sscanf(optarg, "%u=%u", &id, &value) == 2) {
      options.constants[id] = value;
    } else if (std::strchr("cqi", option) != nullptr) {
      options.show = static_cast<char>(option);
    } else {
      std::fputs(kUsage, stderr);
      std::exit(64);
    }
  }
  if (optind + 1 != argc) {
    std::fputs(kUsage, stderr);
    std::exit(64);
  }
  options.file = argv[optind];
  return options;
}

// What a pipeline layout has to say of a shader.
struct Shader {
  std::vector<uint32_t> words;
  std::string entry_point;
  // The bindings of each set, by its number.
  std::map<uint32_t, std::vector<VkDescriptorSetLayoutBinding>> sets;
};

// Numbers of the SPIR-V specification.
enum : uint32_t {
  kMagic = 0x07230203,
  kHeaderWords = 5,
  kOpEntryPoint = 15,
  kOpTypePointer = 32,
  kOpVariable = 59,
  kOpDecorate = 71,
  kBufferBlock = 3,
  kBinding = 33,
  kDescriptorSet = 34,
  kUniformConstant = 0,
  kUniform = 2,
  kStorageBuffer = 12,
};

// Fails unless the file is a SPIR-V module whose resources are buffers.
Shader ReadShader(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  Shader shader;
  shader.words.resize(bytes.size() / sizeof(uint32_t));
  std::memcpy(shader.words.data(), bytes.data(),
              shader.words.size() * sizeof(uint32_t));
  const std::vector<uint32_t>& words = shader.words;
  if (words.size() < kHeaderWords || words[0] != kMagic) {
    Fail(file + ": no SPIR-V module");
  }
  std::map<uint32_t, std::map<uint32_t, uint32_t>> decorations;
  std::map<uint32_t, uint32_t> pointees;
  for (size_t at = kHeaderWords; at < words.size();) {
    const uint32_t* const instruction = &words[at];
    const uint32_t length = instruction[0] >> 16;
    if (length == 0 || at + length > words.size()) Fail(file + ": damaged");
    switch (instruction[0] & 0xffff) {
      case kOpEntryPoint:
        shader.entry_point = reinterpret_cast<const char*>(instruction + 3);
        break;
      case kOpDecorate:
        decorations[instruction[1]][instruction[2]] =
            length > 3 ? instruction[3] : 1;
        break;
      case kOpTypePointer:
        pointees[instruction[1]] = instruction[3];
        break;
      case kOpVariable: {
        const uint32_t storage = instruction[3];
        if (storage == kUniformConstant) Fail(file + ": has images");
        if (storage != kUniform && storage != kStorageBuffer) break;
        const bool writable =
            storage == kStorageBuffer ||
            decorations[pointees[instruction[1]]][kBufferBlock];
        auto& own = decorations[instruction[2]];
        shader.sets[own[kDescriptorSet]].push_back(
            {own[kBinding],
             writable ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                      : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
             1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
        break;
      }
    }
    at += length;
  }
  return shader;
}

// What is written to stderr between the two calls.
class StderrCapture {
 public:
  StderrCapture() : file_(std::tmpfile()), stderr_(dup(STDERR_FILENO)) {
    dup2(fileno(file_), STDERR_FILENO);
  }
  std::string End() {
    std::fflush(stderr);
    dup2(stderr_, STDERR_FILENO);
    std::rewind(file_);
    std::string text;
    for (int c; (c = std::fgetc(file_)) != EOF;) text += static_cast<char>(c);
    return text;
  }

 private:
  FILE* const file_;
  const int stderr_;
};

struct Device {
  VkDevice device;
  std::string driver;  // of which GPU, of which Mesa
  PFN_vkGetPipelineExecutableInternalRepresentationsKHR representations;
};

// With all of its features but robust access, as perdix opens it.
Device OpenDevice() {
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo instance_info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  instance_info.pApplicationInfo = &application;
  VkInstance instance;
  Check(vkCreateInstance(&instance_info, nullptr, &instance),
        "vkCreateInstance");
  uint32_t count = 1;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  Check(vkEnumeratePhysicalDevices(instance, &count, &physical), "devices");
  if (count == 0) Fail("no V3D device: start this with measure/v3d/v3d-run");

  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
  VkPhysicalDeviceVulkan13Features features13{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &executable};
  VkPhysicalDeviceVulkan12Features features12{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features13};
  VkPhysicalDeviceVulkan11Features features11{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &features12};
  VkPhysicalDeviceFeatures2 features{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features11};
  vkGetPhysicalDeviceFeatures2(physical, &features);
  features.features.robustBufferAccess = VK_FALSE;
  features13.robustImageAccess = VK_FALSE;

  VkPhysicalDeviceDriverProperties driver{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceProperties2 properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver};
  vkGetPhysicalDeviceProperties2(physical, &properties);

  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  const char* const extensions[] = {
      VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME};
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = extensions;
  Device opened;
  opened.driver =
      std::string(properties.properties.deviceName) + " " + driver.driverInfo;
  // The driver compiles shaders of its own here, and says so.
  StderrCapture own_shaders;
  const VkResult result =
      vkCreateDevice(physical, &info, nullptr, &opened.device);
  own_shaders.End();
  Check(result, "vkCreateDevice");
  opened.representations =
      reinterpret_cast<PFN_vkGetPipelineExecutableInternalRepresentationsKHR>(
          vkGetDeviceProcAddr(
              opened.device,
              "vkGetPipelineExecutableInternalRepresentationsKHR"));
  return opened;
}

VkPipelineLayout MakeLayout(VkDevice device, const Shader& shader) {
  std::vector<VkDescriptorSetLayout> layouts(
      shader.sets.empty() ? 0 : shader.sets.rbegin()->first + 1);
  for (uint32_t set = 0; set < layouts.size(); ++set) {
    VkDescriptorSetLayoutCreateInfo info{
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    if (const auto found = shader.sets.find(set); found != shader.sets.end()) {
      info.bindingCount = static_cast<uint32_t>(found->second.size());
      info.pBindings = found->second.data();
    }
    Check(vkCreateDescriptorSetLayout(device, &info, nullptr, &layouts[set]),
          "vkCreateDescriptorSetLayout");
  }
  // All that the device has.
  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, 128};
  VkPipelineLayoutCreateInfo info{
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = static_cast<uint32_t>(layouts.size());
  info.pSetLayouts = layouts.data();
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &push;
  VkPipelineLayout layout;
  Check(vkCreatePipelineLayout(device, &info, nullptr, &layout),
        "vkCreatePipelineLayout");
  return layout;
}

VkPipeline Compile(VkDevice device, const Shader& shader,
                   const std::map<uint32_t, uint32_t>& constants) {
  std::vector<VkSpecializationMapEntry> entries;
  std::vector<uint32_t> values;
  for (const auto& [id, value] : constants) {
    entries.push_back({id, static_cast<uint32_t>(values.size() * sizeof(value)),
                       sizeof(value)});
    values.push_back(value);
  }
  const VkSpecializationInfo specialization{
      static_cast<uint32_t>(entries.size()), entries.data(),
      values.size() * sizeof(uint32_t), values.data()};
  VkShaderModuleCreateInfo module_info{
      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  module_info.codeSize = shader.words.size() * sizeof(uint32_t);
  module_info.pCode = shader.words.data();
  VkComputePipelineCreateInfo info{
      VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.flags = VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
  info.layout = MakeLayout(device, shader);
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.pName = shader.entry_point.c_str();
  info.stage.pSpecializationInfo = &specialization;
  Check(vkCreateShaderModule(device, &module_info, nullptr, &info.stage.module),
        "vkCreateShaderModule");
  VkPipeline pipeline;
  Check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr,
                                 &pipeline),
        "vkCreateComputePipelines");
  return pipeline;
}

// What the pipeline was compiled to: the assembly, or the last NIR.
std::string Representation(const Device& device, VkPipeline pipeline,
                           bool assembly) {
  VkPipelineExecutableInfoKHR info{
      VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR};
  info.pipeline = pipeline;
  uint32_t count = 0;
  device.representations(device.device, &info, &count, nullptr);
  std::vector<VkPipelineExecutableInternalRepresentationKHR> found(
      count,
      {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR});
  device.representations(device.device, &info, &count, found.data());
  std::vector<std::string> texts;
  for (auto& one : found) {
    texts.emplace_back(one.dataSize, '\0');
    one.pData = texts.back().data();
  }
  device.representations(device.device, &info, &count, found.data());
  std::string text;
  for (uint32_t i = 0; i < count; ++i) {
    if ((std::strncmp(found[i].name, "QPU", 3) == 0) == assembly) {
      text = texts[i].c_str();
    }
  }
  return text;
}

int Count(const std::string& text, const std::string& what) {
  int found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) {
    ++found;
  }
  return found;
}

// `log` has the line that V3D_DEBUG=shaderdb makes the driver write.
void PrintCsv(const std::string& driver, const std::string& log,
              const std::string& assembly) {
  const char kLine[] = "MESA_SHADER_COMPUTE shader: ";
  const size_t line = log.rfind(kLine);
  int inst, threads, loops, uniforms, maxtemps, spills, fills, sfu, stalls,
      nops;
  if (line == std::string::npos ||
      std::sscanf(log.c_str() + line + std::strlen(kLine),
                  "%d inst, %d threads, %d loops, %d uniforms, %d max-temps, "
                  "%d:%d spills:fills, %d sfu-stalls, %d inst-and-stalls, "
                  "%d nops",
                  &inst, &threads, &loops, &uniforms, &maxtemps, &spills,
                  &fills, &sfu, &stalls, &nops) != 10) {
    Fail("the driver says nothing of the shader: " + log);
  }
  std::printf(
      "inst,threads,loops,uniforms,maxtemps,spills,fills,sfustalls,"
      "instandstalls,nops,tmu_addr_writes,tmu_data_writes,ldtmu,thrsw,driver\n"
      "%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%s\n",
      inst, threads, loops, uniforms, maxtemps, spills, fills, sfu, stalls,
      nops, Count(assembly, " tmua"), Count(assembly, " tmud"),
      Count(assembly, "ldtmu"), Count(assembly, "thrsw"), driver.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  const char* const said = std::getenv("V3D_DEBUG");
  setenv("V3D_DEBUG",
         (std::string("shaderdb,") + (said != nullptr ? said : "")).c_str(), 1);
  const Shader shader = ReadShader(options.file);
  const Device device = OpenDevice();
  StderrCapture compiler;
  const VkPipeline pipeline = Compile(device.device, shader, options.constants);
  const std::string log = compiler.End();
  if (said != nullptr) std::fputs(log.c_str(), stderr);
  const std::string assembly = Representation(device, pipeline, true);
  switch (options.show) {
    case 'c':
      PrintCsv(device.driver, log, assembly);
      break;
    case 'q':
      std::puts(assembly.c_str());
      break;
    default:
      std::puts(Representation(device, pipeline, false).c_str());
  }
  std::fflush(stdout);
  // Without destructors: the driver's would wait for a GPU that does nothing.
  _exit(0);
}
