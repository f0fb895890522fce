/**
 * Collects the secrets of a venue's keys, which must not appear in logs. The secrets of removed keys are also kept,
 * because earlier log entries might contain them.
 */
import type { Action } from "../engine/Command.ts"
import type { Reply } from "../engine/Reply.ts"
import type { State } from "../engine/State.ts"

/** The secrets of all keys that a venue has had since it was opened. */
export interface Secrets {
  /** Adds the secrets of the keys that an action has created, given the action, its reply, and the state after it. */
  readonly learn: (action: Action, reply: Reply, state: State) => void
  /** All secrets so far, without duplicates. */
  readonly all: () => Iterable<string>
}

/** Creates the collection with the secrets of a state's keys. */
export const make = (state: State): Secrets => {
  const known = new Set<string>()
  const learnAll = ({ keys }: State): void => {
    for (const { apiSecret } of keys.values()) known.add(apiSecret)
  }
  learnAll(state)
  return {
    learn: (action, reply, state) => {
      // The keys are added one at a time, because collecting all keys again for each new key would take quadratic time.
      if (action._tag === "AddKey") known.add(action.apiSecret)
      else if (reply._tag === "KeyCreated") known.add(reply.key.apiSecret)
      else if (action._tag === "Restore") learnAll(state)
    },
    all: () => known
  }
}
