/** Carries out the events of a scenario. */
import * as Effect from "effect/Effect"
import { Amount, Decimal, Price } from "../domain/Decimal.ts"
import { ApiKey, type MarketName } from "../domain/Identifiers.ts"
import * as Views from "../sandbox/control/Views.ts"
import * as Units from "../sandbox/engine/Units.ts"
import * as Example from "../sandbox/Example.ts"
import type { OwnerRequest } from "../sandbox/venue/OwnerActions.ts"
import type * as Scenario from "./Scenario.ts"
import * as Seeded from "./Seeded.ts"
import type { Server } from "./Server.ts"
import type { Timeline } from "./Timeline.ts"

/** The parts of a history that events change. */
export interface World {
  readonly timeline: Timeline
  readonly server: Server
  /** Runs an effect in the history, outside of the program. */
  readonly fork: (effect: Effect.Effect<unknown>) => void
  /** Kills the program, and starts it again after `downMillis` milliseconds. */
  readonly kill: (downMillis: number) => void
  /** Stops the program. Once the program has ended, starts it again after `downMillis` milliseconds. */
  readonly stop: (downMillis: number) => void
  /** Sets the program's clock `millis` milliseconds ahead of the exchange's clock. */
  readonly drift: (millis: number) => void
  /** Called when the exchange has been restarted. */
  readonly started: () => void
}

/** A market's price tick, in units. */
const tickOf = ({ server }: World, market: MarketName): bigint => {
  const found = server.latest().venue.state.markets.get(market)
  return found === undefined ? 1n : Units.stepOf(found.moneyPrecision)
}

/**
 * Sets a market's price to `from`, changed by `permille` thousandths, and rounded to the tick. The result is at least
 * one tick.
 */
const setPrice = (world: World, market: MarketName, from: bigint, permille: number): void => {
  const tick = tickOf(world, market)
  const rounded = from * BigInt(1000 + permille) / 1000n / tick * tick
  const price = Price.make(Units.toDecimal(rounded < tick ? tick : rounded))
  world.fork(world.server.perform({ _tag: "MovePrice", market, price }))
}

/** The number of steps in which a price moves if the change takes time. */
const steps = 10

const movePrice = (world: World, { market, overMillis, permille }: Scenario.Price): void => {
  const name = market as MarketName
  const from = world.server.price(name)
  if (from === undefined) return
  const most = overMillis === 0 ? 1 : steps
  for (let step = 1; step <= most; step++) {
    const move = () => setPrice(world, name, from, Math.trunc(permille * step / most))
    if (overMillis === 0) move()
    else world.timeline.after(overMillis * step / most, move)
  }
}

const walk = (world: World, { everyMillis, market, permille, seed, steps }: Scenario.Walk): void => {
  const name = market as MarketName
  const random = Seeded.make(seed, 3)
  for (let step = 0; step < steps; step++) {
    const change = random.below(2 * permille + 1) - permille
    world.timeline.after(everyMillis * step, () => {
      const from = world.server.price(name)
      if (from !== undefined) setPrice(world, name, from, change)
    })
  }
}

/** Formats thousandths as a decimal. */
const thousandths = (count: number): string => `${Math.trunc(count / 1000)}.${String(count % 1000).padStart(3, "0")}`

const trade = ({ market, side, thousandths: count }: Scenario.Trade): OwnerRequest => ({
  _tag: "Call",
  apiKey: ApiKey.make(Example.bob.apiKey),
  operation: {
    _tag: "PlaceMarket",
    market: market as MarketName,
    side,
    amount: Amount.make(thousandths(count)),
    quoteAmount: false,
    collateral: market.endsWith("_PERP")
  }
})

const quote = ({ levels, market, spreadPermille }: Scenario.Book): OwnerRequest => ({
  _tag: "SetCounterparty",
  market: market as MarketName,
  enabled: levels > 0,
  ...levels === 0 ? {} : { levels, spread: Decimal.make(String(spreadPermille / 10)) }
})

const fund = ({ market, permille }: Scenario.Funding): OwnerRequest => ({
  _tag: "SetFunding",
  market: market as MarketName,
  rate: Decimal.make(`${permille < 0 ? "-" : ""}${thousandths(Math.abs(permille))}`),
  intervalMinutes: 1
})

/**
 * Moves the mark price past the program's liquidation price, and resets the mark price after `lastsMillis`
 * milliseconds.
 */
const liquidate = (world: World, { lastsMillis, market }: Scenario.Liquidation): void => {
  const { fork, server, timeline } = world
  const name = market as MarketName
  const position = Views.positions(server.latest().venue.state, Example.alice.account).find((one) =>
    one.market === name && one.liquidationPrice !== undefined
  )
  if (position?.liquidationPrice === undefined) return
  const tick = tickOf(world, name)
  const limit = (Units.from(position.liquidationPrice) ?? 0n) / tick * tick
  const past = position.amount.startsWith("-") ? limit + 2n * tick : limit - tick
  const move = (price: Price | null) => fork(server.perform({ _tag: "MoveMark", market: name, price }))
  move(Price.make(Units.toDecimal(past < tick ? tick : past)))
  timeline.after(lastsMillis, () => move(null))
}

/** Executes an event immediately. */
const happen = (world: World, event: Exclude<Scenario.Event, Scenario.KillAtCall>): void => {
  const { fork, server, timeline } = world
  switch (event._tag) {
    case "Price":
      return movePrice(world, event)
    case "Walk":
      return walk(world, event)
    case "Book":
      return fork(server.perform(quote(event)))
    case "Trade":
      return fork(server.perform(trade(event)))
    case "Funding":
      return fork(server.perform(fund(event)))
    case "Liquidation":
      return liquidate(world, event)
    case "Fault":
      return void server.latest().venue.faults.add(event.fault)
    case "Kill":
      return world.kill(event.downMillis)
    case "Stop":
      return world.stop(event.downMillis)
    case "Drift":
      return world.drift(event.millis)
    case "Key":
      return fork(server.perform({ _tag: "SetKey", apiKey: ApiKey.make(Example.alice.apiKey), enabled: event.enabled }))
    case "Outage":
      fork(server.stop)
      return void timeline.after(event.downMillis, () => fork(Effect.andThen(server.start, Effect.sync(world.started))))
  }
}

/** Schedules a scenario's events. */
export const schedule = (world: World, { events }: Scenario.Scenario): void => {
  for (const event of events) {
    if (event._tag !== "KillAtCall") world.timeline.after(event.at, () => happen(world, event))
  }
}
