/**
 * The target's two clocks. The business clock determines the times of orders and payments; on a sandbox, a check can
 * move it. Nonces are compared with the server clock. Both are read from the target, because either may differ from
 * this machine's clock.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Target from "../Target.ts"
import type * as Verdict from "../Verdict.ts"
import * as Paths from "./Paths.ts"
import type { World } from "./World.ts"

type Clock = Pick<World, "now" | "serverTime" | "advance" | "whileFrozen">

/**
 * Clock differences below this, in milliseconds, are ignored, because the target may show its time in whole seconds.
 */
const precision = 2000

/**
 * Returns the time that a response shows, in Unix milliseconds: from the body of a time call, otherwise from the `Date`
 * header.
 */
const timeOf = ({ headers, json, status }: Target.Answer): number | undefined => {
  const time = status === 200 && Json.isObject(json) ? Number(json["time"]) : Number.NaN
  if (Number.isFinite(time) && time > 1e9) return time > 1e12 ? time : time * 1000
  const date = Date.parse(headers["date"] ?? "")
  return Number.isFinite(date) ? date : undefined
}

/**
 * Returns a target's clocks. `readControl` reads a value from the control plane; it succeeds with `undefined` if the
 * target has no control plane.
 */
export const make = (
  { control, get }: Pick<World, "control" | "get">,
  readControl: (name: string) => Effect.Effect<unknown>
): Clock => {
  // How far the server clock is ahead of this machine's clock, in milliseconds; read on first use.
  let ahead: number | undefined
  const readAhead = Effect.gen(function*() {
    const asked = yield* Target.now
    const shown = timeOf(yield* get(Paths.time))
    if (shown === undefined) return 0
    const off = shown - (asked + (yield* Target.now)) / 2
    return Math.abs(off) < precision ? 0 : Math.round(off)
  }).pipe(
    Effect.orElseSucceed(() => 0),
    Effect.tap((off) => Effect.sync(() => ahead = off))
  )
  const serverTime = Effect.flatMap(
    Effect.suspend(() => ahead === undefined ? readAhead : Effect.succeed(ahead)),
    (off) => Effect.map(Target.now, (now) => now + off)
  )
  const now = Effect.flatMap(readControl("Clock"), (reading) => {
    const at = Json.isObject(reading) ? Number(reading["at"]) : Number.NaN
    return Number.isFinite(at) ? Effect.succeed(at / 1000) : serverTime
  })
  const forget = Effect.sync(() => {
    ahead = undefined
  })
  return {
    now,
    serverTime,
    advance: (millis) => Effect.andThen(control("AdvanceClock", { millis }), forget),
    whileFrozen: (effect) => whileFrozen(control, readControl, Effect.ensuring(effect, forget))
  }
}

const whileFrozen = <A>(
  control: World["control"],
  readControl: (name: string) => Effect.Effect<unknown>,
  effect: Effect.Effect<A, Verdict.CheckError>
): Effect.Effect<A, Verdict.CheckError> =>
  Effect.gen(function*() {
    const before = yield* readControl("Clock")
    yield* control("FreezeClock", {})
    const frozenAt = yield* Target.now
    const run = Effect.gen(function*() {
      // The clock was already frozen, so it stays frozen.
      if (Json.isObject(before) && before["frozen"] === true) return
      yield* control("RunClock", {})
      // The clock resumes where it stopped, so it is advanced by the time for which it was frozen.
      yield* control("AdvanceClock", { millis: (yield* Target.now) - frozenAt })
    })
    return yield* Effect.ensuring(effect, Effect.ignore(run))
  })
