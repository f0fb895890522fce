/** Compares each index with a full scan. */
import { assert } from "@effect/vitest"
import * as AccountIndex from "../../../src/sandbox/engine/AccountIndex.ts"
import * as Claims from "../../../src/sandbox/engine/Claims.ts"
import * as FifoQueue from "../../../src/sandbox/engine/FifoQueue.ts"
import type { Order } from "../../../src/sandbox/engine/Order.ts"
import * as Pending from "../../../src/sandbox/engine/Pending.ts"
import * as PendingStopOrders from "../../../src/sandbox/engine/PendingStopOrders.ts"
import * as Quotes from "../../../src/sandbox/engine/Quotes.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import type { State } from "../../../src/sandbox/engine/State.ts"
import * as TimerQueue from "../../../src/sandbox/engine/TimerQueue.ts"
import * as Units from "../../../src/sandbox/engine/Units.ts"
import { units } from "../../support/engine.ts"

const ids = (items: Iterable<{ readonly id: unknown }>): string => Array.from(items, ({ id }) => id).join()

/** Checks whether an order is the stop-loss of an open pair. For a pair, only the take-profit is counted. */
const isShared = ({ exits, ocoOrders }: State, order: Order): boolean => {
  const pair = order.oco === undefined ? undefined : ocoOrders.get(order.oco) ?? exits.get(order.oco)
  return pair?.stopLoss === order && pair.takeProfit !== undefined
}

/** Returns the amount of a position that an order would close. */
const claimOf = (state: State, order: Order): bigint =>
  order.kind === "spot" || isShared(state, order) ? 0n : order.reduceOnly ? order.left : order.closing

/** Returns the value of an order's part that opens a futures position, at the highest price of its OCO pair. */
const pendingOf = (state: State, order: Order): bigint => {
  const isExempt = order.kind !== "futures" || order.reduceOnly || order.account === Quotes.account
  if (isExempt || isShared(state, order)) return 0n
  const pair = order.oco === undefined ? undefined : state.ocoOrders.get(order.oco)
  const prices = (pair === undefined ? [order] : [pair.stopLoss, pair.takeProfit]).map(({ price, stop }) =>
    units(price ?? stop?.price ?? "0")
  )
  const [price = 0n] = prices.toSorted((one, other) => (one < other ? 1 : -1))
  return Units.times(order.left - order.closing, price)
}

const otosOf = (state: State, account: string) => Array.from(state.otoOrders.latest(account), ({ order }) => order)

const owned = (state: State): void => {
  const orders = [...state.openOrders.values()]
  for (const account of [...state.accounts.keys(), Quotes.account]) {
    const own = orders.filter((order) => order.account === account)
    assert.strictEqual(ids(state.openOrders.latest(account)), ids(own.toReversed()))
    assert.strictEqual(state.openOrders.countOf(account), own.length)
    for (const market of state.markets.keys()) {
      const there = own.filter((order) => order.market === market)
      assert.strictEqual(ids(state.openOrders.latest(account, market)), ids(there.toReversed()))
      for (const { clientOrderId } of there) {
        if (clientOrderId === undefined) continue
        const named = there.filter((order) => order.clientOrderId === clientOrderId)
        assert.strictEqual(ids(state.openOrders.named(account, market, clientOrderId)), ids(named))
      }
      for (const side of ["buy", "sell"] as const) {
        const claimants = there.filter((order) => order.side === side)
        const total = claimants.reduce((sum, order) => sum + claimOf(state, order), 0n)
        assert.strictEqual(Claims.total(state.claims, { account, market, side }), total)
        const pending = claimants.reduce((sum, order) => sum + pendingOf(state, order), 0n)
        assert.strictEqual(Pending.total(state.pending, { account, market, side }), pending)
        const reducing = claimants.filter(({ reduceOnly }) => reduceOnly)
        assert.strictEqual(ids(Claims.reduceOnly(state.claims, { account, market, side })), ids(reducing))
      }
    }
    const pairs = [...state.ocoOrders.values()].filter(({ stopLoss }) => stopLoss.account === account)
    assert.strictEqual(ids(state.ocoOrders.latest(account)), ids(pairs.toReversed()))
    const otos = own.filter(({ oto }) => oto !== undefined)
    assert.strictEqual(ids(otosOf(state, account)), ids(otos.toReversed()))
    assert.strictEqual(state.otoOrders.countOf(account), otos.length)
    const exits = [
      ...new Set(
        own.filter(({ oco, type }) => type === "stop market" && oco !== undefined).flatMap((leg) =>
          leg.oco === undefined || leg.stop?.activated === true ? [] : state.exits.get(leg.oco) ?? []
        )
      )
    ]
    assert.sameMembers([...state.exits.latest(account)], exits)
    const positions = [...state.positions.values()].filter((position) => position.account === account)
    assert.strictEqual(ids(state.positionsOf.get(account) ?? []), ids(positions))
    const subAccounts = [...state.subAccounts.values()].filter(({ parent }) => parent === account)
    assert.strictEqual(ids(AccountIndex.of(state.accountIndex, account)?.subAccounts ?? []), ids(subAccounts))
    const keys = [...state.keys.values()].filter((key) => key.account === account)
    assert.strictEqual(ids(AccountIndex.of(state.accountIndex, account)?.keys ?? []), ids(keys))
  }
}

/**
 * Checks that each price level's total is the sum of its open orders, and that each pending stop order is in the right
 * list.
 */
const traded = (state: State): void => {
  for (const [market, { book, waiting }] of state.trading) {
    for (const { left, orders } of [...book.bids, ...book.asks, ...book.rpi.bids, ...book.rpi.asks]) {
      assert.strictEqual(left, FifoQueue.members(orders).reduce((sum, order) => sum + order.left, 0n))
    }
    const pending = [...state.openOrders.values()].filter((order) =>
      order.market === market && order.stop?.activated === false
    )
    const found = PendingStopOrders.all(waiting).toSorted((one, other) => Number(one.id) - Number(other.id))
    assert.strictEqual(ids(found), ids(pending))
    assert.strictEqual(waiting.marked.size + waiting.reached.size, 0)
  }
}

const scheduled = ({ due, investments, investmentsOf, killSwitches, priceSteps }: State): void => {
  const interest = [...investments.values()].toSorted((one, other) => one.nextAt - other.nextAt)
  assert.strictEqual(TimerQueue.next(due.interest), interest[0])
  const steps = [...priceSteps].toSorted((one, other) => one.at - other.at)
  assert.strictEqual(TimerQueue.next(due.prices), steps[0])
  const armed = [...killSwitches.values()].toSorted((one, other) => one.firesAt - other.firesAt)
  assert.strictEqual(TimerQueue.next(due.killSwitches), armed[0])
  assert.strictEqual(due.killSwitches.items.size, armed.length)
  for (const [account, count] of investmentsOf) {
    assert.strictEqual(interest.filter((investment) => investment.account === account).length, count)
  }
}

/**
 * Compares the positions by market with a scan. Compares reserved margin, timers and the accounts that watch prices
 * with a freshly loaded state.
 */
const margined = (state: State): void => {
  for (const market of state.markets.keys()) {
    const positions = [...state.positions.values()].filter((position) => position.market === market)
    assert.sameMembers([...state.positionsOn.get(market) ?? []], positions)
  }
  // Loading is slow, so it is done only at every fifth second of the clock.
  if (Math.floor(state.at / 1e6) % 5 > 0) return
  const loaded = Saved.load(structuredClone(Saved.save(state)), state.policy)
  assert.sameDeepMembers([...loaded.reserved], [...state.reserved])
  assert.strictEqual(TimerQueue.nextTime(loaded.due.funding), TimerQueue.nextTime(state.due.funding))
  assert.strictEqual(TimerQueue.nextTime(loaded.due.borrows), TimerQueue.nextTime(state.due.borrows))
  // The limits can differ, because they depend on when an account was last checked. Every account must have limits.
  const watching = ({ watches }: State) =>
    [...watches.byAccount.keys()].filter((account) => state.positionsOf.has(account))
  assert.sameMembers(watching(loaded), watching(state))
}

/** Checks that every index of the state equals a full scan. */
export const indexed = (state: State): void => {
  margined(state)
  owned(state)
  traded(state)
  scheduled(state)
}
