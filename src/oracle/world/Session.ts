/** A session is the check of one target. It has the state that all rules share, and creates the world of each rule. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Features from "../Features.ts"
import type { Profile } from "../Profile.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Accounts from "./Accounts.ts"
import * as Clock from "./Clock.ts"
import * as Connection from "./Connection.ts"
import * as ControlPlane from "./ControlPlane.ts"
import * as Markets from "./Markets.ts"
import * as Nonces from "./Nonces.ts"
import * as Paths from "./Paths.ts"
import * as Placements from "./Placements.ts"
import * as Refusals from "./Refusals.ts"
import * as Restoring from "./Restoring.ts"
import * as Settling from "./Settling.ts"
import * as Signing from "./Signing.ts"
import * as Sockets from "./Sockets.ts"
import * as Throttling from "./Throttling.ts"
import type { Account, Body, World } from "./World.ts"

/** The state that the rules of one check share. */
export interface Session {
  /** The target of the check. */
  readonly target: Target.Target
  /** The profile of the check. */
  readonly profile: Profile
  /** The number of requests so far, how many of them got no response, and the calls that are served. */
  readonly traffic: Connection.Traffic
  /** Warnings about state left on the target so far. */
  readonly warnings: () => ReadonlyArray<string>
  /** The changes that remain in a sandbox because its control plane has no snapshots; known after `end`. */
  readonly remains: () => ReadonlyArray<string>
  /** Takes a snapshot of a sandbox, before the first rule. */
  readonly begin: Effect.Effect<void>
  /** Undoes the changes that rules could not undo, and restores a sandbox. */
  readonly end: Effect.Effect<void>
  /** Creates the world of one rule. */
  readonly world: () => RuleWorld
}

/** The world of one rule, and its cleanup. */
export interface RuleWorld {
  /** The world that the rule's check receives. */
  readonly world: World
  /** Undoes a run's changes to the target, at the end of each of the rule's runs. */
  readonly end: Effect.Effect<void>
  /** Whether the run has read an outdated list. If so, a broken rule must be evaluated again. */
  readonly wasLate: Effect.Effect<boolean>
}

/** The part of a world that all rules share. */
type Shared = Omit<World, "reader" | "lender" | "parent" | "trader" | "open" | "onEnd" | "connect" | "connection">

/** Whether a call may place an order. */
const mayPlace = (path: string): boolean =>
  path.startsWith("/api/v4/order/") && !path.startsWith("/api/v4/order/cancel")

const share = (target: Target.Target, profile: Profile, startedAt: number, warnings: Array<string>) => {
  const { dialect, features = {}, patience = Throttling.defaultPatience, send } = target
  let count = 0
  const readControl = ControlPlane.reader(target, profile)
  const get: World["get"] = (path, query, headers = {}) =>
    ifServed(
      features,
      path,
      (at) =>
        Throttling.retryThrottled(
          Connection.read(send({ method: "GET", path: at, headers, ...(query === undefined ? {} : { query }) })),
          patience
        )
    )
  const warn: World["warn"] = (text) => Effect.sync(() => warnings.push(text))
  const restoring = Restoring.make({ control: ControlPlane.make(target, profile), get, warn }, readControl)
  const { control } = restoring
  const clock = Clock.make({ control, get }, readControl)
  const nonce = Nonces.make(dialect, clock.serverTime)
  const funding = Accounts.makeFunding(control)
  const traders = new Set<string>()
  const attempt = (account: Account, path: string, fields: Body = {}, tampering: Signing.Tampering = {}) =>
    ifServed(
      features,
      path,
      (at) => {
        if (mayPlace(path)) traders.add(account.id)
        return Effect.andThen(
          funding.before(account, path),
          Effect.flatMap(nonce(account), (nonce) => send(Signing.request(account, at, fields, nonce, tampering)))
        )
      }
    )
  // A credit whose response is lost must not be sent again: only the call after it may be.
  const read: typeof attempt = (account, path, fields, tampering) =>
    Effect.andThen(funding.before(account, path), Connection.read(attempt(account, path, fields, tampering)))
  const call: World["call"] = (account, path, fields, tampering = {}) => {
    const known = Features.aRead(features)
    const hasChosenNonce = Object.hasOwn(tampering.envelope ?? {}, "nonce")
    const send = Paths.unchanging.includes(path) && !hasChosenNonce ? read : attempt
    const call = send(account, path, fields, tampering)
    return hasChosenNonce && known !== undefined
      ? Throttling.withChosenNonce(call, read(account, known))
      : Throttling.retryThrottled(call, patience)
  }
  const shared: Shared = {
    ...clock,
    ...Markets.make({ control, get }, profile, features.prices),
    dialect,
    profile,
    declares: (path) => Features.declares(features, path),
    send,
    attempt,
    call,
    hasAccess: makeAccess(call),
    nonce,
    get,
    control,
    placements: Placements.make(patience),
    warn,
    // Uses letters of both cases, so that a target that changes the case of an id is noticed.
    unique: (prefix) => `${prefix}-${startedAt.toString(36).toUpperCase()}-${(++count).toString(36)}`
  }
  // An account that has called no other path can't have an open order.
  const cancelAll = (account: Account) =>
    Effect.suspend(() =>
      traders.has(account.id) ? Effect.asVoid(Connection.retry(call(account, Paths.cancelAll))) : Effect.void
    )
  return { shared, restoring, funding, cancelAll }
}

/** Finds out which calls an account may make, and caches the results. */
const makeAccess = (call: World["call"]): World["hasAccess"] => {
  const known = new Map<string, boolean>()
  return Effect.fnUntraced(function*(account, path) {
    const key = `${Redacted.value(account.apiKey)} ${path}`
    const found = known.get(key)
    if (found !== undefined) return found
    const hasAccess = !Refusals.isRefused(yield* call(account, path))
    known.set(key, hasAccess)
    return hasAccess
  })
}

/** Calls a path. Skips the rule if the target declares that it does not serve the path. */
const ifServed = <E>(
  features: Features.Features,
  path: string,
  call: (at: string) => Effect.Effect<Target.Answer, E>
): Effect.Effect<Target.Answer, E | Verdict.CheckError> => {
  const why = Features.whyMissing(features, path)
  return why === undefined ? call(features.paths?.[path] ?? path) : Verdict.skip(why)
}

/** Collects the cleanup steps of a run. */
const makeCleanup = () => {
  let steps: Array<Effect.Effect<unknown, Verdict.CheckError>> = []
  let used = new Set<string>()
  const onEnd: World["onEnd"] = (effect) => Effect.sync(() => steps.push(effect))
  /** Adds a step for an account, unless it has one. Any account may place orders, if only to prepare another call. */
  const forAccount =
    (step: (account: Account) => Effect.Effect<unknown, Verdict.CheckError>) =>
    (account: Effect.Effect<Account, Verdict.CheckError>): Effect.Effect<Account, Verdict.CheckError> =>
      Effect.tap(account, (account) =>
        Effect.sync(() => {
          if (!used.has(account.id)) steps.push(step(account))
          used.add(account.id)
        }))
  const end = Effect.suspend(() => {
    const now = steps.toReversed()
    steps = []
    used = new Set()
    return Effect.forEach(now, (step) => Effect.ignore(step), { discard: true })
  })
  return { onEnd, forAccount, end }
}

/** Opens an account on first use, and returns the same account in all runs. */
const openOnce = (open: Effect.Effect<Account, Verdict.CheckError>): Effect.Effect<Account, Verdict.CheckError> => {
  let opened: Account | undefined
  return Effect.suspend(() =>
    opened === undefined ? Effect.tap(open, (account) => Effect.sync(() => opened = account)) : Effect.succeed(opened)
  )
}

/** The maximum time to undo everything at the end of a check, in milliseconds. */
const undoing = 30_000

/** Opens a session with a target. Unique strings contain `startedAt`, in Unix milliseconds. */
export const make = (given: Target.Target, profile: Profile, startedAt: number): Session => {
  const warnings: Array<string> = []
  const traffic = Connection.none()
  const target = { ...given, send: Connection.counted(given.send, traffic) }
  const { cancelAll, funding, restoring, shared } = share(target, profile, startedAt, warnings)
  const { placements } = shared
  const { keys } = target
  const owner: Effect.Effect<Account, Verdict.CheckError> = keys === undefined
    ? Verdict.skip(Verdict.needsKey)
    : Effect.succeed({ ...keys, id: "", isExclusive: false })
  const isControl = profile === "control"
  const sockets = Sockets.make(target, shared.get)
  const atEnd = makeCleanup()
  const lateness: Settling.Lateness = { isKnown: false }
  let remains: ReadonlyArray<string> = []
  const funded = (account: Effect.Effect<Account, Verdict.CheckError>) =>
    Effect.tap(Connection.retry(account), (account) => Effect.sync(() => funding.promise(account)))
  // The rules share the parent account, because they only read it, and opening it takes many calls.
  const parent = openOnce(funded(Accounts.openParent(shared)))

  const world = (): RuleWorld => {
    const { end, forAccount, onEnd } = makeCleanup()
    const ending = forAccount(cancelAll)
    const { attempt, begin, call, control, get, wasLate } = Settling.make(shared, lateness)
    const open: World["open"] = (opening) =>
      ending(
        opening?.isFunded === false
          ? Connection.retry(Accounts.open(shared, opening))
          : funded(Accounts.open(shared, opening))
      )
    // The live exchange leaves a business partner's canceled orders out of the order history.
    const trader = isControl ?
      open({ b2b: false }) :
      Effect.suspend(() => placements.stopped === undefined ? owner : Verdict.skip(placements.stopped))
    return {
      world: {
        ...shared,
        attempt,
        call,
        control,
        get,
        connect: sockets.connect(onEnd),
        connection: sockets.shared(atEnd.onEnd),
        reader: isControl ? ending(openOnce(funded(Accounts.open(shared)))) : owner,
        lender: isControl ? ending(openOnce(funded(Accounts.openLender(shared)))) : owner,
        parent: isControl ? ending(parent) : owner,
        trader: profile === "read-only" ? Verdict.skip("places orders: needs the mutating profile") : trader,
        open,
        onEnd
      },
      end: Effect.andThen(end, begin),
      wasLate
    }
  }
  const undoAll = Effect.gen(function*() {
    yield* atEnd.end
    for (const doubt of placements.doubts) yield* doubt
    if (isControl) remains = yield* restoring.end
  })
  return {
    target,
    profile,
    traffic,
    warnings: () => [...warnings, ...placements.open.values()],
    remains: () => remains,
    begin: isControl ? restoring.begin : Effect.void,
    end: Effect.timeoutOrElse(undoAll, {
      duration: undoing,
      orElse: () => shared.warn(`undoing the check's changes took more than ${undoing / 1000} seconds`)
    }),
    world
  }
}
