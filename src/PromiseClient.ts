/**
 * The client for programs with `async` and `await`. It offers every service of `Exchange` and `Streams` as plain
 * methods.
 *
 * The client's endpoints and channels are derived from the contract, both at run time and in the types. The services
 * are built immediately, but their calls wait until the account is built, because a browser imports the key
 * asynchronously.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import * as Channels from "./channels/all.ts"
import * as Account from "./client/Account.ts"
import * as Call from "./client/call/Call.ts"
import * as Credentials from "./client/Credentials.ts"
import { nodeCrypto } from "./client/NodeCrypto.ts"
import * as Nonce from "./client/Nonce.ts"
import * as RateLimits from "./client/RateLimits.ts"
import * as Region from "./client/Region.ts"
import * as Dialer from "./client/session/Dialer.ts"
import { StreamRefused } from "./client/session/StreamErrors.ts"
import * as Signer from "./client/Signer.ts"
import * as FetchTransport from "./client/transport/FetchTransport.ts"
import * as Transport from "./client/transport/Transport.ts"
import * as Variables from "./client/Variables.ts"
import * as Contract from "./endpoints/all.ts"
import * as Markets from "./endpoints/Markets.ts"
import * as Exchange from "./Exchange.ts"
import * as LiveBalances from "./LiveBalances.ts"
import * as LiveBook from "./LiveBook.ts"
import * as LiveOrders from "./LiveOrders.ts"
import * as LivePositions from "./LivePositions.ts"
import type * as LiveView from "./LiveView.ts"
import { callSite, pointing, printable } from "./PromiseErrors.ts"
import type { CallOptions, Client, PublicClient } from "./PromiseTypes.ts"
import * as Dialect from "./protocol/Dialect.ts"
import type * as Endpoint from "./protocol/Endpoint.ts"
import { Reconciliation } from "./Reconciliation.ts"
import * as Streams from "./Streams.ts"

// -----------------------------------------------------------------------------
// Options
// -----------------------------------------------------------------------------

/**
 * The exchange to call: one of the live exchange's servers, or any base URL and its dialect.
 *
 * @category models
 */
export type Place = Region.Live | {
  /** An https URL without a query, or an `http` URL for this machine, such as a sandbox's `http://127.0.0.1:8080`. */
  readonly baseUrl: string
  /**
   * `document` or `live`. The client can't detect the dialect, and with the wrong dialect, client order ids are
   * silently lost.
   */
  readonly dialect: Dialect.Dialect["name"]
  /** The WebSocket's URL. Default: `/ws` under the base URL. */
  readonly webSocketUrl?: string
  /** Whether `http` to another machine is allowed. Default `false`. */
  readonly allowInsecure?: boolean
}

/**
 * Optional settings.
 *
 * @category models
 */
export interface Tuning {
  /** The timeout of each attempt of a call, in milliseconds. Default 10,000. */
  readonly timeout?: number
  /**
   * The transport that sends the calls. Default: the platform's `fetch`. `UndiciTransport.layer` from `effect-txc/node`
   * has the lowest cost per call on Node.
   */
  readonly transport?: Layer.Layer<Transport.Transport>
  /** The source of nonces. Default: `Nonce.layerWindow` from `effect-txc`. */
  readonly nonce?: Layer.Layer<Nonce.Nonce>
  /** The limiter that keeps calls within the rate limits. Default: `RateLimits.layerMemory` from `effect-txc`. */
  readonly rateLimits?: Layer.Layer<RateLimits.RateLimits>
}

/**
 * An API key and its secret.
 *
 * @category models
 */
export interface Key {
  /** The public API key, sent with every private call. */
  readonly apiKey: string
  /** The secret that signs calls. It is never sent, logged or shown. */
  readonly apiSecret: string
}

/**
 * An exchange without an account, for public calls only.
 *
 * @category models
 */
export type PublicOptions = Place & Tuning & {
  /** Must be absent, because public calls need no API key. */
  readonly apiKey?: undefined
  /** Must be absent, because public calls need no secret. */
  readonly apiSecret?: undefined
}

/**
 * The exchange and an account.
 *
 * @category models
 */
export type Options = Place & Tuning & Key

/**
 * The client was closed, so nothing was sent.
 *
 * @category errors
 */
export class ClientClosed extends Schema.TaggedError<ClientClosed>()("ClientClosed", {}) {
  override get message(): string {
    return "The client is closed"
  }
}

const regionOf = (place: Place): Effect.Effect<Region.Region["Service"], Region.InvalidBaseUrl> => {
  if ("region" in place) return Region.make(place)
  if (place.baseUrl === undefined) {
    return new Region.InvalidBaseUrl({
      baseUrl: "",
      problem: "set region to global or eu, or set baseUrl and dialect; without options, the environment is read"
    })
  }
  const dialect = Dialect.byName[place.dialect]
  return dialect === undefined
    ? new Region.InvalidBaseUrl({
      baseUrl: place.baseUrl,
      problem: "set dialect to document or live; the client can't detect it"
    })
    : Region.make({ ...place, dialect })
}

interface Settings {
  readonly region: Region.Region["Service"]
  readonly webSocketUrl: string
  readonly credentials: Credentials.Options | undefined
}

/** Checks the options; without options, reads the environment variables. */
const settingsOf = Effect.fnUntraced(function*(options: Options | PublicOptions | undefined) {
  const region = yield* options === undefined ? Variables.region : regionOf(options)
  const { apiKey, apiSecret } = options ?? {}
  const isPublic = options !== undefined && apiKey === undefined && apiSecret === undefined
  const credentials = options === undefined ? Variables.credentials : Credentials.make({
    // An untyped program might pass only the key or only the secret.
    apiKey: Redacted.make(apiKey ?? ""),
    apiSecret: Redacted.make(apiSecret ?? "")
  })
  const given = options !== undefined && "webSocketUrl" in options ? options.webSocketUrl : undefined
  return {
    region,
    webSocketUrl: given ?? Dialer.urlOf(region.baseUrl),
    credentials: isPublic ? undefined : yield* credentials
  } satisfies Settings
})

// -----------------------------------------------------------------------------
// Calls that can be aborted
// -----------------------------------------------------------------------------

/**
 * Lets the caller abort a mutating call. `stop` is set only while the transport sends the request or waits for the
 * response.
 */
class Stopping {
  stop: (() => void) | undefined
}

const CurrentStopping = Context.Reference<Stopping | undefined>("effect-txc/PromiseClient/Stopping", {
  defaultValue: () => undefined
})

const aborted = new Transport.SendFailed({ proof: { kind: "lost" }, reason: "the caller aborted the call" })

const stoppedBy = (stopping: Stopping): Effect.Effect<never, Transport.SendFailed> =>
  Effect.callback((resume) => {
    stopping.stop = () => resume(Effect.fail(aborted))
    return Effect.sync(() => {
      stopping.stop = undefined
    })
  })

/** A transport that reports a mutating request as "may have been delivered" when the caller aborts the call. */
const layerStoppable: Layer.Layer<Transport.Transport, never, Transport.Transport> = Layer.effect(
  Transport.Transport,
  Transport.Transport.useSync(({ send }) => ({
    send: (request) =>
      Effect.withFiber((fiber) => {
        const stopping = fiber.getRef(CurrentStopping)
        if (stopping === undefined || !request.once) return send(request)
        const unless = <A>(sending: Effect.Effect<A, Transport.SendFailed>) =>
          Effect.raceFirst(stoppedBy(stopping), sending)
        return Effect.map(unless(send(request)), ({ startOver, ...answer }): Transport.Answer =>
          startOver === undefined ? answer : { ...answer, startOver: unless(startOver) })
      })
  }))
)

// -----------------------------------------------------------------------------
// Services
// -----------------------------------------------------------------------------

type Calls = Call.Call | Call.PublicCall

/** Provides the account's calls; without credentials, only public calls. */
const layerAccount = (
  { credentials, region }: Settings,
  { nonce = Nonce.layerWindow, rateLimits = RateLimits.layerMemory, timeout, transport = FetchTransport.layer }: Tuning
): Layer.Layer<Calls, Signer.SigningFailed> => {
  const signer = nodeCrypto() === undefined ? Signer.layerWebCrypto : Signer.layerNode
  const calls = credentials === undefined
    // The cast is safe, because without credentials no service needs private calls.
    ? Call.layerPublic as Layer.Layer<Calls, never, Region.Region | Transport.Transport | RateLimits.RateLimits>
    : Layer.provide(Account.layerServices, [
      Layer.provide(signer, Layer.succeed(Credentials.Credentials, credentials)),
      nonce
    ])
  return calls.pipe(
    Layer.provide([
      Layer.succeed(Region.Region, region),
      rateLimits,
      Layer.provide(layerStoppable, transport),
      timeout === undefined ? Layer.empty : Layer.succeed(Call.Timeout, timeout)
    ]),
    Layer.fresh
  )
}

/** Calls that look up the account only when they are made, so that services can be built before the account. */
const lateCalls = ({ dialect }: Region.Region["Service"], account: () => Context.Context<Calls>) => {
  const call = () => Context.get(account(), Call.Call)
  return Layer.merge(
    Layer.succeed(Call.Call, {
      dialect,
      get key() {
        return call().key
      },
      get nonceForm() {
        return call().nonceForm
      },
      acceptedNonce: Effect.suspend(() => call().acceptedNonce),
      make: <Q extends object, A, M extends boolean, T extends Endpoint.RefusalTag>(
        endpoint: Endpoint.Endpoint<Q, A, "private", M, T>,
        checks?: Call.Checks<Q, A>
      ) => {
        const made = once(() => call().make(endpoint, checks))
        return (request: Q) => Effect.suspend(() => made()(request))
      }
    }),
    Layer.succeed(Call.PublicCall, {
      dialect,
      make: <Q extends object, A, M extends boolean, T extends Endpoint.RefusalTag>(
        endpoint: Endpoint.Endpoint<Q, A, "public", M, T>
      ) => {
        const made = once(() => Context.get(account(), Call.PublicCall).make(endpoint))
        return (request: Q) => Effect.suspend(() => made()(request))
      }
    })
  )
}

const once = <A extends object>(make: () => A): () => A => {
  let made: A | undefined
  return () => made ??= make()
}

/** All services: endpoints, channels, and `Reconciliation`. */
const layerOf = (
  { credentials, region, webSocketUrl }: Settings,
  account: () => Context.Context<Calls>
): Layer.Layer<Exchange.Services | Streams.Services> => {
  const socket = { url: webSocketUrl }
  const calls = Layer.provide(Exchange.layerCalls, Markets.layerMarketRules)
  const streams = credentials === undefined ? Streams.layerPublic(socket) : Streams.layer(socket)
  // The cast is safe, because a client without credentials has no private channels.
  return (streams as ReturnType<typeof Streams.layer>).pipe(
    Layer.provideMerge(calls),
    Layer.provide([lateCalls(region, account), Socket.layerWebSocketConstructorGlobal]),
    Layer.fresh
  )
}

// -----------------------------------------------------------------------------
// Running
// -----------------------------------------------------------------------------

/** Converts a response's Effect types to plain values: see `Answer` in `PromiseTypes.ts`. */
const toAnswer = (value: unknown): unknown => {
  if (Option.isOption(value)) return Option.getOrUndefined(value)
  return Array.isArray(value) ? value.map((item: unknown) => Result.isResult(item) ? settled(item) : item) : value
}

const settled = (result: Result.Result<unknown, unknown>) =>
  Result.isSuccess(result)
    ? { status: "fulfilled", value: result.success }
    : { status: "rejected", reason: result.failure }

const endsBy = (signal: AbortSignal): Effect.Effect<never, unknown> =>
  Effect.callback((resume) => {
    const abort = () => resume(Effect.fail(signal.reason))
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })

/** Ends the stream without an error if the view or the connection was closed. Other failures stay unchanged. */
const endedByClosing = Stream.catchCause((cause: Cause.Cause<unknown>) =>
  Cause.hasInterruptsOnly(cause) ? Stream.empty : Stream.failCause(cause)
)

/** Runs the calls and loops of a client until it is closed. */
class Runner {
  readonly #ready: Effect.Effect<unknown, unknown>
  readonly #scope: Scope.Closeable
  readonly #views: Scope.Closeable
  readonly #ended = Deferred.makeUnsafe<void>()
  readonly #calls = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  constructor(ready: Effect.Effect<unknown, unknown>, scope: Scope.Closeable) {
    this.#ready = ready
    this.#scope = scope
    this.#views = Scope.forkUnsafe(scope)
  }

  readonly call = (effect: Effect.Effect<unknown, unknown>, { signal }: CallOptions = {}): Promise<unknown> => {
    if (this.#closing !== undefined) return Promise.reject(printable(new ClientClosed()))
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    const stopping = new Stopping()
    const interrupting = new AbortController()
    const abort = () => stopping.stop === undefined ? interrupting.abort() : stopping.stop()
    signal?.addEventListener("abort", abort, { once: true })
    const watched = signal === undefined ? effect : Effect.provideService(effect, CurrentStopping, stopping)
    const call = Effect.runPromiseExit(
      Effect.flatMap(this.#ready, () => watched),
      { signal: interrupting.signal }
    ).then((exit) => {
      signal?.removeEventListener("abort", abort)
      if (Exit.isSuccess(exit)) return toAnswer(exit.value)
      const { cause } = exit
      return Promise.reject(
        !Cause.hasInterruptsOnly(cause)
          ? printable(Cause.squash(cause))
          : signal?.aborted
          ? signal.reason
          : printable(new ClientClosed())
      )
    })
    this.#calls.add(call)
    const forget = () => void this.#calls.delete(call)
    call.then(forget, forget)
    return call
  }

  readonly loop = (
    stream: Stream.Stream<unknown, unknown>,
    { signal }: CallOptions = {}
  ): AsyncIterable<unknown> => {
    const end = Deferred.await(this.#ended)
    const whole = Stream.suspend(() =>
      this.#closing === undefined
        ? Stream.unwrap(Effect.as(this.#ready, stream)).pipe(
          Stream.interruptWhen(signal === undefined ? end : Effect.raceFirst(end, endsBy(signal))),
          endedByClosing
        )
        : Stream.fail(new ClientClosed())
    )
    return Stream.toAsyncIterable(Stream.mapError(whole, printable))
  }

  readonly view = (make: Effect.Effect<LiveView.LiveView<unknown, unknown>, unknown, Scope.Scope>) => {
    const scope = Scope.forkUnsafe(this.#views)
    // The view starts now. If it can't, its methods fail with the reason.
    const begun = Effect.runFork(Effect.andThen(this.#ready, Scope.provide(make, scope)))
    const view = Fiber.join(begun)
    let closing: Promise<void> | undefined
    const close = () => closing ??= Effect.runPromise(Scope.close(scope, Exit.void))
    return {
      get: (options?: CallOptions) => this.call(Effect.flatMap(view, ({ get }) => get), options),
      whole: (options?: CallOptions) => this.call(Effect.flatMap(view, ({ whole }) => whole), options),
      states: (options?: CallOptions) => this.loop(Stream.unwrap(Effect.map(view, ({ changes }) => changes)), options),
      close,
      [Symbol.asyncDispose]: close
    }
  }

  /**
   * Ends loops and views, and waits for the calls in progress, because the outcome of an interrupted call would be
   * unknown.
   */
  readonly close = (): Promise<void> => this.#closing ??= this.#close()

  #close(): Promise<void> {
    Deferred.doneUnsafe(this.#ended, Effect.void)
    return Effect.runPromise(Effect.gen({ self: this }, function*() {
      yield* Scope.close(this.#views, Exit.void)
      yield* Effect.promise(() => Promise.allSettled(this.#calls))
      yield* Scope.close(this.#scope, Exit.void)
    }))
  }
}

/**
 * Whether a method's last argument is the options object. This is unambiguous, because no request has a field named
 * `signal`.
 */
const isOptions = (value: unknown): value is CallOptions =>
  typeof value === "object" && value !== null && "signal" in value

/** The result of a service's method. A method without parameters is a plain value of this type, not a function. */
type Returned = Effect.Effect<unknown, unknown> | Stream.Stream<unknown, unknown>

type Methods = Readonly<Record<string, Returned | ((...args: ReadonlyArray<unknown>) => Returned)>>

/**
 * Converts a service's method to a method that returns a promise or an async iterable. If the original method throws,
 * for example because an untyped program omitted the request, the promise rejects.
 */
const methodOf = (
  runner: Runner,
  before: Effect.Effect<void, unknown>,
  name: string,
  method: Methods[string]
) => {
  const called = (...args: ReadonlyArray<unknown>) => {
    const last = args.at(-1)
    const options = isOptions(last) ? last : undefined
    const given = options === undefined ? args : args.slice(0, -1)
    const tried = Result.try((): Returned => typeof method === "function" ? method(...given) : method)
    const value = Result.getOrElse(tried, (error) => name === "stream" ? Stream.die(error) : Effect.die(error))
    if (Stream.isStream(value)) return runner.loop(Stream.unwrap(Effect.as(before, value)), options)
    const site = callSite(called)
    return runner.call(Effect.flatMapEager(before, () => value), options).catch((error: unknown) => {
      // The program chooses an abort signal's reason, which can be any value, so it is passed on unchanged.
      if (error === options?.signal?.reason) return Promise.reject(error)
      const isEmpty = typeof method === "function" && given[0] === undefined && error instanceof TypeError
      return Promise.reject(
        pointing(isEmpty ? new TypeError(`${name} needs a request`, { cause: error }) : error, site)
      )
    })
  }
  return called
}

/**
 * Converts a service's methods to methods that return promises or async iterables. `before` runs first in each call.
 * The method `changes` is omitted, because it takes an Effect schedule.
 */
const methodsOf = (runner: Runner, before: Effect.Effect<void, unknown>, service: object): object =>
  Object.fromEntries(
    Object.entries(service as Methods).filter(([name]) => name !== "changes").map(([name, method]) => [
      name,
      methodOf(runner, before, name, method)
    ])
  )

/** A service of the contract: its name in the client, its access, and its key in the context. */
type Named = readonly [name: string, access: "public" | "private", key: string]

// -----------------------------------------------------------------------------
// The client
// -----------------------------------------------------------------------------

type ViewOf = Effect.Effect<LiveView.LiveView<unknown, unknown>, never, Streams.Services | Scope.Scope>

const viewsOf = (make: (view: ViewOf) => object, isPublic: boolean): object => {
  const book = (topic: Parameters<typeof LiveBook.make>[0]) => make(LiveBook.make(topic))
  return isPublic ? { book } : {
    book,
    orders: (topic: LiveOrders.Options) => make(LiveOrders.make(topic)),
    spotBalances: (topic?: LiveBalances.Options) => make(LiveBalances.spot(topic)),
    marginBalances: (topic?: LiveBalances.Options) => make(LiveBalances.margin(topic)),
    positions: () => make(LivePositions.make)
  }
}

/** Fails if the dialect has no WebSocket. */
const hasStreams = ({ policy }: Dialect.Dialect): Effect.Effect<void, StreamRefused> =>
  policy.streamToken === undefined
    ? Effect.fail(
      new StreamRefused({
        method: "subscribe",
        origin: "local",
        code: 1,
        reason: "only the live dialect has a WebSocket; start a sandbox with --dialect live"
      })
    )
    : Effect.void

/** Creates the client from checked settings. Every call and loop waits until the account is built. */
const clientOf = (settings: Settings, tuning: Tuning): object => {
  const scope = Scope.makeUnsafe()
  let account: Context.Context<Calls> | undefined
  const building = Effect.runFork(
    Effect.tap(Layer.buildWithScope(layerAccount(settings, tuning), scope), (built) =>
      Effect.sync(() => {
        account = built
      }))
  )
  const services = Effect.runSync(
    Layer.buildWithScope(layerOf(settings, () => account as Context.Context<Calls>), scope)
  )
  const runner = new Runner(Fiber.join(building), scope)
  const isPublic = settings.credentials === undefined
  const under = (before: Effect.Effect<void, unknown>, entries: ReadonlyArray<Named>) =>
    Object.fromEntries(
      entries.filter(([, access]) => !isPublic || access === "public").map(([name, , key]) => [
        name.slice(0, 1).toLowerCase() + name.slice(1),
        methodsOf(runner, before, Context.getUnsafe(services, { key } as Context.Key<never, object>))
      ])
    )
  const before = hasStreams(settings.region.dialect)
  return {
    ...under(Effect.void, Contract.entries.map(({ endpoint, key, name }) => [name, endpoint.access, key])),
    ...(isPublic ? {} : { reconciliation: methodsOf(runner, Effect.void, Context.get(services, Reconciliation)) }),
    channels: under(
      before,
      Channels.entries.map(({ channel, key, name }) => [name.replace(/Channel$/u, ""), channel.access, key])
    ),
    live: viewsOf((make) => runner.view(Effect.andThen(before, Effect.provideContext(make, services))), isPublic),
    close: runner.close,
    [Symbol.asyncDispose]: runner.close
  }
}

/**
 * Creates a client. Without options, the exchange and the key come from environment variables: the exchange from either
 * `TXC_REGION` or `TXC_BASE_URL` plus `TXC_DIALECT`, and the key from `TXC_API_KEY` and `TXC_API_SECRET`. With options
 * that contain no key, the client can only make public calls.
 *
 * Create a single client for the entire program, because a client keeps connections open and counts calls for the rate
 * limits. Close it at the end, with `close()` or `await using`.
 *
 * Throws `InvalidBaseUrl` or `InvalidCredentials`. A call rejects with one of the errors that its service declares. If
 * the error is `OutcomeUnknown`, the order may exist: find out with `reconciliation` before you place it again.
 *
 * @category constructors
 */
export const createClient: {
  (options?: Options): Client
  (options: PublicOptions): PublicClient
} = (options?: Options | PublicOptions) => {
  const site = callSite(createClient)
  const settings = Effect.runSync(Effect.mapError(settingsOf(options), (error) => printable(pointing(error, site))))
  // The cast is safe: a test compares the client with its type, which is derived from the same contract.
  return clientOf(settings, options ?? {}) as never
}

/**
 * Returns the text of a secret in a response, such as a new API key's `apiSecret`. When printed, the secret itself
 * appears as `<redacted>`.
 *
 * @category secrets
 */
export const reveal = (secret: Redacted.Redacted): string => Redacted.value(secret)
