import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import * as NonceLease from "../../src/client/NonceLease.ts"
import * as NonceRedis from "../../src/client/NonceRedis.ts"
import { Explore } from "../../src/explore/index.ts"
import { isLong } from "../support/long.ts"
import * as Lua from "../support/lua.ts"
import { command, itWithRedis, redisServer } from "../support/redis.ts"
import { leasing, locking } from "./fleet.ts"
import { holds } from "./holds.ts"

describe("promises that a fleet over Redis makes", () => {
  it.effect(
    "in every history, programs that lease classes of nonces never use a nonce twice",
    () => holds(leasing, 2000)
  )

  it.effect(
    "in every history, programs that lock their nonces never use a nonce twice",
    () => holds(locking(1), 2000)
  )

  if (isLong)
    it.effect(
      "the exploration finds nonces that are issued again by a Redis server whose clock is behind",
      () =>
        Effect.gen(function*() {
          const { counterexample } = yield* Explore.explore(locking(20_000), { shrinks: 0 })
          assert.match(counterexample?.why ?? "", /drawn twice/u)
        })
    )
})

type Script = Redis.Script<{ readonly params: ReadonlyArray<string | number>; readonly result: unknown }>

/** The scripts of both modes: lease, give back, lock and unlock. */
const scripts = Effect.gen(function*() {
  const found: Array<Script> = []
  const redis: Redis.Redis["Service"] = {
    eval: (script) => {
      found.push(script as unknown as Script)
      return () => Effect.die("not asked")
    },
    send: () => Effect.die("not asked"),
    subscribe: () => Effect.die("not asked"),
    reserve: Effect.die("not asked")
  }
  NonceLease.hold(redis, 1, { apiKey: Redacted.make("a-key"), unit: "milliseconds" })
  yield* Effect.scoped(Layer.build(Layer.provide(NonceRedis.layerIncreasing, Layer.succeed(Redis.Redis, redis))))
  return found
})

/** Adds a last argument to the script: the time in Unix milliseconds, which replaces the server's clock. */
const timed = (script: Script): Script =>
  Redis.script(
    (...params: ReadonlyArray<string | number>) => [...script.params(...params.slice(0, -1)), params.at(-1)],
    {
      numberOfKeys: 1,
      lua: `
local real = redis
local redis = { call = function(name, ...)
  if name ~= "TIME" then return real.call(name, ...) end
  local now = tonumber(ARGV[#ARGV])
  return { tostring(math.floor(now / 1000)), tostring((now % 1000) * 1000) }
end }
${script.lua}`
    }
  ) as unknown as Script

const step = fc.record({
  millis: fc.integer({ min: 0, max: 4000 }),
  script: fc.nat(3),
  programs: fc.integer({ min: 1, max: 2 }),
  holder: fc.nat(2),
  isReplaced: fc.nat(15).map((drawn) => drawn === 0)
})

itWithRedis("the scripts return the same results in memory as on a Redis server", () =>
  Effect.gen(function*() {
    const all = yield* scripts
    assert.lengthOf(all, 4)
    const onServer = all.map(timed)
    const server = yield* redisServer
    yield* Effect.gen(function*() {
      const redis = yield* Redis.Redis
      const runId = /run_id:(\w+)/u.exec(String(yield* command("INFO", "server")))?.[1] ?? assert.fail("no run id")
      const hashes: Lua.Hashes = {}
      const held = new Map<number, readonly [held: string, token: string]>()
      const replies = new Set<unknown>()
      let [now, nonce] = [1_767_607_200_000, ""]
      for (const { holder, isReplaced, millis, programs, script } of fc.sample(step, { seed: 36, numRuns: 600 })) {
        now += millis
        if (isReplaced && hashes["key"] !== undefined) {
          hashes["key"]["run"] = "another"
          yield* command("HSET", "key", "run", "another")
        }
        const [at = "", token = ""] = held.get(holder) ?? []
        const params = [
          ["key", programs, NonceLease.leaseMillis, NonceLease.leaseMillis + NonceLease.margin, at, token],
          ["key", at, token, now],
          ["lock", 1],
          ["lock", nonce]
        ][script] ?? []
        const [own, theirs] = [all[script], onServer[script]]
        if (own === undefined || theirs === undefined) return
        const [key = "", ...args] = own.params(...params).map(String)
        const reply = Lua.run(own.lua, [key], args, Lua.commandsOn(hashes, runId, () => now * 1000))
        assert.deepEqual(reply, (yield* redis.eval(theirs)(...params, now)) as Lua.Value)
        if (script === 0) {
          const [what, inClass = "", given = ""] = reply as ReadonlyArray<string>
          if (what === "lease") held.set(holder, [inClass, given])
          replies.add(what)
        }
        if (script === 2 && typeof reply === "string" && reply !== "") nonce = reply
      }
      assert.sameMembers([...replies], ["lease", "full", "quarantine", "programs"])
    }).pipe(Effect.provide(server.layer))
  }))
