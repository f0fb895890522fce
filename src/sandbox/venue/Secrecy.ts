/** How a venue chooses new secrets. */
import { randomUUID } from "node:crypto"

/**
 * How the secrets of new sub-account keys, and new codes, are chosen. `random`: drawn at random, whatever the seed.
 * `sequential`: derived from the number of ids issued so far. A test then gets the same secrets in every run, but any
 * caller can guess them.
 *
 * @category models
 */
export type Secrecy = "random" | "sequential"

/** Returns the function that draws a UUID for each new secret, or `undefined` if secrets are sequential. */
export const drawOf = (secrecy: Secrecy): (() => string) | undefined => secrecy === "random" ? randomUUID : undefined
