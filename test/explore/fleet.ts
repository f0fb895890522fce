/**
 * Programs that share an API key's nonces over Redis, as one program to explore. Redis runs the project's scripts in
 * memory. The exchange of the exploration itself is not used.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Redis from "effect/persistence/Redis"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import { Nonce, type Of } from "../../src/client/Nonce.ts"
import { margin } from "../../src/client/NonceLease.ts"
import * as NonceRedis from "../../src/client/NonceRedis.ts"
import { Explore, Invariant, type Moment } from "../../src/explore/index.ts"
import * as Lua from "../support/lua.ts"

type Store = KeyValueStore.KeyValueStore

const of: Of = { apiKey: Redacted.make("a-key-that-many-programs-share"), unit: "milliseconds" }

/**
 * The number of programs among which window mode divides the nonces. One more program runs, so the programs compete.
 */
const programs = 2

/** Draws a random number from 0 to `bound` - 1. */
const below = (bound: number) => Random.nextIntBetween(0, bound, { halfOpen: true })

const pause = (millis: number) => Effect.flatMap(below(millis), Effect.sleep)

const gone = Effect.fail(new Redis.RedisError({ cause: new Error("connection refused") }))

/** A Redis server's data, run id and clock. */
interface Memory {
  readonly hashes: Lua.Hashes
  readonly runId: string
  /** The server's clock minus the exploration's clock, in milliseconds. */
  readonly ahead: number
}

/**
 * A Redis server, which outlives the programs. Its data is lost when another server replaces it. The clocks of these
 * servers differ by less than `skew` milliseconds.
 */
const serverOn = Effect.fnUntraced(function*(store: Store, skew: number) {
  const one = Semaphore.makeUnsafe(1)
  const clock = yield* Clock.Clock
  const another = Effect.map(
    Effect.all([below(1_000_000), below(skew)]),
    ([id, ahead]): Memory => ({ hashes: {}, runId: `run${id}`, ahead })
  )
  const kept = yield* store.get("redis")
  let memory = kept === undefined ? yield* another : JSON.parse(kept) as Memory
  let isDown = false
  const execute = (lua: string, keys: ReadonlyArray<string>, args: ReadonlyArray<string>) =>
    one.withPermits(1)(Effect.gen(function*() {
      if (isDown) return yield* gone
      const now = (clock.currentTimeMillisUnsafe() + memory.ahead) * 1000
      const reply = Lua.run(lua, keys, args, Lua.commandsOn(memory.hashes, memory.runId, () => now))
      yield* Effect.orDie(store.set("redis", JSON.stringify(memory)))
      return reply
    }))
  return {
    eval: (lua: string, keys: ReadonlyArray<string>, args: ReadonlyArray<string>) =>
      pause(30).pipe(Effect.andThen(execute(lua, keys, args)), Effect.tap(pause(30))),
    /** Makes the server unreachable for a while, and then replaces it with an empty one. */
    replace: Effect.gen(function*() {
      isDown = true
      yield* pause(4000)
      memory = yield* another
      isDown = false
    }),
    /** Makes the server unreachable for a while. It keeps its data. */
    pause: Effect.gen(function*() {
      isDown = true
      yield* pause(10_000)
      isDown = false
    })
  }
})

type Server = Effect.Success<ReturnType<typeof serverOn>>

/** A program's connection to Redis. A program that is cut off gets no more responses. */
const connect = (server: Server, isCutOff: () => boolean): Redis.Redis["Service"] => ({
  eval: (script) => (...params) => {
    const all = script.params(...params).map(String)
    const keys = script.numberOfKeys(...params)
    const asked = server.eval(script.lua, all.slice(0, keys), all.slice(keys))
    return Effect.suspend(() => isCutOff() ? Effect.never : asked) as Effect.Effect<never, Redis.RedisError>
  },
  send: () => Effect.die("not asked"),
  subscribe: () => Effect.die("not asked"),
  reserve: Effect.die("not asked")
})

/** Shifts a program's clock. */
const shifted = (offset: () => number) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const millis = () => clock.currentTimeMillisUnsafe() + offset()
    return Effect.provideService(effect, Clock.Clock, {
      ...clock,
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis)
    })
  })

/**
 * Records every nonce that is drawn, and counts those that are drawn twice. A nonce may be sent only after its record
 * is durable.
 */
const recordOn = Effect.fnUntraced(function*(store: Store) {
  const used = new Set((yield* store.keys).flatMap((key) => key.startsWith("nonce ") ? [Number(key.slice(6))] : []))
  const drawn = new Set(used)
  let twice = 0
  return (nonce: number) =>
    Effect.suspend(() => {
      if (drawn.has(nonce)) twice++
      drawn.add(nonce)
      return Effect.andThen(
        Effect.orDie(store.set(`nonce ${nonce}`, "")),
        Explore.say("drawn", { count: drawn.size, twice })
      )
    })
})

/** Runs one program, which draws nonces in bursts. Its clock may jump, and it may be cut off from Redis. */
const life = Effect.fnUntraced(function*(
  layer: Layer.Layer<Nonce, never, Redis.Redis>,
  server: Server,
  record: (nonce: number) => Effect.Effect<void>
) {
  let isCutOff = false
  let offset = yield* Random.nextIntBetween(-3000, 3000)
  const redis = Layer.succeed(Redis.Redis, connect(server, () => isCutOff))
  const lived = Effect.gen(function*() {
    const { use } = Context.get(yield* Layer.build(Layer.provide(Layer.fresh(layer), redis)), Nonce)
    for (let burst = yield* below(6); burst >= 0; burst--) {
      yield* pause(2000)
      if ((yield* below(8)) === 0) offset += yield* Random.nextIntBetween(-3000, 3000)
      if ((yield* below(8)) === 0) isCutOff = true
      const draw = Effect.ignore(use(of, record))
      yield* Effect.all(Array.from({ length: yield* Random.nextIntBetween(1, 4) }, () => draw), {
        concurrency: "unbounded"
      })
    }
  })
  yield* shifted(() => offset)(Effect.scoped(lived))
})

const run = Effect.fnUntraced(function*(layer: Layer.Layer<Nonce, never, Redis.Redis>, skew: number) {
  const store = yield* KeyValueStore.KeyValueStore
  const server = yield* serverOn(store, skew)
  const record = yield* recordOn(store)
  const disturb = Effect.gen(function*() {
    yield* pause(20_000)
    yield* (yield* below(2)) === 0 ? server.replace : server.pause
  })
  yield* Effect.forkScoped(Effect.forever(disturb))
  yield* Effect.all(
    Array.from({ length: programs + 1 }, () => Effect.forever(life(layer, server, record))),
    { concurrency: "unbounded" }
  )
})

const drawn = ({ said }: Moment): { readonly count: number; readonly twice: number } =>
  (said.get("drawn")?.value ?? { count: 0, twice: 0 }) as { readonly count: number; readonly twice: number }

const sharing = (name: string, layer: Layer.Layer<Nonce, never, Redis.Redis>, skew: number) =>
  Explore.program({
    name,
    run: run(layer, skew),
    invariants: [
      Invariant.always("no nonce is drawn twice by any of the programs", (moment) =>
        drawn(moment).twice === 0 || `${drawn(moment).twice} nonces were drawn twice`),
      Invariant.neverFails,
      Invariant.reached("nonces are drawn after a kill", (moment) =>
        moment.starts > 1 && drawn(moment).count > 10)
    ],
    during: "1 minute",
    calm: "10 seconds",
    possible: { weights: { Kill: 1, Stop: 1 } }
  })

export const leasing = sharing("leasing nonces", NonceRedis.layerWindow({ programs }), margin)

/**
 * Increasing mode is safe only with a `skew` of 1: a replacement server whose clock is behind may issue a nonce again.
 */
export const locking = (skew: number) => sharing("locking nonces", NonceRedis.layerIncreasing, skew)
