/** The page's keyboard shortcuts. */
import { signal } from "@preact/signals"
import type { JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Dialog } from "./parts.tsx"

/** A shortcut: its key, or its two keys in a row; its description; and its action. */
export type Shortcut = readonly [keys: string, words: string, does: () => void]

const isOpen = signal(false)

/** Shows the list of shortcuts. */
export const showKeys = (): void => {
  isOpen.value = true
}

/** Whether a key press is meant for a field, a dialog or the browser. */
const isTaken = ({ altKey, ctrlKey, metaKey, target }: KeyboardEvent): boolean =>
  altKey || ctrlKey || metaKey || document.querySelector("dialog[open]") !== null ||
  target instanceof Element && target.closest("input, select, textarea") !== null

/** Moves the focus to an element once the element has been drawn. */
export const focus = (selector: string): void =>
  void requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus())

/** Runs shortcuts when their keys are pressed, and lists them in a dialog. */
export const Keys = ({ shortcuts }: { shortcuts: ReadonlyArray<Shortcut> }): JSX.Element => {
  useEffect(() => {
    let before = ""
    const press = (event: KeyboardEvent): void => {
      if (isTaken(event)) return
      const [, , does] = shortcuts.find(([keys]) => keys === `${before} ${event.key}`.trim()) ?? []
      before = does === undefined && event.key === "g" ? "g" : ""
      if (does === undefined) return
      event.preventDefault()
      does()
    }
    document.addEventListener("keydown", press)
    return () => document.removeEventListener("keydown", press)
  }, [shortcuts])
  return (
    <Dialog title="Keys" open={isOpen.value} onClose={() => (isOpen.value = false)}>
      <dl>
        {shortcuts.map(([keys, words]) => (
          <div key={keys}>
            <dt>{keys.split(" ").map((key) => <kbd key={key}>{key}</kbd>)}</dt>
            <dd>{words}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd>
          </dt>
          <dd>Choose and open a row of a list</dd>
        </div>
        <div>
          <dt>
            <kbd>Delete</kbd>
          </dt>
          <dd>Cancel the chosen order</dd>
        </div>
      </dl>
    </Dialog>
  )
}
