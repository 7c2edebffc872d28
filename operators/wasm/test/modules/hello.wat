;; Prints a line and returns.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  ;; One vector: pointer 64, length 14.
  (data (i32.const 0) "\40\00\00\00\0e\00\00\00")
  (data (i32.const 64) "hello, device\n")
  (func (export "_start")
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))))
