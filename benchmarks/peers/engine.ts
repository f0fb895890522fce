/**
 * Runs one engine. Arguments: the engine's name, and optionally an initial state, called a world. With a world, the
 * engine only places and cancels orders, or, if the world consists of positions, moves the mark price.
 */
import { serve } from "../harness/children.ts"
import { measure, type Sample } from "../harness/operation.ts"
import type { Book } from "./books.ts"
import { type Instruction, resting, type Workload, workloads } from "./instructions.ts"

/**
 * The initial state of the sandbox's engine: the numbers of open orders, of other accounts, and of orders that are
 * already closed.
 */
export interface World {
  readonly open: number
  readonly accounts: number
  readonly ended: number
}

/** An exchange with open positions. Each move of the mark price down causes margin calls for `called` accounts. */
export interface Positions {
  readonly positions: number
  readonly called: number
}

const [name = "", world] = process.argv.slice(2)

// Each engine loads only its own modules.
const engines: Readonly<Record<string, () => Promise<() => Book>>> = {
  txc: async () => (await import("./exchange.ts")).book,
  "nodejs-order-book": async () => (await import("./books.ts")).books["nodejs-order-book"],
  "hft-limit-order-book": async () => (await import("./books.ts")).books["hft-limit-order-book"]
}

const make = await engines[name]?.()

const carryOut = (book: Book, instructions: ReadonlyArray<Instruction>): ReadonlyArray<unknown> => {
  const handles: Array<unknown> = []
  for (const instruction of instructions) {
    if (instruction._tag === "Place") handles.push(book.place(instruction))
    else book.cancel(handles[instruction.index] as never)
  }
  return handles
}

/** Returns the cost per instruction in microseconds, starting with an empty book. */
const sample = (instructions: ReadonlyArray<Instruction>): Sample => {
  if (make === undefined) throw new Error(`there is no engine ${name}`)
  const book = make()
  const before = process.cpuUsage()
  const start = performance.now()
  carryOut(book, instructions)
  const wall = (performance.now() - start) * 1000
  const { system, user } = process.cpuUsage(before)
  return { cpu: (user + system) / instructions.length, wall: wall / instructions.length }
}

/** Returns the number of open orders at the end. If it differs between engines, they did different work. */
const left = (instructions: ReadonlyArray<Instruction>): number => {
  if (make === undefined) throw new Error(`there is no engine ${name}`)
  const book = make()
  return carryOut(book, instructions).filter((handle) => book.cancel(handle as never)).length
}

/** Places an order and cancels it, so that the size of the world stays the same. */
const placeAndCancel = async ({ accounts, ended, open }: World) => {
  const { book, commands } = await import("./exchange.ts")
  const venue = book(commands({ accounts, open: resting(open), ended: resting(ended) }))
  const orders = resting(1000)
  let index = 0
  return () => {
    const order = orders[index++ % orders.length]
    if (order !== undefined) venue.cancel(venue.place(order) as never)
  }
}

const given = world === undefined ? undefined : JSON.parse(world) as World | Positions
const operation = given === undefined
  ? undefined
  : "positions" in given
  ? (await import("./exchange.ts")).positions(given)
  : await placeAndCancel(given)

export type Message =
  | { readonly workload: Workload; readonly orders: number; readonly what: "sample" | "left" }
  | { readonly millis: number }

serve("ready", (message: Message) => {
  if ("workload" in message) {
    const instructions = workloads[message.workload](message.orders)
    return message.what === "sample" ? sample(instructions) : left(instructions)
  }
  if (operation === undefined) throw new Error("this engine has no world")
  return measure({ now: operation }, message.millis)
})
