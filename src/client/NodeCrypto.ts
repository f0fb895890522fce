/** Finds `node:crypto` on Node, Bun and Deno. */

/**
 * The module `node:crypto`, or `undefined` on platforms without it. The module is looked up at run time instead of
 * imported, so that this package also loads on platforms without it.
 */
export const nodeCrypto = (): typeof import("node:crypto") | undefined =>
  globalThis.process?.getBuiltinModule?.("node:crypto")
