/** Components that all areas share. */
import type { ComponentChildren, JSX, TargetedKeyboardEvent } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { number, text } from "./format.ts"

interface Heights {
  /** The height of a row in pixels on a narrow page, where a row has several lines of text. Default: two lines. */
  readonly narrowHeight?: number
  /** The height of a row in pixels on a page of medium width. Default: two lines. */
  readonly mediumHeight?: number
}

/** The widths, as in the style sheet, below which the cells of a row do not fit on one line. */
const [narrow, medium] = [matchMedia("(max-width: 699px)"), matchMedia("(max-width: 1199px)")]

/** The height of each row in pixels, which depends on the page's width. */
const useHeight = ({ mediumHeight = 50, narrowHeight = 50 }: Heights): number => {
  const heightNow = (): number => narrow.matches ? narrowHeight : medium.matches ? mediumHeight : 30
  const [height, set] = useState(heightNow)
  useEffect(() => {
    const changed = (): void => set(heightNow)
    for (const query of [narrow, medium]) query.addEventListener("change", changed)
    return () => {
      for (const query of [narrow, medium]) query.removeEventListener("change", changed)
    }
  }, [])
  return height
}

interface RowsProps extends Heights {
  /** The list's name for screen readers. */
  readonly label: string
  /** The number of rows, including rows that are not drawn. */
  readonly count: number
  readonly head: ReadonlyArray<string>
  readonly className: string
  readonly empty: string
  /** The cells of a row, each a `Cell`. */
  readonly row: (index: number) => ComponentChildren
  /** A key for each row, so that a row keeps the focus when other rows are added above it. */
  readonly keyOf?: (index: number) => string | number
  readonly onOpen?: (index: number) => void
  /** Handles the Delete key on a row. */
  readonly onDelete?: (index: number) => void
  readonly onLook?: (index: number) => void
  readonly lines?: number
}

const stepsOf = (lines: number): Readonly<Record<string, number>> => ({
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: lines - 1,
  PageUp: 1 - lines,
  Home: -Infinity,
  End: Infinity
})

/** The height of the header in pixels. The header stays visible when the rows are scrolled. */
const headHeight = 26

/** Scrolls a row into view. */
const reveal = (list: HTMLElement, row: number, height: number): void => {
  if (row * height < list.scrollTop) list.scrollTop = row * height
  const end = (row + 1) * height - list.clientHeight + headHeight
  if (end > list.scrollTop) list.scrollTop = end
}

/** Keeps the focus in a list when the focused row disappears. When no rows are left, the list itself gets the focus. */
const useFocusWithin = (list: { readonly current: HTMLElement | null }): void => {
  const held = useRef(false)
  useEffect(() => {
    const box = list.current
    const entered = (): void => {
      held.current = true
    }
    // When the focused row disappears, no element gets the focus, so only another element's focus or a click outside
    // means that the user has left the list.
    const left = ({ relatedTarget }: FocusEvent): void => {
      if (relatedTarget !== null) held.current = false
    }
    const pressed = ({ target }: Event): void => {
      if (!box?.contains(target as Node)) held.current = false
    }
    box?.addEventListener("focusin", entered)
    box?.addEventListener("focusout", left)
    document.addEventListener("pointerdown", pressed)
    return () => {
      box?.removeEventListener("focusin", entered)
      box?.removeEventListener("focusout", left)
      document.removeEventListener("pointerdown", pressed)
    }
  }, [])
  useEffect(() => {
    if (!held.current || document.activeElement !== document.body) return
    const to = list.current?.querySelector<HTMLElement>("[role=grid]") ?? list.current
    to?.focus({ preventScroll: true })
  })
}

interface CellProps {
  readonly children?: ComponentChildren
  readonly class?: string
  /** The complete text of a cell that may end in an ellipsis. The browser shows it when the pointer is over the cell. */
  readonly title?: string | undefined
}

/** A cell of a row. */
export const Cell = ({ children, class: name = "", title }: CellProps): JSX.Element => (
  <span role="gridcell" class={name} title={title}>{children}</span>
)

/** The range of visible rows. Only visible rows are in the document. */
const useInSight = (count: number, lines: number, height: number) => {
  const [top, setTop] = useState(0)
  const first = Math.max(0, Math.min(Math.floor(top / height), count - 1))
  const seen = Math.min(Math.ceil(lines * 30 / height) + 2, count - first)
  return { first, setTop, shown: Array.from({ length: Math.max(0, seen) }, (_, index) => first + index) }
}

/** The columns that contain numbers, whose headers are also right-aligned. */
const figures: ReadonlySet<string> = new Set(["#", "Amount", "Price", "Filled", "HTTP", "ms", "Sent", "Waiting"])

/** A grid that keeps only its visible rows in the document. Arrow keys move the focus, and Enter opens a row. */
const Grid = (
  { className, count, head, keyOf, label, lines = 10, onDelete, onLook, onOpen, row, ...heights }: RowsProps
): JSX.Element => {
  const height = useHeight(heights)
  const box = useRef<HTMLDivElement>(null)
  const [chosen, choose] = useState<string | number>()
  const { first, setTop, shown } = useInSight(count, lines, height)
  const keyAt = (index: number): string | number => keyOf?.(index) ?? index
  const at = shown.find((index) => keyAt(index) === chosen)
  useEffect(() => onLook?.(first), [first])

  const press = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.target !== event.currentTarget) return
    const does = event.key === "Enter" ? onOpen : event.key === "Delete" ? onDelete : undefined
    if (does !== undefined && at !== undefined) {
      event.preventDefault()
      return does(at)
    }
    const step = stepsOf(lines)[event.key]
    if (step === undefined || box.current === null) return
    event.preventDefault()
    const next = Math.max(0, Math.min(count - 1, (at ?? first - Math.sign(step)) + step))
    choose(keyAt(next))
    reveal(box.current, next, height)
  }

  return (
    <div
      class={`rows ${className}`}
      tabIndex={0}
      role="grid"
      aria-label={`${label}: ${count}`}
      aria-rowcount={count + 1}
      aria-activedescendant={at === undefined ? undefined : `${className}-${keyAt(at)}`}
      onKeyDown={press}
    >
      <div
        ref={box}
        class="scroll"
        role="rowgroup"
        tabIndex={-1}
        style={{ maxHeight: `${lines * 30 + headHeight}px` }}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div class="row head" role="row" aria-rowindex={1}>
          {head.map((name) => <span key={name} role="columnheader" class={figures.has(name) ? "num" : ""}>{name}
          </span>)}
        </div>
        <div role="presentation" style={{ height: `${count * height}px`, position: "relative" }}>
          {shown.map((index) => (
            <div
              key={keyAt(index)}
              id={`${className}-${keyAt(index)}`}
              class={onOpen === undefined ? "row" : "row opens"}
              role="row"
              aria-selected={index === at}
              aria-rowindex={index + 2}
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
    </div>
  )
}

/** A list of any length with a header. */
export const Rows = (props: RowsProps): JSX.Element => {
  const box = useRef<HTMLDivElement>(null)
  useFocusWithin(box)
  return (
    <div ref={box} tabIndex={-1}>
      {props.count === 0 ? <p class="soft empty">{props.empty}</p> : <Grid {...props} />}
    </div>
  )
}

/** An amount and its currency. */
export const Amount = (
  { digits = 8, of, unit }: { of: string | number; unit: string; digits?: number }
): JSX.Element => (
  <>
    {number(of, digits)} <span class="unit">{unit}</span>
  </>
)

/** A list of names, each with its value. */
export const Pairs = ({ of }: { of: Readonly<Record<string, unknown>> }): JSX.Element => (
  <dl>
    {Object.entries(of).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{text(value)}</dd>
      </div>
    ))}
  </dl>
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

/** A dialog. The browser keeps the focus within the dialog, and returns it to the previous element afterwards. */
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

/** A form that runs `onSubmit` without reloading the page. */
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
