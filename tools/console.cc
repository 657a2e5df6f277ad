// SPDX-License-Identifier: BSD-2-Clause
#include "tools/console.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "kernels/text.h"

namespace perdix {
namespace {

// "-" is this standard stream.
bool Stat(const std::string& path, int stream, struct stat* file) {
  return (path == "-" ? fstat(stream, file) : stat(path.c_str(), file)) == 0;
}

// What a terminal or /dev/null is given is not lost.
bool KeepsContent(const struct stat& file) {
  return S_ISREG(file.st_mode) || S_ISBLK(file.st_mode);
}

}  // namespace

void OpenStandardStreams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest free number is fd. Reading the one, writing the others fails.
    const int wrong_way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", wrong_way) != fd) _exit(EX_OSERR);
  }
}

void PrintError(const char* program, std::string_view text) {
  std::fprintf(stderr, "%s: %s\n", program, PrintableLines(text).c_str());
}

int CloseStdout(const char* program, int exit_code) {
  const bool failed_before = std::ferror(stdout) != 0;
  const bool written = std::fflush(stdout) == 0 && !failed_before;
  const int error = errno;
  // Some file systems say only now that there is no room.
  const bool closed = close(STDOUT_FILENO) == 0;
  if (written && closed) return exit_code;
  if (exit_code != EX_IOERR) {
    PrintError(program, std::string("cannot write the standard output: ") +
                            std::strerror(written ? errno : error));
  }
  return EX_IOERR;
}

Status CheckOutputs(const std::vector<OutputFile>& outputs,
                    const std::vector<std::string>& inputs) {
  for (const OutputFile& output : outputs) {
    struct stat written;
    if (output.path.empty() || !Stat(output.path, STDOUT_FILENO, &written) ||
        !KeepsContent(written)) {
      continue;
    }
    for (const std::string& input : inputs) {
      struct stat read;
      if (!Stat(input, STDIN_FILENO, &read) || read.st_dev != written.st_dev ||
          read.st_ino != written.st_ino) {
        continue;
      }
      return {StatusCode::kInvalidArgument,
              output.option + " would write over its input: " + output.path +
                  " and " + input + " are one file; name another output"};
    }
  }
  return Status::Ok();
}

}  // namespace perdix
