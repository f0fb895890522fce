/** The kinds of JSON values in the document's tables, such as text, decimal and integer. */
import * as Json from "../../protocol/Json.ts"

/** A kind of value. */
export interface Kind {
  /** A readable description of the kind. */
  readonly name: string
  /** Whether a value is of this kind. */
  readonly holds: (value: unknown) => boolean
}

const matching = (name: string, form: RegExp): Kind => ({
  name,
  holds: (value) => typeof value === "string" && form.test(value)
})

const isInteger = (value: unknown): boolean => typeof value === "bigint" || Number.isSafeInteger(value)

/**
 * Whether a value is a time in Unix seconds between 2001 and 2286. Times in milliseconds are far outside this range.
 */
const isToday = (value: number): boolean => value >= 1e9 && value < 1e10

export const text: Kind = { name: "a string", holds: (value) => typeof value === "string" }
export const someText: Kind = matching("a string that is not empty", /^[\s\S]/u)
export const decimal: Kind = matching("a decimal in a string", /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/u)
export const positiveDecimal: Kind = matching(
  "a decimal above zero in a string",
  /^(?=.*[1-9])(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/u
)
export const ticker: Kind = matching("a ticker", /^[A-Za-z0-9][A-Za-z0-9_.-]*$/u)
export const market: Kind = matching("a market's name, BASE_QUOTE", /^[A-Za-z0-9.-]+_[A-Za-z0-9.-]+$/u)
export const colour: Kind = matching("a hex color with a leading #", /^#[0-9A-Fa-f]{3,8}$/u)
export const maskedEmail: Kind = matching("a masked e-mail address", /^(?:.*\*.*@.*|.*@.*\*.*|)$/u)
export const clientOrderId: Kind = matching(
  "a string of letters, digits, dashes, dots and underscores, or an empty string",
  /^[A-Za-z0-9\-._]*$/u
)
export const boolean: Kind = { name: "a boolean", holds: (value) => typeof value === "boolean" }
export const integer: Kind = { name: "an integer", holds: isInteger }
export const bit: Kind = { name: "0 or 1", holds: (value) => value === 0 || value === 1 }
export const seconds: Kind = {
  name: "an integer in Unix seconds",
  holds: (value) => typeof value === "number" && Number.isSafeInteger(value) && isToday(value)
}
export const lastSeconds: Kind = {
  name: "an integer in Unix seconds, or 0 for never",
  holds: (value) => value === 0 || seconds.holds(value)
}
export const fractionalSeconds: Kind = {
  name: "a number in Unix seconds with at most six decimal places",
  // The value must be the double nearest to a whole number of microseconds.
  holds: (value) => typeof value === "number" && isToday(value) && Math.round(value * 1e6) / 1e6 === value
}
export const time: Kind = {
  name: "a number in Unix seconds",
  holds: (value) => typeof value === "number" && isToday(value)
}
export const object: Kind = { name: "an object", holds: Json.isObject }
export const array: Kind = { name: "an array", holds: Array.isArray }
export const oneOf = (...values: ReadonlyArray<string>): Kind => ({
  name: values.length === 1 ? Json.stringify(values[0]) : `one of ${values.join(", ")}`,
  holds: (value) => typeof value === "string" && values.includes(value)
})
export const exactly = (value: string): Kind => oneOf(value)
