// SPDX-License-Identifier: BSD-2-Clause
#include "engine/recipe_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace perdix {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;

// After <key> and a colon, in a file like /proc/cpuinfo; empty: not there.
std::string FindValue(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (colon != line.npos && line.starts_with(key)) {
      return line.substr(colon + 2);
    }
  }
  return {};
}

std::string CpuModel() {
  std::string model = FindValue("/proc/cpuinfo", "model name");
  if (!model.empty()) return model;
  // arm64 names the board only.
  std::ifstream file("/proc/device-tree/model");
  std::getline(file, model, '\0');
  return model.empty() ? "unknown" : model;
}

std::string ToString(GpuAim aim) {
  for (const auto& [name, named] : GpuAims()) {
    if (named == aim) return name;
  }
  return {};
}

json ToJson(const MachineKey& machine) {
  json key = {
      {"gpu", machine.gpu}, {"driver", machine.driver}, {"cpu", machine.cpu}};
  if (!machine.gpu_place.empty()) key["place"] = machine.gpu_place;
  if (machine.aim != GpuAim::kSpeed) key["aim"] = ToString(machine.aim);
  return key;
}

bool IsOf(const json& record, const MachineKey& machine) {
  return record.is_object() &&
         record.value("machine", json()) == ToJson(machine);
}

// The file's records. Fails when it cannot be read or is none of ours.
Status ReadRecords(const std::string& path, json* records) {
  std::ifstream file(path);
  if (!file) {
    return {StatusCode::kInvalidArgument, path + ": " + std::strerror(errno)};
  }
  const json all = json::parse(file, nullptr, false);
  if (!all.is_object() || all.value("format", json()) != kFormat ||
      !all.contains("recipes") || !all["recipes"].is_array()) {
    return {StatusCode::kInvalidArgument,
            path + ": damaged, or not a file of recipes"};
  }
  *records = all["recipes"];
  return Status::Ok();
}

Status SystemError(const std::string& path) {
  return {StatusCode::kInvalidArgument, path + ": " + std::strerror(errno)};
}

Status WriteAtomically(const std::string& path, const std::string& text) {
  std::string next = path + ".XXXXXX";
  const int fd = mkstemp(next.data());
  if (fd < 0) return SystemError(next);
  std::FILE* const file = fdopen(fd, "w");
  bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  // Written by an administrator, read by the daemon.
  good =
      std::fflush(file) == 0 && fchmod(fd, 0644) == 0 && fsync(fd) == 0 && good;
  good = std::fclose(file) == 0 && good;
  if (good && std::rename(next.c_str(), path.c_str()) == 0) {
    return Status::Ok();
  }
  const Status status = SystemError(path);
  std::remove(next.c_str());
  return status;
}

}  // namespace

MachineKey ThisMachine(const vulkan::GpuOptions& options, GpuAim aim) {
  MachineKey machine;
  machine.aim = aim;
  machine.cpu = CpuModel();
  for (const vulkan::GpuDescription& gpu : vulkan::Gpu::List(options)) {
    if (!gpu.usable.ok()) continue;
    machine.gpu = gpu.name;
    machine.driver = gpu.driver;
    machine.gpu_place = gpu.node.place;
    break;
  }
  return machine;
}

Status LoadRecipe(const std::string& path, const MachineKey& machine,
                  Recipe* recipe) {
  json records;
  Status status = ReadRecords(path, &records);
  if (!status.ok()) return status;
  for (const json& record : records) {
    if (!IsOf(record, machine)) continue;
    const json text = record.value("recipe", json());
    if (!text.is_string()) {
      return {StatusCode::kInvalidArgument,
              path + ": this machine's record has no recipe"};
    }
    status = Recipe::Parse(text.get<std::string>(), recipe);
    if (status.ok()) return status;
    return {status.code(), path + ": " + status.message()};
  }
  return {StatusCode::kInvalidArgument,
          path + ": no recipe of this machine (GPU '" + machine.gpu + "' at '" +
              machine.gpu_place + "', driver '" + machine.driver + "', CPU '" +
              machine.cpu + "') for the aim '" + ToString(machine.aim) + "'"};
}

Status StoreRecipe(const std::string& path, const MachineKey& machine,
                   const Recipe& recipe) {
  json records = json::array();
  // Whatever is wrong with the old file, the new one is right.
  if (!ReadRecords(path, &records).ok()) records = json::array();
  json kept = json::array();
  for (const json& record : records) {
    if (!IsOf(record, machine)) kept.push_back(record);
  }
  kept.push_back({{"machine", ToJson(machine)}, {"recipe", recipe.ToString()}});
  const json all = {{"format", kFormat}, {"recipes", kept}};
  return WriteAtomically(path, all.dump(2) + "\n");
}

Recipe AutoRecipe(const std::string& path, const vulkan::GpuOptions& options,
                  GpuAim aim, std::string* why) {
  Recipe recipe;
  Status status = Recipe::Parse("auto", &recipe);
  if (status.ok() && access(path.c_str(), R_OK) != 0) {
    status = SystemError(path);
  }
  if (status.ok())
    status = LoadRecipe(path, ThisMachine(options, aim), &recipe);
  *why = status.message();
  return recipe;
}

}  // namespace perdix
