/**
 * Places orders on a real account, and makes sure that none of them is left open. The first order for each path is a
 * trial order, which is canceled before any other order is placed for the path. Every other order is canceled at the
 * end of its run. An order whose placement got no response is looked up. Once an order cannot be canceled, no more
 * orders are placed.
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Connection from "./Connection.ts"
import * as Dialects from "./Dialects.ts"
import * as Numbers from "./Numbers.ts"
import * as Paths from "./Paths.ts"
import * as Refusals from "./Refusals.ts"
import * as Settling from "./Settling.ts"
import type * as Signing from "./Signing.ts"
import * as Throttling from "./Throttling.ts"
import type { Account, Body, World } from "./World.ts"

/** An order that has been placed. */
interface Placed {
  readonly path: string
  readonly market: unknown
  /** The key of the order's id in the dialect that the target's response showed. */
  readonly key: string
  readonly id: Numbers.Id
}

/** A placement whose outcome is unknown. */
interface Doubt {
  readonly path: string
  readonly fields: Body
  /** The time at which the placement was sent, on the target's clock, in Unix milliseconds. */
  readonly sentAt: number
}

const cancellation = ({ id, key, market, path }: Placed): readonly [path: string, fields: Body] => [
  path === Paths.oco ? Paths.cancelOco : Paths.cancelOrder,
  { market, [key]: id }
]

const nameOf = ({ id, market, path }: Placed): string =>
  `${path === Paths.oco ? "OCO order" : "order"} ${id} on ${String(market)}`

const nameOfDoubt = ({ fields, sentAt }: Doubt): string => `an order on ${String(fields["market"])} sent at ${sentAt}`

/**
 * Adds a warning to the report that an order may be open. The warning is removed once the order is known to be closed.
 */
const note = ({ placements }: World, order: Placed, why: string): void => {
  const [path, fields] = cancellation(order)
  const remedy = `Cancel it with POST ${path} ${Json.stringify(fields)}`
  placements.open.set(nameOf(order), `${nameOf(order)} may still be open: ${why}. ${remedy}`)
}

const noteDoubt = ({ placements }: World, doubt: Doubt, why: string): void => {
  const remedy = `Look for it among the account's open orders: ${Json.stringify(doubt.fields)}`
  const sentence = `an order on ${String(doubt.fields["market"])} may be open: ${why}. ${remedy}`
  placements.open.set(nameOfDoubt(doubt), sentence)
}

/** Stops placing orders because an order could not be canceled. Returns the reason. */
const stop = ({ placements }: World, name: string): string =>
  placements.stopped ??= `no more orders are placed, because ${name} could not be canceled`

/**
 * Returns the open orders, keyed by id; an OCO order is represented by its take-profit leg. `undefined` if the target
 * has no such list.
 */
const listed = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string
): Effect.fn.Return<ReadonlyMap<string, Body> | undefined, Verdict.CheckError> {
  const isOco = path === Paths.oco
  const list = isOco ? Paths.conditionalOrders : Paths.activeOrders
  if (!world.declares(list)) return undefined
  const answer = yield* world.call(account, list, { limit: 100 })
  const records = isOco && Json.isObject(answer.json) ? answer.json["records"] : answer.json
  if (!Refusals.isSuccess(answer) || !Array.isArray(records)) return undefined
  const keys = isOco ? ["id"] : [...Dialects.orderIdKeys(world.dialect), "id"]
  return new Map(
    records.filter(Json.isObject).map((record) => {
      const key = keys.find((key) => Object.hasOwn(record, key)) ?? "id"
      return [String(record[key]), isOco && Json.isObject(record["takeProfit"]) ? record["takeProfit"] : record]
    })
  )
})

/** Whether an order is listed after the lists have settled. `undefined` if no list shows orders of this kind. */
const isListed = (world: World, account: Account, { id, path }: Placed) =>
  Effect.delay(
    Effect.map(listed(world, account, path), (orders) => orders?.has(String(id))),
    Settling.bound
  )

/**
 * Whether the target's list shows orders placed through this path. If so, an order that is not listed is not open. A
 * changed order is in the same list as the order that it replaces.
 */
const isTrusted = ({ placements: { listed } }: World, path: string): boolean =>
  path === Paths.modifyOrder ? [...listed].some((other) => other !== Paths.oco) : listed.has(path)

/** Cancels an order, and tries again if there is no response. */
const cancel = Effect.fnUntraced(function*(world: World, account: Account, order: Placed) {
  const [path, fields] = cancellation(order)
  const answer = yield* Effect.result(Connection.retry(world.call(account, path, fields)))
  const why = answer._tag === "Failure"
    ? Verdict.whyOf(answer.failure)
    : Refusals.isSuccess(answer.success)
    ? undefined
    : Verdict.describe(answer.success)
  // A cancellation without a response may have succeeded. If so, the next cancellation is refused.
  const isGone = why === undefined || (isTrusted(world, order.path) &&
    (yield* Effect.orElseSucceed(isListed(world, account, order), () => undefined)) === false)
  if (isGone) return void world.placements.open.delete(nameOf(order))
  note(world, order, why)
  stop(world, nameOf(order))
})

/** The maximum number of milliseconds by which an order's timestamp may precede the sending of the order. */
const slack = 10_000

/** Whether a listed order is the order that was sent. The account may have other orders. */
const isSame = ({ dialect }: World, order: Body, { fields, path, sentAt }: Doubt): boolean => {
  const id = Dialects.keys(dialect).clientOrderId
  // A change that gives no client order id keeps the order's.
  const isItsId = (path === Paths.modifyOrder && fields[id] === undefined) ||
    [fields[id] ?? "", "", undefined].includes(order[id] as string)
  // A stop-market order has no price, and a change of an order gives only some of its fields.
  const given = (keys: ReadonlyArray<string>) => keys.filter((key) => fields[key] !== undefined)
  return isItsId && given(["market", "side"]).every((key) => order[key] === fields[key]) &&
    given(["amount", "price"]).every((key) => Number(order[key]) === Number(fields[key])) &&
    Number(order["timestamp"]) * 1000 >= sentAt - slack
}

/**
 * Looks up an order that may have been placed, and cancels it. An order that is not listed is considered open if the
 * target has no list of such orders or, at the end of the check, if that list has never shown any order.
 */
const lookUp = Effect.fnUntraced(function*(world: World, account: Account, doubt: Doubt, isLast: boolean) {
  const { fields, path } = doubt
  const orders = yield* Effect.orElseSucceed(
    Effect.delay(listed(world, account, path), Settling.bound),
    () => undefined
  )
  const found = [...orders ?? []].filter(([, order]) => isSame(world, order, doubt))
  const key = Dialects.keys(world.dialect).orderId
  const isKnown = found.length > 0 || (orders !== undefined && isTrusted(world, path))
  if (isKnown) world.placements.open.delete(nameOfDoubt(doubt))
  else if (isLast || orders === undefined) stop(world, `an order on ${String(fields["market"])}`)
  for (const [name] of found) {
    const id = Numbers.idOf(name)
    if (id !== undefined) yield* cancel(world, account, { path, market: fields["market"], key, id })
  }
})

/** Whether a call's only order was refused: the response refuses the whole call, or its first item shows an error. */
const isRefused = (answer: Target.Answer): boolean => {
  const [item]: ReadonlyArray<unknown> = Array.isArray(answer.json) ? answer.json : []
  return Refusals.isRefused(answer) || (Json.isObject(item) && Json.isObject(item["error"]))
}

/** Returns the order that a response shows, or `undefined` if it shows none. */
const placedIn = (
  { dialect }: World,
  path: string,
  fields: Body,
  answer: Target.Answer
): Placed | undefined => {
  if (Refusals.isRefused(answer)) return undefined
  const { json } = answer
  // The response to a call for several orders shows each order in the result of a separate item.
  const [item = json]: ReadonlyArray<unknown> = Array.isArray(json) ? json : []
  const shown = Array.isArray(json) && Json.isObject(item) ? item["result"] : item
  const body = Json.isObject(shown) ? shown : {}
  // The request's market may be wrong on purpose, but the response shows the order's market.
  const leg = Json.isObject(body["take_profit"]) ? body["take_profit"] : body
  // Look for the id under both dialects' keys: the first response may reveal that the target speaks the other dialect,
  // and that order must still be canceled.
  const key = Dialects.orderIdKeys(dialect).find((key) => Object.hasOwn(leg, key)) ?? Dialects.keys(dialect).orderId
  const id = Numbers.idOf(body["id"] ?? leg[key])
  return id === undefined ? undefined : { path, market: leg["market"] ?? fields["market"], key, id }
}

/** A response, and the order that it shows. */
interface Placement {
  readonly answer: Target.Answer
  readonly order?: Placed
}

/** Places one order, which is canceled when the run ends. */
const placeOne = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body,
  tampering: Signing.Tampering = {}
) {
  const { patience, stopped } = world.placements
  if (stopped !== undefined) return yield* Verdict.skip(stopped)
  let order: Placed | undefined
  const send = Effect.gen(function*() {
    const doubt: Doubt = { path, fields, sentAt: yield* world.serverTime }
    const lookUpLater = (why: string) => {
      noteDoubt(world, doubt, why)
      // The request may still be on its way.
      world.placements.doubts.push(lookUp(world, account, doubt, true))
      return world.onEnd(lookUp(world, account, doubt, false))
    }
    noteDoubt(world, doubt, "there is no response yet")
    const body = Paths.ofSeveral.includes(path) ? { orders: [fields] } : fields
    const answer = yield* Effect.tapError(
      world.attempt(account, path, body, tampering),
      (error) =>
        error._tag === "TargetError"
          ? lookUpLater(error.reason)
          : Effect.sync(() => world.placements.open.delete(nameOfDoubt(doubt)))
    )
    const placed = order = placedIn(world, path, fields, answer)
    if (placed === undefined && !isRefused(answer)) yield* lookUpLater(Verdict.describe(answer))
    else world.placements.open.delete(nameOfDoubt(doubt))
    if (placed !== undefined) {
      note(world, placed, "it has not been canceled yet")
      yield* world.onEnd(cancel(world, account, placed))
    }
    return answer
  })
  // Once an order has been sent, the check must not end before the order's outcome is known.
  const answer = yield* Throttling.retryThrottled(Effect.uninterruptible(send), patience)
  const placement: Placement = order === undefined ? { answer } : { answer, order }
  return placement
})

/**
 * Places and cancels one plain order before the first order for this path. Skips the rule if the plain order cannot be
 * canceled.
 */
const tryOnce = Effect.fnUntraced(function*(world: World, account: Account, path: string, plain: Body) {
  const { placements } = world
  if (placements.tried.has(path)) return
  const steps: Array<Effect.Effect<unknown, Verdict.CheckError>> = []
  const onEnd: World["onEnd"] = (step) => Effect.sync(() => steps.push(step))
  const order = yield* Effect.gen(function*() {
    const { order } = yield* placeOne({ ...world, onEnd }, account, path, plain)
    if (order !== undefined && (yield* isListed(world, account, order)) === true) placements.listed.add(path)
    return order
  }).pipe(
    Effect.ensuring(Effect.suspend(() => Effect.forEach(steps, (step) => Effect.ignore(step), { discard: true })))
  )
  if (placements.stopped !== undefined) return yield* Verdict.skip(placements.stopped)
  if (order !== undefined && isTrusted(world, path) && (yield* isListed(world, account, order)) === true) {
    note(world, order, "its cancellation succeeded, but the target still lists it")
    return yield* Verdict.skip(stop(world, nameOf(order)))
  }
  placements.tried.add(path)
})

/**
 * Places an order on a real account, and cancels it when the run ends. If this is the first order for its path, places
 * and cancels `plain` before it. Skips the rule if the check has failed to cancel an order.
 */
export const place = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body,
  plain: Body,
  tampering: Signing.Tampering
): Effect.fn.Return<Target.Answer, Verdict.CheckError> {
  yield* tryOnce(world, account, path, plain)
  return (yield* placeOne(world, account, path, fields, tampering)).answer
})

/** Changes an order on a real account. The order that replaces it is canceled when the run ends. */
export const change = (world: World, account: Account, path: string, fields: Body) =>
  Effect.map(placeOne(world, account, path, fields), ({ answer }) => answer)
