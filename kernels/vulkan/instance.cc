// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/instance.h"

#include <cstdio>

#include "kernels/vulkan/handle.h"

namespace perdix::vulkan {
namespace {

constexpr const char* kLayer = "VK_LAYER_KHRONOS_validation";
constexpr const char* kExtensions[] = {
    VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
    VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};

template <typename Function>
Function Find(VkInstance instance, const char* name) {
  return reinterpret_cast<Function>(vkGetInstanceProcAddr(instance, name));
}

}  // namespace

Status Instance::Open(bool validate, std::unique_ptr<Instance>* instance) {
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "perdix";
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  const VkValidationFeatureEnableEXT enabled =
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT features = {};
  features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &enabled;
  if (validate) {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kLayer;
    info.enabledExtensionCount = 2;
    info.ppEnabledExtensionNames = kExtensions;
  }
  std::unique_ptr<Instance> made(new Instance);
  const VkResult result = vkCreateInstance(&info, nullptr, &made->instance_);
  if (result == VK_ERROR_LAYER_NOT_PRESENT) {
    return {StatusCode::kUnsupported, kLayer + std::string(" is not there")};
  }
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
    return {StatusCode::kUnsupported, "no Vulkan driver is there"};
  }
  if (Status status = ToStatus(result, "vkCreateInstance"); !status.ok()) {
    return status;
  }
  if (validate) {
    if (Status status = made->OpenMessenger(); !status.ok()) return status;
  }
  *instance = std::move(made);
  return Status::Ok();
}

Status Instance::OpenMessenger() {
  VkDebugUtilsMessengerCreateInfoEXT info = {};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = &Instance::CountMessage;
  info.pUserData = this;
  const auto create = Find<PFN_vkCreateDebugUtilsMessengerEXT>(
      instance_, "vkCreateDebugUtilsMessengerEXT");
  return ToStatus(create(instance_, &info, nullptr, &messenger_),
                  "vkCreateDebugUtilsMessengerEXT");
}

Instance::~Instance() {
  if (messenger_ != VK_NULL_HANDLE) {
    Find<PFN_vkDestroyDebugUtilsMessengerEXT>(
        instance_, "vkDestroyDebugUtilsMessengerEXT")(instance_, messenger_,
                                                      nullptr);
  }
  if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
}

VkBool32 Instance::CountMessage(
    VkDebugUtilsMessageSeverityFlagBitsEXT /*severity*/,
    VkDebugUtilsMessageTypeFlagsEXT /*types*/,
    const VkDebugUtilsMessengerCallbackDataEXT* data, void* self) {
  ++static_cast<Instance*>(self)->messages_;
  std::fprintf(stderr, "%s\n", data->pMessage);
  return VK_FALSE;
}

}  // namespace perdix::vulkan
