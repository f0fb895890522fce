/**
 * What a value must satisfy, as data.
 *
 * Every schema of the domain that narrows a value is annotated with the constraint it checks. So a violation has the same
 * name wherever it is found: by the client before anything is sent, or by an exchange that answers.
 *
 * @since 0.1.0
 */

/**
 * One constraint that a field can break. `kind` says which; the other fields are its parameters.
 *
 * @category models
 * @since 0.1.0
 */
export type Constraint =
  | {
    /** The field must be present. */
    readonly kind: "required"
  }
  | {
    /** The value must be of a JSON type. */
    readonly kind: "type"
    /** The JSON type that the value must have. */
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
    /** The number has a lower bound. */
    readonly kind: "min"
    /** The least number allowed. */
    readonly min: number
  }
  | {
    /** The number has an upper bound. */
    readonly kind: "max"
    /** The greatest number allowed. */
    readonly max: number
  }
  | {
    /** The text has a greatest length. */
    readonly kind: "length"
    /** The most characters allowed. */
    readonly max: number
  }
  | {
    /** The text or list must not be empty. */
    readonly kind: "notEmpty"
  }
  | {
    /** The text must have the form of its kind, such as `BASE_QUOTE` for a market. */
    readonly kind: "format"
  }
  | {
    /** The text may only have characters of a set. */
    readonly kind: "characters"
    /** The allowed characters, in words. */
    readonly allowed: string
  }
  | {
    /** The value must be one of a list. */
    readonly kind: "oneOf"
    /** The values allowed, as the wire writes them. */
    readonly values: ReadonlyArray<string | number>
  }
  | {
    /** The value is well formed, but the exchange must know what it names, such as a market. */
    readonly kind: "known"
  }
  | {
    /** The value must not be in use already, such as a client order id. */
    readonly kind: "unique"
  }
  | {
    /** The decimal may have no more fractional digits than there are of what it counts. */
    readonly kind: "precision"
    /** One of the last digit, as a decimal: `0.001` for three digits. */
    readonly step: string
  }
  | {
    /** The price or amount must be a whole multiple of its market's step. */
    readonly kind: "step"
    /** The step, as a decimal: `0.05`. */
    readonly step: string
  }
  | {
    /** The amount must reach the market's least amount. */
    readonly kind: "minAmount"
    /** The least amount, as a decimal in units of the base currency. */
    readonly min: string
  }
  | {
    /** Amount × price must reach the market's least total. */
    readonly kind: "minTotal"
    /** The least total, as a decimal in units of the quote currency. */
    readonly min: string
  }
  | {
    /** Amount × price must not exceed the market's greatest total. */
    readonly kind: "maxTotal"
    /** The greatest total, as a decimal in units of the quote currency. */
    readonly max: string
  }
  | {
    /** The code must not have been applied before. */
    readonly kind: "unused"
  }
  | {
    /** An account can't apply a code that it created itself. */
    readonly kind: "notOwn"
  }
  | {
    /** The sub-account must not hold funds. */
    readonly kind: "empty"
  }
  | {
    /** A reduce-only order needs an open position, on the other side, that it can reduce. */
    readonly kind: "position"
  }
  | {
    /** The wallet must hold what the request needs. */
    readonly kind: "balance"
  }
  | {
    /** The flag can't be set together with another flag. */
    readonly kind: "exclusive"
    /** The name of the other flag, as the wire has it. */
    readonly with: string
  }
  | {
    /** The field can't be given together with another one that says the same. */
    readonly kind: "alone"
    /** The name of the other field, as the wire has it. */
    readonly with: string
  }
  | {
    /** The value must differ from that of another field. */
    readonly kind: "different"
    /** The name of the other field, as the wire has it. */
    readonly from: string
  }
  | {
    /** The time must be later than that of another field. */
    readonly kind: "after"
    /** The name of the other field, as the wire has it. */
    readonly than: string
  }
  | {
    /** A post-only order must not trade at once. */
    readonly kind: "maker"
  }
  | {
    /** The identifier must be that of an open order. */
    readonly kind: "open"
  }
  | {
    /**
     * The field must be one that the request has: it may be misspelled. An exchange ignores such a field; the client
     * refuses to send the request, rather than drop the field silently.
     */
    readonly kind: "expected"
  }
  | {
    /** The list must have no more elements than that. */
    readonly kind: "elements"
    /** The most elements allowed. */
    readonly max: number
  }
  | {
    /** The identifier must be that of an order that can be canceled. */
    readonly kind: "existing"
  }
  | {
    /** Orders of this type have no such term, so it can't be changed. */
    readonly kind: "inapplicable"
  }
  | {
    /** The new amount of an order must be greater than what is filled of it. */
    readonly kind: "aboveFilled"
  }
  | {
    /** The order must be one that can be changed: a leg of a pair, or an order with an exit, can't. */
    readonly kind: "modifiable"
  }
  | {
    /** The price must not be the last one of the market, or nobody could say from which side it is reached. */
    readonly kind: "notLastPrice"
  }
  | {
    /** A take-profit must be where the order has gained, a stop-loss where it has lost. */
    readonly kind: "exitSide"
  }
  | {
    /** The field must be one that the sandbox simulates: it is documented, and an exchange takes it. */
    readonly kind: "simulated"
  }
  | {
    /** The field must be one that the exchange accepts already: it is documented, but not available yet. */
    readonly kind: "accepted"
  }

const key = "effect-txc/constraint"

/**
 * An annotation of a schema or a check.
 *
 * @category models
 * @since 0.1.0
 */
// An interface has no index signature, which annotations need.
export type Annotation = {
  /** The constraint that the annotated schema or check stands for. */
  readonly "effect-txc/constraint": Constraint
}

/**
 * The annotation that says which constraint a schema or a check stands for.
 *
 * @category annotations
 * @since 0.1.0
 */
export const annotation = (constraint: Constraint): Annotation => ({ [key]: constraint })

/**
 * Reads the constraint from the annotations of a schema or a check; `undefined` when they name none.
 *
 * @category annotations
 * @since 0.1.0
 */
export const fromAnnotations = (annotations: { readonly [x: string]: unknown } | undefined): Constraint | undefined =>
  // Only `annotation` writes this key, hence the type.
  annotations?.[key] as Constraint | undefined
