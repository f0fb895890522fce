/**
 * Manages a program's lease, in Redis, on part of an API key's nonces.
 *
 * The nonces of a key are divided into classes, one per program. A class contains all numbers with the same remainder
 * when divided by the number of programs. A lease covers a range of numbers in one class. No two leases ever share a
 * number, because:
 *
 * - A lease on a class begins no earlier than the end of the previous lease on that class. So the ranges of two leases
 *   never overlap, whatever the clocks show.
 * - A program draws only from its own lease. No other program ever draws the same numbers, even if the leaseholder is
 *   paused and sends its numbers late. When the leaseholder resumes, its clock is past the end of its lease, so it
 *   draws no more numbers until it has a new lease.
 * - A lease is extended or given back with its token, which is unique to that lease. If another program has leased the
 *   class in the meantime, the former holder gets another class, or no lease at all.
 * - The data in Redis contains the run id of the server that wrote it. If Redis was emptied, restarted or replaced, the
 *   data is missing or contains a different run id, and recent leases may be lost. In this case no lease is granted
 *   until every lease that may have been lost has ended. Only this step relies on clocks that agree: those of a Redis
 *   server and its replacement must differ by less than {@link margin}.
 *
 * The Redis server's clock determines when leases begin and end. If a program's clock is seconds ahead of the server's
 * clock, the program's leases appear to have ended already. If the program's clock is behind, calls might wait a few
 * seconds for the start of the lease. If the program's clock is further behind, or was set back, calls fail with an
 * error that gives this reason. No nonce is used twice in any of these cases.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redis from "effect/persistence/Redis"
import { NonceUnavailable, type Of } from "./Nonce.ts"
import { ticks } from "./NonceSequence.ts"
import { ask, keyOf } from "./NonceStore.ts"

/** The time after which a lease ends unless it is extended, in milliseconds. */
export const leaseMillis = 6000

/**
 * The interval, in milliseconds, at which a lease is extended, and at which a program without a lease requests a lease
 * again.
 */
const everyMillis = 1000

/** The maximum clock difference between Redis servers that replace each other, in milliseconds. */
export const margin = 1000

/**
 * Extends the lease with this class and token, or leases another class. If no class is free, returns the milliseconds
 * until a class might be free.
 *
 * One Redis hash stores all data for an API key. `run` identifies the server run that wrote the hash. No lease is
 * granted before the time `from`. `token:N` identifies the holder of class N, and `end:N` is the end of the holder's
 * lease, which may be in the future even if the lease was given back.
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
  -- Old classes contain the same numbers as new ones: no lease may begin before all old leases have ended.
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

/** A range of numbers in one class, in the key's nonce unit. */
export interface Lease {
  /** The class's name in Redis. */
  readonly held: string
  /** The token that extends or ends the lease. */
  readonly token: string
  /** The remainder that all numbers of the class have in common. */
  readonly remainder: number
  /** The first number of the lease. */
  readonly from: number
  /** The first number after the lease. */
  readonly till: number
}

/** A program's leases on an API key's nonces. */
export interface Holder {
  /** Returns the current lease; `undefined` before the first lease is granted, and after a lease is given back. */
  readonly lease: () => Lease | undefined
  /** Completes when the first lease is granted. */
  readonly first: Deferred.Deferred<void>
  /** Gets a lease and keeps extending it. If this fails, `unavailable` gives the reason. */
  readonly keep: Effect.Effect<never>
  /** Fails with the reason why no number can be drawn. */
  readonly unavailable: Effect.Effect<never, NonceUnavailable>
  /** Ends the lease early, after the number `last`. Never fails, because an abandoned lease ends by itself. */
  readonly giveBack: (last: number) => Effect.Effect<void>
}

const reasonOf = (refusal: "quarantine" | "full" | "programs", known: string, programs: number): string => {
  switch (refusal) {
    case "full":
      return `all ${programs} classes of nonces are leased to other programs`
    case "programs":
      return `other programs divide this key's nonces among ${known} programs, but this program among ${programs}`
    case "quarantine":
      return "Redis has no record of earlier leases; it grants a lease only when all leases that it may have lost are over"
  }
}

/** Manages this program's leases on the nonces of a key that is shared by `programs` programs. */
export const hold = (redis: Redis.Redis["Service"], programs: number, of: Of): Holder => {
  const perMillisecond = ticks[of.unit]
  const key = keyOf("nonce", of)
  const askLease = redis.eval(lease)
  const askBack = redis.eval(giveBack)
  const first = Deferred.makeUnsafe<void>()
  let mine: Lease | undefined
  let reason = "Redis has not responded yet"

  /** Extends the lease or gets a new lease, and returns the milliseconds until the next attempt. */
  const renew = Effect.fnUntraced(function*(key: string) {
    const answer = yield* ask(
      askLease(key, programs, leaseMillis, leaseMillis + margin, mine?.held ?? "", mine?.token ?? "")
    )
    if (answer[0] !== "lease") {
      reason = reasonOf(answer[0], answer[1], programs)
      return Math.min(Number(answer[2]), everyMillis)
    }
    const [, held, token, from, till] = answer
    mine = {
      held,
      token,
      remainder: Number(held),
      from: token === mine?.token ? mine.from : Number(from) * perMillisecond,
      till: Number(till) * perMillisecond
    }
    reason = "the lease on nonces has ended: it was not extended in time, or this clock is far ahead of Redis's clock"
    Deferred.doneUnsafe(first, Effect.void)
    return everyMillis
  })

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

  return {
    lease: () => mine,
    first,
    keep,
    unavailable: Effect.suspend(() => Effect.fail(new NonceUnavailable({ reason }))),
    giveBack: (last) => {
      const ended = mine
      mine = undefined
      if (ended === undefined) return Effect.void
      const till = Math.floor(Math.max(ended.from, last + 1) / perMillisecond) + 1
      return Effect.ignore(Effect.flatMap(key, (key) => ask(askBack(key, ended.held, ended.token, till))))
    }
  }
}
