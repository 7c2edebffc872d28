/**
 * Functions that a module may import: WASI preview 1 and those of Fettle. `agent/runtime/run-module.ts` implements them.
 *
 * Functions of the module `fettle`; pointers and lengths are i32, text is UTF-8:
 *
 *     log(level, text, length)                          writes a line; levels: 0 debug, 1 info, 2 warning, 3 error
 *     clock() -> i64                                    milliseconds since 1970
 *     random(buffer, length)                            fills a buffer with random bytes
 *     kv_get(key, length, buffer, capacity) -> i32      length of the value, which is written if it fits; -1 without a value
 *     kv_set(key, length, value, valueLength) -> i32    0; -2 beyond the quota; -3 for a key or a value that is too long
 *     kv_delete(key, length) -> i32                     0; -1 without a value
 *
 * Values belong to the application: they outlive restarts and new versions. A value is stored when `kv_set` returns. A pointer outside
 * of the memory is a trap.
 */
export const fettleFunctions: readonly string[] = ["log", "clock", "random", "kv_get", "kv_set", "kv_delete"];

/** Longest key and value in bytes. */
export const maxKeyBytes = 256;
export const maxValueBytes = 1 << 16;

/** Functions of `wasi_snapshot_preview1` with an effect. */
const wasiEffects = [
  "args_get",
  "args_sizes_get",
  "clock_res_get",
  "clock_time_get",
  "environ_get",
  "environ_sizes_get",
  "fd_fdstat_get",
  "fd_read",
  "fd_write",
  "poll_oneoff",
  "proc_exit",
  "random_get",
  "sched_yield",
];

/**
 * Functions that C libraries import whether or not a program uses files. Without folders and sockets, there is no descriptor to give
 * to them, and they return the error `badf`.
 */
export const wasiWithoutDescriptors: readonly string[] = [
  "fd_advise",
  "fd_allocate",
  "fd_close",
  "fd_datasync",
  "fd_fdstat_set_flags",
  "fd_fdstat_set_rights",
  "fd_filestat_get",
  "fd_filestat_set_size",
  "fd_filestat_set_times",
  "fd_pread",
  "fd_prestat_dir_name",
  "fd_prestat_get",
  "fd_pwrite",
  "fd_readdir",
  "fd_renumber",
  "fd_seek",
  "fd_sync",
  "fd_tell",
  "path_create_directory",
  "path_filestat_get",
  "path_filestat_set_times",
  "path_link",
  "path_open",
  "path_readlink",
  "path_remove_directory",
  "path_rename",
  "path_symlink",
  "path_unlink_file",
  "sock_accept",
  "sock_recv",
  "sock_send",
  "sock_shutdown",
];

/** Names by module. */
export const importableFunctions: Readonly<Record<string, ReadonlySet<string>>> = {
  wasi_snapshot_preview1: new Set([...wasiEffects, ...wasiWithoutDescriptors]),
  fettle: new Set(fettleFunctions),
};
