/** The requests and responses of a host. */
import * as Schema from "effect/Schema"
import { prefix } from "../control/ControlApi.ts"
import * as Times from "../engine/Times.ts"
import { type Registered, VenueKey } from "./Registry.ts"
import type { Staged } from "./Resident.ts"

const key = Schema.optionalKey

const Owner = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9._@/-]{1,100}$/u))

const TimeToLive = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 * 365 * 86_400_000 }))

/** The options for every new venue. */
export interface NewOptions {
  /**
   * The owner's name: 1 to 100 letters, digits and `._@/-`; `anybody` by default. The bound on venues per owner counts
   * all venues with the same owner name.
   */
  readonly owner?: string
  /**
   * The time to live, in milliseconds, after which the venue and its files are deleted. If it is absent, the host's
   * default applies. If the host has no default, the venue is never deleted automatically.
   */
  readonly timeToLiveMillis?: number
  /** Whether the venue gets its own port, for clients that take only a host and a port. */
  readonly port?: boolean
}

/** The options for a copy. */
export interface CopyOptions extends NewOptions {
  /** The number of the last command to copy; by default, the venue's last command. */
  readonly sequence?: number
}

/** The options for a new venue. */
export interface MakeOptions extends NewOptions {
  /** The dialect; `document` by default. */
  readonly dialect?: "document" | "live"
  /**
   * `accepted` (the default): the venue accepts reduce-only orders. `announced`: the venue refuses reduce-only orders
   * as not yet available.
   */
  readonly reduceOnly?: "accepted" | "announced"
  /** The seed for random faults; 0 by default. */
  readonly seed?: number
  /** The time at which the venue's clock is frozen, in Unix microseconds. If it is absent, the clock runs. */
  readonly clock?: number
  /**
   * Whether the venue starts with the example's accounts and funds; `true` by default. If `false`, the venue starts
   * empty.
   */
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
  clock: key(Times.At),
  example: key(Schema.Boolean)
})

/** The summary of a venue. */
export interface Summary {
  /** The venue's id. */
  readonly id: string
  /** The owner's name. */
  readonly owner: string
  /** The base URL of the venue's exchange. */
  readonly url: string
  /** The venue's dialect. */
  readonly dialect: "document" | "live"
  /** Whether the venue is awake, that is, in memory. */
  readonly awake: boolean
  /** The creation time, in Unix microseconds on the machine's clock. */
  readonly madeAt: number
  /**
   * The end of the venue's time to live, in Unix microseconds on the machine's clock; absent if the venue has no time
   * to live.
   */
  readonly endsAt?: number
  /**
   * The venue's stage; present only in lists. The stage `lost` means that the venue was awake on a node that is lost.
   */
  readonly stage?: Stage
  /**
   * The beginning of the venue's current stage, in Unix microseconds; present only in lists. In a cluster, absent if
   * the venue has never been called.
   */
  readonly since?: number
  /** The address of the venue's node, if the venue is awake in a cluster. */
  readonly node?: string
  /** The engine version that wrote the venue's journal; present only in lists, and only in a cluster. */
  readonly engine?: number
}

const stages = ["asleep", "waking", "awake", "halted", "falling asleep", "ended", "lost"] as const

/** The stage of a venue. */
export type Stage = typeof stages[number]

/** A venue's node and stage. */
export type Placed = Pick<Summary, "stage" | "since" | "node" | "engine">

/** A venue with everything that its users need: its addresses, keys and token. */
export interface Made extends Summary {
  /**
   * The base URL with the venue's own host name, such as `http://{id}.localhost:8080`, which browsers and curl resolve.
   */
  readonly nameUrl?: string
  /** The base URL with the venue's own port, if it has one. */
  readonly portUrl?: string
  /** The base URL of the venue's control plane, with a trailing slash. */
  readonly controlUrl: string
  /** The token of the venue's control plane. It is not valid for any other venue. */
  readonly controlToken: string
  /** The venue's initial keys, keyed by account name; the keys of the example's sub-accounts are keyed by key title. */
  readonly keys: Readonly<Record<string, VenueKey>>
}

const summaryFields = {
  id: Schema.String,
  owner: Schema.String,
  url: Schema.String,
  dialect: Schema.Literals(["document", "live"]),
  awake: Schema.Boolean,
  madeAt: Schema.Int,
  endsAt: key(Schema.Int),
  stage: key(Schema.Literals(stages)),
  since: key(Schema.Int),
  node: key(Schema.String),
  engine: key(Schema.Int)
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

/** A node of a cluster. */
export interface NodeStatus {
  /** The node's address for requests from other nodes. */
  readonly node: string
  /** The node's state. A lost node has not reported for five seconds. */
  readonly state: "ready" | "not ready" | "draining" | "lost"
  /** The time at which the node joined, in Unix microseconds. */
  readonly since: number
  /**
   * The version of the node's engine. Nodes of the same version divide among themselves the venues whose journals that
   * version wrote.
   */
  readonly engine: number
  /** The number of shards, out of 60, that the node holds. This is its share of the venues of its engine version. */
  readonly shards: number
  /** The number of awake venues and forks on the node. */
  readonly awake: number
  /** The reasons why the node is not ready, as text. */
  readonly troubles: ReadonlyArray<string>
}

/** The schema of {@link NodeStatus}. */
export const NodeStatus: Schema.Codec<NodeStatus, unknown> = Schema.Struct({
  node: Schema.String,
  state: Schema.Literals(["ready", "not ready", "draining", "lost"]),
  since: Schema.Int,
  engine: Schema.Int,
  shards: Schema.Int,
  awake: Schema.Int,
  troubles: Schema.Array(Schema.String)
})

/** The resources that a host currently uses, and its bounds. */
export interface HostStatus {
  /** The number of venues. */
  readonly venues: number
  /** The number of awake venues and forks; in a cluster, only those on this node. */
  readonly awake: number
  /** The number of venues with their own port. */
  readonly ports: number
  /** The memory usage of this process, in bytes, including garbage. */
  readonly memory: number
  /** The bounds, keyed by name. */
  readonly bounds: Readonly<Record<string, number>>
  /** The nodes of the cluster; absent if the host is one process. */
  readonly nodes?: ReadonlyArray<NodeStatus>
}

/** The schema of {@link HostStatus}. */
export const HostStatus: Schema.Codec<HostStatus, unknown> = Schema.Struct({
  venues: Schema.Int,
  awake: Schema.Int,
  ports: Schema.Int,
  memory: Schema.Finite,
  bounds: Schema.Record(Schema.String, Schema.Finite),
  nodes: key(Schema.Array(NodeStatus))
})

/** The cluster has no such node. */
export class UnknownNode extends Schema.TaggedError<UnknownNode>()("UnknownNode", {
  node: Schema.String,
  message: Schema.String
}, { httpApiStatus: 404 }) {
  /** The requested address. */
  declare readonly node: string
  /** Describes the problem, and how to resolve it. */
  declare readonly message: string
}

/** Creates the error for an unknown node. */
export const unknownNode = (node: string): UnknownNode =>
  new UnknownNode({
    node,
    message: `There is no node ${node.slice(0, 100)} in this cluster. GET /control/v1/Host lists the nodes`
  })

/** The host has no such venue: it was never created, or has been deleted. */
export class UnknownVenue extends Schema.TaggedError<UnknownVenue>()("UnknownVenue", {
  id: Schema.String,
  message: Schema.String
}, { httpApiStatus: 404 }) {
  /** The requested id. */
  declare readonly id: string
  /** Describes the problem, and how to resolve it. */
  declare readonly message: string
}

/** Creates the error for an unknown id. */
export const unknownVenue = (id: string): UnknownVenue =>
  new UnknownVenue({
    id,
    message:
      `This host has no venue ${
        id.slice(0, 40)
      }: it was never created, or it has been deleted. The host's control plane lists ` +
      "all venues"
  })

/** A venue can't be created as requested. */
export class NotMade extends Schema.TaggedError<NotMade>()("NotMade", {
  field: Schema.String,
  message: Schema.String
}, { httpApiStatus: 400 }) {
  /** The name of the invalid field. */
  declare readonly field: string
  /** Describes the problem, and how to resolve it. */
  declare readonly message: string
}

/** A host's addresses. */
export interface Addresses {
  /** The host's base URL. */
  readonly baseUrl: string
  /** Returns the base URL of a venue under the venue's own host name. */
  readonly nameUrl?: (id: string) => string
  /** Returns the base URL of a venue that has this port. */
  readonly portUrl?: (port: number) => string
}

/** The base URL of a venue, at the venue's path on its host. */
export const urlOf = ({ baseUrl }: Addresses, id: string): string => `${baseUrl}/v/${id}`

/** The summary of a venue. */
export const toSummary = (
  addresses: Addresses,
  { dialect, endsAt, id, madeAt, owner }: Registered,
  awake: boolean,
  placed: Placed = {}
): Summary => ({
  id,
  owner,
  url: urlOf(addresses, id),
  dialect,
  awake,
  madeAt: madeAt * 1000,
  ...(endsAt === undefined ? {} : { endsAt: endsAt * 1000 }),
  ...placed
})

/** The stage of a venue in this process. */
export const toPlaced = ({ since, stage }: Staged): Placed => ({ stage, since: since * 1000 })

/** A venue with everything that its users need. */
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
