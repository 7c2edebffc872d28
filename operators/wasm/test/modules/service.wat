;; Prints "ready" and then sleeps for ten seconds at a time, forever.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\40\00\00\00\06\00\00\00")
  (data (i32.const 64) "ready\n")
  (func (export "_start")
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))
    ;; A subscription at 128: tag 0 (clock), id 1 (monotonic), a relative timeout in nanoseconds.
    (i32.store (i32.const 144) (i32.const 1))
    (i64.store (i32.const 152) (i64.const 10000000000))
    (loop $again
      (drop (call $poll_oneoff (i32.const 128) (i32.const 256) (i32.const 1) (i32.const 512)))
      (br $again))))
