/**
 * The sandbox in its owner's hands: accounts, keys, funds, codes, sub-accounts, interest, faults and limits. None of it
 * can be reached with an exchange key.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { RateLimit } from "../protocol/Endpoint.ts"
import type { Action } from "./engine/Command.ts"
import type { Order, Position } from "./engine/State.ts"
import type { Fault } from "./Faults.ts"
import type { JournalError } from "./Journal.ts"
import { Venue } from "./Venue.ts"

/**
 * The sandbox can't do this: see the fields and the rules they break.
 *
 * @category errors
 * @since 0.1.0
 */
export class ControlRefused extends Schema.TaggedError<ControlRefused>()("ControlRefused", {
  action: Schema.String,
  fields: Schema.Record(Schema.String, Schema.String)
}) {
  override get message(): string {
    const said = Object.entries(this.fields).map(([field, rule]) => `${field} (${rule})`)
    return `${this.action} was refused: ${said.join(", ")}`
  }
}

type Of<Tag extends Action["_tag"]> = Omit<Extract<Action, { readonly _tag: Tag }>, "_tag">

type Done = Effect.Effect<void, ControlRefused | JournalError>

/**
 * - `openAccount`, `openSubAccount`: accounts; a sub-account is an account of its own too
 * - `addKey`, `setKey`: API keys, and switching them on and off
 * - `fund`: credits a wallet from outside the exchange
 * - `createCode`: takes an amount from an account's main wallet and puts it into a code that another can apply
 * - `openPlan`, `invest`: a fixed-term plan, and an amount in it; interest is paid as time goes by, day by day
 * - `payInterest`: pays interest of a fixed-term plan to an account's main wallet
 * - `movePrice`: moves the price of a market: whoever bids more or asks less trades, and orders that wait for it wake
 * - `openOrders`, `positions`: the orders of an account that can still trade, and its open positions
 * - `addFault`, `clearFaults`: what goes wrong, and with which calls
 * - `limit`: replaces the documented rate limit of a path, or of all; `undefined` restores it. Public paths are counted
 *   together, under the name `public`
 *
 * @category services
 * @since 0.1.0
 */
export class Control extends Context.Service<Control, {
  readonly openAccount: (options: Of<"OpenAccount">) => Done
  readonly openSubAccount: (options: Of<"OpenSubAccount">) => Done
  readonly addKey: (options: Of<"AddKey">) => Done
  readonly setKey: (options: Of<"SetKey">) => Done
  readonly fund: (options: Of<"Fund">) => Done
  readonly createCode: (options: Of<"CreateCode">) => Done
  readonly openPlan: (options: Of<"OpenPlan">) => Done
  readonly invest: (options: Of<"Invest">) => Done
  readonly payInterest: (options: Of<"PayInterest">) => Done
  readonly movePrice: (options: Of<"MovePrice">) => Done
  readonly openOrders: (account: string) => Effect.Effect<ReadonlyArray<Order>>
  readonly positions: (account: string) => Effect.Effect<ReadonlyArray<Position>>
  readonly addFault: (fault: Fault) => Effect.Effect<void>
  readonly clearFaults: Effect.Effect<void>
  readonly limit: (limit: RateLimit | undefined, path?: string) => Effect.Effect<void>
}>()("effect-txc/sandbox/Control") {}

/**
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Control, never, Venue> = Layer.effect(
  Control,
  Effect.gen(function*() {
    const venue = yield* Venue
    const perform = Effect.fnUntraced(function*(action: Parameters<typeof venue.perform>[0]) {
      const reply = yield* venue.perform(action)
      if (reply._tag === "Invalid" || reply._tag === "Refused") {
        return yield* new ControlRefused({
          action: action._tag,
          fields: Object.fromEntries(reply.violations.map(([field, rule]) => [field, rule.rule]))
        })
      }
    })
    return {
      openAccount: (options) => perform({ _tag: "OpenAccount", ...options }),
      openSubAccount: (options) => perform({ _tag: "OpenSubAccount", ...options }),
      addKey: (options) => perform({ _tag: "AddKey", ...options }),
      setKey: (options) => perform({ _tag: "SetKey", ...options }),
      fund: (options) => perform({ _tag: "Fund", ...options }),
      createCode: (options) => perform({ _tag: "CreateCode", ...options }),
      openPlan: (options) => perform({ _tag: "OpenPlan", ...options }),
      invest: (options) => perform({ _tag: "Invest", ...options }),
      payInterest: (options) => perform({ _tag: "PayInterest", ...options }),
      movePrice: (options) => perform({ _tag: "MovePrice", ...options }),
      openOrders: (account) =>
        Effect.sync(() => [...venue.state.openOrders.values()].filter((order) => order.account === account)),
      positions: (account) =>
        Effect.sync(() => [...venue.state.positions.values()].filter((position) => position.account === account)),
      addFault: (fault) => Effect.sync(() => venue.faults.add(fault)),
      clearFaults: Effect.sync(() => venue.faults.clear()),
      limit: (limit, path) => Effect.sync(() => venue.limits.override(limit, path))
    }
  })
)
