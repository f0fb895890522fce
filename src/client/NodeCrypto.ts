/** Node's crypto, on Node, Bun and Deno. */

/** `node:crypto`; `undefined` where it does not exist. Not an import, so that modules using it also load there. */
export const nodeCrypto = (): typeof import("node:crypto") | undefined =>
  globalThis.process?.getBuiltinModule?.("node:crypto")
