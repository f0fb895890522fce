/** What a new venue of a host begins with, and what belongs to it alone. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import * as Dialect from "../../protocol/Dialect.ts"
import type { Action } from "../engine/Command.ts"
import type { JournalError } from "../store/JournalError.ts"
import type { ControlRefused } from "../venue/ControlRefused.ts"
import type * as Models from "./HostModels.ts"
import type * as Registry from "./Registry.ts"
import * as Seed from "./Seed.ts"

/** So many random letters and digits, of which none is mistaken for another. */
const draw = (length: number): string => {
  const letters = "abcdefghijkmnpqrstuvwxyz23456789"
  return Array.from(randomBytes(length), (byte) => letters[byte % letters.length]).join("")
}

/** A secret that nobody guesses. */
export const secret = (): string => randomBytes(24).toString("base64url")

/** What belongs to one venue alone. */
export const own = (): Seed.Own => ({
  identity: randomBytes(6).toString("hex").replace(/^.{8}/u, "$&-"),
  secret
})

/** How a venue speaks, and what it decides where the document leaves a choice. */
export const dialectOf = (
  { dialect, reduceOnly }: Pick<Registry.Registered, "dialect" | "reduceOnly">
): Dialect.Dialect => {
  const spoken = Dialect.byName[dialect]
  return { ...spoken, policy: { ...spoken.policy, reduceOnly } }
}

/** The commands of the example by dialect: they are made once. */
export const makeExamples = () => {
  const known = new Map<string, ReadonlyArray<Action>>()
  return (registered: Registry.Registered): Effect.Effect<ReadonlyArray<Action>, JournalError> =>
    Effect.suspend(() => {
      const name = `${registered.dialect} ${registered.reduceOnly}`
      const found = known.get(name)
      if (!registered.example) return Effect.succeed([])
      if (found !== undefined) return Effect.succeed(found)
      // The control refuses nothing of the example.
      const made = Effect.catchTag(
        Seed.example(dialectOf(registered)),
        "ControlRefused",
        (error: ControlRefused) => Effect.die(error)
      )
      return Effect.tap(made, (actions) => Effect.sync(() => known.set(name, actions)))
    })
}

/** How much memory this process uses, in bytes. */
export const memoryNow = (): number => {
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

/** What every new venue has. `usual` is how long one lives that says nothing else, in milliseconds. */
export const newcomer = Effect.fnUntraced(function*(
  usual: number | undefined,
  { owner = "anybody", timeToLiveMillis = usual }: Models.CopyOptions
) {
  const now = yield* Clock.currentTimeMillis
  return {
    id: draw(12),
    owner,
    controlToken: secret(),
    madeAt: now,
    ...(timeToLiveMillis === undefined ? {} : { endsAt: now + timeToLiveMillis }),
    partial: true
  }
})
