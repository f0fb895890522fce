/** Calls with exactly one fault, which must be the reason for their refusal (document, "Authentication"). */
import * as Effect from "effect/Effect"
import type { Profile } from "../Profile.ts"
import * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Codes from "./Codes.ts"
import * as Orders from "./Orders.ts"
import * as Paths from "./Paths.ts"
import * as Refusals from "./Refusals.ts"
import type * as Signing from "./Signing.ts"
import * as SubAccounts from "./SubAccounts.ts"
import type { Account, World } from "./World.ts"

const clause = "Authentication"

/** The paths to call. With a real key only reads, because a target that accepts a wrong signature executes the call. */
export const pathsOf = ({ profile }: { readonly profile: Profile }): ReadonlyArray<string> =>
  profile === "control" ? Paths.documentCalls : [...Paths.reads, Paths.interest]

/**
 * The paths whose calls need `request` and `nonce`. Cancel-all lists both as optional, and the document does not show
 * whether the calls for sub-accounts need them; these calls have separate rules.
 */
export const envelopedPathsOf = (setting: { readonly profile: Profile }): ReadonlyArray<string> =>
  pathsOf(setting).filter((path) => !Paths.unenveloped.includes(path))

/** Valid fields for the call, so that only the fault can cause its refusal. Reads need none. */
export const fieldsOf = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string
): Effect.fn.Return<Readonly<Record<string, unknown>>, Verdict.CheckError> {
  if (world.profile !== "control") return {}
  switch (path) {
    case Paths.oco:
      return Orders.oco(yield* world.market, "buy")
    case Paths.stopLimit:
      return Orders.stopLimit(yield* world.market, "buy")
    case Paths.applyCode:
      return { code: (yield* Codes.issue(world, "1")).code }
    case Paths.deleteSubAccount:
      return { id: yield* SubAccounts.create(world, account) }
    default:
      return {}
  }
})

/** Makes a call that is valid except for the tampering. */
export const faulty = Effect.fnUntraced(function*(world: World, path: string, tampering: Signing.Tampering) {
  const account = yield* world.reader
  return yield* world.call(account, path, yield* fieldsOf(world, account, path), tampering)
})

/** Whether the call succeeded. */
export const isSuccess = (answer: Target.Answer): boolean => answer.status === 200 && Refusals.isSuccess(answer)

/** Expects that the call succeeded. */
export const accepted = (answer: Target.Answer, why: string) =>
  Verdict.expect(answer, `HTTP 200 with JSON, ${why}`, isSuccess(answer))

/** A rule about calls with one fault. */
interface Fault {
  readonly id: string
  readonly statement: string
  /** The fault. */
  readonly tampering: Signing.Tampering
  /** The reason for the refusal. */
  readonly why: string
  /** `MUST` by default. */
  readonly level?: Rule.Rule["level"]
  /** The paths to call; all by default. */
  readonly paths?: (setting: Rule.Setting) => ReadonlyArray<string>
}

/** Makes a rule that calls with one fault are refused on every path. */
export const refused = ({ id, level = "MUST", paths = pathsOf, statement, tampering, why }: Fault): Rule.Rule =>
  Rule.forEach({
    id,
    statement,
    clause,
    level,
    profile: "read-only",
    values: paths,
    check: (world, path) => Effect.flatMap(faulty(world, path, tampering), (answer) => Refusals.any(answer, why))
  })
