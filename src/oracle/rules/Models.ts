/**
 * Rules about random call sequences, whose results are compared with small models. The models share no code with the
 * sandbox's engine: an order is a row in a table, and a page is a slice of a list.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import { TargetError } from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import { balanceOf, issue } from "../world/Codes.ts"
import * as Dialects from "../world/Dialects.ts"
import { basePrice } from "../world/Markets.ts"
import * as Numbers from "../world/Numbers.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as SubAccounts from "../world/SubAccounts.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Market, World } from "../world/World.ts"

/** One step: changes the model, makes the same call to the target, and expects that the results agree. */
interface Step<Model, Real> {
  readonly toString: () => string
  readonly can?: (model: Model) => boolean
  readonly run: (model: Model, real: Real) => Effect.Effect<unknown, Verdict.CheckError>
}

const isCheckError: (error: unknown) => error is Verdict.CheckError = Schema.is(
  Schema.Union([Verdict.Broken, Verdict.Skipped, TargetError])
)

/** The dependencies of a step: the target, and the runtime of the check. */
interface Running<Real> {
  readonly real: Real
  readonly runPromise: <A>(effect: Effect.Effect<A>) => Promise<A>
}

/** Creates a rule that must hold for every sequence of steps. */
const everyList = <Model extends object, Real extends object>(
  heading: Rule.Heading,
  steps: ReadonlyArray<fc.Arbitrary<Step<Model, Real>>>,
  begin: (world: World) => Effect.Effect<{ readonly model: Model; readonly real: Real }, Verdict.CheckError>
): Rule.Rule =>
  Rule.forAll({
    ...heading,
    values: ({ replayPath }: Rule.Setting) =>
      fc.commands(
        steps.map((step) =>
          step.map((step): fc.AsyncCommand<Model, Running<Real>> => ({
            toString: step.toString,
            check: (model) => step.can?.(model as Model) ?? true,
            run: (model, { real, runPromise }) =>
              runPromise(Effect.result(step.run(model, real))).then((done) =>
                Result.isSuccess(done) ? undefined : Promise.reject(done.failure)
              )
          }))
        ),
        { maxCommands: 24, size: "max", ...(replayPath === undefined ? {} : { replayPath }) }
      ),
    check: Effect.fnUntraced(function*(world, list) {
      const { model, real } = yield* begin(world)
      const run = Effect.runPromiseWith(yield* Effect.context())
      const ended = yield* Effect.promise((signal) => {
        // An interrupt ends the sequence.
        const runPromise: Running<Real>["runPromise"] = (effect) => run(effect, { signal })
        return fc.asyncModelRun(() => ({ model, real: { real, runPromise } }), list).then(
          () => undefined,
          (error: unknown) => ({ error })
        )
      })
      if (ended === undefined) return
      return yield* isCheckError(ended.error) ? Effect.fail(ended.error) : Effect.die(ended.error)
    })
  })

const step = <Model, Real>(
  name: string,
  run: Step<Model, Real>["run"],
  can?: (model: Model) => boolean
): Step<Model, Real> => ({ toString: () => name, run, ...(can === undefined ? {} : { can }) })

// -----------------------------------------------------------------------------
// Orders
// -----------------------------------------------------------------------------

/** An open order: its trigger, the direction from which the price must reach it, and whether it was activated. */
interface OpenOrder {
  readonly id: string
  readonly kind: "spot" | "margin"
  readonly trigger: number | undefined
  readonly condition: "gte" | "lte"
  isActivated: boolean
}

interface OrderModel {
  price: number
  orders: Array<OpenOrder>
}

interface OrderTarget {
  readonly world: World
  readonly account: Account
  readonly market: Market
}

const isReached = ({ condition, trigger = 0 }: Pick<OpenOrder, "condition" | "trigger">, price: number): boolean =>
  condition === "gte" ? price >= trigger : price <= trigger

const rounded = ({ moneyPrecision }: Market, factor: number): number =>
  Number((basePrice * factor).toFixed(moneyPrecision))

/** Expects that the target's open and activated orders equal the model's. */
const compare = Effect.fnUntraced(function*(model: OrderModel, { account, world }: OrderTarget) {
  const open = yield* Orders.list(world, account, Paths.activeOrders)
  const shown = (id: string, isActivated: boolean) => `${id}${isActivated ? " activated" : ""}`
  const expected = model.orders.map(({ id, isActivated }) => shown(id, isActivated)).toSorted()
  const actual = [...open].map(([id, order]) => shown(id, order["activated"] === 1)).toSorted()
  yield* Verdict.conclude(
    `open: ${expected.join(", ")}`,
    `open: ${actual.join(", ")}`,
    expected.join() === actual.join()
  )
})

const placeStop = fc.tuple(fc.constantFrom("buy" as const, "sell" as const), fc.integer({ min: -20, max: 20 })).map((
  [side, percent]
) =>
  step<OrderModel, OrderTarget>(`stop ${side} at ${percent} %`, (model, target) =>
    Effect.gen(function*() {
      const { account, market, world } = target
      const trigger = rounded(market, 1 + percent / 100)
      const { order } = yield* Orders.place(
        world,
        account,
        Paths.stopLimit,
        Orders.stopLimit(market, side, {
          amount: "0.01",
          // In this model, the price never reaches this limit.
          price: rounded(market, side === "buy" ? 0.5 : 1.6).toFixed(market.moneyPrecision),
          activation_price: trigger.toFixed(market.moneyPrecision)
        })
      )
      const bySide = side === "buy" ? "gte" : "lte"
      const condition = world.dialect.name === "live" ? (trigger > model.price ? "gte" : "lte") : bySide
      const isActivated = isReached({ condition, trigger }, model.price)
      model.orders.push({ id: Orders.idsOf(world, order)[0] ?? "", kind: "spot", trigger, condition, isActivated })
      yield* compare(model, target)
    }), ({ price }) =>
    // The document does not say what happens to an order whose trigger is already met.
    side === "buy" ? basePrice * (1 + percent / 100) > price + 1 : basePrice * (1 + percent / 100) < price - 1)
)

const placePair = fc.constantFrom("buy" as const, "sell" as const).map((side) =>
  step<OrderModel, OrderTarget>(`pair ${side}`, (model, target) =>
    Effect.gen(function*() {
      const { account, market, world } = target
      const { order } = yield* Orders.place(world, account, Paths.oco, Orders.oco(market, side))
      const ids = Orders.idsOf(world, order)
      for (const id of ids) {
        model.orders.push({ id, kind: "margin", trigger: undefined, condition: "gte", isActivated: false })
      }
      yield* compare(model, target)
    }))
)

const movePrice = fc.integer({ min: -25, max: 25 }).map((percent) =>
  step<OrderModel, OrderTarget>(`price to ${percent} %`, (model, target) =>
    Effect.gen(function*() {
      const { market, world } = target
      model.price = rounded(market, 1 + percent / 100)
      yield* Trading.movePrice(world, market, model.price)
      for (const order of model.orders) {
        if (order.trigger !== undefined && isReached(order, model.price)) order.isActivated = true
      }
      yield* compare(model, target)
    }))
)

const cancelOne = fc.nat(20).map((at) =>
  step<OrderModel, OrderTarget>(
    `cancel ${at}`,
    (model, target) =>
      Effect.gen(function*() {
        const { account, market, world } = target
        const spot = model.orders.filter(({ kind }) => kind === "spot")
        const order = spot[at % spot.length]
        if (order === undefined) return
        yield* world.call(account, Paths.cancelOrder, {
          market: market.name,
          [Dialects.keys(world.dialect).orderId]: Numbers.idOf(order.id)
        })
        model.orders = model.orders.filter((other) => other !== order)
        yield* compare(model, target)
      }),
    ({ orders }) => orders.some(({ kind }) => kind === "spot")
  )
)

const cancelAll = fc.constantFrom<Array<ReadonlyArray<"spot" | "margin">>>(["spot"], ["margin"], ["spot", "margin"])
  .map((
    type
  ) =>
    step<OrderModel, OrderTarget>(`cancel all ${type.join(" and ")}`, (model, target) =>
      Effect.gen(function*() {
        yield* target.world.call(target.account, Paths.cancelAll, { type })
        model.orders = model.orders.filter(({ kind }) => !type.includes(kind))
        yield* compare(model, target)
      }))
  )

// -----------------------------------------------------------------------------
// Codes
// -----------------------------------------------------------------------------

interface Issued {
  readonly code: string
  readonly units: number
  readonly passphrase: string | undefined
  isApplied: boolean
}

interface CodeModel {
  readonly codes: Array<Issued>
  readonly held: [number, number]
}

interface CodeTarget {
  readonly world: World
  readonly accounts: readonly [Account, Account]
}

const issueCode = fc.tuple(
  fc.integer({ min: 1, max: 1000 }),
  fc.option(fc.constantFrom("sesame", "é"), { nil: undefined })
)
  .map(([units, passphrase]) =>
    step<CodeModel, CodeTarget>(
      `issue ${units}${passphrase === undefined ? "" : " with a passphrase"}`,
      (model, { world }) =>
        Effect.map(issue(world, String(units), passphrase), ({ code }) => {
          model.codes.push({ code, units, passphrase, isApplied: false })
        })
    )
  )

const applyCode = fc.tuple(fc.nat(10), fc.constantFrom(0, 1), fc.constantFrom("right", "wrong", "none")).map((
  [at, who, passphrase]
) =>
  step<CodeModel, CodeTarget>(
    `account ${who} applies code ${at} with ${passphrase} passphrase`,
    (model, { accounts, world }) =>
      Effect.gen(function*() {
        const issued = model.codes[at % model.codes.length]
        const account = accounts[who === 0 ? 0 : 1]
        if (issued === undefined) return
        const given = passphrase === "right" ? issued.passphrase : passphrase === "wrong" ? "another" : undefined
        const answer = yield* world.call(account, Paths.applyCode, {
          code: issued.code,
          ...(given === undefined ? {} : { passphrase: given })
        })
        const isRight = !issued.isApplied && given === issued.passphrase
        if (isRight) {
          issued.isApplied = true
          model.held[who === 0 ? 0 : 1] += issued.units
        }
        yield* isRight
          ? Verdict.expect(
            answer,
            "the code is applied",
            answer.status === Dialects.applied(world.dialect) && Refusals.isSuccess(answer)
          )
          : Refusals.any(answer, "because the code was already applied, or the passphrase is wrong")
        const held = [yield* balanceOf(world, accounts[0]), yield* balanceOf(world, accounts[1])]
        yield* Verdict.conclude(`balances ${model.held.join(", ")}`, held, held.join() === model.held.join())
      }),
    ({ codes }) => codes.length > 0
  )
)

// -----------------------------------------------------------------------------
// Sub-accounts and their pages
// -----------------------------------------------------------------------------

interface SubAccountModel {
  ids: Array<string>
}

interface SubAccountTarget {
  readonly world: World
  readonly account: Account
}

const createSubAccount = fc.constant(
  step<SubAccountModel, SubAccountTarget>(
    "open a sub-account",
    (model, { account, world }) => Effect.map(SubAccounts.create(world, account), (id) => model.ids.push(id))
  )
)

const remove = fc.nat(20).map((at) =>
  step<SubAccountModel, SubAccountTarget>(
    `delete ${at}`,
    (model, { account, world }) =>
      Effect.gen(function*() {
        const id = model.ids[at % model.ids.length]
        const answer = yield* world.call(account, Paths.deleteSubAccount, { id })
        yield* Verdict.expect(answer, "HTTP 200", Refusals.isSuccess(answer))
        model.ids = model.ids.filter((other) => other !== id)
      }),
    ({ ids }) => ids.length > 0
  )
)

const page = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 8 })).map(([limit, offset]) =>
  step<SubAccountModel, SubAccountTarget>(
    `list ${limit} from ${offset}`,
    (model, { account, world }) =>
      Effect.gen(function*() {
        const answer = yield* world.call(account, Paths.subAccounts, { limit, offset })
        const data = Json.isObject(answer.json) ? answer.json["data"] : undefined
        const ids = Array.isArray(data)
          ? data.map((entry) => Json.isObject(entry) ? entry["id"] : undefined)
          : undefined
        const expected = model.ids.slice(offset, offset + limit)
        yield* Verdict.conclude(`sub-accounts ${expected.join()}`, ids, ids?.join() === expected.join(), answer)
      })
  )
)

// -----------------------------------------------------------------------------
// The rules
// -----------------------------------------------------------------------------

export const rules: ReadonlyArray<Rule.Rule> = [
  everyList<OrderModel, OrderTarget>(
    {
      id: "orders.model",
      statement: "Keeps exactly the uncanceled stop-limit and OCO orders open, and activates those whose trigger "
        + "was reached, in any sequence of placements, cancellations and price moves",
      clause: "Order status"
    },
    [placeStop, placePair, movePrice, cancelOne, cancelAll],
    (world) =>
      Effect.gen(function*() {
        const account = yield* world.trader
        const market = yield* world.market
        return { model: { price: basePrice, orders: [] }, real: { world, account, market } }
      })
  ),
  everyList<CodeModel, CodeTarget>(
    {
      id: "codes.model",
      statement: "Credits each code once, to the first account that applies it with the right passphrase",
      clause: "Endpoints §6"
    },
    [issueCode, applyCode, applyCode],
    (world) =>
      Effect.gen(function*() {
        const accounts = [yield* world.open({ isFunded: false }), yield* world.open({ isFunded: false })] as const
        return { model: { codes: [], held: [0, 0] }, real: { world, accounts } }
      })
  ),
  everyList<SubAccountModel, SubAccountTarget>(
    {
      id: "sub-accounts.model",
      statement: "Pages the existing sub-accounts in order of creation, after any sequence of creations and deletions",
      clause: "Endpoints §9",
      level: "SHOULD"
    },
    [createSubAccount, createSubAccount, remove, page, page],
    (world) =>
      Effect.map(world.open({ isFunded: false }), (account) => ({ model: { ids: [] }, real: { world, account } }))
  )
]
