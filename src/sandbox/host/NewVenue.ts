/** Generates a new venue's unique parts (id, token and keys) and its initial commands. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomBytes, randomUUID } from "node:crypto"
import * as Dialect from "../../protocol/Dialect.ts"
import type { Action, Command } from "../engine/Command.ts"
import * as Engine from "../engine/Engine.ts"
import * as Times from "../engine/Times.ts"
import type { JournalError } from "../store/JournalError.ts"
import type { ControlRefused } from "../venue/ControlRefused.ts"
import type * as Models from "./HostModels.ts"
import { NotMade } from "./HostModels.ts"
import type * as Registry from "./Registry.ts"
import * as Seed from "./Seed.ts"

/** Generates `length` random letters and digits, excluding characters that look alike. */
const draw = (length: number): string => {
  const letters = "abcdefghijkmnpqrstuvwxyz23456789"
  return Array.from(randomBytes(length), (byte) => letters[byte % letters.length]).join("")
}

/** Draws a random secret. */
export const secret = (): string => randomBytes(24).toString("base64url")

/** Generates a new venue's unique parts. */
const own = (): Seed.Own => ({
  identity: randomBytes(6).toString("hex").replace(/^.{8}/u, "$&-"),
  secret,
  uuid: randomUUID
})

/** A venue's dialect, including its choice for reduce-only orders. */
export const dialectOf = (
  { dialect, reduceOnly }: Pick<Registry.Registered, "dialect" | "reduceOnly">
): Dialect.Dialect => {
  const spoken = Dialect.byName[dialect]
  return { ...spoken, policy: { ...spoken.policy, reduceOnly } }
}

/** The commands of the example, cached for each dialect. */
export const makeExamples = () => {
  const known = new Map<string, ReadonlyArray<Action>>()
  return (registered: Registry.Registered): Effect.Effect<ReadonlyArray<Action>, JournalError> =>
    Effect.suspend(() => {
      const name = `${registered.dialect} ${registered.reduceOnly}`
      const found = known.get(name)
      if (!registered.example) return Effect.succeed([])
      if (found !== undefined) return Effect.succeed(found)
      // No command of the example is refused, so a refusal is a defect.
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

/** The record fields of every new venue. `usual` is the host's default time to live for venues, in milliseconds. */
const recordFields = Effect.fnUntraced(function*(
  usual: number | undefined,
  { owner = "anybody", timeToLiveMillis = usual }: Models.CopyOptions
) {
  const now = yield* Clock.currentTimeMillis
  if (now * 1000 > Times.latest) {
    const message = "The machine's clock is after 2199, the last year that a venue can record. Correct the clock"
    return yield* new NotMade({ field: "clock", message })
  }
  return {
    id: draw(12),
    owner,
    controlToken: secret(),
    engine: Engine.version,
    madeAt: now,
    ...(timeToLiveMillis === undefined ? {} : { endsAt: now + Math.min(timeToLiveMillis, Times.longestMillis) }),
    partial: true
  }
})

/** The record of a new venue. The record is marked as incomplete until the host has completed it. */
export const record = Effect.fnUntraced(function*(usual: number | undefined, options: Models.MakeOptions) {
  const { clock, dialect = "document", example = true, reduceOnly = "accepted", seed = 0 } = options
  const belongings = own()
  return {
    ...(yield* recordFields(usual, options)),
    dialect,
    reduceOnly,
    seed,
    ...(clock === undefined ? {} : { clock }),
    example,
    identity: belongings.identity,
    keys: example ? Seed.keys(belongings) : {}
  } satisfies Registry.Registered
})

/** The record and the commands of a venue's copy, given the commands of the original. */
export const copy = Effect.fnUntraced(function*(
  usual: number | undefined,
  options: Models.CopyOptions,
  origin: Registry.Registered,
  written: ReadonlyArray<Command>
) {
  const belongings = own()
  const { commands, keys } = Seed.copied(origin, written, belongings)
  const { begun: _begun, clock: _clock, endsAt: _endsAt, port: _port, ...rest } = origin
  const fields = yield* recordFields(usual, options)
  return { registered: { ...rest, ...fields, identity: belongings.identity, keys }, commands }
})
