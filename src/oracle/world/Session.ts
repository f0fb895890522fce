/** A session checks one target: it holds the state that rules share, and makes the world of each rule. */
import * as Effect from "effect/Effect"
import * as Features from "../Features.ts"
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
import * as Throttling from "./Throttling.ts"
import type { Account, Body, World } from "./World.ts"

/** The state that the rules of one check share. */
export interface Session {
  /** The target of the check. */
  readonly target: Target.Target
  /** The profile of the check. */
  readonly profile: Profile
  /** State left on the target so far, in words. */
  readonly warnings: ReadonlyArray<string>
  /** Makes the world of one rule. */
  readonly world: () => RuleWorld
}

/** The world of one rule, and its cleanup. */
export interface RuleWorld {
  /** The world that the rule's check receives. */
  readonly world: World
  /** Undoes a run's changes to the target. Every run of the rule ends with it. */
  readonly end: Effect.Effect<void>
}

/** The part of a world that all rules share. */
type Shared = Omit<World, "reader" | "lender" | "parent" | "trader" | "open" | "onEnd">

const share = (target: Target.Target, profile: Profile, startedAt: number, warnings: Array<string>): Shared => {
  const { dialect, features = {}, patience = Throttling.defaultPatience, send } = target
  let count = 0
  const control = ControlPlane.make(target, profile)
  const get: World["get"] = (path, query, headers = {}) =>
    ifServed(
      features,
      path,
      (at) =>
        Throttling.retryThrottled(
          send({ method: "GET", path: at, headers, ...(query === undefined ? {} : { query }) }),
          patience
        )
    )
  const clock = Clock.make({ control, get }, ControlPlane.reader(target, profile))
  const nonce = Nonces.make(dialect, clock.serverTime)
  const attempt = (account: Account, path: string, fields: Body = {}, tampering: Signing.Tampering = {}) =>
    ifServed(
      features,
      path,
      (at) => Effect.flatMap(nonce(account), (nonce) => send(Signing.request(account, at, fields, nonce, tampering)))
    )
  return {
    ...clock,
    ...Markets.make({ control, get }, profile, features.prices),
    dialect,
    profile,
    send,
    attempt,
    call: (account, path, fields, tampering = {}) => {
      const call = attempt(account, path, fields, tampering)
      const read = Features.aRead(features)
      return Object.hasOwn(tampering.envelope ?? {}, "nonce") && read !== undefined
        ? Throttling.withChosenNonce(call, attempt(account, read))
        : Throttling.retryThrottled(call, patience)
    },
    nonce,
    get,
    control,
    warn: (text) => Effect.sync(() => warnings.push(text)),
    unique: (prefix) => `${prefix}-${startedAt.toString(36)}-${(++count).toString(36)}`
  }
}

/** Calls a path. Skips if the target declares that it does not serve it. */
const ifServed = <E>(
  features: Features.Features,
  path: string,
  call: (at: string) => Effect.Effect<Target.Answer, E>
): Effect.Effect<Target.Answer, E | Verdict.CheckError> =>
  Features.has(features, path)
    ? call(features.paths?.[path] ?? path)
    : Verdict.skip(`the target declares that it does not have ${path}`)

/** Collects the cleanup of a run. */
const makeCleanup = () => {
  let steps: Array<Effect.Effect<unknown, Verdict.CheckError>> = []
  const onEnd: World["onEnd"] = (effect) => Effect.sync(() => steps.push(effect))
  const end = Effect.suspend(() => {
    const now = steps.toReversed()
    steps = []
    return Effect.forEach(now, (step) => Effect.ignore(step), { discard: true })
  })
  return { onEnd, end }
}

/** Opens an account on first use, and gives the same one to all runs. */
const openOnce = (open: Effect.Effect<Account, Verdict.CheckError>): Effect.Effect<Account, Verdict.CheckError> => {
  let opened: Account | undefined
  return Effect.suspend(() =>
    opened === undefined ? Effect.tap(open, (account) => Effect.sync(() => opened = account)) : Effect.succeed(opened)
  )
}

/** Opens a session with a target. Unique texts begin with `startedAt`, in Unix milliseconds. */
export const make = (target: Target.Target, profile: Profile, startedAt: number): Session => {
  const warnings: Array<string> = []
  const shared = share(target, profile, startedAt, warnings)
  const { keys } = target
  const owner: Effect.Effect<Account, Verdict.CheckError> = keys === undefined
    ? Verdict.skip("needs an API key and its secret")
    : Effect.succeed({ ...keys, id: "", isExclusive: false })
  const isControl = profile === "control"

  const world = (): RuleWorld => {
    const { end, onEnd } = makeCleanup()
    const open: World["open"] = (opening) =>
      Effect.tap(Accounts.open(shared, opening), (account) => onEnd(shared.call(account, Paths.cancelAll)))
    const trader = isControl ? open() : owner
    return {
      world: {
        ...shared,
        reader: isControl ? openOnce(Accounts.open(shared)) : owner,
        lender: isControl ? openOnce(Accounts.openLender(shared)) : owner,
        parent: isControl ? openOnce(Accounts.openParent(shared)) : owner,
        trader: profile === "read-only" ? Verdict.skip("places orders: needs the profile mutating") : trader,
        open,
        onEnd
      },
      end
    }
  }
  return { target, profile, warnings, world }
}
