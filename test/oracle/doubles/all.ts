/**
 * Four correct servers that differ from the sandbox. Where the document leaves a point open, they use other statuses,
 * formats and sequences of checks.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"
import * as Json from "../../../src/protocol/Json.ts"
import { answering } from "../../support/http.ts"
import * as Bazaar from "./Bazaar.ts"
import { type Asked, type Choices, make, type Reply, subAccountPaths } from "./Exchange.ts"

const html = (status: number, title: string): Reply => ({
  status,
  body: `<html><head><title>${title}</title></head></html>`,
  type: "text/html"
})

const error = (
  status: number,
  code: number,
  message: string,
  errors: Readonly<Record<string, ReadonlyArray<string>>> = {}
) => ({
  status,
  body: { code, message, errors }
})

const named = (keys: ReadonlyArray<string>) =>
  Object.fromEntries(keys.map((key) => [key, ["This value is not valid."]]))

/** Returns the refusal of invalid fields in the form that the document shows. It shows only this one in full. */
const filter = (keys: ReadonlyArray<string>) => error(400, 0, "Validation failed", named(keys))

const first = (keys: ReadonlyArray<string>) => keys.slice(0, 1)

/**
 * Uses other 4xx statuses, requires increasing nonces, names only the first invalid field, and sends HTML for unknown
 * paths.
 */
const gateway: Choices = {
  name: "a gateway in front of a matching engine",
  ahead: 0,
  deny: (why) =>
    why === "nonce" || why === "used" ? error(409, 7, "nonce too low") : error(403, 1001, `denied: ${why}`),
  refuse: (family, wrong) => {
    if (family === "filter") return filter(wrong)
    if (family === "oco") return error(422, 30, "Validation failed", named(first(wrong)))
    return family === "stop-limit"
      ? error(422, 2031, "invalid order", named(first(wrong)))
      : error(404, 5, "bad argument")
  },
  unknownPath: (method) => html(method === "GET" ? 405 : 404, "Not found"),
  checks: ["header", "key", "disabled", "endpoint", "payload", "signature", "body", "request", "used", "nonce"],
  needsEnvelope: (path) => !subAccountPaths.includes(path),
  isNonce: (nonce, last = "0") =>
    (typeof nonce === "string" || typeof nonce === "number") && /^\d+$/u.test(String(nonce)) &&
    BigInt(nonce) > BigInt(last),
  canceled: () => ({}),
  isNewestFirst: true,
  matches: (alias, search) => alias.startsWith(search),
  isCoercing: true,
  unusedActivity: 0,
  unknownId: "refused",
  unknownFilter: "empty",
  reduceOnly: "ignored",
  metTrigger: "activates",
  positionSide: () => "BOTH",
  mtime: (created) => Number((created + 0.000_25).toFixed(6)),
  digits: (count) => count
}

/**
 * Sends errors with HTTP 200, names no fields, accepts any text as a nonce, and reports success when an unknown id is
 * deleted.
 */
const terse: Choices = {
  name: "a server that responds to every call with HTTP 200",
  ahead: -7_200_000,
  deny: (why) => error(200, -1, `Access denied (${why})`),
  refuse: (family, wrong) =>
    family === "filter" ? filter(wrong) : error(200, family === "oco" ? 30 : 0, "Validation failed"),
  unknownPath: () => ({ status: 404, body: "no such page", type: "text/plain" }),
  checks: ["body", "request", "nonce", "header", "payload", "key", "signature", "used", "disabled", "endpoint"],
  needsEnvelope: (path) => !path.startsWith("/api/v4/order/cancel/") && !subAccountPaths.includes(path),
  isNonce: (nonce) => typeof nonce === "string" && nonce !== "",
  canceled: (count) => ({ canceled: count }),
  isNewestFirst: false,
  matches: (alias, search) => alias.toLowerCase().includes(search.toLowerCase()),
  isCoercing: false,
  unusedActivity: 1_600_000_000,
  unknownId: "ignored",
  unknownFilter: "empty",
  reduceOnly: "ignored",
  metTrigger: "waits",
  positionSide: (side) => side === "buy" ? "LONG" : "SHORT",
  mtime: (created) => created,
  digits: String
}

/** Accepts only nonces near its own clock, and requires the complete envelope everywhere. */
const windowed: Choices = {
  name: "a server with a nonce window around its own clock",
  ahead: 10_800_000,
  deny: (why) =>
    why === "partner" ? error(451, 9, "Partners only") : error(400, 10, "Unauthorized", { [why]: ["not accepted"] }),
  refuse: (family, wrong) => {
    if (family === "filter") return filter(wrong)
    if (wrong.includes("reduceOnly")) return error(422, 116, "Reduce-only", named(wrong))
    return error(family === "oco" ? 409 : 422, family === "oco" ? 30 : 77, "Validation failed", named(wrong))
  },
  unknownPath: () => html(404, "nginx"),
  checks: ["header", "payload", "signature", "key", "endpoint", "disabled", "body", "nonce", "used", "request"],
  needsEnvelope: () => true,
  isNonce: (nonce, _last, now) => typeof nonce === "string" && Math.abs(Number(nonce) - now) < 60_000,
  canceled: (count) => [{ count }],
  isNewestFirst: true,
  matches: (alias, search) => alias.split(" ").slice(0, 2).join(" ") === search,
  isCoercing: false,
  unusedActivity: 0,
  unknownId: "refused",
  unknownFilter: "refused",
  reduceOnly: "refused",
  metTrigger: "activates",
  positionSide: () => "BOTH",
  mtime: (created) => created,
  digits: String
}

/** A server that the oracle checks. */
export interface Double {
  readonly name: string
  readonly dialect: "document" | "live"
  /** The endpoints that the server declares. By default, all of the document's endpoints. */
  readonly endpoints?: ReadonlyArray<string>
  /** Creates a fresh server that responds to a request received at this time, in Unix milliseconds. */
  readonly make: () => (asked: Asked, at: number) => Reply & { readonly headers?: Readonly<Record<string, string>> }
}

/** The most unusual server, with lists that are `lag` milliseconds late. */
export const odd = (dialect: Double["dialect"], lag = 300): Double => ({
  name: `a slow, late and throttling server with odd values (${dialect})`,
  dialect,
  endpoints: Bazaar.served,
  make: () => Bazaar.make(dialect, lag)
})

/**
 * The four servers: three with different choices in the document's dialect, and an independently written one in both
 * dialects.
 */
export const all: ReadonlyArray<Double> = [
  ...[gateway, terse, windowed].map((choices): Double => ({
    name: choices.name,
    dialect: "document",
    make: () => make(choices)
  })),
  odd("document"),
  odd("live")
]

/** Creates a fresh server in this process. */
export const layer = (double: Double): Layer.Layer<HttpClient.HttpClient> => {
  const exchange = double.make()
  return answering((sent) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const { body, headers, status, type } = exchange(sent, now)
      const text = body === undefined ? null : typeof body === "string" ? body : Json.stringify(body)
      return new Response(text, { status, headers: { "content-type": type ?? "application/json", ...headers } })
    })
  )
}
