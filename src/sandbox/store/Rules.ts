/** The rules under which a journal was written. A journal can be read only under the same rules. */
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import * as Engine from "../engine/Engine.ts"
import { JournalError } from "./JournalError.ts"

/** A venue's rules: its dialect, its policy for reduce-only orders, the engine's version, and its id if it has one. */
export const of = (
  { name, policy }: { readonly name: string; readonly policy: VenuePolicy },
  id: string | undefined
): string =>
  `${name}, reduce-only ${policy.reduceOnly}, engine ${Engine.version}${id === undefined ? "" : `, id ${id}`}`

/** The engine version in the rules; 0 if the rules don't contain a version. */
export const engineOf = (rules: string): number => Number(/, engine (\d+)/u.exec(rules)?.[1] ?? 0)

/** The error for a journal written by a different engine version. `file` is the journal's file or its venue. */
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
