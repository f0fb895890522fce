/** The log of the latest calls to the exchange and their outcomes. The log is kept in memory. */
import type * as Schema from "effect/Schema"
import type { NewRequest, RequestRecord } from "./RequestRecord.ts"

/** The string shown instead of a secret value. */
const hidden = "***"

/** Fields whose values are secret, because they are worth money or give access to money. */
const secretFields: ReadonlySet<string> = new Set(["code", "passphrase"])

/** The maximum length of a string that is shown, in characters. */
const longest = 200

/** The maximum length of a string that is shown within a list, in characters. */
const longestInList = 20

/** The maximum number of list items shown. */
const items = 10

/** Removes the secrets of the venue's keys from a string, and truncates it to `most` characters. */
export const scrub = (text: string, secrets: Iterable<string>, most: number = longest): string => {
  let shown = text
  for (const secret of secrets) if (secret !== "") shown = shown.replaceAll(secret, hidden)
  return copy(shown.length > most ? `${shown.slice(0, most)}…` : shown)
}

/** Copies a string into its own memory, because a slice would keep the entire original string alive. */
const copy = (text: string): string => Buffer.from(text).toString()

const showScalar = (value: unknown, secrets: Iterable<string>, most?: number): Schema.Json => {
  if (typeof value === "string" || typeof value === "bigint") return scrub(String(value), secrets, most)
  return typeof value === "number" || typeof value === "boolean" || value === null ? value : {}
}

/** Shows a single value, or a list of values. No protocol field is a list of lists. */
const show = (value: unknown, secrets: Iterable<string>): Schema.Json =>
  Array.isArray(value)
    ? value.slice(0, items).map((item) => showScalar(item, secrets, longestInList))
    : showScalar(value, secrets)

/**
 * The fields of a request that belong to the endpoint, keyed by their domain names. Other fields can contain anything,
 * so they are left out. `keys` maps each domain name to its key on the wire.
 */
export const shown = (
  keys: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, unknown>>,
  secrets: Iterable<string>
): Readonly<Record<string, Schema.Json>> => {
  const known: Record<string, Schema.Json> = {}
  for (const [name, key] of Object.entries(keys)) {
    if (Object.hasOwn(fields, key)) known[name] = secretFields.has(name) ? hidden : show(fields[key], secrets)
  }
  return known
}

/** The maximum number of calls that can be read from the log. */
export const kept = 5000

/** A call in the log. The call's record is built when the record is read, because most records are never read. */
export interface Logged {
  /**
   * The call's number in the log; the first is 1. A venue that wakes up continues the numbering from before its sleep.
   */
  readonly number: number
  /** The time of the call, in Unix microseconds on the venue's clock. */
  readonly at: number
  /** The record of the call. The record never changes. */
  readonly record: () => RequestRecord
}

/** The log of a venue's latest calls. */
export interface CallLog {
  /** Logs a call made at `at` (Unix µs), and returns its numbered entry. `show` builds the call's record on demand. */
  readonly add: (at: number, show: () => NewRequest) => Logged
  /** The logged calls after the one with this number, oldest first. */
  readonly after: (number: number) => ReadonlyArray<RequestRecord>
  /** The latest records, at most {@link keptSaved}, as plain data. */
  readonly saved: () => ReadonlyArray<RequestRecord>
}

/** The maximum number of calls that are kept while a venue sleeps. */
export const keptSaved = 1000

class Added implements Logged {
  readonly number: number
  readonly at: number
  private readonly show: () => NewRequest
  private shown: RequestRecord | undefined

  constructor(number: number, at: number, show: () => NewRequest) {
    this.number = number
    this.at = at
    this.show = show
  }

  record(): RequestRecord {
    return this.shown ??= { number: this.number, ...this.show() }
  }
}

/** Creates a log with these records; an empty log by default. */
export const make = (saved: ReadonlyArray<RequestRecord> = []): CallLog => {
  let requests: Array<Logged> = saved.map((record) => ({ number: record.number, at: record.at, record: () => record }))
  let last = requests.at(-1)?.number ?? 0
  return {
    add: (at, show) => {
      const added = new Added(++last, at, show)
      requests.push(added)
      if (requests.length > 2 * kept) requests = requests.slice(-kept)
      return added
    },
    after: (number) => {
      const latest = requests.slice(-kept)
      const first = latest[0]?.number ?? 0
      return latest.slice(Math.max(0, number + 1 - first)).map((logged) => logged.record())
    },
    saved: () => requests.slice(-keptSaved).map((logged) => logged.record())
  }
}
