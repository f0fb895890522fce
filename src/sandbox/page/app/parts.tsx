/** Pieces that every area of the page is made of. */
import type { ComponentChildren, JSX, TargetedKeyboardEvent } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"

const narrow = matchMedia("(max-width: 699px)")

/** Whether rows take two lines, because there is little room. */
export const useNarrow = (): boolean => {
  const [is, set] = useState(narrow.matches)
  useEffect(() => {
    const changed = (): void => set(narrow.matches)
    narrow.addEventListener("change", changed)
    return () => narrow.removeEventListener("change", changed)
  }, [])
  return is
}

interface RowsProps {
  /** What the list is, for who can't see it. */
  readonly label: string
  /** How many rows there are, drawn or not. */
  readonly count: number
  readonly head: ReadonlyArray<string>
  readonly className: string
  readonly empty: string
  readonly row: (index: number) => ComponentChildren
  /** Which row keeps the focus when others are added above it. */
  readonly keyOf?: (index: number) => string | number
  readonly onOpen?: (index: number) => void
  readonly onLook?: (index: number) => void
  readonly lines?: number
}

const stepsOf = (lines: number): Readonly<Record<string, number>> => ({
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: lines - 1,
  PageUp: 1 - lines
})

/** Brings a row into sight. */
const reveal = (list: HTMLElement, row: number, height: number): void => {
  if (row * height < list.scrollTop) list.scrollTop = row * height
  const end = (row + 1) * height - list.clientHeight
  if (end > list.scrollTop) list.scrollTop = end
}

/** A list of which only the rows in sight are in the document. Arrow keys move in it, and Enter opens a row. */
const List = ({ className, count, keyOf, label, lines = 10, onLook, onOpen, row }: RowsProps): JSX.Element => {
  const height = useNarrow() ? 50 : 30
  const [top, setTop] = useState(0)
  const [chosen, choose] = useState<string | number>()
  const first = Math.max(0, Math.min(Math.floor(top / height), count - 1))
  const seen = Math.min(Math.ceil(lines * 30 / height) + 2, count - first)
  const shown = Array.from({ length: Math.max(0, seen) }, (_, index) => first + index)
  const keyAt = (index: number): string | number => keyOf?.(index) ?? index
  const at = shown.find((index) => keyAt(index) === chosen)
  const look = onLook
  useEffect(() => look?.(first), [first])

  const press = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.target !== event.currentTarget) return
    if (event.key === "Enter" && at !== undefined) return onOpen?.(at)
    const step = stepsOf(lines)[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = Math.max(0, Math.min(count - 1, (at ?? first - Math.sign(step)) + step))
    choose(keyAt(next))
    reveal(event.currentTarget, next, height)
  }

  return (
    <div
      class="scroll"
      tabIndex={0}
      role="listbox"
      aria-label={`${label}: ${count}`}
      aria-activedescendant={at === undefined ? undefined : `${className}-${keyAt(at)}`}
      style={{ maxHeight: `${lines * 30}px` }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={press}
    >
      <div style={{ height: `${count * height}px`, position: "relative" }}>
        {shown.map((index) => (
          <div
            key={keyAt(index)}
            id={`${className}-${keyAt(index)}`}
            class="row"
            role="option"
            aria-selected={index === at}
            aria-posinset={index + 1}
            aria-setsize={count}
            style={{ position: "absolute", top: `${index * height}px`, height: `${height}px`, left: 0, right: 0 }}
            onClick={() => {
              choose(keyAt(index))
              onOpen?.(index)
            }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  )
}

/** A long list under its head. */
export const Rows = (props: RowsProps): JSX.Element => (
  <div class={`rows ${props.className}`}>
    <div class="row head" aria-hidden="true">{props.head.map((name) => <span key={name}>{name}</span>)}</div>
    {props.count === 0 ? <p class="soft empty">{props.empty}</p> : <List {...props} />}
  </div>
)

/** A label above its field. */
export const Field = ({ children, label }: { label: string; children: ComponentChildren }): JSX.Element => (
  <label class="field">
    <span>{label}</span>
    {children}
  </label>
)

interface DialogProps {
  readonly title: string
  readonly open: boolean
  readonly className?: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A dialog. The browser keeps the focus within it, and gives it back when it closes. */
export const Dialog = ({ children, className = "", onClose, open, title }: DialogProps): JSX.Element => {
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (open && box.current?.open === false) box.current.showModal()
    if (!open) box.current?.close()
  }, [open])
  return (
    <dialog
      ref={box}
      class={className}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === box.current && onClose()}
    >
      {open
        ? (
          <div class="inside">
            <header>
              <h2>{title}</h2>
              <button type="button" aria-label="Close" onClick={onClose}>✕</button>
            </header>
            {children}
          </div>
        )
        : null}
    </dialog>
  )
}

/** A form that does something when it is submitted, and keeps the page where it is. */
export const Form = (
  { children, label, onSubmit }: { label: string; children: ComponentChildren; onSubmit: () => void }
): JSX.Element => (
  <form
    aria-label={label}
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {children}
  </form>
)

export const Choice = (
  { label, onChange, options, value }: {
    label: string
    value: string
    options: ReadonlyArray<readonly [value: string, text: string]>
    onChange: (value: string) => void
  }
): JSX.Element => (
  <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
    {options.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
  </select>
)
