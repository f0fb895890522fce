/**
 * What the engine answers.
 *
 * @since 0.1.0
 */
import type { Constraint } from "../../domain/Constraint.ts"
import type { AppliedCode, CreatedCode, Key, OcoOrder, Order, StopOrder, SubAccount } from "./State.ts"

/** @category models */
export type Violations = ReadonlyArray<readonly [field: string, constraint: Constraint]>

/**
 * - `Done`: applied, with nothing more to say
 * - `OrderPlaced`, `StopPlaced`, `OcoPlaced`, `OrderCanceled`, `OcoCanceled`, `CodeCreated`, `CodeApplied`,
 *   `SubAccountCreated`, `KeyCreated`: applied
 * - `Invalid`: fields break rules that only the exchange can know
 * - `Refused`: for another reason, see `why`
 *
 * Nothing but the nonce and the time of the last activity has changed when a call is refused; with `nonceUsed` and
 * `nonceOutsideWindow` not even these.
 *
 * @category models
 * @since 0.1.0
 */
export type Reply =
  | { readonly _tag: "Done" }
  | { readonly _tag: "OrderPlaced"; readonly order: Order }
  | { readonly _tag: "StopPlaced"; readonly order: StopOrder }
  | { readonly _tag: "OrderCanceled"; readonly order: Order }
  | { readonly _tag: "OcoPlaced"; readonly oco: OcoOrder }
  | { readonly _tag: "OcoCanceled"; readonly oco: OcoOrder }
  | { readonly _tag: "CodeCreated"; readonly created: CreatedCode }
  | { readonly _tag: "CodeApplied"; readonly applied: AppliedCode }
  | { readonly _tag: "SubAccountCreated"; readonly subAccount: SubAccount }
  | { readonly _tag: "KeyCreated"; readonly key: Key }
  | { readonly _tag: "Invalid"; readonly violations: Violations }
  | {
    readonly _tag: "Refused"
    readonly why:
      | "nonceUsed"
      | "nonceOutsideWindow"
      | "notEnoughBalance"
      | "reduceOnly"
      | "notFound"
      | "orderNotFound"
      | "notMaker"
    readonly violations: Violations
  }

/** @category constructors */
export const done: Reply = { _tag: "Done" }

/** @category constructors */
export const invalid = (...violations: Violations): Reply => ({ _tag: "Invalid", violations })

/** @category constructors */
export const refused = (
  why: Extract<Reply, { readonly _tag: "Refused" }>["why"],
  ...violations: Violations
): Reply => ({ _tag: "Refused", why, violations })
