// SPDX-License-Identifier: BSD-2-Clause
// qemu-user plugin: how often each translated block of a program ran. At exit
// writes a line for each to the file given as out=FILE: its address less that
// of the program's code, instructions, times run. For one thread.
#include <glib.h>
#include <inttypes.h>
#include <qemu-plugin.h>
#include <stdio.h>

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

typedef struct {
  uint64_t address, instructions, runs;
} Block;

static GPtrArray *blocks;  // of Block; qemu counts in them as it runs
static const char *out;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
  Block *block = g_new0(Block, 1);
  block->address = qemu_plugin_tb_vaddr(tb);
  block->instructions = qemu_plugin_tb_n_insns(tb);
  g_ptr_array_add(blocks, block);
  qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
                                           &block->runs, 1);
}

static void at_exit(qemu_plugin_id_t id, void *unused) {
  FILE *file = fopen(out, "w");
  if (!file) return;
  for (guint i = 0; i < blocks->len; ++i) {
    const Block *block = g_ptr_array_index(blocks, i);
    fprintf(file, "%" PRId64 " %" PRIu64 " %" PRIu64 "\n",
            (int64_t)(block->address - qemu_plugin_start_code()),
            block->instructions, block->runs);
  }
  fclose(file);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
                                           const qemu_info_t *info, int argc,
                                           char **argv) {
  if (argc != 1 || !g_str_has_prefix(argv[0], "out=")) return -1;
  out = g_strdup(argv[0] + 4);
  blocks = g_ptr_array_new();
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, at_exit, NULL);
  return 0;
}
