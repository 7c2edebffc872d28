;; Sleeps for a millisecond and exits with the number of events, which is 1.
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    (i32.store (i32.const 144) (i32.const 1))
    (i64.store (i32.const 152) (i64.const 1000000))
    (drop (call $poll_oneoff (i32.const 128) (i32.const 256) (i32.const 1) (i32.const 512)))
    (call $proc_exit (i32.load (i32.const 512)))))
