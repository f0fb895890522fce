/**
 * Confirms and undoes actions that have large effects. The page asks the user to confirm the most destructive actions,
 * and offers to undo large changes to the exchange's history, prices, time or margin policy.
 */
import { signal } from "@preact/signals"
import type { ComponentChildren, JSX } from "preact"
import type { Status } from "../../control/HistoryControl.ts"
import { get, post } from "./api.ts"
import { Dialog } from "./parts.tsx"
import { act, restorable, status } from "./store.ts"

/** The largest price change, as a ratio, that the page makes without asking the user. */
const largest = 0.2

/** The change from one price to another, as a ratio; 0 if a price is unknown or the new price is not positive. */
export const changeOf = (from: string | undefined, to: string | undefined): number =>
  // The page does not ask about a price that is not a positive number: the sandbox refuses such a price, and explains
  // why.
  from === undefined || to === undefined || !/^[\d.]+$/u.test(to) || !(Number(to) > 0)
    ? 0
    : Number(to) / Number(from) - 1

/** Whether a price change is so large that it is probably a mistake. The page asks the user before such a change. */
export const isLarge = (change: number): boolean => Math.abs(change) > largest

interface Question {
  readonly title: string
  readonly words: ComponentChildren
  /** The label of the button that performs the action. */
  readonly verb: string
  readonly does: () => void
}

const question = signal<Question | undefined>(undefined)

/** Asks the user to confirm an action. */
export const ask = (asked: Question): void => {
  question.value = asked
}

/** The latest action that can be undone, with the number of commands before it. */
const undoable = signal<{ readonly done: string; readonly before: number } | undefined>(undefined)

/** Performs an action that changes the exchange's state, and offers to undo the action. */
export const undoably = (done: string, work: () => Promise<unknown>): Promise<boolean> => {
  let before = 0
  return act(
    done,
    async () => {
      before = (await get<Status>("Status")).sequence
      await work()
      undoable.value = { done, before }
    },
    ...restorable
  )
}

const undo = async (before: number): Promise<void> => {
  if (await act("Undone", () => post("Restore", { sequence: before }), ...restorable)) undoable.value = undefined
}

/** The dialog that asks the user to confirm an action. */
export const Asking = (): JSX.Element => {
  const asked = question.value
  const close = (): void => {
    question.value = undefined
  }
  return (
    <Dialog title={asked?.title ?? ""} open={asked !== undefined} onClose={close}>
      {asked === undefined ? null : (
        <>
          <p>{asked.words}</p>
          <div class="bar">
            <button
              type="button"
              class="danger"
              onClick={() => {
                close()
                asked.does()
              }}
            >
              {asked.verb}
            </button>
            <button type="button" onClick={close}>Cancel</button>
          </div>
        </>
      )}
    </Dialog>
  )
}

/** The offer to undo the latest action. */
export const Undo = (): JSX.Element | null => {
  const offered = undoable.value
  const sequence = status.value?.sequence ?? 0
  // A sandbox that was restarted without its data no longer has the action's commands.
  if (offered === undefined || sequence <= offered.before) return null
  const later = sequence - offered.before - 1
  return (
    <p class="undo" role="status">
      {offered.done}.
      <button type="button" onClick={() => void undo(offered.before)}>
        Undo{later === 0 ? "" : ` with ${later} later ${later === 1 ? "command" : "commands"}`}
      </button>
      <button type="button" class="quiet" aria-label="Keep it" onClick={() => (undoable.value = undefined)}>✕</button>
    </p>
  )
}
