/** Formats times and numbers for the page. */

/** Formats a time in Unix microseconds as the time of day in UTC. */
export const timeOf = (micros: number): string => new Date(micros / 1000).toISOString().slice(11, 19)

export const dateAndTimeOf = (micros: number): string =>
  new Date(micros / 1000).toISOString().replace("T", " ").slice(0, 19)

/** Formats a decimal with at most `digits` decimal places, and with narrow no-break spaces as thousands separators. */
export const number = (text: string | number | undefined, digits = 8): string => {
  if (text === undefined) return "–"
  const [whole = "", part = ""] = String(text).split(".")
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/gu, "\u202F")
  const cut = part.slice(0, digits).replace(/0+$/u, "")
  return cut === "" ? grouped : `${grouped}.${cut}`
}

/**
 * Typed text without surrounding spaces. Spaces that separate thousands, as `number` writes them, are also removed, so
 * that a number can be copied from the page into a field.
 */
export const typedText = (typed: string): string => {
  const joined = typed.replace(/\s/gu, "")
  return /^[-+]?[\d.]+$/u.test(joined) ? joined : typed.trim()
}

/** Formats a computed number as a decimal without an exponent. */
export const decimal = (value: number, digits: number): string =>
  value.toFixed(Math.min(digits, 12)).replace(/(\.\d*?)0+$/u, "$1").replace(/\.$/u, "")

/** Formats a duration in plain English. */
export const lengthOf = (millis: number): string => {
  const size = Math.abs(millis)
  if (size < 1000) return `${Math.round(size)} ms`
  if (size < 120_000) return `${Math.round(size / 1000)} s`
  if (size < 7_200_000) return `${Math.round(size / 60_000)} minutes`
  return size < 172_800_000 ? `${Math.round(size / 3_600_000)} hours` : `${Math.round(size / 86_400_000)} days`
}

/** Formats any value from a caller. */
export const text = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)

/** Indents a string if it is JSON. */
export const pretty = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}

/**
 * Formats a column of decimals with the same number of decimal places, at least `least`, so that the decimal points
 * line up.
 */
export const column = (texts: ReadonlyArray<string>, least = 0): ReadonlyArray<string> => {
  const shown = texts.map((text) => number(text))
  const places = shown.map((text) => text.split(".")[1]?.length ?? 0)
  const most = Math.max(least, ...places)
  return shown.map((text, index) => {
    const missing = most - (places[index] ?? 0)
    return missing === 0 ? text : `${text}${places[index] === 0 ? "." : ""}${"0".repeat(missing)}`
  })
}

/** Splits a name such as `PlaceStopLimit` into lower-case words. */
export const words = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/gu, " ").toLowerCase()

/** Formats a decimal without its sign, such as the size of a short position, whose amount is negative. */
export const sizeOf = (amount: string): string => number(amount.replace("-", ""))

/** Formats a decimal with its sign. Zero has no sign. */
export const signed = (text: string, digits = 8): string => {
  const size = number(text.replace("-", ""), digits)
  return Number(text) === 0 || size === "0" ? "0" : `${text.startsWith("-") ? "−" : "+"}${size}`
}

/** Formats a ratio as a percentage. */
export const percent = (ratio: string | number, digits = 4): string =>
  `${signed(decimal(Number(ratio) * 100, digits), digits).replace("+", "")} %`

/** Formats a duration as hours, minutes and seconds. */
export const countdown = (millis: number): string => {
  const seconds = Math.max(0, Math.floor(millis / 1000))
  return [seconds / 3600, seconds / 60 % 60, seconds % 60].map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":")
}

/**
 * The reason why the exchange placed an order for the account: the order liquidates the account's position, or takes
 * over part of another account's liquidation (ADL). `undefined` if the account placed the order.
 */
export const forcedOf = ({ clientOrderId = "" }: { readonly clientOrderId?: string }): string | undefined =>
  clientOrderId.startsWith("liquidation_") ? "liquidation" : clientOrderId.startsWith("adl_") ? "ADL" : undefined
