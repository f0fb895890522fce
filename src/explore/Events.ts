/** Carries out the events of a scenario. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { Amount, Decimal, Price } from "../domain/Decimal.ts"
import { ApiKey, type MarketName } from "../domain/Identifiers.ts"
import * as Expected from "../protocol/Expected.ts"
import * as Views from "../sandbox/control/Views.ts"
import * as Reply from "../sandbox/engine/Reply.ts"
import * as Units from "../sandbox/engine/Units.ts"
import * as Example from "../sandbox/Example.ts"
import type { OwnerRequest } from "../sandbox/venue/OwnerActions.ts"
import * as Scenario from "./Scenario.ts"
import * as Seeded from "./Seeded.ts"
import type { Server } from "./Server.ts"
import type { Timeline } from "./Timeline.ts"

/** The parts of a history that events use. */
export interface World {
  readonly timeline: Timeline
  readonly server: Server
  /** Runs an effect in the history, outside of the program. */
  readonly fork: (effect: Effect.Effect<unknown>) => void
  /** Kills the program, and starts it again after `downMillis` milliseconds. */
  readonly kill: (downMillis: number) => void
  /** Stops the program. Once the program has ended, starts it again after `downMillis` milliseconds. */
  readonly stop: (downMillis: number) => void
  /** Sets the program's clock `millis` milliseconds ahead of the exchange's clock, or behind it if negative. */
  readonly drift: (millis: number) => void
  /** Called when the exchange has been restarted. */
  readonly started: () => void
  /** Called when an event, or a step of it, has no effect, because the exchange is down or refuses the event. */
  readonly refused: (event: Scenario.Event, why: string) => void
  /**
   * Called when an event can't happen in any history, for example on a market that does not exist. The history is then
   * invalid.
   */
  readonly impossible: (event: Scenario.Event, why: string) => void
}

/** The reason why an event has no effect during an outage. */
const down = "the exchange is down"

/** Describes why the exchange has refused a request. */
const whyOf = (reply: Reply.Failed): string =>
  reply._tag === "Refused" && reply.violations.length === 0
    ? reply.why
    : [...new Set(reply.violations.map(([field, constraint]) => Expected.sentence(field, constraint)))].join("; ")

/** Whether a request was refused because it names a market or an account that does not exist. */
const isUnknown = (reply: Reply.Failed): boolean =>
  reply._tag === "Refused" && reply.why === "notFound" ||
  reply.violations.some(([, { kind }]) => kind === "known")

/**
 * Sends a request that carries out an event. A refused order of the other account has no effect, like any refused
 * order. Any other refusal means that the scenario is wrong.
 */
const perform = (world: World, event: Scenario.Event, request: OwnerRequest): void =>
  world.fork(Effect.map(world.server.perform(request), (reply) => {
    if (reply === undefined) return world.refused(event, down)
    if (!Reply.isFailed(reply)) return
    if (event._tag === "Trade" && !isUnknown(reply)) world.refused(event, whyOf(reply))
    else world.impossible(event, whyOf(reply))
  }))

/** Returns a market's price step, in `Units`. */
const tickOf = ({ server }: World, market: MarketName): bigint => {
  const found = server.latest().venue.state.markets.get(market)
  return found === undefined ? 1n : Units.stepOf(found.moneyPrecision)
}

/**
 * Sets a market's price to `from` plus `permille` thousandths of it, rounded down to the price step. The new price is
 * at least one step.
 */
const setPrice = (
  world: World,
  event: Scenario.Price | Scenario.Walk,
  from: bigint,
  permille: number
): void => {
  const market = event.market as MarketName
  const tick = tickOf(world, market)
  const rounded = from * BigInt(1000 + permille) / 1000n / tick * tick
  const price = Price.make(Units.toDecimal(rounded < tick ? tick : rounded))
  perform(world, event, { _tag: "MovePrice", market, price })
}

/** The number of steps of a price change that is not immediate. */
const steps = 10

/** Returns a market's last price. If there is none, reports the event as impossible. */
const priceFor = (world: World, event: Scenario.Price | Scenario.Walk): bigint | undefined => {
  const price = world.server.price(event.market as MarketName)
  if (price === undefined) world.impossible(event, `${event.market} has no price`)
  return price
}

const movePrice = (world: World, event: Scenario.Price): void => {
  const { overMillis, permille } = event
  const from = priceFor(world, event)
  if (from === undefined) return
  const most = overMillis === 0 ? 1 : steps
  for (let step = 1; step <= most; step++) {
    const move = () => setPrice(world, event, from, Math.trunc(permille * step / most))
    if (overMillis === 0) move()
    else world.timeline.after(overMillis * step / most, move)
  }
}

const walk = (world: World, event: Scenario.Walk): void => {
  const { everyMillis, permille, seed, steps } = event
  const random = Seeded.make(seed, 3)
  for (let step = 0; step < steps; step++) {
    const change = random.below(2 * permille + 1) - permille
    world.timeline.after(everyMillis * step, () => {
      const from = priceFor(world, event)
      if (from !== undefined) setPrice(world, event, from, change)
    })
  }
}

/** Converts a number of thousandths to a decimal: 1500 to `1.500`. */
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
 * Moves the mark price past the liquidation price of the program's position. After `lastsMillis` milliseconds, the mark
 * price follows the market again.
 */
const liquidate = (world: World, event: Scenario.Liquidation): void => {
  const { server, timeline } = world
  const name = event.market as MarketName
  const position = Views.positions(server.latest().venue.state, Example.alice.account).find((one) =>
    one.market === name && one.liquidationPrice !== undefined
  )
  if (position?.liquidationPrice === undefined) return
  const tick = tickOf(world, name)
  const limit = (Units.from(position.liquidationPrice) ?? 0n) / tick * tick
  const past = position.amount.startsWith("-") ? limit + 2n * tick : limit - tick
  const move = (price: Price | null) => perform(world, event, { _tag: "MoveMark", market: name, price })
  move(Price.make(Units.toDecimal(past < tick ? tick : past)))
  timeline.after(event.lastsMillis, () => move(null))
}

/** Restarts the exchange if it is stopped. */
const restart = ({ server, started }: World): Effect.Effect<void> =>
  Effect.map(server.start, (hasStarted) => {
    if (hasStarted) started()
  })

/** Carries out an event now. */
const happen = (world: World, event: Exclude<Scenario.Event, Scenario.KillAtCall>): void => {
  const { fork, server, timeline } = world
  if ("market" in event && !server.latest().venue.state.markets.has(event.market as MarketName)) {
    return world.impossible(event, `there is no market ${event.market}`)
  }
  switch (event._tag) {
    case "Price":
      return movePrice(world, event)
    case "Walk":
      return walk(world, event)
    case "Book":
      return perform(world, event, quote(event))
    case "Trade":
      return perform(world, event, trade(event))
    case "Funding":
      return perform(world, event, fund(event))
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
      return perform(world, event, {
        _tag: "SetKey",
        apiKey: ApiKey.make(Example.alice.apiKey),
        enabled: event.enabled
      })
    case "Outage":
      if (server.running() === undefined) return world.refused(event, down)
      fork(server.stop)
      return void timeline.after(event.downMillis, () => fork(restart(world)))
  }
}

const decodeEvent = Schema.decodeUnknownResult(Scenario.Event)

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Explains why a hand-written event is invalid, for example a trade of 0; `undefined` if the event is valid. */
const problemOf = (event: Scenario.Event): string | undefined =>
  Result.match(decodeEvent(event), {
    onSuccess: () => undefined,
    onFailure: ({ issue }) => {
      const [first] = toIssues(issue).issues
      return `${(first?.path ?? []).map(String).join(".")}: ${first?.message ?? ""}`
    }
  })

/** Schedules a scenario's events. */
export const schedule = (world: World, { events }: Scenario.Scenario): void => {
  for (const event of events) {
    const problem = problemOf(event)
    if (problem !== undefined) world.impossible(event, problem)
    else if (event._tag !== "KillAtCall") world.timeline.after(event.at, () => happen(world, event))
  }
}
