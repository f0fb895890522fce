/**
 * Creates the fast-check arbitraries that generate scenarios. They can also shrink values that they did not generate,
 * so the search can shrink a scenario that it has varied.
 *
 * @example
 * ```ts
 * import { Possibilities } from "effect-txc/explore"
 *
 * // Faults and kills while the price walks, and nothing else.
 * const possible = Possibilities.of("Walk", "Fault", "Kill", "KillAtCall")
 * ```
 */
import * as fc from "fast-check"
import type * as Faults from "../sandbox/gateway/Faults.ts"
import type * as Scenario from "./Scenario.ts"

/**
 * The kinds of events.
 *
 * @category models
 */
export type Kind = Scenario.Event["_tag"]

/**
 * The events and faults that may occur in a scenario. By default, all of them except `Key` events may occur.
 *
 * @category models
 */
export interface Possibilities {
  /**
   * The relative probability of each kind of event. A kind without a weight does not occur. By default, all kinds
   * except `Key` have a weight.
   */
  readonly weights?: { readonly [K in Kind]?: number }
  /** The maximum number of random events; 6 by default. */
  readonly most?: number
  /** Events that happen in every scenario, in addition to the random events. */
  readonly always?: ReadonlyArray<Scenario.Event>
  /** The bounds of the message delays, in milliseconds; 0 to 200 by default. */
  readonly latency?: Scenario.Latency
  /** Whether the order in which fibers run varies; `true` by default. */
  readonly orders?: boolean
  /** The largest price change in one event, in thousandths; 300 by default. */
  readonly permille?: number
  /** The symptoms that faults may have; by default, all symptoms. */
  readonly symptoms?: ReadonlyArray<(Faults.Symptom | Faults.StreamSymptom)["_tag"]>
}

/** The properties of a program that determine which events can affect it, and when. */
export interface Surroundings {
  /** The markets whose prices move. */
  readonly markets: ReadonlyArray<string>
  /** The length of the period in which events happen, in milliseconds. */
  readonly millis: number
  /** The paths of the program's calls. */
  readonly paths: ReadonlyArray<string>
  /** The channels that the program subscribes to. */
  readonly channels: ReadonlyArray<string>
  /** The number of calls that the program makes in a history without random events. */
  readonly calls: number
  /**
   * The time until shortly after the program's last response in a history without random events, in milliseconds;
   * `millis` if the program subscribes to channels.
   */
  readonly busyMillis: number
}

const between = (min: number, max: number) => fc.integer({ min, max: Math.max(min, max) })

/**
 * Creates an arbitrary that generates objects with the tag `_tag`. The caller must state the type `A`, because
 * TypeScript cannot infer it from the fields.
 */
const tagged = <A extends { readonly _tag: string }>(
  _tag: A["_tag"],
  fields: { readonly [Name in keyof Omit<A, "_tag">]: fc.Arbitrary<A[Name]> }
): fc.Arbitrary<A> =>
  fc.record<A>({ _tag: fc.constant(_tag), ...fields } as { readonly [Name in keyof A]: fc.Arbitrary<A[Name]> })

const applied = { applied: fc.boolean() }

/** All symptoms of calls, simplest first, because shrinking keeps the first symptom that still breaks the invariant. */
const symptoms: { readonly [Tag in Faults.Symptom["_tag"]]: fc.Arbitrary<Faults.Symptom> } = {
  Reset: tagged<Faults.Reset>("Reset", applied),
  BadGateway: tagged<Faults.BadGateway>("BadGateway", applied),
  Refuse: tagged<Faults.Refuse>("Refuse", {
    kind: fc.constantFrom("rateLimited", "nonceUsed", "nonceOutsideWindow", "unauthorized", "unavailable")
  }),
  Delay: tagged<Faults.Delay>("Delay", { millis: between(0, 40_000) }),
  Late: tagged<Faults.Late>("Late", { millis: between(0, 40_000) }),
  Malformed: tagged<Faults.Malformed>("Malformed", {}),
  Unreadable: tagged<Faults.Unreadable>("Unreadable", {}),
  Truncate: tagged<Faults.Truncate>("Truncate", { bytes: between(0, 400) }),
  Slow: tagged<Faults.Slow>("Slow", { bytesPerSecond: between(10, 2000) }),
  Answer: tagged<Faults.Answer>("Answer", {
    applied: fc.boolean(),
    status: fc.constantFrom(200, 429, 500, 503),
    headers: fc.constant({ "content-type": "text/plain" }),
    body: fc.constantFrom("", "{}", "try later")
  })
}

/** All symptoms of pushed messages, for faults that select a channel. */
const ofMessages = {
  Lose: tagged<Faults.Lose>("Lose", {}),
  Duplicate: tagged<Faults.Duplicate>("Duplicate", {}),
  HoldBack: tagged<Faults.HoldBack>("HoldBack", {}),
  Garble: tagged<Faults.Garble>("Garble", {}),
  Throttle: tagged<Faults.Throttle>("Throttle", { bytesPerSecond: between(100, 5000) }),
  Stale: tagged<Faults.Stale>("Stale", {}),
  Cut: tagged<Faults.Cut>("Cut", { close: fc.boolean() }),
  Stall: tagged<Faults.Stall>("Stall", {})
}

/** The symptoms of connections, tokens and pings, for faults that select no channel. */
const ofConnections = {
  RefuseConnection: tagged<Faults.RefuseConnection>("RefuseConnection", {
    kind: fc.constantFrom("unavailable", "rateLimited")
  }),
  RefuseToken: tagged<Faults.RefuseToken>("RefuseToken", { kind: fc.constantFrom("unavailable", "unauthorized") }),
  IgnorePing: tagged<Faults.IgnorePing>("IgnorePing", {})
}

/**
 * Creates an arbitrary of faults that may select a path or a channel. A fault without a selection lacks the field, but
 * fast-check shrinks only objects that have all fields, so the field is added again for shrinking.
 */
const selecting = (
  field: "path" | "channel",
  names: ReadonlyArray<string>,
  fields: {
    readonly skip: fc.Arbitrary<number>
    readonly times: fc.Arbitrary<number>
    readonly symptom: fc.Arbitrary<Faults.Fault["symptom"]>
  }
): fc.Arbitrary<Faults.Fault> =>
  fc.record({ selected: someOf(names), ...fields }).map(
    ({ selected, ...rest }) => (selected === undefined ? rest : { [field]: selected, ...rest }),
    (fault) => {
      const { [field]: selected, skip = 0, symptom, times = 1 } = fault as Faults.Fault
      return { selected, skip, times, symptom }
    }
  )

const counts = (skip: number) => ({ skip: between(0, skip), times: between(1, 3) })

const someOf = (names: ReadonlyArray<string>): fc.Arbitrary<string | undefined> =>
  names.length === 0 ? fc.constant(undefined) : fc.option(fc.constantFrom(...names), { nil: undefined })

const faults = ({ calls, channels, paths }: Surroundings, allowed: Possibilities["symptoms"]) => {
  const allows = (tag: string) => allowed === undefined || (allowed as ReadonlyArray<string>).includes(tag)
  const pick = <A>(from: Readonly<Record<string, fc.Arbitrary<A>>>) =>
    Object.entries(from).flatMap(([tag, arbitrary]) => allows(tag) ? [arbitrary] : [])
  const calling = pick<Faults.Symptom>(symptoms)
  const streaming = channels.length === 0 ? [] : pick<Faults.StreamSymptom>(ofMessages)
  const connecting = channels.length === 0 ? [] : pick<Faults.StreamSymptom>(ofConnections)
  const all = [
    ...calling.length === 0
      ? []
      : [selecting("path", paths, { ...counts(Math.min(20, calls)), symptom: fc.oneof(...calling) })],
    ...streaming.length === 0
      ? []
      : [selecting("channel", channels, { ...counts(10), symptom: fc.oneof(...streaming) })],
    ...connecting.length === 0 ? [] : [fc.record({ ...counts(3), symptom: fc.oneof(...connecting) })]
  ]
  return all.length === 0 ? undefined : fc.oneof(...all as ReadonlyArray<fc.Arbitrary<Faults.Fault>>)
}

const down = { downMillis: between(0, 10_000) }

const eventsOf = (possible: Possibilities, around: Surroundings) => {
  const { busyMillis, calls, markets, millis } = around
  const { permille = 300 } = possible
  // On average, at least half of the events happen while the program is probably making calls.
  const at = { at: fc.oneof(between(0, busyMillis), between(0, millis)) }
  const on = { ...at, market: fc.constantFrom(...markets) }
  const futures = markets.filter((market) => market.endsWith("_PERP"))
  const onFutures = futures.length === 0 ? undefined : { ...at, market: fc.constantFrom(...futures) }
  const fault = faults(around, possible.symptoms)
  const arbitraries: { readonly [K in Kind]: fc.Arbitrary<Scenario.Event> | undefined } = {
    Price: tagged<Scenario.Price>("Price", {
      ...on,
      permille: between(-permille, permille),
      overMillis: fc.oneof(fc.constant(0), between(0, 10_000))
    }),
    Walk: tagged<Scenario.Walk>("Walk", {
      ...on,
      steps: between(1, 20),
      everyMillis: between(100, 5000),
      permille: between(1, Math.min(20, permille)),
      seed: between(0, 1000)
    }),
    Book: tagged<Scenario.Book>("Book", { ...on, levels: between(0, 5), spreadPermille: between(1, 100) }),
    Trade: tagged<Scenario.Trade>("Trade", {
      ...on,
      side: fc.constantFrom("buy", "sell"),
      thousandths: between(1, 2000)
    }),
    Funding: onFutures && tagged<Scenario.Funding>("Funding", { ...onFutures, permille: between(-10, 10) }),
    Liquidation: onFutures && tagged<Scenario.Liquidation>("Liquidation", {
      ...onFutures,
      lastsMillis: between(0, 10_000)
    }),
    // On average, at least half of the faults are active from the start. A fault can skip calls, so it may still take
    // effect later.
    Fault: fault && tagged<Scenario.Fault>("Fault", { at: fc.oneof(fc.constant(0), at.at), fault }),
    Kill: tagged<Scenario.Kill>("Kill", { ...at, ...down }),
    KillAtCall: tagged<Scenario.KillAtCall>("KillAtCall", { call: between(1, Math.max(1, calls)), ...down }),
    Stop: tagged<Scenario.Stop>("Stop", { ...at, ...down }),
    Outage: tagged<Scenario.Outage>("Outage", { ...at, ...down }),
    Drift: tagged<Scenario.Drift>("Drift", { ...at, millis: between(-10_000, 10_000) }),
    Key: tagged<Scenario.Key>("Key", { ...at, enabled: fc.boolean() })
  }
  return Object.entries(arbitraries).flatMap(([kind, arbitrary]) => {
    const weight = possible.weights === undefined ? usual[kind as Kind] : possible.weights[kind as Kind] ?? 0
    return arbitrary === undefined || weight === 0 ? [] : [{ arbitrary, weight }]
  })
}

/** The default weights. By default, `Key` does not occur, because most programs end when their key is disabled. */
const usual: { readonly [K in Kind]: number } = {
  Price: 4,
  Walk: 2,
  Book: 1,
  Trade: 4,
  Funding: 1,
  Liquidation: 1,
  Fault: 8,
  Kill: 2,
  KillAtCall: 3,
  Stop: 1,
  Outage: 1,
  Drift: 1,
  Key: 0
}

/** Creates an arbitrary that generates the possible scenarios. */
export const scenarios = (possible: Possibilities, around: Surroundings): fc.Arbitrary<Scenario.Scenario> => {
  const { always = [], latency = { from: 0, to: 200 }, most = 6, orders = true } = possible
  const events = event(possible, around)
  return fc.record({
    order: orders
      ? fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: between(0, 2 ** 30) })
      : fc.constant(0),
    latency: fc.record({ from: between(latency.from, latency.to), to: between(latency.from, latency.to) }),
    events: events === undefined
      ? fc.constant([])
      : fc.array(events, { maxLength: most, size: "max" })
  }).map(
    (drawn): Scenario.Scenario => ({ ...drawn, events: [...always, ...drawn.events] }),
    (scenario) => ({
      ...(scenario as Scenario.Scenario),
      events: (scenario as Scenario.Scenario).events.slice(always.length)
    })
  )
}

/** Creates an arbitrary that generates a single event. Returns `undefined` if no kind of event is possible. */
export const event = (possible: Possibilities, around: Surroundings): fc.Arbitrary<Scenario.Event> | undefined => {
  const events = eventsOf(possible, around)
  return events.length === 0 ? undefined : fc.oneof(...events)
}

/**
 * Allows only these kinds of events, with equal probability. The order in which fibers run and the message delays still
 * vary.
 *
 * @category constructors
 */
export const of = (...kinds: ReadonlyArray<Kind>): Possibilities => ({
  weights: Object.fromEntries(kinds.map((kind) => [kind, 1]))
})

/** No events happen, and messages have no delay. Only the order in which fibers run varies. */
export const orders: Possibilities = { weights: {}, latency: { from: 0, to: 0 } }

/** Responses are lost, broken, late or slow, and some calls are lost or delayed on the way to the exchange. */
export const lostAnswers: Possibilities = {
  ...of("Fault"),
  symptoms: ["Reset", "BadGateway", "Delay", "Late", "Truncate", "Malformed", "Slow"]
}

/** The program is killed and started again, often in the middle of a call. */
export const crashes: Possibilities = of("Kill", "KillAtCall")

/** The price rises or falls by up to 60 % within seconds, and another account trades. */
export const flashCrash: Possibilities = { ...of("Price", "Trade"), permille: 600 }

/**
 * Positions pay or receive funding every minute, and may be liquidated. The program's `markets` must include a futures
 * market.
 */
export const futures: Possibilities = of("Price", "Trade", "Funding", "Liquidation")

/** Books are thin, spreads are wide, and another account's orders trade through several price levels. */
export const thinBook: Possibilities = of("Book", "Trade", "Walk")

/** The exchange is stopped and restarted, and some calls fail with errors before and after the outage. */
export const maintenance: Possibilities = {
  ...of("Outage", "Fault"),
  symptoms: ["BadGateway", "Refuse", "Answer", "Reset"]
}

/**
 * Streams are cut, stall, lose or duplicate messages, or deliver them late or stale. Sometimes a stream can't be
 * reopened for a while.
 */
export const badStreams: Possibilities = {
  ...of("Fault", "Trade", "Price"),
  symptoms: [
    "Lose",
    "Duplicate",
    "HoldBack",
    "Garble",
    "Throttle",
    "Stale",
    "Cut",
    "Stall",
    "RefuseConnection",
    "IgnorePing"
  ]
}
