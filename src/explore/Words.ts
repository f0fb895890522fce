/** Describes a history in a few lines. */
import * as Units from "../sandbox/engine/Units.ts"
import * as Example from "../sandbox/Example.ts"
import type { Fault, StreamSymptom, Symptom } from "../sandbox/gateway/Faults.ts"
import type { RequestRecord } from "../sandbox/gateway/RequestRecord.ts"
import * as Events from "./Events.ts"
import type * as Scenario from "./Scenario.ts"
import type { History, Mark } from "./World.ts"

/** The maximum number of lines in a story. */
export const mostLines = 8

interface Line {
  /** The time, in Unix milliseconds. */
  readonly at: number
  readonly text: string
  /** The line's importance. If there are too many lines, those with the lowest ranks are left out. */
  readonly rank: number
}

const percent = (permille: number): string => `${Math.abs(permille) / 10} %`

const seconds = (millis: number): string => millis < 1000 ? `${millis} ms` : `${millis / 1000} s`

/** A time of day in UTC, to the millisecond. */
const clock = (at: number): string => {
  const millis = Math.floor(at) % 86_400_000
  const part = (size: number, of: number, digits: number) =>
    String(Math.floor(millis / size) % of).padStart(digits, "0")
  return `${part(3_600_000, 24, 2)}:${part(60_000, 60, 2)}:${part(1000, 60, 2)}.${part(1, 1000, 3)}`
}

const priceMoves = ({ market, overMillis, permille }: Scenario.Price): string => {
  const within = overMillis === 0 ? "immediately" : `within ${seconds(overMillis)}`
  if (permille === 0) return `the ${market} price is set to the same value`
  return `the ${market} price ${permille < 0 ? "falls" : "rises"} by ${percent(permille)} ${within}`
}

const quotes = ({ levels, market, spreadPermille }: Scenario.Book): string =>
  levels === 0
    ? `the quotes on ${market} disappear`
    : `${market} is quoted on ${levels} level${levels === 1 ? "" : "s"}, with a spread of ${percent(spreadPermille)}`

/** The words for each stream symptom: the thing that it affects, such as a message, and the effect. */
const streamSymptoms: { readonly [Tag in StreamSymptom["_tag"]]: readonly [what: string, how: string] } = {
  Cut: ["message", "the connection closes instead"],
  Stall: ["message", "no further messages arrive"],
  Lose: ["message", "lost"],
  Duplicate: ["message", "arrives twice"],
  HoldBack: ["message", "arrives after the next message"],
  Garble: ["message", "cut off in the middle"],
  Throttle: ["message", "arrives slowly"],
  Stale: ["snapshot", "shows an old state"],
  IgnorePing: ["ping", "gets no response"],
  RefuseToken: ["token", "refused"],
  RefuseConnection: ["connection", "refused"]
}

const isOfStream = (symptom: Symptom | StreamSymptom): symptom is StreamSymptom =>
  Object.hasOwn(streamSymptoms, symptom._tag)

const streamFault = ({ channel, skip = 0, times = 1 }: Fault, symptom: StreamSymptom): string => {
  const [what, how] = streamSymptoms[symptom._tag]
  const which = times === 1 ? `${what} ${skip + 1}` : `${what}s ${skip + 1} to ${skip + times}`
  const why = "kind" in symptom ? ` (${symptom.kind})` : ""
  return `${which} of ${channel === undefined ? "the streams" : `the stream ${channel}`}: ${how}${why}`
}

/** Describes an event in plain English. Returns `undefined` if the story shows the event's effects in other lines. */
const eventText = (event: Scenario.Event): string | undefined => {
  switch (event._tag) {
    case "Price":
      return priceMoves(event)
    case "Walk":
      return `the ${event.market} price moves at random in ${event.steps} steps of up to ${percent(event.permille)}`
    case "Book":
      return quotes(event)
    case "Trade":
      return `another account ${event.side === "buy" ? "buys" : "sells"} ${event.thousandths / 1000} on ${event.market}`
    case "Fault":
      return isOfStream(event.fault.symptom) ? streamFault(event.fault, event.fault.symptom) : undefined
    case "Funding":
      return `the ${event.market} funding rate is ${event.permille < 0 ? "-" : ""}${percent(event.permille)} per minute`
    case "Liquidation":
      return `the ${event.market} mark price moves past the program's liquidation price`
    case "Outage":
      return `the exchange is down for ${seconds(event.downMillis)}`
    case "Drift":
      return `the program's clock is ${seconds(Math.abs(event.millis))} ${event.millis < 0 ? "behind" : "ahead"}`
    case "Key":
      return `the API key is ${event.enabled ? "enabled" : "disabled"}`
    case "Kill":
    case "KillAtCall":
    case "Stop":
      return undefined
  }
}

/** Describes what the exchange did with a call, apart from its response. */
const effect = ({ command, refused }: RequestRecord): string =>
  refused === undefined ? command === undefined ? "is not applied" : "is applied" : `is refused (${refused})`

const andGets = (call: RequestRecord, what: string): string => `${effect(call)}, and gets ${what}`

/** Describes a call that the exchange has handled, and whose response was damaged. */
const but = (what: string) => (call: RequestRecord): string =>
  `${call.refused === undefined ? "is applied" : effect(call)}, but its response ${what}`

const symptoms: { readonly [Tag in Symptom["_tag"]]: (call: RequestRecord) => string } = {
  Answer: (call) => andGets(call, `HTTP ${call.status ?? 0}`),
  BadGateway: (call) => andGets(call, "HTTP 502"),
  Refuse: () => "is refused by a fault",
  Reset: (call) =>
    call.command === undefined && call.refused === undefined ? "is lost before it arrives" : but("is lost")(call),
  Delay: but("is late"),
  Late: (call) => call.refused === undefined ? "arrives late" : `arrives late, and ${effect(call)}`,
  Truncate: but("is cut off"),
  Unreadable: but("contains only order ids"),
  Malformed: but("is incomplete JSON"),
  Slow: but("arrives slowly")
}

/** The fields of a call that a story shows. Each field has the text that precedes its value. */
const shownFields = { side: "", amount: "", market: "", price: "at ", activationPrice: "trigger ", orderId: "order " }

const callText = (call: RequestRecord): string => {
  const { endpoint, fault, fields = {}, path, refused, verdict } = call
  const terms = Object.entries(shownFields).flatMap(([name, before]) => {
    const value = fields[name]
    return typeof value === "string" ? [before + value] : []
  })
  const name = [endpoint ?? path, ...terms].join(" ")
  if (fault !== undefined && fault.symptom in symptoms) {
    return `${name} ${symptoms[fault.symptom as Symptom["_tag"]](call)}`
  }
  if (refused !== undefined) return `${name} is refused: ${refused}`
  return verdict === "failed" ? `${name} gets no response` : name
}

const callRank = ({ command, endpoint = "", fault, verdict }: RequestRecord): number => {
  if (fault !== undefined) return 4
  if (verdict !== "answered") return 3
  return command !== undefined && /\.(?:create|cancel|modify|place)/u.test(endpoint) ? 2 : 0
}

const markText: { readonly [What in Mark["what"]]: string } = {
  started: "the program starts again",
  killed: "the program is killed",
  stopped: "the program is stopped",
  ended: "the program ends",
  failed: "the program fails"
}

const markRank: { readonly [What in Mark["what"]]: number } = { started: 3, killed: 5, stopped: 3, ended: 1, failed: 4 }

/** Describes margin calls, liquidations and funding payments of the program's account. */
const marginLines = ({ events }: History, begin: number): ReadonlyArray<Line> =>
  events.flatMap(({ at, event }): ReadonlyArray<Line> => {
    if (at < begin || !("account" in event) || event.account !== Example.alice.account) return []
    switch (event._tag) {
      case "MarginCalled":
        return [{ at, rank: 2, text: "the program gets a margin call" }]
      case "LiquidationStarted":
        return [{ at, rank: 4, text: "the exchange liquidates the program's account" }]
      case "FundingPaid": {
        const amount = Units.toDecimal(event.amount < 0n ? -event.amount : event.amount)
        return [{ at, rank: 2, text: `the program ${event.amount < 0n ? "pays" : "gets"} ${amount} as funding` }]
      }
      default:
        return []
    }
  })

/** Describes when the program's orders are completely filled. */
const orderLines = ({ events, moment }: History, begin: number): ReadonlyArray<Line> => {
  const own = new Map([...moment.endedOrders, ...moment.openOrders].map((order) => [order.id, order]))
  return events.flatMap(({ at, event }): ReadonlyArray<Line> => {
    if (at < begin || event._tag !== "OrderEnded") return []
    const order = own.get(event.order)
    return order === undefined || event.status !== "FILLED"
      ? []
      : [{ at, rank: 1, text: `order ${order.id} (${order.side} ${order.amount} ${order.market}) is filled` }]
  })
}

/** Returns the reason why an event had no effect, or `undefined` if it had an effect. */
const whyInVain = (refusals: History["refusals"], event: Scenario.Event, at: number): string | undefined => {
  const refused = refusals.filter((refusal) => refusal.event === event)
  switch (event._tag) {
    case "Price":
    case "Walk": {
      const isInVain = refused.length >= Events.stepsOf(event) || refused.some(({ why }) => why === Events.tooLate)
      return isInVain ? refused[0]?.why : undefined
    }
    case "Fault":
      return refused[0]?.why
    default:
      return refused.find((refusal) => refusal.at === at)?.why
  }
}

/** The names of events that a story shows only if they had no effect. */
const kills: { readonly [Tag in Scenario.Event["_tag"]]?: string } = { Kill: "a kill", Stop: "a stop" }

/** How long an event takes, in milliseconds, unless the calm period ends it. */
const lengthOf = (event: Scenario.Event): number => {
  switch (event._tag) {
    case "Price":
      return event.overMillis
    case "Walk":
      return event.everyMillis * (event.steps - 1)
    case "Outage":
      return event.downMillis
    default:
      return 0
  }
}

/** Describes the scenario's events. If an event had no effect, its line states the reason. */
const eventLines = ({ calmAt, refusals, scenario }: History, begin: number): ReadonlyArray<Line> =>
  scenario.events.flatMap((event): ReadonlyArray<Line> => {
    if (!("at" in event)) return []
    const at = begin + event.at
    const why = whyInVain(refusals, event, at)
    const text = eventText(event) ?? (why === undefined ? undefined : kills[event._tag])
    if (text === undefined) return []
    if (why !== undefined) return [{ at, text: `${text} (no effect: ${why})`, rank: 1 }]
    const isCut = at < calmAt && at + lengthOf(event) > calmAt
    return [{ at, text: isCut ? `${text}, but only until the calm period` : text, rank: 5 }]
  })

const linesOf = (history: History, begin: number): ReadonlyArray<Line> => {
  const { marks, moment } = history
  return [
    ...eventLines(history, begin),
    ...marks.slice(1).map(({ at, what, why }): Line => ({
      at,
      text: why === undefined ? markText[what] : `${markText[what]}: ${why}`,
      rank: markRank[what]
    })),
    ...moment.calls.map((call): Line => ({ at: call.at / 1000, text: callText(call), rank: callRank(call) })),
    ...marginLines(history, begin),
    ...orderLines(history, begin)
  ].filter(({ rank }) => rank > 0).toSorted((one, other) => one.at - other.at)
}

/** Replaces consecutive lines that have the same text with one line that states their number. */
const joined = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const result: Array<Line & { count: number }> = []
  for (const line of lines) {
    const last = result.at(-1)
    if (last?.text === line.text) last.count++
    else result.push({ ...line, count: 1 })
  }
  return result.map(({ at, count, rank, text }) => ({
    at,
    rank,
    text: count === 1 ? text : `${text} (${count} times)`
  }))
}

/** Selects the lines with the highest ranks, and the latest among equal ranks. Returns them sorted by time. */
const chosen = (lines: ReadonlyArray<Line>, most: number): ReadonlyArray<Line> => {
  const kept = new Set(
    lines.toSorted((one, other) => other.rank - one.rank || other.at - one.at).slice(0, most)
  )
  return lines.filter((line) => kept.has(line))
}

/**
 * Describes a history in at most eight lines. If the history breaks an invariant, the last line names the invariant.
 */
export const tell = (history: History, begin: number): ReadonlyArray<string> => {
  const { broken, scenario } = history
  const end = broken === undefined
    ? []
    : [`${clock(broken.at)}  broken: ${broken.invariant} (${broken.why})`]
  const order = scenario.order === 0 ? [] : [`The fibers run in the order of seed ${scenario.order}.`]
  const lines = joined(linesOf(history, begin).filter(({ at }) => broken === undefined || at <= broken.at))
  const told = chosen(lines, mostLines - end.length - order.length).map(({ at, text }) => `${clock(at)}  ${text}`)
  return [...order, ...told, ...end]
}
