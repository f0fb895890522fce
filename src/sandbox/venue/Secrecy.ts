/** How a venue chooses new secrets. */
import { randomUUID } from "node:crypto"

/**
 * The choice of the secrets of new sub-account keys, and of new codes. `random`: drawn at random, whatever the seed.
 * `sequential`: derived from the number of identifiers so far; a test gets the same secrets in every run, but any
 * caller can guess them.
 *
 * @category models
 */
export type Secrecy = "random" | "sequential"

/** Draws a UUID for each new secret; `undefined` if secrets are sequential. */
export const drawOf = (secrecy: Secrecy): (() => string) | undefined => secrecy === "random" ? randomUUID : undefined
