/** Calls with exactly one fault. The target must refuse each of these calls (document, "Authentication"). */
import * as Effect from "effect/Effect"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Orders from "./Orders.ts"
import * as Paths from "./Paths.ts"
import * as Refusals from "./Refusals.ts"
import type * as Signing from "./Signing.ts"
import * as ValidCalls from "./ValidCalls.ts"
import type { Account, World } from "./World.ts"

const clause = "Authentication"

/** The part of the settings, or of a world, that determines which paths to call. */
type Setting = Pick<Rule.Setting, "profile"> & { readonly dialect: Pick<Dialect, "name"> }

/**
 * Returns the paths to call. With a real key, these are only reads, because a target that accepts a wrong signature
 * would execute the call.
 */
export const pathsOf = ({ dialect, profile }: Setting): ReadonlyArray<string> => {
  if (profile !== "control") return [...Paths.reads, Paths.interest]
  return dialect.name === "live"
    ? [...Paths.documentCalls, ...Paths.liveCalls.filter((path) => !path.includes("/public/"))]
    : Paths.documentCalls
}

/** Returns the calls that place an order, in each dialect. */
const ordersOf = ({ dialect }: Pick<Setting, "dialect">): ReadonlyArray<string> =>
  dialect.name === "live"
    ? [Paths.oco, Paths.stopLimit, Paths.limitOrder, Paths.collateralLimit]
    : [Paths.oco, Paths.stopLimit]

/**
 * Returns the paths to call with one fault. The `mutating` profile includes the smallest orders, far from the market.
 * Orders that the target accepts are canceled.
 */
export const faultyPathsOf = (setting: Setting): ReadonlyArray<string> =>
  setting.profile === "mutating" ? [...pathsOf(setting), ...ordersOf(setting)] : pathsOf(setting)

/**
 * Returns the paths to call with a wrong signature or key. With a real key in the live dialect, these include every
 * call that only reads.
 */
export const allPathsOf = (setting: Setting): ReadonlyArray<string> => [
  ...faultyPathsOf(setting),
  ...(setting.profile === "control" || setting.dialect.name === "document"
    ? []
    : Paths.liveReads.filter((path) => !path.includes("/public/")))
]

/**
 * Returns the paths whose calls need `request` and `nonce`: all of them in the live dialect. In the document,
 * cancel-all lists both as optional, and the calls for sub-accounts do not show them; separate rules check these calls.
 */
export const envelopedPathsOf = (setting: Setting): ReadonlyArray<string> =>
  pathsOf(setting).filter((path) => setting.dialect.name === "live" || !Paths.unenveloped.includes(path))

/** Returns valid fields for the call, so that only the fault can cause its refusal. Reads need no fields. */
export const fieldsOf = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string
): Effect.fn.Return<Readonly<Record<string, unknown>>, Verdict.CheckError> {
  if (world.profile === "read-only" || (world.profile === "mutating" && !ordersOf(world).includes(path))) return {}
  return yield* ValidCalls.fieldsOf(world, account, path)
})

/** Makes a call that is valid apart from the tampering. */
export const faulty = Effect.fnUntraced(function*(world: World, path: string, tampering: Signing.Tampering) {
  const account = yield* world.reader
  const fields = yield* fieldsOf(world, account, path)
  return yield* ordersOf(world).includes(path)
    ? Orders.submit(world, account, path, fields, tampering)
    : world.call(account, path, fields, tampering)
})

/** Whether the response shows that the call succeeded, with HTTP 200. */
export const isSuccess = (answer: Target.Answer): boolean => answer.status === 200 && Refusals.isSuccess(answer)

/** Expects that the call succeeded. */
export const accepted = (answer: Target.Answer, why: string) =>
  Verdict.expect(answer, `HTTP 200 with JSON, ${why}`, isSuccess(answer))

/** The definition of a rule about calls with one fault. */
interface Fault {
  readonly id: string
  readonly statement: string
  /** The deviation from a valid call. */
  readonly tampering: Signing.Tampering
  /** The reason for the refusal. */
  readonly why: string
  /** How binding the rule is; `MUST` by default. */
  readonly level?: Rule.Level
  /** The paths to call; all by default. */
  readonly paths?: (setting: Rule.Setting) => ReadonlyArray<string>
}

/** Creates a rule that calls with one fault are refused on every path. */
export const refused = ({ id, level = "MUST", paths = faultyPathsOf, statement, tampering, why }: Fault): Rule.Rule =>
  Rule.forEach({
    id,
    statement,
    clause,
    level,
    profile: "read-only",
    values: paths,
    check: (world, path) => Effect.flatMap(faulty(world, path, tampering), (answer) => Refusals.any(answer, why))
  })
