;; Grows its table until that fails: memory that does not count as the module's.
(module
  (memory (export "memory") 1)
  (table $table 1 externref)
  (func (export "_start")
    (loop $again
      (br_if $again (i32.ne (table.grow $table (ref.null extern) (i32.const 100000)) (i32.const -1))))
    unreachable))
