/** The parts of a new venue that are unique to it, and its initial commands. */
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

/** Draws `length` random letters and digits, without characters that look alike. */
const draw = (length: number): string => {
  const letters = "abcdefghijkmnpqrstuvwxyz23456789"
  return Array.from(randomBytes(length), (byte) => letters[byte % letters.length]).join("")
}

/** A random secret. */
export const secret = (): string => randomBytes(24).toString("base64url")

/** The unique parts of a new venue. */
export const own = (): Seed.Own => ({
  identity: randomBytes(6).toString("hex").replace(/^.{8}/u, "$&-"),
  secret
})

/** The dialect of a venue, with its policy where the document leaves a choice. */
export const dialectOf = (
  { dialect, reduceOnly }: Pick<Registry.Registered, "dialect" | "reduceOnly">
): Dialect.Dialect => {
  const spoken = Dialect.byName[dialect]
  return { ...spoken, policy: { ...spoken.policy, reduceOnly } }
}

/** The commands of the example, cached by dialect. */
export const makeExamples = () => {
  const known = new Map<string, ReadonlyArray<Action>>()
  return (registered: Registry.Registered): Effect.Effect<ReadonlyArray<Action>, JournalError> =>
    Effect.suspend(() => {
      const name = `${registered.dialect} ${registered.reduceOnly}`
      const found = known.get(name)
      if (!registered.example) return Effect.succeed([])
      if (found !== undefined) return Effect.succeed(found)
      // No command of the example is refused.
      const made = Effect.catchTag(
        Seed.example(dialectOf(registered)),
        "ControlRefused",
        (error: ControlRefused) => Effect.die(error)
      )
      return Effect.tap(made, (actions) => Effect.sync(() => known.set(name, actions)))
    })
}

/** The memory used by this process, in bytes. */
export const memoryNow = (): number => {
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

/** The record fields of every new venue. `usual` is the default time to live, in milliseconds. */
export const recordFields = Effect.fnUntraced(function*(
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
