/** The instructions for the engines: the same orders for every engine, each in the engine's own format. */

/** A limit order: in `ticks` and `lots` for engines that use whole numbers, as decimal text for exact engines. */
export interface Place {
  readonly _tag: "Place"
  readonly id: string
  readonly isBuy: boolean
  readonly ticks: number
  readonly lots: number
  readonly price: string
  readonly amount: string
}

/** Cancels the placed order with this index. */
export interface Cancel {
  readonly _tag: "Cancel"
  readonly index: number
}

export type Instruction = Place | Cancel

/** The number of price levels on each side of the mid price. */
const levels = 1000
const middle = 4_000_000

/** Returns a linear congruential generator, which yields the same numbers in every process. */
const random = () => {
  let state = 42
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

const decimal = (value: number, digits: number): string => {
  const text = value.toString().padStart(digits + 1, "0")
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** Returns the price `distance` ticks from the mid price. An order at a negative distance crosses the book. */
const place = (index: number, isBuy: boolean, distance: number, lots: number): Place => {
  const ticks = isBuy ? middle - 1 - distance : middle + 1 + distance
  return { _tag: "Place", id: `${index}`, isBuy, ticks, lots, price: decimal(ticks, 2), amount: decimal(lots, 3) }
}

/** Returns `orders` limit orders, which all rest: no order crosses another. */
export const resting = (orders: number): ReadonlyArray<Place> => {
  const next = random()
  return Array.from({ length: orders }, (_, index) => place(index, next(2) === 0, next(levels), 1 + next(10)))
}

const addThenCancel = (orders: number): ReadonlyArray<Instruction> => {
  const next = random()
  const indices = Array.from({ length: orders }, (_, index) => index)
  for (let last = orders - 1; last > 0; last--) {
    const other = next(last + 1)
    ;[indices[last], indices[other]] = [indices[other] ?? 0, indices[last] ?? 0]
  }
  return [...resting(orders), ...indices.map((index): Cancel => ({ _tag: "Cancel", index }))]
}

/**
 * Half of the instructions are resting orders, a fifth are orders that take liquidity near the mid price, and three in
 * ten cancel an earlier order, open or not.
 */
const mixed = (orders: number): ReadonlyArray<Instruction> => {
  const next = random()
  const instructions: Array<Instruction> = []
  let placed = 0
  for (let index = 0; index < orders; index++) {
    const kind = next(10)
    if (kind < 3 && placed > 0) instructions.push({ _tag: "Cancel", index: next(placed) })
    else instructions.push(place(placed++, next(2) === 0, kind < 5 ? -10 : next(levels), 1 + next(10)))
  }
  return instructions
}

/**
 * In the returned instructions, the first half of the orders rest, and each order of the second half takes one of the
 * resting orders.
 */
const cross = (orders: number): ReadonlyArray<Instruction> => {
  const half = Math.floor(orders / 2)
  const next = random()
  const makers = Array.from({ length: half }, (_, index) => place(index, false, next(levels), 5))
  const takers = Array.from({ length: half }, (_, index) => place(half + index, true, -2 - levels, 5))
  return [...makers, ...takers]
}

export const workloads = {
  add: resting,
  "add-cancel": addThenCancel,
  mixed,
  cross
} satisfies Readonly<Record<string, (orders: number) => ReadonlyArray<Instruction>>>

export type Workload = keyof typeof workloads
