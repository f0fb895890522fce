/** The verdict of a rule's check: success, or one of the errors below. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Json from "../protocol/Json.ts"
import type { Answer, TargetError } from "./Target.ts"

/**
 * The schema of the response in an error. It only checks that the value looks like a response, because errors are never
 * decoded.
 */
const TargetAnswer = Schema.declare((value: unknown): value is Answer => Json.isObject(value) && "sent" in value)

/** The target breaks a rule. */
export class Broken extends Schema.TaggedError<Broken>()("Broken", {
  expected: Schema.String,
  got: Schema.String,
  answer: Schema.optionalKey(TargetAnswer)
}) {
  /** The behavior that the rule expects. */
  declare readonly expected: string
  /** The target's actual behavior. */
  declare readonly got: string
  /** The response that shows the fault; absent when the verdict is based on several responses. */
  declare readonly answer?: Answer
  /** Expectation and observation in one line. */
  override get message(): string {
    return `expected ${this.expected}, got ${this.got}`
  }
}

/** Whether an error means that the target breaks a rule. */
export const isBroken: (error: unknown) => error is Broken = Schema.is(Broken)

/** The rule cannot be evaluated on this target, for a reason that is not a fault of the target. */
export class Skipped extends Schema.TaggedError<Skipped>()("Skipped", {
  why: Schema.String
}) {
  /** The reason why the rule cannot be evaluated. */
  declare readonly why: string
}

/** The errors that end a rule's check: the rule is broken, it is skipped, or there was no response. */
export type CheckError = Broken | Skipped | TargetError

/** Returns a one-line explanation of an error. */
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

/** The maximum length of a body in a description, in UTF-16 units. */
const shown = 600

/** Describes a response in one line: status, and the beginning of the body. */
export const describe = ({ headers, json, status, text }: Answer): string => {
  const body = text.length > shown ? `${text.slice(0, shown)}... (${text.length} characters)` : text
  const type = json === undefined ? ` (not JSON; ${headers["content-type"] ?? "no content type"})` : ""
  return `HTTP ${status}${type} ${body}`
}

/** Checks one response: fails with `Broken`, which shows the response, unless `holds` is true. */
export const expect = (answer: Answer, expected: string, holds: boolean): Effect.Effect<void, Broken> =>
  holds ? Effect.void : Effect.fail(new Broken({ expected, got: describe(answer), answer }))

/** Checks several responses together: fails with `Broken`, which shows `got`, unless `holds` is true. */
export const conclude = (
  expected: string,
  got: unknown,
  holds: boolean,
  answer?: Answer
): Effect.Effect<void, Broken> =>
  holds ? Effect.void : Effect.fail(
    new Broken({
      expected,
      got: typeof got === "string" ? got : Json.stringify(got) ?? String(got),
      ...(answer === undefined ? {} : { answer })
    })
  )

/** The reason shown for rules that need an API key, if the target has none. */
export const needsKey = "needs an API key and its secret"

/** The reasons shown for rules about records, if a real account has no records, or only records that prove nothing. */
export const lacksRecords = {
  none: "the account has nothing to list here",
  tooFew: "the account has too few records, or equal ones"
} as const

/** Ends the check of a rule that cannot be evaluated on this target. */
export const skip = (why: string): Effect.Effect<never, Skipped> => Effect.fail(new Skipped({ why }))
