/** The verdict of a rule's check: success, or one of the errors below. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Json from "../protocol/Json.ts"
import type { Answer, TargetError } from "./Target.ts"

/** An answer together with its request. Only targets make answers, so nothing decodes them. */
const TargetAnswer = Schema.declare((value: unknown): value is Answer => Json.isObject(value) && "sent" in value)

/** The target breaks a rule. */
export class Broken extends Schema.TaggedError<Broken>()("Broken", {
  expected: Schema.String,
  got: Schema.String,
  answer: Schema.optionalKey(TargetAnswer)
}) {
  /** The rule's expectation, in words. */
  declare readonly expected: string
  /** What the target did instead. */
  declare readonly got: string
  /** The answer that shows the fault; absent when the verdict rests on several answers. */
  declare readonly answer?: Answer
  /** Expectation and observation in one line. */
  override get message(): string {
    return `expected ${this.expected}, got ${this.got}`
  }
}

/** Whether an error says that the target breaks a rule. */
export const isBroken: (error: unknown) => error is Broken = Schema.is(Broken)

/** The rule cannot be judged here, for a reason that is not the target's fault. */
export class Skipped extends Schema.TaggedError<Skipped>()("Skipped", {
  why: Schema.String
}) {
  /** The reason, in words. */
  declare readonly why: string
}

/** Errors of a rule's check: the rule is broken, it is skipped, or no answer came. */
export type CheckError = Broken | Skipped | TargetError

/** The reason for an error, in words. */
export const whyOf = (error: CheckError): string => {
  switch (error._tag) {
    case "Broken":
      return error.message
    case "Skipped":
      return error.why
    case "TargetError":
      return error.reason
  }
}

/** The longest part of a body that a description shows, in UTF-16 units. */
const shown = 600

/** Describes an answer in one line: status, and the beginning of the body. */
export const describe = ({ headers, json, status, text }: Answer): string => {
  const body = text.length > shown ? `${text.slice(0, shown)}... (${text.length} characters)` : text
  const type = json === undefined ? ` (not JSON; ${headers["content-type"] ?? "no content type"})` : ""
  return `HTTP ${status}${type} ${body}`
}

/** Judges one answer: fails with `Broken`, which shows the answer, unless `holds` is true. */
export const expect = (answer: Answer, expected: string, holds: boolean): Effect.Effect<void, Broken> =>
  holds ? Effect.void : Effect.fail(new Broken({ expected, got: describe(answer), answer }))

/** Judges several answers together: fails with `Broken`, which shows `got`, unless `holds` is true. */
export const conclude = (
  expected: string,
  got: unknown,
  holds: boolean,
  answer?: Answer
): Effect.Effect<void, Broken> =>
  holds ? Effect.void : Effect.fail(
    new Broken({
      expected,
      got: typeof got === "string" ? got : JSON.stringify(got) ?? String(got),
      ...(answer === undefined ? {} : { answer })
    })
  )

/** Ends the check of a rule that cannot be judged here. */
export const skip = (why: string): Effect.Effect<never, Skipped> => Effect.fail(new Skipped({ why }))
