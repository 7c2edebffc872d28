;; Grows its memory page by page until that fails, and then traps as allocators do.
(module
  (memory (export "memory") 1)
  (func (export "_start")
    (loop $again
      (br_if $again (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
    unreachable))
