;; Never finishes its start function, which runs before _start.
(module
  (memory (export "memory") 1)
  (func $initialize (loop $again (br $again)))
  (start $initialize)
  (func (export "_start")))
