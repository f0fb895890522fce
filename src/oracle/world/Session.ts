/**
 * One check of one target: what its rules have in common, and the world that each rule gets.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Profile } from "../Profile.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Accounts from "./Accounts.ts"
import * as Clock from "./Clock.ts"
import * as ControlPlane from "./ControlPlane.ts"
import * as Markets from "./Markets.ts"
import * as Nonces from "./Nonces.ts"
import * as Paths from "./Paths.ts"
import * as Signing from "./Signing.ts"
import type { Account, World } from "./World.ts"

/**
 * What the rules of one check have in common.
 *
 * @category models
 * @since 0.1.0
 */
export interface Session {
  /** What is checked. */
  readonly target: Target.Target
  /** What the check may do to it. */
  readonly profile: Profile
  /** What was left behind on the target so far, in words. */
  readonly warnings: ReadonlyArray<string>
  /** Makes the world of one rule. */
  readonly world: () => RuleWorld
}

/**
 * The world of one rule.
 *
 * @category models
 * @since 0.1.0
 */
export interface RuleWorld {
  /** What the rule's check gets. */
  readonly world: World
  /** Undoes what a run has done to the target. Every run of the rule ends with it. */
  readonly end: Effect.Effect<void>
}

/** What is the same for all rules. */
type Shared = Omit<World, "reader" | "lender" | "parent" | "trader" | "open" | "onEnd">

const share = (target: Target.Target, profile: Profile, startedAt: number, warnings: Array<string>): Shared => {
  const { dialect, send } = target
  let count = 0
  const control = ControlPlane.make(target, profile)
  const clock = Clock.make(control)
  const nonce = Nonces.make(dialect, startedAt, clock.now)
  const get: World["get"] = (path, query) =>
    send({ method: "GET", path, headers: {}, ...(query === undefined ? {} : { query }) })
  return {
    ...clock,
    ...Markets.make({ control, get }, profile),
    dialect,
    profile,
    send,
    call: (account, path, fields = {}, tampering = {}) =>
      Effect.flatMap(nonce(account), (nonce) => send(Signing.request(account, path, fields, nonce, tampering))),
    nonce,
    get,
    control,
    warn: (text) => Effect.sync(() => warnings.push(text)),
    unique: (prefix) => `${prefix}-${startedAt.toString(36)}-${(++count).toString(36)}`
  }
}

/** What must be done after a run. */
const makeEndings = () => {
  let endings: Array<Effect.Effect<unknown, Verdict.CheckError>> = []
  const onEnd: World["onEnd"] = (effect) => Effect.sync(() => endings.push(effect))
  const end = Effect.suspend(() => {
    const now = endings.toReversed()
    endings = []
    return Effect.forEach(now, (ending) => Effect.ignore(ending), { discard: true })
  })
  return { onEnd, end }
}

/** Opens an account when the first run asks for it, and gives the same one to all runs. */
const once = (open: Effect.Effect<Account, Verdict.CheckError>): Effect.Effect<Account, Verdict.CheckError> => {
  let opened: Account | undefined
  return Effect.suspend(() =>
    opened === undefined ? Effect.tap(open, (account) => Effect.sync(() => opened = account)) : Effect.succeed(opened)
  )
}

/**
 * Begins a check of a target. `startedAt` is in Unix milliseconds; nonces and unique texts begin with it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (target: Target.Target, profile: Profile, startedAt: number): Session => {
  const warnings: Array<string> = []
  const shared = share(target, profile, startedAt, warnings)
  const { keys } = target
  const owner: Effect.Effect<Account, Verdict.CheckError> = keys === undefined
    ? Verdict.skip("needs an API key and its secret")
    : Effect.succeed({ ...keys, id: "", isExclusive: false })
  const isControl = profile === "control"

  const world = (): RuleWorld => {
    const { end, onEnd } = makeEndings()
    const open: World["open"] = (opening) =>
      Effect.tap(Accounts.open(shared, opening), (account) => onEnd(shared.call(account, Paths.cancelAll)))
    const trader = isControl ? open() : owner
    return {
      world: {
        ...shared,
        reader: isControl ? once(Accounts.open(shared)) : owner,
        lender: isControl ? once(Accounts.openLender(shared)) : owner,
        parent: isControl ? once(Accounts.openParent(shared)) : owner,
        trader: profile === "read-only" ? Verdict.skip("places orders: needs the profile mutating") : trader,
        open,
        onEnd
      },
      end
    }
  }
  return { target, profile, warnings, world }
}
