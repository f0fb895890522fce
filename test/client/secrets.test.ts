import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Formatter from "effect/Formatter"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Inspectable from "effect/Inspectable"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import * as fc from "fast-check"
import { inspect } from "node:util"
import { Dispatcher } from "undici"
import * as Credentials from "../../src/client/Credentials.ts"
import * as Intents from "../../src/client/Intents.ts"
import * as MarketRules from "../../src/client/MarketRules.ts"
import * as Nonce from "../../src/client/Nonce.ts"
import * as RateLimits from "../../src/client/RateLimits.ts"
import * as Region from "../../src/client/Region.ts"
import * as Signer from "../../src/client/Signer.ts"
import * as FetchTransport from "../../src/client/transport/FetchTransport.ts"
import * as HttpClientTransport from "../../src/client/transport/HttpClientTransport.ts"
import * as Transport from "../../src/client/transport/Transport.ts"
import * as UndiciTransport from "../../src/client/transport/UndiciTransport.ts"
import { Passphrase } from "../../src/domain/Code.ts"
import { Codes } from "../../src/endpoints/Codes.ts"
import { CollateralOcoOrders } from "../../src/endpoints/CollateralOcoOrders.ts"
import { InterestPaymentHistory } from "../../src/endpoints/InterestPaymentHistory.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { turn } from "../support/clock.ts"
import { code, credentialsOf, oco, once, stopLimit } from "../support/exchange.ts"
import { failure, json, refusal, toSent } from "../support/http.ts"
import { property } from "../support/property.ts"
import { readAnyHow, recoverable, respelled, type Spelling, spellings as respellings } from "../support/spellings.ts"

// -----------------------------------------------------------------------------
// Secrets
// -----------------------------------------------------------------------------

const printable = fc.integer({ min: 0x21, max: 0x7e }).map((n) => String.fromCharCode(n))

/** Characters that JSON does not escape. */
const plain = printable.filter((character) => character !== "\"" && character !== "\\")

/**
 * Characters that no error message puts right after text from the exchange. Up to seven characters of a secret may be
 * shown. If the message continued with the secret's next character, the test would count that character as the eighth.
 */
const unpunctuated = printable.filter((character) => !"\"'\\:;,=()[]{}<>".includes(character))

/** A random secret. Its prefix ensures that the secret does not occur in other strings by chance. */
const secret = (beginning: string, unit: fc.Arbitrary<string>) =>
  fc.string({ unit, minLength: 6, maxLength: 40 }).map((rest) => beginning + rest)

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1)

/** The ways to write a string: unescaped, escaped as JSON, and escaped twice. */
const spellings = (text: string): ReadonlyArray<string> => [text, quoted(text), quoted(quoted(text))]

/** The ways in which a value can be shown. */
const renderings: Readonly<Record<string, (value: unknown) => string>> = {
  String: (value) => String(value),
  JSON: (value) =>
    JSON.stringify(value, (_key, inner: unknown) => typeof inner === "bigint" ? inner.toString() : inner) ?? "",
  inspect: (value) =>
    inspect(value, { depth: Infinity, showHidden: true, maxStringLength: null, maxArrayLength: null }),
  format: (value) => Formatter.format(value),
  formatJson: (value) => Formatter.formatJson(value),
  toStringUnknown: (value) => Inspectable.toStringUnknown(value),
  stack: (value) => value instanceof Error ? String(value.stack) : "",
  pretty: (value) => Cause.pretty(Cause.fail(value))
}

const assertHidden = (shown: ReadonlyArray<readonly [where: string, text: string]>, secrets: ReadonlyArray<string>) => {
  for (const [where, text] of shown) {
    for (const [index, secret] of secrets.entries()) {
      const which = ["key", "secret", "payload", "signature"][index % 4] ?? ""
      for (const spelling of spellings(secret)) {
        if (text.includes(spelling)) assert.fail(`${where} shows the ${which} as ${spelling}: ${text}`)
      }
    }
  }
}

/** Asserts that no eight consecutive characters of a secret, in the exchange's encoding, occur in the shown strings. */
const assertNothingOf = (
  shown: ReadonlyArray<readonly [where: string, text: string]>,
  secrets: ReadonlyArray<string>,
  spelling: Spelling
) => {
  const parts = new Set(secrets.flatMap((secret) => recoverable(secret, spelling)))
  for (const [where, text] of shown) {
    const read = readAnyHow(text)
    for (let at = 0; at + 8 <= read.length; at++) {
      const part = read.slice(at, at + 8)
      if (parts.has(part)) assert.fail(`${where} shows ${part}: ${text}`)
    }
  }
}

// -----------------------------------------------------------------------------
// Exchanges that reveal everything they receive
// -----------------------------------------------------------------------------

/** The outcome of a request: a response, a broken connection with its cause, or no response. */
type Comes = Response | { readonly cause: unknown } | "nothing"

/** Creates a result that reveals all of the given strings. */
type Gossip = (texts: ReadonlyArray<string>) => Comes

const said = (texts: ReadonlyArray<string>) => `You sent ${texts.join(" and ")}, didn't you?`

const named = (texts: ReadonlyArray<string>) => Object.fromEntries(texts.map((text) => [text, [text, said(texts)]]))

const silence: Gossip = () => "nothing"

const gossips: Readonly<Record<string, Gossip>> = {
  "a validation error": (texts) => refusal(400, 30, "Validation failed", { ...named(texts), market: texts }),
  "invalid fields": (texts) => refusal(400, 0, "Validation failed", { ...named(texts), code: said(texts) }),
  "a reduce-only error": (texts) => refusal(422, 116, said(texts), { reduceOnly: { deep: texts } }),
  "another error": (texts) => refusal(400, 10, said(texts), named(texts)),
  "an unknown key": (texts) => refusal(401, 10, said(texts)),
  "a forbidden call": (texts) => refusal(403, 0, said(texts), texts),
  "too many calls": (texts) => refusal(429, 0, said(texts)),
  "a reused nonce": (texts) => json(429, { code: 0, message: "Too many requests.", errors: {}, debug: texts }),
  "a server error": (texts) => new Response(`<h1>${said(texts)}</h1>`, { status: 502 }),
  "a server error as JSON": (texts) => json(500, texts),
  "a redirect": (texts) => new Response(said(texts), { status: 307, headers: { location: "/", "x-echo": "1" } }),
  "a response that is not JSON": (texts) => new Response(said(texts)),
  "a response that does not decode": (texts) => json(200, { limit: said(texts), data: texts }),
  "an order that does not decode": (texts) => json(200, { order_id: 17, id: 18, side: texts, [said(texts)]: texts }),
  "slashes as PHP writes them": (texts) =>
    new Response(JSON.stringify({ code: 10, message: said(texts) }).replaceAll("/", "\\/"), { status: 400 }),
  "a broken connection": (texts) => ({ cause: Object.assign(new Error(said(texts)), { code: "ECONNRESET" }) }),
  "no connection": (texts) => ({
    cause: Object.assign(new Error(said(texts)), { code: "ECONNREFUSED", headers: texts })
  }),
  "a failure without a code": (texts) => ({ cause: said(texts) }),
  "no response": silence
}

const passphrase = Passphrase.make("Xq7_tell-no0ne!")

const calls = {
  placeStop: StopLimitOrders.use((orders) => orders.create({ ...stopLimit, clientOrderId: "mine" as never })),
  placeOco: CollateralOcoOrders.use((orders) => orders.create(oco)),
  applyCode: Codes.use((codes) => codes.apply({ code, passphrase })),
  interest: InterestPaymentHistory.use((history) => history.page())
}

/** Receives each sent request's headers, and returns the request's result. */
type Tell = (headers: Readonly<Record<string, string>>) => Comes

/** An `HttpClient` that logs every request and its headers. */
const overClient = (tell: Tell) =>
  HttpClient.make((request, url) =>
    Effect.flatMap(toSent(request, url), ({ headers }) => {
      const comes = tell(headers)
      if (comes === "nothing") return Effect.never
      return comes instanceof Response
        ? Effect.succeed(HttpClientResponse.fromWeb(request, comes))
        : Effect.fail(failure(request, comes.cause))
    })
  ).pipe(
    HttpClient.tapRequest((request) => Effect.log("sending", request)),
    HttpClient.tapRequest((request) => Effect.log(request.headers))
  )

const overFetch = (tell: Tell): FetchTransport.Fetch => (_url, init) => {
  const comes = tell(init.headers as Readonly<Record<string, string>>)
  if (comes === "nothing") return Promise.race([])
  return comes instanceof Response ? Promise.resolve(comes) : Promise.reject(new TypeError("fetch failed", comes))
}

/** A dispatcher that calls its handler only after `dispatch` has returned, as undici does. */
class Telling extends Dispatcher {
  private readonly tell: Tell
  constructor(tell: Tell) {
    super()
    this.tell = tell
  }
  override dispatch(
    { headers }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler
  ): boolean {
    const comes = this.tell(headers as Readonly<Record<string, string>>)
    const controller = { abort: () => {} } as unknown as Dispatcher.DispatchController
    if (comes instanceof Response) {
      void comes.arrayBuffer().then((body) => {
        handler.onRequestStart?.(controller, {})
        handler.onResponseStart?.(controller, comes.status, Object.fromEntries(comes.headers))
        handler.onResponseData?.(controller, Buffer.from(body))
        handler.onResponseEnd?.(controller, {})
      })
    } else if (comes !== "nothing") {
      queueMicrotask(() => handler.onResponseError?.(controller, comes.cause as Error))
    }
    return true
  }
}

const transports = {
  "an HttpClient": (tell: Tell) => HttpClientTransport.make(overClient(tell)),
  "a fetch": (tell: Tell) => FetchTransport.fromFetch(overFetch(tell)),
  "a dispatcher": (tell: Tell) => UndiciTransport.fromDispatcher(new Telling(tell))
}

/** Makes a call, and returns everything that it outputs. */
const everythingShown = Effect.fnUntraced(function*(
  apiKey: string,
  apiSecret: string,
  gossip: Gossip,
  call: keyof typeof calls,
  transport: keyof typeof transports,
  spell: (text: string) => string = (text) => text
) {
  const shown: Array<readonly [string, string]> = []
  const secrets: Array<string> = []
  const show = (what: string, value: unknown) => {
    for (const [how, render] of Object.entries(renderings)) shown.push([`${what}, by ${how}`, render(value)])
  }

  const sends = transports[transport]((headers) => {
    const sent = [apiKey, apiSecret, headers["x-txc-payload"] ?? "", headers["x-txc-signature"] ?? ""]
    secrets.push(...sent)
    const known = call === "applyCode" ? [...sent, code, passphrase] : sent
    return gossip(known.map(spell))
  })

  const formats = [Logger.formatSimple, Logger.formatLogFmt, Logger.formatJson, Logger.formatStructured]
  const loggers = formats.map((format) =>
    Logger.make<unknown, void>((options) => {
      const line: unknown = format.log(options)
      shown.push(["the log", typeof line === "string" ? line : JSON.stringify(line)])
      shown.push(["the log, inspected", inspect(options.message, { depth: Infinity, showHidden: true })])
    })
  )

  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })

  const registry: (typeof Metric.MetricRegistry)["Service"] = new Map()
  const intents = Intents.layer({
    record: (intent) => Effect.sync(() => show("the intent", intent)),
    settled: (intent, outcome) => Effect.sync(() => show(`the intent, ${outcome}`, intent))
  })

  const client = Exchange.layerServices.pipe(
    Layer.provide(Layer.succeed(Transport.Transport, sends)),
    Layer.provide(intents),
    Layer.provide([Signer.layerNode, Nonce.layerWindow, RateLimits.layerNone, MarketRules.layerNone]),
    Layer.provide([
      Credentials.layer(credentialsOf({ account: "", apiKey, apiSecret })),
      Region.layer({ baseUrl: "https://exchange.invalid", dialect: Dialect.document })
    ])
  )
  const made = yield* (calls[call] as typeof calls.placeStop).pipe(
    Effect.tapError((error) => Effect.logError("the call failed", error)),
    Effect.withSpan("the caller's span"),
    Effect.flip,
    once,
    Effect.provideService(Tracer.Tracer, tracer),
    Effect.provideService(Metric.MetricRegistry, registry),
    Effect.provide([client, Logger.layer(loggers)]),
    Effect.forkChild
  )
  if (gossip === silence) {
    yield* turn
    yield* TestClock.adjust("10 seconds")
  }
  const error = yield* Fiber.join(made)
  show("the error", error)
  for (const { attributes, events, name, status } of spans) {
    show(`the span ${name}`, { attributes: [...attributes], events, name, status })
  }
  const metrics = yield* Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry)
  show("the metrics", metrics)
  return { error, metrics, secrets, shown, spans }
})

const anyCall = fc.constantFrom(...Object.keys(calls) as Array<keyof typeof calls>)
const anyTransport = fc.constantFrom(...Object.keys(transports) as Array<keyof typeof transports>)

const isHidden = (
  apiKey: string,
  apiSecret: string,
  gossip: Gossip,
  call: keyof typeof calls,
  transport: keyof typeof transports
) =>
  Effect.gen(function*() {
    const { metrics, secrets, shown, spans } = yield* everythingShown(apiKey, apiSecret, gossip, call, transport)
    assert.isAtLeast(secrets.length, 4)
    assert.isAtLeast(spans.length, 2)
    assert.isAtLeast(metrics.length, 3)
    assertHidden(shown, secrets)
  })

describe("errors, logs, traces, metrics and intents never show a key, secret, payload or signature", () => {
  for (const [name, gossip] of Object.entries(gossips)) {
    property(
      `no secrets are shown after ${name}`,
      [secret("K%2~", plain), secret("S|9^", plain), anyCall, anyTransport],
      (apiKey, apiSecret, call, transport) => isHidden(apiKey, apiSecret, gossip, call, transport),
      { runs: 12 }
    )
  }

  property(
    "no secrets are shown even if JSON escapes characters of a key or secret",
    [
      secret("K%2~", printable),
      secret("S|9^", printable),
      fc.constantFrom(...Object.keys(gossips)),
      anyCall,
      anyTransport
    ],
    (apiKey, apiSecret, gossip, call, transport) =>
      isHidden(apiKey, apiSecret, gossips[gossip] ?? assert.fail(), call, transport)
  )

  property(
    "no secrets are shown even if one secret is part of another",
    [secret("K%2~", plain), fc.constantFrom(...Object.keys(gossips)), fc.boolean(), anyCall, anyTransport],
    (short, gossip, swapped, call, transport) => {
      const long = `x${short}y`
      return isHidden(swapped ? long : short, swapped ? short : long, gossips[gossip] ?? assert.fail(), call, transport)
    },
    { runs: 60 }
  )

  property(
    "no secrets are shown, no matter how the exchange encodes the request in its response",
    [
      secret("K%2~", unpunctuated),
      secret("S|9^", unpunctuated),
      fc.constantFrom(...Object.keys(gossips)),
      anyCall,
      anyTransport,
      respellings
    ],
    (apiKey, apiSecret, gossip, call, transport, spelling) =>
      Effect.gen(function*() {
        const spell = (text: string) => respelled(text, spelling)
        const { secrets, shown } = yield* everythingShown(
          apiKey,
          apiSecret,
          gossips[gossip] ?? assert.fail(),
          call,
          transport,
          spell
        )
        const all = call === "applyCode" ? [...secrets, code, passphrase] : secrets
        assertNothingOf(shown, all, spelling)
      }),
    { runs: 250, timeout: 600_000 }
  )

  it.effect("the check for secrets detects a secret that is shown", () =>
    Effect.gen(function*() {
      for (const transport of Object.keys(transports) as Array<keyof typeof transports>) {
        const { shown } = yield* everythingShown(
          "K%2~abcdef",
          "S|9^abcdef",
          gossips["a response that is not JSON"] ?? assert.fail(),
          "placeStop",
          transport
        )
        assert.throws(() => assertHidden(shown, ["You sent "]))
      }
      const { shown } = yield* everythingShown(
        "K%2~abcdef",
        "S|9^abcdef",
        gossips["a response that is not JSON"] ?? assert.fail(),
        "placeStop",
        "an HttpClient"
      )
      assert.throws(() => assertHidden(shown, ["You sent "]))
      assert.isTrue(shown.some(([where, text]) => where === "the log" && text.includes("sending")))
      assert.isTrue(shown.some(([where, text]) => where.startsWith("the metrics") && text.includes("OutcomeUnknown")))
      assert.isTrue(shown.some(([where, text]) => where.startsWith("the intent, unknown") && text.includes("mine")))
      assert.isTrue(shown.some(([where, text]) => where.startsWith("the span") && text.includes("You sent <redacted>")))
    }))
})
