// SPDX-License-Identifier: BSD-2-Clause
// What every program owes whoever started it: nothing that it reads is written
// over, and output that is lost is said and makes the exit status non-zero.
#ifndef PERDIX_TOOLS_CONSOLE_H_
#define PERDIX_TOOLS_CONSOLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "kernels/status.h"

namespace perdix {

// First of all in main(). A standard stream that the parent closed becomes one
// that fails: else the next file opened would take its number and its output.
void OpenStandardStreams();

// "program: text" on stderr, control characters replaced.
void PrintError(const char* program, std::string_view text);

// Last of all in main(). What was printed arrives, or this says that it did not
// and returns EX_IOERR. An <exit_code> of EX_IOERR: it has been said already.
int CloseStdout(const char* program, int exit_code);

// A file that is going to be written.
struct OutputFile {
  std::string option;  // that names it
  std::string path;    // "-": the standard output; empty: none
};

// Fails if an output is one of the files that are read, by whatever name.
Status CheckOutputs(const std::vector<OutputFile>& outputs,
                    const std::vector<std::string>& inputs);

}  // namespace perdix

#endif  // PERDIX_TOOLS_CONSOLE_H_
