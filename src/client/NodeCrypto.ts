/**
 * The crypto of Node, on Node, Bun and Deno.
 *
 * @since 0.1.0
 */

/**
 * `node:crypto`; `undefined` where there is none. Not an import: what uses it must also load where there is none.
 *
 * @category runtimes
 * @since 0.1.0
 */
export const nodeCrypto = (): typeof import("node:crypto") | undefined =>
  globalThis.process?.getBuiltinModule?.("node:crypto")
