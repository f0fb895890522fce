/**
 * Nonces of an API key that many programs share, on as many machines, through a Redis.
 *
 * In window mode a program leases a class of numbers: those that leave the same rest when divided by the number of
 * programs, from the start of the lease up to its end. It draws from them without asking anybody. Why no number is ever
 * drawn twice:
 *
 * - A lease *is* a set of numbers: a class, from a first to an end. Redis gives out a class again only with a first number
 *   that is not before the end it gave out before, so the sets are disjoint, whatever any clock says.
 * - A program draws only from its own set. One that was paused holds the same set when it goes on: what it has drawn is
 *   its own, however late it is sent, and what lies before the end of its lease is nobody else's. Its clock is past that
 *   end, so it draws nothing more until it has another lease.
 * - A lease is extended or given back by its token, which no other lease has; a program whose class somebody else holds by
 *   now gets another one, or none.
 * - A Redis that lost its memory, or may have lost the end of it, is known by having no record of its own run: it was
 *   emptied, started anew, or another took its place. It then gives out nothing until every lease that it may have
 *   forgotten has ended. This alone relies on clocks: those of Redis servers that take each other's place differ by less
 *   than {@link margin}.
 *
 * Leases are told in the time of Redis. A program whose clock is seconds ahead of it finds its leases ended, and one whose
 * clock is behind may wait until it has come as far as its lease: nonces stay distinct, and calls stop.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Digest from "./Digest.ts"
import { maxAhead, Nonce, NonceUnavailable, type Of, perKey, ticks } from "./Nonce.ts"

/** How long a lease lasts, in milliseconds, unless it is extended. */
export const leaseMillis = 6000

/** How often a lease is extended, and how soon a program without one asks again, in milliseconds. */
const everyMillis = 1000

/** By how many milliseconds the clocks of Redis servers that take each other's place may differ. */
export const margin = 1000

/** How long the first lease is waited for, in milliseconds: longer than Redis may have to wait itself. */
const firstMillis = 10_000

/** How long an answer of Redis is waited for. */
const patience = "2 seconds"

const keyOf = (kind: string, { apiKey, unit }: Of): Effect.Effect<string> =>
  Effect.map(Digest.ofApiKey(Redacted.value(apiKey)), (digest) => `effect-txc:${kind}:${unit}:${digest}`)

/** Asks Redis, and does not wait for ever, also where nothing else may interrupt. */
const ask = <A>(asked: Effect.Effect<A, Redis.RedisError>): Effect.Effect<A, NonceUnavailable> =>
  Effect.interruptible(asked).pipe(
    Effect.mapError(({ cause }) =>
      new NonceUnavailable({ reason: `Redis: ${cause instanceof Error ? cause.message : String(cause)}` })
    ),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(new NonceUnavailable({ reason: "Redis does not answer" }))
    })
  )

// -----------------------------------------------------------------------------
// Window
// -----------------------------------------------------------------------------

/**
 * Extends the lease of a class and token, or gives a new one, or says for how many milliseconds there is none.
 *
 * All of a key is one hash: `run` says which run of which server wrote it, `from` before when nothing is given out, and
 * `token:N`, `end:N` who holds class N and until when (an end may be in the future although the holder is gone).
 */
const lease = Redis.script(
  (key: string, programs: number, lease: number, quarantine: number, held: string, token: string) => [
    key,
    programs,
    lease,
    quarantine,
    held,
    token
  ],
  {
    numberOfKeys: 1,
    lua: `
local key, programs, lease, quarantine, held, token =
  KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]
local time = redis.call("TIME")
local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(micros / 1000)
local text = function(number) return string.format("%.0f", number) end

local run = string.match(redis.call("INFO", "server"), "run_id:(%w+)") or "unknown"
if redis.call("HGET", key, "run") ~= run then
  redis.call("DEL", key)
  redis.call("HSET", key, "run", run, "from", text(now + quarantine))
end

local programsKnown = tonumber(redis.call("HGET", key, "programs") or "0")
if programsKnown ~= programs then
  for class = 0, programsKnown - 1 do
    local left = tonumber(redis.call("HGET", key, "end:" .. class) or "0") - now
    if left > 0 then return { "programs", text(programsKnown), text(left) } end
  end
  -- The classes of another division hold the same numbers: none may begin before all of those have ended.
  local from = tonumber(redis.call("HGET", key, "from"))
  for class = 0, programsKnown - 1 do
    from = math.max(from, tonumber(redis.call("HGET", key, "end:" .. class) or "0"))
    redis.call("HDEL", key, "end:" .. class, "token:" .. class)
  end
  redis.call("HSET", key, "programs", programs, "from", text(from))
end

local give = function(class, token, from)
  local before = tonumber(redis.call("HGET", key, "end:" .. class) or "0")
  local till = math.max(before, now + lease)
  redis.call("HSET", key, "token:" .. class, token, "end:" .. class, text(till))
  return { "lease", tostring(class), token, text(from), text(till) }
end

if token ~= "" and redis.call("HGET", key, "token:" .. held) == token then return give(held, token, 0) end

local from = tonumber(redis.call("HGET", key, "from"))
if now < from then return { "quarantine", "", text(from - now) } end

local soonest
for class = 0, programs - 1 do
  local till = tonumber(redis.call("HGET", key, "end:" .. class) or "0")
  if till <= now then
    local last = tonumber(redis.call("HGET", key, "last") or "0")
    local fresh = text(math.max(last + 1, micros))
    redis.call("HSET", key, "last", fresh)
    return give(class, fresh, math.max(from, till))
  end
  soonest = math.min(soonest or till, till)
end
return { "full", "", text(soonest - now) }
`
  }
).withReturnType<
  | readonly ["lease", held: string, token: string, from: string, till: string]
  | readonly ["quarantine" | "full" | "programs", programs: string, left: string]
>()

/** Ends a lease early, just after the last number drawn from it. */
const giveBack = Redis.script(
  (key: string, held: string, token: string, till: number) => [key, held, token, till],
  {
    numberOfKeys: 1,
    lua: `
if redis.call("HGET", KEYS[1], "token:" .. ARGV[1]) == ARGV[2] then
  redis.call("HSET", KEYS[1], "end:" .. ARGV[1], ARGV[3])
  redis.call("HDEL", KEYS[1], "token:" .. ARGV[1])
end
return 0
`
  }
).withReturnType<number>()

/** Numbers of one class, in ticks of the key's unit. */
interface Lease {
  readonly held: string
  readonly token: string
  readonly rest: number
  readonly from: number
  readonly till: number
}

/** The least number from `least` on that leaves this rest. */
const inClass = (least: number, rest: number, programs: number): number =>
  least + ((rest - least) % programs + programs) % programs

const why = (refusal: "quarantine" | "full" | "programs", known: string, programs: number): string => {
  switch (refusal) {
    case "full":
      return `all ${programs} classes of nonces are leased to others`
    case "programs":
      return `others share the nonces of this key among ${known} programs, this one among ${programs}`
    case "quarantine":
      return "Redis has no record, and waits for the end of leases that it may have forgotten"
  }
}

/** What one program has of the nonces of one key. */
const share = (redis: Redis.Redis["Service"], programs: number, of: Of, scope: Scope.Scope) => {
  const perMillisecond = ticks[of.unit]
  const key = keyOf("nonce", of)
  const askLease = redis.eval(lease)
  const askBack = redis.eval(giveBack)
  const one = Semaphore.makeUnsafe(1)
  const first = Deferred.makeUnsafe<void>()
  let mine: Lease | undefined
  let last = -1
  let waiting = 0
  let kept = false
  let reason = "Redis has not answered yet"

  /** Extends the lease or gets one; gives the milliseconds until it is worth asking again. */
  const renew = Effect.fnUntraced(function*(key: string) {
    const answer = yield* ask(
      askLease(key, programs, leaseMillis, leaseMillis + margin, mine?.held ?? "", mine?.token ?? "")
    )
    if (answer[0] !== "lease") {
      reason = why(answer[0], answer[1], programs)
      return Math.min(Number(answer[2]), everyMillis)
    }
    const [, held, token, from, till] = answer
    mine = {
      held,
      token,
      rest: Number(held),
      from: token === mine?.token ? mine.from : Number(from) * perMillisecond,
      till: Number(till) * perMillisecond
    }
    reason = "the lease on nonces has ended: it was not extended in time, or this clock is far ahead of Redis'"
    Deferred.doneUnsafe(first, Effect.void)
    return everyMillis
  })

  /** Keeps the lease, as long as it runs. */
  const keep = Effect.flatMap(key, (key) =>
    Effect.forever(
      renew(key).pipe(
        Effect.catch((error) =>
          Effect.sync(() => {
            reason = error.reason
            return everyMillis
          })
        ),
        Effect.flatMap(Effect.sleep)
      )
    ))

  const missing = Effect.suspend(() => Effect.fail(new NonceUnavailable({ reason })))

  /** Draws a number that is no further ahead than it may be; `later` when it would be by so many milliseconds. */
  const drawOr = (later: (ahead: number) => Effect.Effect<number, NonceUnavailable>) =>
    Effect.clockWith((clock) => {
      if (mine === undefined) return missing
      const now = clock.currentTimeMillisUnsafe()
      const next = inClass(Math.max(now * perMillisecond, last + 1, mine.from), mine.rest, programs)
      const ahead = next / perMillisecond - now - maxAhead
      if (ahead > 0) return later(ahead)
      return next < mine.till ? Effect.succeed(last = next) : missing
    })

  const inTime: Effect.Effect<number, NonceUnavailable> = drawOr((ahead) =>
    Effect.andThen(Effect.sleep(Math.ceil(ahead)), inTime)
  )

  const inLine = Effect.suspend(() => {
    waiting++
    return Effect.ensuring(one.withPermits(1)(inTime), Effect.sync(() => waiting--))
  })

  const next = Effect.suspend(() => waiting === 0 ? drawOr(() => inLine) : inLine)

  const end = Effect.suspend(() => {
    const ended = mine
    mine = undefined
    if (ended === undefined) return Effect.void
    const till = Math.floor(Math.max(ended.from, last + 1) / perMillisecond) + 1
    return Effect.ignore(Effect.flatMap(key, (key) => ask(askBack(key, ended.held, ended.token, till))))
  })

  const started = Effect.suspend(() => {
    if (kept) return Effect.void
    kept = true
    return Effect.andThen(Scope.addFinalizer(scope, end), Effect.forkIn(Effect.interruptible(keep), scope))
  })

  const once = Effect.uninterruptible(started).pipe(
    Effect.andThen(Deferred.await(first)),
    Effect.timeoutOrElse({ duration: firstMillis, orElse: () => missing }),
    Effect.andThen(next)
  )

  return Effect.suspend(() => Deferred.isDoneUnsafe(first) ? next : once)
}

/**
 * Windowed nonces of keys that up to `programs` programs share at a time: about 1,000 calls per second and key in all
 * where nonces count milliseconds (live), so that each program has 1,000 divided by `programs`; a million where they count
 * microseconds (document). A call asks nobody: a lease is had before the first call and extended in the background.
 *
 * All programs of a key say the same number of `programs`; one that says another gets no lease while others have theirs.
 * A program that ends gives its class back; one that dies keeps it for the six seconds of a lease, so say some more than
 * there are. The first lease is waited for, ten seconds at most. Later a call fails at once when there is none, because
 * Redis can't be reached, all classes are taken, or the program was stopped for longer than its lease: with
 * `ExchangeUnreachable`, `why: "nonce"`. Nothing was sent then.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWindow = (options: { readonly programs: number }): Layer.Layer<Nonce, never, Redis.Redis> =>
  Layer.effect(
    Nonce,
    Effect.gen(function*() {
      const { programs } = options
      if (!Number.isInteger(programs) || programs < 1 || programs > 1000) {
        return yield* Effect.die("the programs that share the nonces of a key are from 1 to 1000")
      }
      const redis = yield* Redis.Redis
      const scope = yield* Effect.scope
      const shareOf = perKey((of) => share(redis, programs, of, scope))
      return { window: true, use: (of, call) => Effect.flatMap(shareOf(of), call) }
    })
  )

// -----------------------------------------------------------------------------
// Increasing
// -----------------------------------------------------------------------------

/** How long a call keeps others from calling when its program has died, in milliseconds. */
const lockMillis = 15_000

/**
 * Takes the lock and the next nonce, or says that somebody else has the lock. The nonce is also what the lock is given
 * back by: no other holder has the same.
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

const lockedOut = "others are calling with this key without end"

const unlock = Redis.script((key: string, nonce: number) => [key, nonce], {
  numberOfKeys: 1,
  lua: `
if redis.call("HGET", KEYS[1], "last") == ARGV[1] then redis.call("HSET", KEYS[1], "till", "0") end
return 0
`
}).withReturnType<number>()

/**
 * Increasing nonces of keys that any number of programs share: one call of a key at a time in all of them, under a lock
 * in Redis, which also keeps the greatest nonce. Slow: every call asks Redis twice and waits for the answers of all those
 * before it, and a program that dies while it calls keeps the others waiting for fifteen seconds.
 *
 * No nonce is given out twice. A call that lost the lock because its program was stopped is sent with a nonce that is less
 * than the next holder's; the exchange refuses it, which proves that it was not applied. A call fails with
 * `ExchangeUnreachable`, `why: "nonce"`, when Redis can't be reached, or the lock can't be had for twenty seconds.
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
        const giveBack = (nonce: number) => Effect.flatMap(line.key, (key) => ask(askUnlock(key, nonce)))
        return line.one.withPermits(1)(
          Effect.acquireUseRelease(take, call, (nonce) => Effect.ignore(giveBack(nonce)))
        )
      }
    }
  })
)
