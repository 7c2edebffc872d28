;; Stores values of 60,000 bytes under new keys until one is refused, and exits with the negative result.
(module
  (import "fettle" "kv_set" (func $kv_set (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start") (local $result i32)
    (loop $again
      (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
      (local.set $result (call $kv_set (i32.const 0) (i32.const 4) (i32.const 8) (i32.const 60000)))
      (br_if $again (i32.eqz (local.get $result))))
    (call $proc_exit (i32.sub (i32.const 0) (local.get $result)))))
