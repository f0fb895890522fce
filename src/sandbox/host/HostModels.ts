/** The requests and answers of a host. */
import * as Schema from "effect/Schema"
import { prefix } from "../control/ControlApi.ts"
import { type Registered, VenueKey } from "./Registry.ts"

const key = Schema.optionalKey

/** The latest time that a clock can be set to, 1 January 2200, in Unix microseconds. */
const latest = Date.UTC(2200, 0, 1) * 1000

const Owner = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9._@/-]{1,100}$/u))

const TimeToLive = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 * 365 * 86_400_000 }))

/** The options of every new venue. */
export interface NewOptions {
  /** The owner: 1 to 100 letters, digits and `._@/-`; `anybody` by default. Venues are counted by owner. */
  readonly owner?: string
  /**
   * The time to live, in milliseconds. Then the venue ends, and its files are removed. By default that of the host, or
   * unlimited.
   */
  readonly timeToLiveMillis?: number
  /** Whether it gets its own port, for clients that take only a host and a port. */
  readonly port?: boolean
}

/** The options of a copy. */
export interface CopyOptions extends NewOptions {
  /** Copies the venue as it was after this command; after the last one by default. */
  readonly sequence?: number
}

/** The options of a new venue. */
export interface MakeOptions extends NewOptions {
  /** The dialect; `document` by default. */
  readonly dialect?: "document" | "live"
  /** Whether reduce-only orders are accepted, or refused as not available yet; `accepted` by default. */
  readonly reduceOnly?: "accepted" | "announced"
  /** The seed of random faults; 0 by default. */
  readonly seed?: number
  /** The time of its frozen clock, in Unix microseconds. Without one the clock runs. */
  readonly clock?: number
  /** Whether it starts with the example's accounts and funds, or empty; `true` by default. */
  readonly example?: boolean
}

const common = { owner: key(Owner), timeToLiveMillis: key(TimeToLive), port: key(Schema.Boolean) }

/** The schema of {@link CopyOptions}. */
export const CopyOptions = Schema.Struct({
  ...common,
  sequence: key(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
})

/** The schema of {@link MakeOptions}. */
export const MakeOptions = Schema.Struct({
  ...common,
  dialect: key(Schema.Literals(["document", "live"])),
  reduceOnly: key(Schema.Literals(["accepted", "announced"])),
  seed: key(Schema.Int),
  clock: key(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: latest }))),
  example: key(Schema.Boolean)
})

/** The summary of a venue. */
export interface Summary {
  /** Its id. */
  readonly id: string
  /** The owner. */
  readonly owner: string
  /** The base URL of its exchange. */
  readonly url: string
  /** Its dialect. */
  readonly dialect: "document" | "live"
  /** Whether it is awake. */
  readonly awake: boolean
  /** The creation time, in Unix microseconds by the machine's clock. */
  readonly madeAt: number
  /** The end of its time to live, in Unix microseconds by the machine's clock; absent if it has none. */
  readonly endsAt?: number
}

/** A venue with all that its users need: addresses, keys and the token. */
export interface Made extends Summary {
  /** The base URL with its own host name, such as `http://{id}.localhost:8080`, which browsers and curl resolve. */
  readonly nameUrl?: string
  /** The base URL with its own port, if it has one. */
  readonly portUrl?: string
  /** The base URL of its control plane, with a trailing slash. */
  readonly controlUrl: string
  /** The token of its control plane. It opens no other venue. */
  readonly controlToken: string
  /** Its initial keys, by account; those of the example's sub-accounts by their titles. */
  readonly keys: Readonly<Record<string, VenueKey>>
}

const summaryFields = {
  id: Schema.String,
  owner: Schema.String,
  url: Schema.String,
  dialect: Schema.Literals(["document", "live"]),
  awake: Schema.Boolean,
  madeAt: Schema.Int,
  endsAt: key(Schema.Int)
}

/** The schema of {@link Summary}. */
export const Summary: Schema.Codec<Summary, unknown> = Schema.Struct(summaryFields)

/** The schema of {@link Made}. */
export const Made: Schema.Codec<Made, unknown> = Schema.Struct({
  ...summaryFields,
  nameUrl: key(Schema.String),
  portUrl: key(Schema.String),
  controlUrl: Schema.String,
  controlToken: Schema.String,
  keys: Schema.Record(Schema.String, VenueKey)
})

/** The current use of a host. */
export interface HostStatus {
  /** The number of venues. */
  readonly venues: number
  /** The number of venues and forks awake. */
  readonly awake: number
  /** The number of venues with their own port. */
  readonly ports: number
  /** The memory in use by the process, in bytes, garbage included. */
  readonly memory: number
  /** The bounds, by name. */
  readonly bounds: Readonly<Record<string, number>>
}

/** The schema of {@link HostStatus}. */
export const HostStatus: Schema.Codec<HostStatus, unknown> = Schema.Struct({
  venues: Schema.Int,
  awake: Schema.Int,
  ports: Schema.Int,
  memory: Schema.Finite,
  bounds: Schema.Record(Schema.String, Schema.Finite)
})

/** The host has no such venue: it was never created, or has ended. */
export class UnknownVenue extends Schema.TaggedError<UnknownVenue>()("UnknownVenue", {
  id: Schema.String,
  message: Schema.String
}, { httpApiStatus: 404 }) {
  /** The requested id. */
  declare readonly id: string
  /** The problem, and what to do about it. */
  declare readonly message: string
}

/** The error of an unknown id. */
export const unknownVenue = (id: string): UnknownVenue =>
  new UnknownVenue({
    id,
    message:
      `This host has no venue ${
        id.slice(0, 40)
      }: it was never created, or it has ended. The host's control plane lists ` +
      "all venues"
  })

/** A venue can't be created as requested. */
export class NotMade extends Schema.TaggedError<NotMade>()("NotMade", {
  field: Schema.String,
  message: Schema.String
}, { httpApiStatus: 400 }) {
  /** The field that is wrong. */
  declare readonly field: string
  /** The problem, and what to do about it. */
  declare readonly message: string
}

/** The addresses of a host. */
export interface Addresses {
  /** The base URL of the host. */
  readonly baseUrl: string
  /** The base URL of a venue with its own host name. */
  readonly nameUrl?: (id: string) => string
  /** The base URL of a venue with this port. */
  readonly portUrl?: (port: number) => string
}

/** The base URL of a venue with its own path. */
export const urlOf = ({ baseUrl }: Addresses, id: string): string => `${baseUrl}/v/${id}`

/** The summary of a venue. */
export const toSummary = (
  addresses: Addresses,
  { dialect, endsAt, id, madeAt, owner }: Registered,
  awake: boolean
): Summary => ({
  id,
  owner,
  url: urlOf(addresses, id),
  dialect,
  awake,
  madeAt: madeAt * 1000,
  ...(endsAt === undefined ? {} : { endsAt: endsAt * 1000 })
})

/** A venue with all that its users need. */
export const toMade = (addresses: Addresses, venue: Registered, awake: boolean): Made => {
  const { controlToken, id, keys, port } = venue
  const summary = toSummary(addresses, venue, awake)
  const { nameUrl, portUrl } = addresses
  return Object.assign({}, summary, {
    ...(nameUrl === undefined ? {} : { nameUrl: nameUrl(id) }),
    ...(port === undefined || portUrl === undefined ? {} : { portUrl: portUrl(port) }),
    controlUrl: summary.url + prefix,
    controlToken,
    keys
  })
}
