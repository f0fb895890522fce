/** What is asked of a host, and what it answers. */
import * as Schema from "effect/Schema"
import { prefix } from "../control/ControlApi.ts"
import { type Registered, VenueKey } from "./Registry.ts"

const key = Schema.optionalKey

/** The latest time that a clock can be set to, 1 January 2200, in Unix microseconds. */
const latest = Date.UTC(2200, 0, 1) * 1000

const Owner = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9._@/-]{1,100}$/u))

const TimeToLive = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 * 365 * 86_400_000 }))

/** What every new venue may be given. */
export interface NewOptions {
  /** Who makes it: 1 to 100 letters, digits and `._@/-`; `anybody` by default. Venues are counted by owner. */
  readonly owner?: string
  /** How long it lives, in milliseconds. Then it ends, and its files are removed. For ever, or as the host says, by default. */
  readonly timeToLiveMillis?: number
  /** Whether it gets a port of its own, for clients that can only be given a host. */
  readonly port?: boolean
}

/** How to copy a venue. */
export interface CopyOptions extends NewOptions {
  /** Copies the venue as it was after so many commands; after all by default. */
  readonly sequence?: number
}

/** How to make a venue. */
export interface MakeOptions extends NewOptions {
  /** How it speaks; `document` by default. */
  readonly dialect?: "document" | "live"
  /** Whether reduce-only orders are accepted, or refused as not available yet; `accepted` by default. */
  readonly reduceOnly?: "accepted" | "announced"
  /** Decides the chances of faults; 0 by default. */
  readonly seed?: number
  /** The time at which its clock stands still, in Unix microseconds. Without one the clock runs. */
  readonly clock?: number
  /** Whether it begins with the example's accounts and money, or empty; `true` by default. */
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

/** A venue as lists show it. */
export interface Summary {
  /** Its id. */
  readonly id: string
  /** Who made it. */
  readonly owner: string
  /** The base URL of its exchange. */
  readonly url: string
  /** Its dialect. */
  readonly dialect: "document" | "live"
  /** Whether it is awake. */
  readonly awake: boolean
  /** When it was made, in Unix microseconds by the machine's clock. */
  readonly madeAt: number
  /** When it ends, in Unix microseconds by the machine's clock; absent when it lives until it is ended. */
  readonly endsAt?: number
}

/** A venue, and all that its users need: addresses, keys and the token. */
export interface Made extends Summary {
  /** The base URL under a name of its own, such as `http://{id}.localhost:8080`: browsers and curl resolve it. */
  readonly nameUrl?: string
  /** The base URL with a port of its own, if it has one. */
  readonly portUrl?: string
  /** The base URL of its control plane, with a slash at its end. */
  readonly controlUrl: string
  /** The token of its control plane. It opens no other venue. */
  readonly controlToken: string
  /** The keys that it began with, by account; those of the example's sub-accounts by their titles. */
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

/** How much a host holds now. */
export interface HostStatus {
  /** How many venues there are. */
  readonly venues: number
  /** How many venues and forks are awake. */
  readonly awake: number
  /** How many venues have a port of their own. */
  readonly ports: number
  /** How many bytes of memory the process uses for what it holds, with what the runtime has not collected yet. */
  readonly memory: number
  /** The bounds, by their names. */
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

/** The host has no such venue: it was never made, or has ended. */
export class UnknownVenue extends Schema.TaggedError<UnknownVenue>()("UnknownVenue", {
  id: Schema.String,
  message: Schema.String
}, { httpApiStatus: 404 }) {
  /** The id that was asked for. */
  declare readonly id: string
  /** What is wrong, and what to do. */
  declare readonly message: string
}

/** The error of an id that no venue has. */
export const unknownVenue = (id: string): UnknownVenue =>
  new UnknownVenue({
    id,
    message:
      `This host has no venue ${id.slice(0, 40)}: it was never made, or it has ended. The host's control plane lists ` +
      "those that there are"
  })

/** A venue can't be made as it is asked for. */
export class NotMade extends Schema.TaggedError<NotMade>()("NotMade", {
  field: Schema.String,
  message: Schema.String
}, { httpApiStatus: 400 }) {
  /** The field that is wrong. */
  declare readonly field: string
  /** What is wrong, and what to do. */
  declare readonly message: string
}

/** Where a host is reached. */
export interface Addresses {
  /** The base URL of the host. */
  readonly baseUrl: string
  /** The base URL of a venue under a name of its own. */
  readonly nameUrl?: (id: string) => string
  /** The base URL of a venue with this port. */
  readonly portUrl?: (port: number) => string
}

/** The base URL of a venue under a path of its own. */
export const urlOf = ({ baseUrl }: Addresses, id: string): string => `${baseUrl}/v/${id}`

/** A venue as lists show it. */
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

/** A venue, and all that its users need. */
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
