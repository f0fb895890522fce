import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Http from "node:http"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { prefix } from "../../src/sandbox/control/ControlApi.ts"
import type { Command } from "../../src/sandbox/engine/Command.ts"
import * as History from "../../src/sandbox/engine/History.ts"
import * as Ledger from "../../src/sandbox/engine/Ledger.ts"
import type { State } from "../../src/sandbox/engine/State.ts"
import type { Request } from "../../src/sandbox/gateway/Message.ts"
import * as Snapshot from "../../src/sandbox/store/Snapshot.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"
import { until } from "../support/clock.ts"
import { controlToken, servedElsewhere } from "../support/elsewhere.ts"
import { hash } from "../support/engine.ts"
import { alice, bob } from "../support/exchange.ts"
import { scratchFile } from "../support/files.ts"
import { sending } from "../support/hostile.ts"
import { isLong } from "../support/long.ts"
import { read, signed } from "../support/signed.ts"
import { Follower } from "./engine/invariants.ts"

const dialect = Dialect.document

/**
 * Returns a generator of pseudo-random numbers. They are the same in every run, unless `TXC_TEST_SEED` sets another
 * seed.
 */
const chance = (seed: number) => {
  let state = (Number(process.env["TXC_TEST_SEED"] ?? 0) + seed + 1) >>> 0
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

// -----------------------------------------------------------------------------
// Calls under load
// -----------------------------------------------------------------------------

const own = (name: string, payload: object): Request => ({
  method: "POST",
  path: prefix + name,
  headers: { authorization: `Bearer ${controlToken}`, "content-type": "application/json" },
  body: new TextEncoder().encode(JSON.stringify(payload)),
  from: "test"
})

/** Draws a call that trades, moves money or changes accounts. Every unsigned call contains `mark`. */
const drawCall = (draw: (below: number) => number, mark: () => string, restoring: boolean): Request => {
  const caller = draw(2) === 0 ? alice : bob
  const order = () => ({
    market: "BTC_USDT",
    side: draw(2) === 0 ? "buy" : "sell",
    amount: `0.${1 + draw(9)}`,
    price: `${990 + draw(20)}`
  })
  switch (draw(restoring ? 12 : 11)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      return signed(dialect, "/api/v4/order/new", order(), caller)
    case 5:
      return signed(dialect, "/api/v4/order/cancel/all", { market: "BTC_USDT" }, caller)
    case 6:
      return signed(dialect, "/api/v4/trade-account/balance", {}, caller)
    case 7:
      return signed(dialect, "/api/v4/order/new", { ...order(), amount: "none" }, caller)
    case 8:
      return own("MovePrice", { market: "BTC_USDT", price: `${990 + draw(20)}.${mark()}` })
    case 9:
      return own("Fund", { account: caller.account, wallet: "trade", ticker: "USDT", amount: `1000.${mark()}` })
    case 10:
      return own("OpenAccount", { account: `account ${mark()}`, b2b: false })
    default:
      return own("Restore", { sequence: 20 + draw(30) })
  }
}

/**
 * Returns the nonce or mark that identifies a request's command in the journal, or `undefined` if the request has
 * neither.
 */
const traceOf = (request: Request): string | undefined => {
  const text = Buffer.from(request.body).toString()
  if (!request.path.startsWith(prefix)) return /"nonce":"(\d+)"/u.exec(text)?.[1]
  return /"(?:\d+\.|account )(\d{9})"/u.exec(text)?.[1]
}

const traceIn = ({ action }: Command): string | undefined => {
  switch (action._tag) {
    case "Call":
      return action.nonce?.value.toString()
    case "MovePrice":
      return action.price.split(".")[1]
    case "Fund":
      return action.amount.split(".")[1]
    case "OpenAccount":
      return action.account.split(" ")[1]
    default:
      return undefined
  }
}

interface Entry {
  readonly id: string
  readonly event: { readonly _tag: string }
}

/** Follows the feed until the connection breaks, and collects its events, except for those about requests. */
const following = (baseUrl: string, after: string, seen: Array<Entry>) =>
  Effect.callback<void>((resume) => {
    let text = ""
    const request = Http.get(`${baseUrl}${prefix}Events?after=${after}`, {
      headers: { authorization: `Bearer ${controlToken}` }
    }, (response) => {
      if (response.statusCode !== 200) return resume(Effect.die(`the feed responds with ${response.statusCode}`))
      response.on("data", (chunk: Buffer) => {
        const blocks = (text + chunk.toString()).split("\n\n")
        text = blocks.pop() ?? ""
        for (const block of blocks) {
          const data = /^data: (.*)$/mu.exec(block)?.[1]
          const entry = data === undefined ? undefined : JSON.parse(data) as Entry
          if (entry !== undefined && entry.event._tag !== "Requested") seen.push(entry)
        }
      })
      response.on("close", () => resume(Effect.void))
      response.on("error", () => resume(Effect.void))
    })
    request.on("error", () => resume(Effect.void))
    return Effect.sync(() => request.destroy())
  })

// -----------------------------------------------------------------------------

// The state after each kill
// -----------------------------------------------------------------------------

/** Returns the state after each command, rebuilt from the commands alone. */
const replayed = (commands: ReadonlyArray<Command>) => {
  const history = History.make(dialect.policy)
  const states: Array<Uint8Array> = [Snapshot.encode(history.state)]
  const ids: Array<string> = []
  for (const command of commands) {
    const answer = History.apply(
      history,
      command,
      (sequence) => Snapshot.decode(states[sequence] ?? assert.fail(`no state ${sequence}`), dialect.policy)
    )
    assert.isTrue(answer.recorded)
    for (const index of answer.events.keys()) ids.push(`${history.sequence}.${index + 1}`)
    states.push(Snapshot.encode(history.state))
  }
  return { state: history.state, ids }
}

const sound = ({ ledger }: State): void => {
  for (const [ticker, total] of Ledger.totals(ledger)) assert.strictEqual(total, 0n, ticker)
}

const kills = isLong ? 5 : 2

describe.each([["under load", false], ["under load and restored to earlier states", true]] as const)(
  "a sandbox that is killed %s",
  (_, restoring) => {
    it.live("a sandbox that is killed repeatedly preserves every acknowledged command, and no partial command", () =>
      Effect.gen(function*() {
        const file = yield* scratchFile
        const draw = chance(restoring ? 1 : 0)
        let marks = 0
        const mark = () => String(++marks).padStart(9, "0")
        const acknowledged = new Set<string>()
        const seen: Array<Entry> = []
        let last = "0"
        let trades = 0
        for (let kill = 1; kill <= kills; kill++) {
          const inThisRun: Array<Request> = []
          yield* Effect.scoped(Effect.gen(function*() {
            const sandbox = yield* servedElsewhere(file)
            const send = yield* sending(sandbox.baseUrl)
            const feed = yield* Effect.forkChild(following(sandbox.baseUrl, last, seen))
            const caller = Effect.gen(function*() {
              for (;;) {
                const request = drawCall(draw, mark, restoring)
                const answer = yield* send(request)
                if (answer === "broken") return
                assert.isBelow(answer.status, 500, answer.text)
                const trace = traceOf(request)
                if (answer.status === 429 || trace === undefined) continue
                acknowledged.add(trace)
                inThisRun.push(request)
              }
            })
            const callers = yield* Effect.forkChild(
              Effect.forEach(Array.from({ length: 8 }), () => caller, { concurrency: "unbounded", discard: true })
            )
            const seenBefore = seen.length
            const kind = restoring ? "Restored" : "Traded"
            const hasSeen = () => seen.some(({ event }) => event._tag === kind)
            yield* until(
              Effect.sync(() => inThisRun.length >= 15 && seen.length >= seenBefore + 16 && (kill < kills || hasSeen()))
            )
            yield* Effect.sleep(draw(200))
            assert.strictEqual(yield* sandbox.kill, "SIGKILL")
            yield* Fiber.join(callers)
            yield* Fiber.join(feed)
          }))
          last = seen.at(-1)?.id ?? last

          yield* Effect.scoped(Effect.gen(function*() {
            const venue = yield* Venue.make({ dialect, file })
            const commands: Array<Command> = []
            yield* venue.journal.read(0, venue.journal.sequence(), (command) => commands.push(command))
            const there = new Set(commands.map(traceIn))
            assert.deepStrictEqual([...acknowledged].filter((trace) => !there.has(trace)), [], "acknowledged, but lost")

            const [once, twice] = [replayed(commands), replayed(commands)]
            assert.deepStrictEqual([hash(once.state), hash(twice.state)], [hash(venue.state), hash(venue.state)])
            sound(venue.state)
            if (!restoring) {
              const history = History.make(dialect.policy)
              const follower = new Follower(history.state)
              for (const command of commands) {
                follower.check(
                  History.apply(history, command, () => assert.fail("no command restores a state")),
                  command.action
                )
              }
              follower.checkAll()
              trades = follower.trades
            }

            const feed = yield* venue.feed.after("0")
            const entries = yield* Stream.runCollect(Stream.take(feed, once.ids.length))
            assert.deepStrictEqual(entries.map(({ id }) => id), once.ids)
            const byId = new Map(entries.map((entry) => [entry.id, JSON.stringify(entry)]))
            for (const entry of seen)
              assert.strictEqual(JSON.stringify(entry), byId.get(entry.id), "in the feed, but not in the journal")

            if (!restoring) {
              for (
                const request of inThisRun.filter(({ path }) => !path.startsWith(prefix))
              ) {
                const answer = read(yield* venue.handle(request))
                assert.strictEqual(answer !== "reset" && answer.status, 429, "a nonce is used twice")
              }
            }
          }))
        }
        assert.isAtLeast(acknowledged.size, 15 * kills)
        assert.isAbove(seen.length, 15 * kills)
        if (!restoring) assert.isAbove(trades, 0)
        if (restoring) assert.isTrue(seen.some(({ event }) => event._tag === "Restored"))
        assert.strictEqual(new Set(seen.map(({ id }) => id)).size, seen.length, "no entry of the feed is repeated")
      }).pipe(Effect.scoped))
  }
)
