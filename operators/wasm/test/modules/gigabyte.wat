;; Asks for 1 GiB of memory at its start.
(module
  (memory (export "memory") 16384)
  (func (export "_start")))
