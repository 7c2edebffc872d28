;; Traps in its start function, which runs before _start.
(module
  (memory (export "memory") 1)
  (func $initialize unreachable)
  (start $initialize)
  (func (export "_start")))
