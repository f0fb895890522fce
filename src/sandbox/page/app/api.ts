/**
 * The page's calls to the control plane. The token comes from the address's fragment, or the user types it in. The page
 * stores the token only in memory.
 */

/** The error when the control plane refuses a request or can't be reached. `status` is 0 if there was no response. */
// oxlint-disable-next-line effecttsgo/extends-native-error -- the page has no Effect.
export class ApiError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The prefix of this venue's paths: empty for a sandbox, and the venue's path on a host. */
export const prefix = location.pathname.replace(/(?:\/control)?\/$/u, "")

/** Whether this is the page of a host, which can have many venues. */
export const isHost = document.getElementById("page")?.dataset["of"] === "host"

/** The base URL of the exchange that this page shows. */
export const baseUrl = location.origin + prefix

const tokenInAddress = (): string => decodeURIComponent(/^#token=(.*)$/u.exec(location.hash)?.[1] ?? "")

let token = tokenInAddress()

/**
 * Keeps the token in the address, if the address has one, so that a reload opens the sandbox again. On a host, removes
 * the token from the address.
 */
const keepAddress = (): void => {
  // On a host, the pages of other venues have the same origin, so they could read this page's address. Therefore, the
  // token is removed from the address.
  if (prefix !== "" || isHost) history.replaceState(null, "", location.pathname)
  else if (tokenInAddress() !== "") history.replaceState(null, "", `#token=${encodeURIComponent(token)}`)
}

keepAddress()

export const setToken = (given: string): void => {
  token = given
  keepAddress()
}

/**
 * Calls `enter` when the user opens this page with another token in the same tab. Only the address's fragment changes
 * then, so the browser does not reload the page.
 */
export const onToken = (enter: (token: string) => void): void =>
  addEventListener("hashchange", () => {
    const given = tokenInAddress()
    if (given !== "" && given !== token) enter(given)
  })

export const hasToken = (): boolean => token !== ""

/** The address of this page, with the same token, at another base URL, such as that of a fork. */
export const pageAt = (url: string): string => `${url}/#token=${encodeURIComponent(token)}`

/** Whether this machine serves the page, so that the browser resolves the host names of venues. */
const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname)

/**
 * The address of a venue's page on a host: under the venue's own host name if the browser can resolve it, otherwise
 * under the venue's path.
 */
export const venueAt = (id: string, nameUrl: string | undefined, token: string): string =>
  `${isLocal && nameUrl !== undefined ? nameUrl : `${baseUrl}/v/${id}`}/#token=${encodeURIComponent(token)}`

/** The error message for a refusal. */
const toMessage = (name: string, status: number, { message }: Readonly<Record<string, unknown>>): string =>
  // The advice to send a decimal "as text" is for request bodies. Whatever the user types is text anyway.
  typeof message === "string" ? message.replace(" as text", "") : `${name} failed with HTTP ${status}`

/** A sandbox that does not respond to a read within this time, in milliseconds, is shown as disconnected. */
const answerWithin = 15_000

/** Sends a request, and returns the response if the request succeeded. */
export const send = async (method: string, name: string, body?: object): Promise<Response> => {
  const used = token
  const response = await fetch(`${prefix}/control/v1/${name}`, {
    method,
    cache: "no-store",
    headers: {
      authorization: `Bearer ${used}`,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(method === "GET" ? { signal: AbortSignal.timeout(answerWithin) } : {})
  }).catch(() => {
    throw new ApiError(
      0,
      `The ${isHost ? "host" : "sandbox"} did not respond. The action may have been carried out: check when it is back.`
    )
  })
  if (response.ok) return response
  if (used !== token) throw new ApiError(0, "The page uses another token now")
  const refusal = await response.json().catch(() => ({})) as Readonly<Record<string, unknown>>
  throw new ApiError(response.status, toMessage(name, response.status, refusal))
}

type Query = Readonly<Record<string, string | number | undefined>>

/** Reads from the control plane. */
export const get = async <A>(name: string, query: Query = {}): Promise<A> => {
  const given = Object.entries(query).flatMap(([key, value]) => value === undefined ? [] : [[key, String(value)]])
  const asked = new URLSearchParams(given).toString()
  return (await send("GET", asked === "" ? name : `${name}?${asked}`)).json() as Promise<A>
}

/** Calls a control plane operation. */
export const post = async <A>(name: string, body: object = {}): Promise<A> =>
  (await send("POST", name, body)).json() as Promise<A>

export const remove = async (name: string): Promise<void> => {
  await send("DELETE", name)
}

/** A feed entry as JSON. */
export interface Entry {
  readonly id: string
  readonly at: number
  readonly event: { readonly _tag: string } & Readonly<Record<string, unknown>>
}

/** Consecutive feed entries, with the position after which to continue. */
export interface Entries {
  readonly entries: ReadonlyArray<Entry>
  readonly after: string
  readonly hasMore: boolean
}
