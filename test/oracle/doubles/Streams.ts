/**
 * Changes a sandbox's WebSocket in every way that the live exchange's documentation and recorded messages allow, so
 * that it is unusual but still correct.
 */
import type { Fault, Frame } from "../mutants/Frames.ts"

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const list = (value: unknown): ReadonlyArray<unknown> => value as ReadonlyArray<unknown>

/** Writes JSON with spaces, as the live exchange does, and with the keys of each object in reverse order. */
const spaced = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`
  if (!isFields(value)) return JSON.stringify(value)
  return `{ ${
    Object.entries(value).toReversed().map(([key, one]) => `${JSON.stringify(key)} : ${spaced(one)}`).join(", ")
  } }`
}

/** Adds a key to every object except errors and those whose keys are assets. */
const withMore = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withMore)
  if (!isFields(value)) return value
  const entries = Object.entries(value)
  const isKeyed = entries.every(([, one]) => isFields(one))
  return Object.fromEntries([
    ...entries.map(([key, one]) => [key, withMore(one)]),
    ...(isKeyed ? [] : [["something_new", "1"]])
  ])
}

const decimal = /^[0-9]+\.[0-9]+$/u

/** Adds trailing zeros to every decimal. */
const longer = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(longer)
  if (isFields(value)) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, longer(one)]))
  return typeof value === "string" && decimal.test(value) ? `${value}00` : value
}

const without = (value: unknown, ...keys: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(value as Fields).filter(([key]) => !keys.includes(key)))

/** Converts orders to the form in older messages: with fee rates, and without the fields that were added later. */
const older = (order: unknown): Fields => ({
  ...without(order, "stp", "status", "rpi", "ioc"),
  taker_fee: "0.001",
  maker_fee: "0.001"
})

/** Renumbers book updates, and omits sides without levels. */
const book = (body: unknown): Fields => {
  const { asks, bids, past_update_id: past, update_id: id, ...rest } = body as Fields
  const renumbered = (number: unknown) => 7_000_000_000 + Number(number) * 13
  return {
    ...rest,
    ...(list(asks ?? []).length === 0 ? {} : { asks }),
    ...(list(bids ?? []).length === 0 ? {} : { bids }),
    update_id: renumbered(id),
    ...(past === undefined ? {} : { past_update_id: renumbered(past) })
  }
}

/** Changes the parameters of a message. */
const changes: Readonly<Record<string, (params: ReadonlyArray<unknown>) => ReadonlyArray<unknown>>> = {
  depth_update: ([isSnapshot, body, market]) => [isSnapshot, book(body), market],
  trades_update: ([market, trades]) => [market, list(trades).map((trade) => without(trade, "rpi"))],
  ordersPending_update: ([event, order]) => [event, older(order)],
  ordersExecuted_update: ([order]) => [older(order)],
  // In older messages, the numbers for side and role are strings.
  deals_update: (deal) => deal.with(8, String(deal[8])).with(9, String(deal[9])),
  // Balances arrive in one object for all assets, or in a separate object for each asset.
  balanceSpot_update: (all) =>
    all.flatMap((one) => Object.entries(one as Fields).map(([key, value]) => ({ [key]: value })))
}

const codes: Readonly<Record<number, Fields>> = {
  1: { code: 1, message: "Invalid Argument" },
  9: { code: 1, message: "invalid argument" },
  11: { code: 1, message: "invalid argument" }
}

/** Returns the same message, written differently. */
const respelled = (frame: Frame): Frame => {
  if (frame.method !== undefined) {
    const change = changes[frame.method]
    return { ...frame, params: longer(withMore(change === undefined ? frame.params : change(list(frame.params)))) }
  }
  const { error, result } = frame
  if (isFields(error)) return { ...frame, error: codes[Number(error["code"])] ?? error }
  return { ...frame, result: longer(withMore(result)) }
}

/** The delay of every message, in milliseconds. */
const late = 300

/**
 * Makes all of these changes at the same time. Trades on a market that happen within the delay are merged into one
 * message. The first message, which has the latest trades, stays separate.
 */
export const free: Fault = () => ({ deliver }) => {
  const known = new Set<unknown>()
  /** The trades that have not been sent yet, keyed by market. */
  const waiting = new Map<unknown, Array<unknown>>()
  return {
    received: (frame) => {
      const [market, trades] = frame.method === "trades_update" ? list(frame.params) : []
      const joined = waiting.get(market)
      if (joined !== undefined) {
        joined.unshift(...list(trades))
        return []
      }
      if (market === undefined || !known.has(market)) {
        known.add(market)
        deliver(frame, late)
        return []
      }
      const all = [...list(trades)]
      waiting.set(market, all)
      deliver({ ...frame, params: [market, all] }, late)
      return []
    },
    write: (frame) => {
      if (frame.method === "trades_update") waiting.delete(list(frame.params)[0])
      return spaced(respelled(frame))
    }
  }
}

/**
 * Pushes a subscription's first book before the acknowledgement. The documentation allows this, although recorded
 * messages show the acknowledgement first.
 */
export const early: Fault = () => () => {
  const asked = new Set<unknown>()
  let held: Frame | undefined
  return {
    sent: (frame) => {
      if (frame.method === "depth_subscribe") asked.add(frame.id)
      return [frame]
    },
    received: (frame) => {
      if (frame.method === undefined && asked.delete(frame.id) && (frame.error ?? null) === null) {
        held = frame
        return []
      }
      if (held === undefined || frame.method !== "depth_update") return [frame]
      const acknowledgement = held
      held = undefined
      return [frame, acknowledgement]
    }
  }
}
