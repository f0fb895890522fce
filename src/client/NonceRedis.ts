/**
 * Shares an API key's nonces among programs on any number of machines, through Redis.
 *
 * In window mode, a program leases a class of numbers and draws from that class without a request to Redis per call;
 * `NonceLease.ts` explains why no number is drawn twice. In increasing mode, every call takes a lock and the next
 * number from Redis.
 *
 * @example
 * ```ts
 * import * as NodeRedis from "@effect/platform-node/NodeRedis"
 * import * as Layer from "effect/Layer"
 * import { NonceRedis } from "effect-txc/redis"
 *
 * // Up to eight programs at a time sign with the same key. Pass this as the `nonce` option of `Exchange.layer`.
 * export const nonce = NonceRedis.layerWindow({ programs: 8 }).pipe(
 *   Layer.provide(NodeRedis.layer({ url: "redis://127.0.0.1:6379" }))
 * )
 * ```
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Nonce, NonceUnavailable, type Of } from "./Nonce.ts"
import * as NonceLease from "./NonceLease.ts"
import { maxAhead, maxSetBack, perKey, steady, ticks } from "./NonceSequence.ts"
import { ask, keyOf } from "./NonceStore.ts"

/**
 * The maximum wait for the first lease, in milliseconds. A new or restarted Redis server grants no lease for the first
 * seven seconds.
 */
const firstMillis = 10_000

/** The smallest number, at least `least`, that has the given remainder when divided by `programs`. */
const inClass = (least: number, remainder: number, programs: number): number =>
  least + ((remainder - least) % programs + programs) % programs

/**
 * Returns an error if a call would have to wait too long for the lease; otherwise returns `undefined`. `millis` is the
 * time until the lease's first number can be used.
 */
const behind = (millis: number): NonceUnavailable | undefined =>
  millis <= maxSetBack ? undefined : new NonceUnavailable({
    reason: `this machine's clock is ${
      Math.ceil((millis + maxAhead) / 1000)
    } seconds behind that of Redis, which leases nonces`
  })

/** Draws a key's nonces from this program's lease. The first draw gets the lease and starts extending it. */
const drawing = (
  redis: Redis.Redis["Service"],
  programs: number,
  of: Of,
  scope: Scope.Scope
): Effect.Effect<number, NonceUnavailable> => {
  const perMillisecond = ticks[of.unit]
  const { first, giveBack, keep, lease, unavailable } = NonceLease.hold(redis, programs, of)
  const one = Semaphore.makeUnsafe(1)
  const setBack = steady()
  let last = -1
  let waiting = 0
  let isKept = false

  /** Draws a number. If the number would be too far ahead of the clock, calls `later` with the milliseconds to wait. */
  const drawOr = (later: (ahead: number) => Effect.Effect<number, NonceUnavailable>) =>
    Effect.clockWith((clock) => {
      const mine = lease()
      if (mine === undefined) return unavailable
      const now = clock.currentTimeMillisUnsafe()
      const wrong = setBack(now) ?? behind(mine.from / perMillisecond - now - maxAhead)
      if (wrong !== undefined) return Effect.fail(wrong)
      const next = inClass(Math.max(Math.floor(now * perMillisecond), last + 1, mine.from), mine.remainder, programs)
      const ahead = next / perMillisecond - now - maxAhead
      if (ahead > 0) return later(ahead)
      return next < mine.till ? Effect.succeed(last = next) : unavailable
    })

  const inTime: Effect.Effect<number, NonceUnavailable> = drawOr((ahead) =>
    Effect.andThen(Effect.sleep(Math.min(Math.ceil(ahead), maxSetBack)), inTime)
  )

  const inLine = Effect.suspend(() => {
    waiting++
    return Effect.ensuring(one.withPermits(1)(inTime), Effect.sync(() => waiting--))
  })

  const next = Effect.suspend(() => waiting === 0 ? drawOr(() => inLine) : inLine)

  const keepLease = Effect.suspend(() => {
    if (isKept) return Effect.void
    isKept = true
    return Effect.andThen(
      Scope.addFinalizer(scope, Effect.suspend(() => giveBack(last))),
      Effect.forkIn(Effect.interruptible(keep), scope)
    )
  })

  const afterFirstLease = Effect.uninterruptible(keepLease).pipe(
    Effect.andThen(Deferred.await(first)),
    Effect.timeoutOrElse({ duration: firstMillis, orElse: () => unavailable }),
    Effect.andThen(next)
  )

  return Effect.suspend(() => Deferred.isDoneUnsafe(first) ? next : afterFirstLease)
}

/**
 * Provides windowed nonces for keys shared by up to `programs` programs at a time. In the live dialect, whose nonces
 * are milliseconds, all programs together can make about 1,000 calls per key per second, divided equally among them. In
 * the document's dialect, whose nonces are microseconds, they can make about a million. Calls need no request to Redis:
 * the program leases its nonces before the first call, and extends the lease in the background.
 *
 * `programs` must be the same in all programs that share a key, from 1 to 1000. A program with a different value gets
 * no lease while the other programs have leases. A program that exits gives its class back. If a program crashes, its
 * class stays taken until its six-second lease ends, so set `programs` a little higher than the number of programs that
 * you run.
 *
 * Until the program gets its first lease, each call waits for that lease for at most ten seconds. Afterwards, a call
 * fails immediately if the program has no lease because Redis can't be reached, all classes are taken, or the program
 * was paused for longer than its lease. The error is then `ExchangeUnreachable` (`why: "nonce"`), and nothing was sent.
 *
 * @category layers
 */
export const layerWindow = (options: {
  /** The number of programs that share a key's nonces, from 1 to 1000. It must be the same in all of these programs. */
  readonly programs: number
}): Layer.Layer<Nonce, never, Redis.Redis> =>
  Layer.effect(
    Nonce,
    Effect.gen(function*() {
      const { programs } = options
      if (!Number.isInteger(programs) || programs < 1 || programs > 1000) {
        return yield* Effect.die("the number of programs that share the nonces of a key must be from 1 to 1000")
      }
      const redis = yield* Redis.Redis
      const scope = yield* Effect.scope
      const drawingOf = perKey((of) => drawing(redis, programs, of, scope))
      return { window: true, use: (of, call) => Effect.flatMap(drawingOf(of), call) }
    })
  )

/** The time, in milliseconds, for which a program that crashes during a call blocks the other programs. */
const lockMillis = 15_000

/**
 * Takes the lock and returns the next nonce, or an empty string while another program has the lock. To release the
 * lock, the holder must present its nonce, which no other holder has.
 */
const lock = Redis.script((key: string, ticks: number) => [key, ticks, lockMillis], {
  numberOfKeys: 1,
  lua: `
local key, ticks, lock = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local till = tonumber(redis.call("HGET", key, "till") or "0")
if till > now and till <= now + lock then return "" end
local last = tonumber(redis.call("HGET", key, "last") or "0")
local nonce = string.format("%.0f", math.max(last + 1, now * ticks))
redis.call("HSET", key, "last", nonce, "till", string.format("%.0f", now + lock))
return nonce
`
}).withReturnType<string>()

const lockedOut = "another program that uses this key did not release its lock in time"

const unlock = Redis.script((key: string, nonce: number) => [key, nonce], {
  numberOfKeys: 1,
  lua: `
if redis.call("HGET", KEYS[1], "last") == ARGV[1] then redis.call("HSET", KEYS[1], "till", "0") end
return 0
`
}).withReturnType<number>()

/**
 * Provides increasing nonces for keys shared by any number of programs. A lock in Redis allows one call per key at a
 * time across all programs; Redis also stores the greatest nonce. This mode is slow: every call makes at least two
 * requests to Redis and waits for the responses to all earlier calls. A program that crashes during a call blocks the
 * others for fifteen seconds.
 *
 * No nonce is issued twice, unless Redis loses its data and the clock of its replacement is behind. In that case, the
 * exchange refuses calls until that clock has caught up, because their nonces are not greater than earlier ones. If a
 * program is paused and loses the lock, the next holder's call has a greater nonce. If the paused program's call
 * arrives after that call, the exchange refuses the late call, which proves that it was not applied. A call fails with
 * `ExchangeUnreachable` (`why: "nonce"`) when Redis can't be reached or the lock is not free within twenty seconds.
 *
 * @category layers
 */
export const layerIncreasing: Layer.Layer<Nonce, never, Redis.Redis> = Layer.effect(
  Nonce,
  Effect.map(Redis.Redis, (redis) => {
    const askLock = redis.eval(lock)
    const askUnlock = redis.eval(unlock)
    const lineOf = perKey((of) => ({ key: keyOf("increasing", of), one: Semaphore.makeUnsafe(1) }))

    const locked = (key: string, of: Of, until: number): Effect.Effect<number, NonceUnavailable> =>
      Effect.flatMap(ask(askLock(key, ticks[of.unit])), (nonce) => {
        if (nonce !== "") return Effect.succeed(Number(nonce))
        return Effect.clockWith((clock) => {
          if (clock.currentTimeMillisUnsafe() > until) return Effect.fail(new NonceUnavailable({ reason: lockedOut }))
          const pause = Effect.flatMap(Random.nextIntBetween(5, 25), Effect.sleep)
          return Effect.andThen(Effect.interruptible(pause), locked(key, of, until))
        })
      })

    return {
      window: false,
      use: (of, call) => {
        const line = lineOf(of)
        const take = Effect.flatMap(
          line.key,
          (key) => Effect.flatMap(Clock.currentTimeMillis, (now) => locked(key, of, now + lockMillis + 5000))
        )
        const release = (nonce: number) => Effect.flatMap(line.key, (key) => ask(askUnlock(key, nonce)))
        return line.one.withPermits(1)(
          Effect.acquireUseRelease(take, call, (nonce) => Effect.ignore(release(nonce)))
        )
      }
    }
  })
)
