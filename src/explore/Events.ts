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
import * as Calm from "./Calm.ts"
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
  /**
   * Kills the program, and starts it again after `downMillis` milliseconds. Does nothing if the program is not running.
   * Returns the reason in that case.
   */
  readonly kill: (downMillis: number) => string | undefined
  /**
   * Stops the program. Once the program has ended, starts it again after `downMillis` milliseconds. Does nothing if the
   * program is not running or already stopping. Returns the reason in that case.
   */
  readonly stop: (downMillis: number) => string | undefined
  /** Sets the program's clock `millis` milliseconds ahead of the exchange's clock, or behind it if negative. */
  readonly drift: (millis: number) => void
  /** Called when the exchange has been restarted. */
  readonly started: () => void
  /** Called when an event, or a step of it, has no effect, for example because the exchange is down or refuses it. */
  readonly refused: (event: Scenario.Event, why: string) => void
  /**
   * Called when an event can't happen in any history, for example on a market that does not exist. The history is then
   * invalid.
   */
  readonly impossible: (event: Scenario.Event, why: string) => void
}

/** The reason why an event has no effect during an outage. */
const down = "the exchange is down"

/** The reason why an event has no effect during the calm period. */
export const tooLate = "the calm period has begun"

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

/** The number of steps in which a market's price changes. */
export const stepsOf = (event: Scenario.Price | Scenario.Walk): number =>
  event._tag === "Walk" ? event.steps : event.overMillis === 0 ? 1 : 10

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
  const most = stepsOf(event)
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
  if (position?.liquidationPrice === undefined) return world.refused(event, "no price would liquidate the program")
  const tick = tickOf(world, name)
  const limit = (Units.from(position.liquidationPrice) ?? 0n) / tick * tick
  const past = position.amount.startsWith("-") ? limit + 2n * tick : limit - tick
  const move = (price: bigint | undefined) => perform(world, event, Calm.moveMark(name, price))
  move(past < tick ? tick : past)
  timeline.after(event.lastsMillis, () => move(undefined))
}

/** Restarts the exchange if it is stopped. */
const restart = ({ server, started }: World): Effect.Effect<void> =>
  Effect.map(server.start, (hasStarted) => {
    if (hasStarted) started()
  })

/** Stops the exchange, and restarts it after `downMillis` milliseconds. */
const suspend = (world: World, event: Scenario.Outage): void => {
  const { fork, server, timeline } = world
  if (server.running() === undefined) return world.refused(event, down)
  fork(server.stop)
  timeline.after(event.downMillis, () => fork(restart(world)))
}

/** Carries out an event now. */
const happen = (world: World, event: Exclude<Scenario.Event, Scenario.KillAtCall | Scenario.Fault>): void => {
  if ("market" in event && !world.server.latest().venue.state.markets.has(event.market as MarketName)) {
    return world.impossible(event, `there is no market ${event.market}`)
  }
  const unless = (why: string | undefined) => why === undefined ? undefined : world.refused(event, why)
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
    case "Kill":
      return unless(world.kill(event.downMillis))
    case "Stop":
      return unless(world.stop(event.downMillis))
    case "Drift":
      return world.drift(event.millis)
    case "Key":
      return perform(world, event, Calm.setKey(event.enabled))
    case "Outage":
      return suspend(world, event)
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

/** The scheduled events of a scenario. */
export interface Scheduled {
  /**
   * Begins the calm period: from now on, no event and no step of an event happens. Removes all faults, restarts the
   * exchange if it is down, and restores the quotes, the API key, the mark prices and the program's clock.
   */
  readonly calm: () => void
  /** Reports the faults that have had no effect. */
  readonly end: () => void
}

/** Schedules a scenario's events. */
export const schedule = (given: World, { events }: Scenario.Scenario): Scheduled => {
  let isCalm = false
  const after = (millis: number, run: () => void) =>
    given.timeline.after(millis, () => {
      if (!isCalm) run()
    })
  const world: World = { ...given, timeline: { ...given.timeline, after } }
  const stateNow = () => world.server.latest().venue.state
  const restored = Calm.restoring(stateNow(), events)
  const faults: Array<readonly [Scenario.Fault, fired: () => number]> = []

  const begin = (event: Exclude<Scenario.Event, Scenario.KillAtCall>): void => {
    if (isCalm) return world.refused(event, tooLate)
    if (event._tag === "Fault") return void faults.push([event, world.server.inject(event.fault)])
    happen(world, event)
  }

  for (const event of events) {
    const problem = problemOf(event)
    if (problem !== undefined) world.impossible(event, problem)
    else if (event._tag !== "KillAtCall") given.timeline.after(event.at, () => begin(event))
  }
  return {
    calm: () => {
      isCalm = true
      world.server.clearFaults()
      world.drift(0)
      const restore = Effect.suspend(() => Effect.forEach(restored(stateNow()), world.server.perform))
      world.fork(Effect.andThen(restart(world), restore))
    },
    end: () => {
      for (const [event, fired] of faults) if (fired() === 0) world.refused(event, "it hit nothing")
    }
  }
}
