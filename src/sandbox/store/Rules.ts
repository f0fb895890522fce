/** The rules under which a journal was written. A journal can be read only under the same rules. */
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import * as Engine from "../engine/Engine.ts"
import { JournalError } from "./JournalError.ts"

/** The rules of a venue: its dialect, the policy's choices, the engine's version, and the venue's id if it has one. */
export const of = (
  { name, policy }: { readonly name: string; readonly policy: VenuePolicy },
  id: string | undefined
): string =>
  `${name}, reduce-only ${policy.reduceOnly}, engine ${Engine.version}${id === undefined ? "" : `, id ${id}`}`

/** The engine version that the rules name; 0 if they name none. */
export const engineOf = (rules: string): number => Number(/, engine (\d+)/u.exec(rules)?.[1] ?? 0)

/** The error for a journal that a different version of the engine has written. `file` is its file or its venue. */
export const otherEngine = (file: string, engine: number, remedy: string): JournalError =>
  new JournalError({
    why: engine < Engine.version ? "older" : "newer",
    file,
    reason: `engine ${engine} wrote it, and this release has engine ${Engine.version}${remedy}`
  })

/** The error when a journal has the rules `found` instead of `expected`. */
export const otherRules = (file: string, found: string, expected: string): JournalError =>
  engineOf(found) === engineOf(expected)
    ? new JournalError({
      why: "other-rules",
      file,
      reason: `it belongs to a venue with the rules "${found}"; this venue has the rules "${expected}"`
    })
    : otherEngine(file, engineOf(found), "")
