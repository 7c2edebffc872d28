;; Checks the error of a write from outside of its memory, and then logs from there, which is a trap.
(module
  (import "fettle" "log" (func $log (param i32 i32 i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    ;; 21 is the error "fault".
    (if (i32.ne (call $fd_write (i32.const 1) (i32.const -8) (i32.const 1) (i32.const 16)) (i32.const 21))
      (then unreachable))
    (call $log (i32.const 1) (i32.const 65530) (i32.const 100))))
