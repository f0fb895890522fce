/** Rules about the messages of the WebSocket: requests, responses, refusals and pushed messages. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import * as Sockets from "../world/Sockets.ts"
import * as Streams from "../world/Streams.ts"

const { always, forAll, forEach } = Streams.documented("Overview")

/** A method, and a function that returns its parameters for a market. */
type Asked = readonly [method: string, params: (market: string) => ReadonlyArray<unknown>]

/** The tolerance for the time, in seconds. */
const slack = 60

/** A request for each form of response. */
const forms: ReadonlyArray<readonly [form: "result" | "error", ...Asked]> = [
  ["result", "ping", () => []],
  ["result", "time", () => []],
  ["result", "lastprice_request", (market) => [market]],
  ["result", "lastprice_unsubscribe", () => []],
  ["error", "no_such_method", () => []],
  ["error", "candles_subscribe", (market) => [market, 7]]
]

/**
 * Parameters that the documentation excludes: a limit, price step or interval that it does not list, or none where it
 * requires one.
 */
const wrong: ReadonlyArray<Asked> = [
  ["depth_subscribe", (market) => [market, 25, "0", true]],
  ["depth_subscribe", (market) => [market, 10, "0.3", true]],
  ["depth_subscribe", (market) => [market, 0, "0", true]],
  ["depth_subscribe", (market) => [market, 101, "0", true]],
  ["depth_request", (market) => [market, 101, "0"]],
  ["depth_request", (market) => [market, 10, "0.3"]],
  ["candles_subscribe", (market) => [market, 7]],
  ["candles_subscribe", (market) => [market, 420]],
  ["candles_subscribe", (market) => [market, 18_000]],
  ["candles_subscribe", (market) => [market, 432_000]],
  ["candles_request", (market) => [market, 1_700_000_000, 1_700_003_600, 7]],
  ["candles_request", (market) => [market, 1_700_000_000, 1_700_003_600, 90]],
  ["trades_request", (market) => [market, 0, 0]],
  ["trades_request", (market) => [market, 101, 0]],
  ["candles_request", (market) => [market]],
  ["depth_request", (market) => [market]],
  ["lastprice_request", () => []],
  ["marketToday_query", () => []]
]

/** Requests that name a market. */
const ofMarket: ReadonlyArray<Asked> = [
  ["depth_subscribe", (market) => [market, 10, "0", true]],
  ["depth_request", (market) => [market, 10, "0"]],
  ["trades_subscribe", (market) => [market]],
  ["trades_request", (market) => [market, 10, 0]],
  ["lastprice_subscribe", (market) => [market]],
  ["lastprice_request", (market) => [market]],
  ["candles_subscribe", (market) => [market, 60]],
  ["market_request", (market) => [market, 86_400]],
  ["market_subscribe", (market) => [market]],
  ["marketToday_query", (market) => [market]],
  ["marketToday_subscribe", (market) => [market]],
  ["bookTicker_subscribe", (market) => [market]],
  ["candles_request", (market) => [market, 1_700_000_000, 1_700_003_600, 60]]
]

/** Every candle interval, in seconds, that the documentation lists, or allows by a general rule. */
const intervals = [
  [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30],
  [60, 120, 180, 240, 300, 360, 600, 720, 900, 1200, 1800],
  [3600, 7200, 10_800, 14_400, 21_600, 28_800, 43_200],
  [86_400, 172_800, 259_200, 604_800, 2_592_000]
].flat()

/** Every price step of a book that the documentation lists. */
const steps = ["0", "0.00000001", "0.0000001", "0.000001", "0.00001", "0.0001", "0.001", "0.01", "0.1"]

/** Requests with parameters that the documentation allows. */
const right: ReadonlyArray<Asked> = [
  ...intervals.map((interval): Asked => [
    "candles_request",
    (market) => [market, 1_700_000_000, 1_700_000_000 + interval, interval]
  ]),
  ...steps.map((step): Asked => ["depth_request", (market) => [market, 100, step]])
]

export const rules: ReadonlyArray<Rule.Rule> = [
  forAll("streams.messages.ids", {
    statement: "Responds exactly once to each of several requests that are sent together, with the request's id",
    profile: "read-only",
    // Includes ids above 2^31, because ids are unsigned.
    values: fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 32 - 2 }), { minLength: 2, maxLength: 6 }),
    examples: [[0, 1, 2_147_483_646], [7, 3, 5], [2_147_483_648, 2_147_483_649]],
    runs: 3,
    check: Effect.fnUntraced(function*(world, ids) {
      const connection = yield* world.connect
      const answersTo = (id: number) => connection.messages.filter((message) => message["id"] === id)
      // The response to this last request shows that the other responses, and any duplicates, have arrived.
      const last = 4_294_967_295
      for (const id of [...ids, last]) yield* connection.send(Json.stringify({ id, method: "ping", params: [] }))
      yield* connection.wait(() => [...ids, last].every((id) => answersTo(id).length > 0) ? true : undefined)
      for (const id of ids) {
        const answers = answersTo(id)
        yield* Verdict.conclude(
          `one response with id ${id} and result pong`,
          connection.messages,
          answers.length === 1 && answers[0]?.["result"] === "pong"
        )
      }
    })
  }),
  forEach("streams.messages.form", {
    statement: "Responds with a result and error null, or with an error that has a code and a message, and result null",
    profile: "read-only",
    values: forms,
    check: Effect.fnUntraced(function*(world, [form, method, params]) {
      const { name } = yield* world.market
      const reply = yield* (yield* world.connection).request(method, params(name))
      const { error, result } = reply.answer
      yield* form === "result"
        ? Streams.expect(reply, "a result, and error null", result !== undefined && error === null)
        : Streams.expect(
          reply,
          "an error with an integer code and a message, and result null",
          Json.isObject(error) && Number.isSafeInteger(error["code"]) && typeof error["message"] === "string" &&
            error["message"] !== "" && result === null
        )
    })
  }),
  always("streams.messages.pushed", {
    statement: "Pushes messages with the method of their channel, id null and a list of parameters",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { name } = yield* world.market
      const connection = yield* world.connect
      const { from } = yield* Streams.subscribe(connection, "depth", name, 5, "0", true)
      const pushed = yield* connection.wait(() => connection.messages.slice(from).find(({ result }) => !result))
      yield* Verdict.conclude(
        "a pushed message: method depth_update, id null and params as a list",
        pushed ?? "none",
        pushed?.["method"] === "depth_update" && pushed["id"] === null && Array.isArray(pushed["params"])
      )
    })
  }),
  always("streams.ping", {
    statement: "Responds to a ping with pong",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { reply, result } = yield* Streams.ask(yield* world.connection, "ping")
      yield* Streams.expect(reply, "result pong", result === "pong")
    })
  }),
  always("streams.time", {
    statement: "Responds to the request for the time with the current time, in whole Unix seconds",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { reply, result } = yield* Streams.ask(yield* world.connection, "time")
      const now = (yield* world.serverTime) / 1000
      yield* Streams.expect(
        reply,
        `an integer near ${Math.floor(now)}`,
        typeof result === "number" && Number.isSafeInteger(result) && Math.abs(result - now) < slack
      )
    })
  }),
  forEach("streams.unknown-method", {
    statement: "Refuses an unknown method with code 4",
    profile: "read-only",
    values: ["no_such_method", "depth", "DEPTH_SUBSCRIBE"],
    check: Effect.fnUntraced(function*(world, method) {
      yield* Streams.refuses(yield* world.connection, [4], method)
    })
  }),
  forEach("streams.parameters", {
    statement: "Refuses a limit, a price step or an interval that is not allowed, and missing parameters: code 1",
    profile: "read-only",
    values: wrong,
    check: Effect.fnUntraced(function*(world, [method, params]) {
      const { name } = yield* world.market
      const given = params(name)
      // A missing market can also count as an unknown one.
      yield* Streams.refuses(yield* world.connection, given.length === 0 ? [1, 9] : [1], method, ...given)
    })
  }),
  always("streams.parameters.allowed", {
    statement: "Responds to requests with each interval of candles and each price step of a book that is allowed",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { name } = yield* world.market
      const connection = yield* world.connection
      for (const [method, params] of right) yield* Streams.ask(connection, method, ...params(name))
    })
  }),
  // The documentation lists code 1; clients have recorded code 9.
  forEach("streams.unknown-market", {
    statement: "Refuses an unknown market with code 1 or 9",
    profile: "read-only",
    values: ofMarket,
    check: Effect.fnUntraced(function*(world, [method, params]) {
      yield* Streams.refuses(yield* world.connection, [1, 9], method, ...params(LivePublicCalls.noMarket))
    })
  }),
  Streams.recorded.always("streams.not-json", {
    statement: "Closes a connection without a response if the client sends text that is not JSON",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const connection = yield* world.connect
      yield* Streams.ask(connection, "ping")
      const { length } = connection.messages
      yield* connection.send("this is not JSON")
      const ended = yield* connection.wait(() => connection.ended())
      yield* Verdict.conclude(
        `the end of the connection within ${Sockets.patience} ms, without a response`,
        ended === undefined ? "an open connection" : connection.messages,
        ended !== undefined && connection.messages.length === length
      )
    })
  })
]
