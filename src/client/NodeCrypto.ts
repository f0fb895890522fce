/** The crypto of Node, on Node, Bun and Deno. */

/** `node:crypto`; `undefined` where there is none. Not an import: what uses it must also load where there is none. */
export const nodeCrypto = (): typeof import("node:crypto") | undefined =>
  globalThis.process?.getBuiltinModule?.("node:crypto")
