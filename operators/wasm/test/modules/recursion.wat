;; Calls itself until the stack is full.
(module
  (memory (export "memory") 1)
  (func $again (result i32) (i32.add (call $again) (i32.const 1)))
  (func (export "_start") (drop (call $again))))
