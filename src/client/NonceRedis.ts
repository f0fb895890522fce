/**
 * Nonces of an API key that many programs share, on as many machines, through a Redis.
 *
 * In window mode a program leases a class of numbers and draws from them without asking anyone: `NonceLease.ts` says why no
 * number is ever drawn twice. In increasing mode every call takes a lock and the next number from Redis.
 *
 * @example
 * ```ts
 * import * as NodeRedis from "@effect/platform-node/NodeRedis"
 * import * as Layer from "effect/Layer"
 * import { NonceRedis } from "effect-txc/redis"
 *
 * // Up to eight programs at a time sign with the same key. Give it to the `nonce` option of `Exchange.layer`.
 * export const nonce = NonceRedis.layerWindow({ programs: 8 }).pipe(
 *   Layer.provide(NodeRedis.layer({ url: "redis://127.0.0.1:6379" }))
 * )
 * ```
 *
 * @since 0.1.0
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

// -----------------------------------------------------------------------------
// Window
// -----------------------------------------------------------------------------

/** How long the first lease is waited for, in milliseconds: longer than Redis may have to wait itself. */
const firstMillis = 10_000

/** The least number from `least` on that leaves this remainder. */
const inClass = (least: number, remainder: number, programs: number): number =>
  least + ((remainder - least) % programs + programs) % programs

/** A lease begins by the clock of Redis. By how much this machine's would have to catch up, if that is too much. */
const behind = (millis: number): NonceUnavailable | undefined =>
  millis <= maxSetBack ? undefined : new NonceUnavailable({
    reason: `this machine's clock is ${
      Math.ceil((millis + maxAhead) / 1000)
    } seconds behind that of Redis, which leases nonces`
  })

/** Draws the nonces of one key from this program's lease on them. The lease is kept from the first draw on. */
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

  /** Draws a number that is no further ahead than it may be; `later` when it would be by so many milliseconds. */
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
 * Windowed nonces of keys that up to `programs` programs share at a time: about 1,000 calls per second and key in all
 * where nonces count milliseconds (live), so that each program has 1,000 divided by `programs`; a million where they count
 * microseconds (document). A call does not ask Redis: the program leases its nonces before the first call, and extends the
 * lease in the background.
 *
 * `programs` is from 1 to 1000, and all programs of a key state the same number; one that states another gets no lease while
 * others have theirs. A program that ends gives its class back. One that dies keeps it for the six seconds of a lease, so
 * state some more than there are.
 *
 * The first call waits for its lease, ten seconds at most. A later call fails at once when there is no lease, because Redis
 * can't be reached, all classes are taken, or the program was paused for longer than its lease. The error is
 * `ExchangeUnreachable`, `why: "nonce"`; nothing was sent then.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWindow = (options: {
  /** How many programs share the nonces of a key, from 1 to 1000. All programs of a key state the same number. */
  readonly programs: number
}): Layer.Layer<Nonce, never, Redis.Redis> =>
  Layer.effect(
    Nonce,
    Effect.gen(function*() {
      const { programs } = options
      if (!Number.isInteger(programs) || programs < 1 || programs > 1000) {
        return yield* Effect.die("the programs that share the nonces of a key are from 1 to 1000")
      }
      const redis = yield* Redis.Redis
      const scope = yield* Effect.scope
      const drawingOf = perKey((of) => drawing(redis, programs, of, scope))
      return { window: true, use: (of, call) => Effect.flatMap(drawingOf(of), call) }
    })
  )

// -----------------------------------------------------------------------------
// Increasing
// -----------------------------------------------------------------------------

/** For how many milliseconds a program that died during a call keeps the others from calling. */
const lockMillis = 15_000

/**
 * Takes the lock and the next nonce, or answers with an empty text while another program has the lock. The nonce is also what
 * the lock is released by: no other holder has the same.
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

const lockedOut = "other programs have been calling with this key all the time"

const unlock = Redis.script((key: string, nonce: number) => [key, nonce], {
  numberOfKeys: 1,
  lua: `
if redis.call("HGET", KEYS[1], "last") == ARGV[1] then redis.call("HSET", KEYS[1], "till", "0") end
return 0
`
}).withReturnType<number>()

/**
 * Increasing nonces of keys that any number of programs share: one call of a key at a time in all of them, under a lock
 * in Redis, which also keeps the greatest nonce. Slow: every call asks Redis twice and waits for the answers of all calls
 * before it, and a program that dies during a call keeps the others waiting for fifteen seconds.
 *
 * No nonce is given out twice. A call that lost the lock because its program was paused is sent with a nonce that is less
 * than the next holder's. The exchange refuses it, which proves that it was not applied. A call fails with
 * `ExchangeUnreachable`, `why: "nonce"`, when Redis can't be reached, or the lock is not free for twenty seconds.
 *
 * @category layers
 * @since 0.1.0
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
