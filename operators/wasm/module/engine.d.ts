/** API of the engine, as far as this operator uses it; TypeScript has it only among the types of browsers. */
declare namespace WebAssembly {
  // oxlint-disable-next-line typescript/no-extraneous-class -- that is what it looks like from outside
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(
      module: Module,
      imports?: Record<string, Record<string, (...parameters: never[]) => unknown>>,
    );
    readonly exports: Readonly<Record<string, unknown>>;
  }
  class Memory {
    readonly buffer: ArrayBuffer;
  }
  function validate(bytes: Uint8Array): boolean;
}
