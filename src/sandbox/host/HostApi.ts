/**
 * The API of a host's control plane: its operations, with their requests and responses. `Host` documents each
 * operation.
 *
 * @example
 * ```ts
 * import * as OpenApi from "effect/http-api/OpenApi"
 * import { HostApi } from "effect-txc/sandbox"
 *
 * const document = OpenApi.fromApi(HostApi.HostApi)
 * ```
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Explained, secured } from "../control/ControlApi.ts"
import { JournalError } from "../store/JournalError.ts"
import { BoundReached } from "./HostBounds.ts"
import * as Models from "./HostModels.ts"

const described = (description: string) => OpenApi.annotations({ description })

const Unavailable = JournalError.annotate({ httpApiStatus: 503 })

const Nothing = Schema.Record(Schema.String, Schema.Never)

const params = { id: Schema.String }

const key = Schema.optionalKey

const group = HttpApiGroup.make("host", { topLevel: true }).add(
  HttpApiEndpoint.post("make", "/Venues", {
    payload: Models.MakeOptions,
    success: Models.Made,
    error: [BoundReached, Models.NotMade, Unavailable]
  }).annotateMerge(described(
    "Creates a venue, and returns its base URL, its keys and its own control token. By default, the venue has the " +
      "example's accounts and funds and a running clock, and speaks the document's dialect."
  )),
  HttpApiEndpoint.get("list", "/Venues", {
    query: Schema.Struct({ owner: key(Schema.String) }),
    success: Schema.Array(Models.Summary),
    error: Unavailable
  }).annotateMerge(
    described("Lists an owner's venues, or all venues, in the order in which they were created, without tokens.")
  ),
  HttpApiEndpoint.get("find", "/Venues/:id", {
    params,
    success: Models.Made,
    error: [Models.UnknownVenue, Unavailable]
  })
    .annotateMerge(described("Returns a venue by its id, with its token and its keys.")),
  HttpApiEndpoint.post("copy", "/Venues/:id/Copy", {
    params,
    payload: Models.CopyOptions,
    success: Models.Made,
    error: [BoundReached, Models.NotMade, Models.UnknownVenue, Unavailable]
  }).annotateMerge(described(
    "Creates a venue with this venue's history, up to a command or in full. The copy has its own token and " +
      "keys. Faults, limits and forks are not copied."
  )),
  HttpApiEndpoint.post("sleep", "/Venues/:id/Sleep", {
    params,
    payload: Nothing,
    success: Schema.Struct({ asleep: Schema.Boolean }),
    error: [Models.UnknownVenue, Unavailable]
  }).annotateMerge(described("Puts a venue to sleep now, unless it is in use. The next call wakes it.")),
  HttpApiEndpoint.delete("end", "/Venues/:id", {
    params,
    success: Nothing,
    error: [Models.UnknownVenue, Unavailable]
  }).annotateMerge(described("Deletes a venue and its files. Calls in progress get five seconds to finish.")),
  HttpApiEndpoint.get("status", "/Host", { success: Models.HostStatus, error: Unavailable }).annotateMerge(
    described("Returns the resources that the host currently uses, its bounds and, in a cluster, the nodes.")
  ),
  HttpApiEndpoint.post("drain", "/Host/Drain", {
    payload: Schema.Struct({ node: Schema.String }),
    success: Nothing,
    error: [Models.UnknownNode, Unavailable]
  }).annotateMerge(described(
    "Stops a cluster node: its venues move to other nodes, and its process ends."
  ))
).middleware(Explained)

/**
 * The operations of a host's control plane.
 *
 * @category api
 */
export class HostApi extends HttpApi.make("host").add(group.prefix("/control/v1")).annotateMerge(
  secured(
    "The control of an effect-txc host",
    "Every request needs the header `Authorization: Bearer <the host's control token>`. Each venue has its own control " +
      "plane, with its own token."
  )
) {}
