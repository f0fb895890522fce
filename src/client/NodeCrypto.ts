/** Finds `node:crypto` on Node, Bun and Deno. */

/**
 * `node:crypto`; `undefined` where it does not exist. Looked up instead of imported, so that modules that use it also
 * load on other platforms.
 */
export const nodeCrypto = (): typeof import("node:crypto") | undefined =>
  globalThis.process?.getBuiltinModule?.("node:crypto")
