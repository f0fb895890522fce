/**
 * The constraints on request fields, represented as data.
 *
 * Every domain schema that restricts a value is annotated with the constraint that it checks. A violation therefore has
 * the same name, whether the client detects it before sending or the exchange reports it.
 */

/**
 * A constraint that a field can break. `kind` is the constraint's name; the other fields are its parameters.
 *
 * @category models
 */
export type Constraint =
  | {
    /** The field must be present. */
    readonly kind: "required"
  }
  | {
    /** The value must have a certain JSON type. */
    readonly kind: "type"
    /** The required JSON type. */
    readonly type: "string" | "integer" | "boolean" | "array" | "object"
  }
  | {
    /** The value must be a decimal string, as all amounts and prices are. */
    readonly kind: "decimal"
  }
  | {
    /** The number must be greater than zero. */
    readonly kind: "positive"
  }
  | {
    /** The number must not be below a minimum. */
    readonly kind: "min"
    /** The smallest allowed number. */
    readonly min: number
  }
  | {
    /** The number must not be above a maximum. */
    readonly kind: "max"
    /** The largest allowed number. */
    readonly max: number
  }
  | {
    /** The text must not be too long. */
    readonly kind: "length"
    /** The maximum length, in characters. */
    readonly max: number
  }
  | {
    /** The text or list must not be empty. */
    readonly kind: "notEmpty"
  }
  | {
    /** The text must have the required form, such as `BASE_QUOTE` for a market. */
    readonly kind: "format"
  }
  | {
    /** The text may only contain certain characters. */
    readonly kind: "characters"
    /** A description of the allowed characters. */
    readonly allowed: string
  }
  | {
    /** The value must be one of the listed values. */
    readonly kind: "oneOf"
    /** The allowed values, as written on the wire. */
    readonly values: ReadonlyArray<string | number>
  }
  | {
    /** The value must identify something that exists on the exchange, such as a market. */
    readonly kind: "known"
  }
  | {
    /** The value, such as a client order id, must not already be in use. */
    readonly kind: "unique"
  }
  | {
    /** The decimal must not have more fractional digits than its market or currency allows. */
    readonly kind: "precision"
    /** One unit of the last allowed digit, as a decimal: `0.001` for three fractional digits. */
    readonly step: string
  }
  | {
    /** The price or amount must be a multiple of its market's step. */
    readonly kind: "step"
    /** The step, as a decimal: `0.05`. */
    readonly step: string
  }
  | {
    /**
     * The amount must not be below the market's minimum amount. An amount in the quote currency must not be below the
     * market's minimum total.
     */
    readonly kind: "minAmount"
    /** The minimum, as a decimal in the amount's currency. */
    readonly min: string
  }
  | {
    /** Amount × price must not be below the market's minimum total. */
    readonly kind: "minTotal"
    /** The minimum total, as a decimal in the quote currency. */
    readonly min: string
  }
  | {
    /** Amount × price must not exceed the market's maximum total. */
    readonly kind: "maxTotal"
    /** The maximum total, as a decimal in the quote currency. */
    readonly max: string
  }
  | {
    /** The price must not be too far from the market's last price. */
    readonly kind: "priceBand"
    /** Whether the price is too high or too low. */
    readonly side: "above" | "below"
    /** The highest or lowest allowed price, as a decimal in the quote currency. */
    readonly bound: string
  }
  | {
    /** The code must not have been applied before. */
    readonly kind: "unused"
  }
  | {
    /** The code must have been created by a different account than the one that applies it. */
    readonly kind: "notOwn"
  }
  | {
    /** The sub-account must not hold funds. */
    readonly kind: "empty"
  }
  | {
    /** The exchange must allow the transfer between wallets. */
    readonly kind: "transferable"
    /**
     * The missing condition: the sub-account's permission for the receiving wallet, or enabled deposits or withdrawals
     * of the asset.
     */
    readonly needs: "permission" | "deposits" | "withdrawals"
  }
  | {
    /** A reduce-only order needs an open position on the opposite side. */
    readonly kind: "position"
  }
  | {
    /** The wallet's balance must cover the request. */
    readonly kind: "balance"
    /** The amount available for the transfer. Present only for a refused transfer. */
    readonly available?: string
    /** The requested amount. Present only for a refused transfer. */
    readonly amount?: string
  }
  | {
    /** The flag and another flag must not both be set. */
    readonly kind: "exclusive"
    /** The wire name of the other flag. */
    readonly with: string
  }
  | {
    /** The field must not be combined with one particular other field. */
    readonly kind: "alone"
    /** The wire name of the other field, followed by its value if only this value excludes the field: `bboRole 1`. */
    readonly with: string
  }
  | {
    /** The value must differ from another field's value. */
    readonly kind: "different"
    /** The wire name of the other field. */
    readonly from: string
  }
  | {
    /** The time must be later than another field's time. */
    readonly kind: "after"
    /** The wire name of the other field. */
    readonly than: string
  }
  | {
    /** The account must be approved by the exchange for this kind of order. */
    readonly kind: "admitted"
  }
  | {
    /** An order at the best bid or offer needs an order in the book from which it can take its price. */
    readonly kind: "quoted"
  }
  | {
    /** A post-only order must not trade immediately. */
    readonly kind: "maker"
  }
  | {
    /** The identifier must belong to an open order. */
    readonly kind: "open"
  }
  | {
    /**
     * The field must be one that the request can have. The exchange would silently ignore any other field, even if it
     * is only misspelled, so the client refuses the request.
     */
    readonly kind: "expected"
  }
  | {
    /** The list must not be too long. */
    readonly kind: "elements"
    /** The maximum number of elements. */
    readonly max: number
  }
  | {
    /** The identifier must belong to an order that can be canceled. */
    readonly kind: "existing"
  }
  | {
    /** The identifier must belong to a closed order. */
    readonly kind: "ended"
  }
  | {
    /** The field must be valid for this order type. */
    readonly kind: "inapplicable"
  }
  | {
    /** An order's new amount must be greater than its filled amount. */
    readonly kind: "aboveFilled"
  }
  | {
    /**
     * The order must be modifiable. A leg of an OCO pair, or an order with a take-profit or stop-loss, can't be
     * modified.
     */
    readonly kind: "modifiable"
  }
  | {
    /**
     * The activation price must differ from the market's last price. Otherwise it would be unclear whether the market
     * must rise or fall to reach that price.
     */
    readonly kind: "notLastPrice"
  }
  | {
    /** A take-profit must be on the profitable side of the order's price, and a stop-loss on the losing side. */
    readonly kind: "exitSide"
  }
  | {
    /** The request must satisfy a margin trading rule. */
    readonly kind: "margin"
    /**
     * The rule:
     *
     * - `flat`: there must be no positions or orders that the requested change would affect
     * - `side`: the position side must match the account's mode: `LONG` or `SHORT` in hedge mode, `BOTH` in one-way
     *   mode
     * - `opposite`: the order must not turn a long position into a short one, or vice versa
     * - `positionMaximum`: the position must not be larger than the market allows
     * - `held`: the position must exist and be open
     * - `pendingMaximum`: the position plus its open orders must not be larger than the market allows
     * - `covered`: the collateral must cover the margin of positions and orders
     */
    readonly rule: "flat" | "side" | "opposite" | "positionMaximum" | "pendingMaximum" | "covered" | "held"
  }
  | {
    /**
     * The exchange must already accept the field. A documented field that is not available yet breaks this constraint.
     */
    readonly kind: "accepted"
  }

const key = "effect-txc/constraint"

/**
 * An annotation for a schema or a check.
 *
 * @category models
 */
// This is a type and not an interface, because annotations need an index signature.
export type Annotation = {
  /** The constraint of the annotated schema or check. */
  readonly "effect-txc/constraint": Constraint
}

/**
 * Creates an annotation that names the constraint of a schema or a check.
 *
 * @category annotations
 */
export const annotation = (constraint: Constraint): Annotation => ({ [key]: constraint })

/**
 * Reads the constraint from the annotations of a schema or a check; `undefined` when there is no constraint.
 *
 * @category annotations
 */
export const fromAnnotations = (annotations: { readonly [x: string]: unknown } | undefined): Constraint | undefined =>
  // Only `annotation` writes this key, so the type is known.
  annotations?.[key] as Constraint | undefined
