/** Finds the sandbox that `effect-txc control` controls. */
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { prefix } from "../sandbox/control/ControlApi.ts"
import { HostApi } from "../sandbox/host/HostApi.ts"
import { urlOf } from "../sandbox/host/HostModels.ts"
import * as Flags from "./Flags.ts"
import * as JournalFolder from "./JournalFolder.ts"
import { Refused } from "./Refused.ts"
import * as Running from "./Running.ts"
import * as Suggestion from "./Suggestion.ts"

/** The flags that choose the sandbox. */
export const flags = {
  url: Flags.optional(
    Flag.String("url"),
    "The base URL of the sandbox, host or venue. Default: the server that runs on this machine; if several run, the " +
      "server at TXC_BASE_URL, or the server of this folder's project"
  ),
  token: Flags.optional(
    Flag.Redacted("token"),
    "The control token; not needed for a sandbox that you started on this machine. Other users of this machine can see " +
      "this argument, but not TXC_CONTROL_TOKEN"
  ),
  venue: Flags.optional(Flag.String("venue"), "The id of a host's venue; not needed if the host has only one")
}

/** The values of the flags. */
export interface Given {
  readonly url: Option.Option<string>
  readonly token: Option.Option<Redacted.Redacted>
  readonly venue: Option.Option<string>
}

/** The address of a control plane, and the token that grants access to it. */
export interface Target {
  /** The base URL of the sandbox, host or venue. */
  readonly url: string
  readonly token: Redacted.Redacted
}

/** The sandbox did not respond as expected, or did not accept the token. */
export class ControlFailed extends Schema.TaggedError<ControlFailed>()("ControlFailed", {
  wrong: Schema.String,
  remedy: Schema.String
}) {
  override get message(): string {
    return `${this.wrong}\n${this.remedy}`
  }
}

/** Creates a client that sends the token with every request. */
export const authorized = (token: Redacted.Redacted) => HttpClient.mapRequest(HttpClientRequest.bearerToken(token))

const remote = "pass --url, and its token with --token or TXC_CONTROL_TOKEN"

/**
 * Explains why a request to a control plane failed. The control plane's own refusals already contain an explanation.
 */
export const explained = <E extends { readonly message: string }>(url: string, error: E): E | ControlFailed => {
  if (!HttpClientError.isHttpClientError(error)) return error
  const { response } = error
  if (response === undefined) {
    return new ControlFailed({
      wrong: `No sandbox responds at ${url}`,
      remedy: "effect-txc control status lists the sandboxes that run on this machine"
    })
  }
  return response.status === 401
    ? new ControlFailed({ wrong: `${url} does not accept the token`, remedy: `For another sandbox, ${remote}` })
    : new ControlFailed({
      wrong: `${url} responded with HTTP ${response.status}`,
      remedy: "Check that it is the URL of a sandbox, or of a host together with --venue"
    })
}

/** Returns the base URL without a trailing slash, and without the path of the control plane. */
const trimmed = (url: string): string =>
  `${url.replace(/\/+$/u, "")}/`.replace(new RegExp(`${prefix}$`, "u"), "/").slice(0, -1)

const ambiguous = (servers: ReadonlyArray<Running.Running>) =>
  new Refused({
    wrong: `${servers.length} sandboxes are running on this machine`,
    remedy: `Choose one with --url: ${servers.map(({ url }) => url).join(", ")}`
  })

/**
 * Chooses a server: the one that `TXC_BASE_URL` names; otherwise the only one that uses this project's default folders
 * or, if none uses them, the only one that is running.
 */
const closest = Effect.fnUntraced(function*(servers: ReadonlyArray<Running.Running>) {
  const { resolve } = yield* Path.Path
  const baseUrl = yield* Config.option(Config.NonEmptyString("TXC_BASE_URL"))
  const named = servers.find(({ url }) => Option.isSome(baseUrl) && `${trimmed(baseUrl.value)}/`.startsWith(`${url}/`))
  if (named !== undefined) return named
  const folders = yield* JournalFolder.defaults
  const own = servers.filter(({ data }) =>
    data !== undefined && folders.map((folder) => resolve(folder)).includes(data)
  )
  const [only, ...others] = own.length === 0 ? servers : own
  return only === undefined || others.length > 0 ? yield* ambiguous(servers) : only
})

const tokenOf = Effect.fnUntraced(
  function*(url: string, given: Given["token"], servers: ReadonlyArray<Running.Running>) {
    if (Option.isSome(given)) return given.value
    const running = servers.find((server) => server.url === url)
    if (running !== undefined) return Redacted.make(running.controlToken)
    const kept = yield* Config.option(Config.Redacted("TXC_CONTROL_TOKEN"))
    if (Option.isSome(kept)) return kept.value
    return yield* new Refused({
      wrong: `The control token of ${url} is not known: no command that you started on this machine serves it`,
      remedy: "Pass the token that the sandbox printed, as --token or in TXC_CONTROL_TOKEN"
    })
  }
)

/** The address of a sandbox, host or venue, and whether it is known to be a host. */
interface Found extends Target {
  readonly isHost: boolean
}

const find = Effect.fnUntraced(function*({ token, url, venue }: Given) {
  const running = yield* Running.list
  if (Option.isSome(url)) {
    const at = trimmed(url.value)
    const isHost = Option.isSome(venue) || running.some((server) => server.kind === "host" && server.url === at)
    return { url: at, token: yield* tokenOf(at, token, running), isHost } satisfies Found
  }
  const servers = Option.isSome(venue) ? running.filter(({ kind }) => kind === "host") : running
  if (servers.length === 0) {
    return yield* new Refused({
      wrong: Option.isSome(venue)
        ? "No host is running on this machine, and only a host has venues"
        : "No sandbox is running on this machine",
      remedy: `Start one with effect-txc sandbox; for a server elsewhere, ${remote}`
    })
  }
  const { controlToken, kind, url: at } = yield* closest(servers)
  return {
    url: at,
    token: Option.getOrElse(token, () => Redacted.make(controlToken)),
    isHost: kind === "host"
  } satisfies Found
})

/** Returns a client for a host's control plane. */
export const hostClient = ({ token, url }: Target) =>
  HttpApiClient.make(HostApi, { baseUrl: url, transformClient: authorized(token) })

/** Returns the venue that the flag names, or the host's only venue. */
const venueOf = Effect.fnUntraced(function*(host: Target, venue: Option.Option<string>) {
  const client = yield* hostClient(host)
  const venues = yield* client.list({ query: {} })
  const ids = venues.map(({ id }) => id)
  const [only, ...others] = Option.isSome(venue) ? ids.filter((id) => id === venue.value) : ids
  if (only === undefined || others.length > 0) {
    const many = ids.length === 0 ? "no venues" : ids.length === 1 ? "one venue" : `${ids.length} venues`
    return yield* new Refused({
      wrong: Option.isSome(venue)
        ? `The host ${host.url} has no venue ${venue.value}${Suggestion.question(venue.value, ids)}`
        : `${host.url} is a host with ${many}`,
      remedy: ids.length === 0
        ? `Create one: curl -X POST ${host.url}${prefix}Venues -H 'Authorization: Bearer <its token>'`
        : "Choose one with --venue; effect-txc control status lists them"
    })
  }
  const { controlToken } = yield* client.find({ params: { id: only } })
  return { url: urlOf({ baseUrl: host.url }, only), token: Redacted.make(controlToken) } satisfies Target
})

/** Returns the sandbox or venue that the flags select. */
export const select = Effect.fnUntraced(function*(given: Given) {
  const found = yield* find(given)
  return found.isHost
    ? yield* Effect.mapError(venueOf(found, given.venue), (error) => explained(found.url, error))
    : found
})
