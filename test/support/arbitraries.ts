/** The arbitraries that the oracle publishes, and others that only tests need. */
import * as Redacted from "effect/Redacted"
import * as Json from "../../src/protocol/Json.ts"

export * from "../../src/oracle/Arbitraries.ts"

/** Reveals the secrets in a value, because tests can't compare redacted values. */
export const revealed = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return { redacted: Redacted.value(value) }
  if (Array.isArray(value)) return value.map(revealed)
  if (!Json.isObject(value) || value instanceof Map) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, revealed(inner)]))
}
