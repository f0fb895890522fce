/**
 * The page's calls to the control plane. The token comes from the address's fragment, or the user types it in, and
 * stays in memory.
 */

/** The control plane refused a request, or can't be reached. `status` is 0 when there was no answer. */
// oxlint-disable-next-line effecttsgo/extends-native-error -- the page has no Effect.
export class ApiError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The prefix of this venue's paths: empty for a sandbox, and the venue's path on a host. */
const prefix = location.pathname.replace(/(?:\/control)?\/$/u, "")

/** The base URL of the exchange that this page shows. */
export const baseUrl = location.origin + prefix

let token = decodeURIComponent(/^#token=(.*)$/u.exec(location.hash)?.[1] ?? "")

// On a host the pages of other venues have the same origin. They could read this page's address, so the token is
// removed from it.
if (prefix !== "") history.replaceState(null, "", location.pathname)

export const setToken = (given: string): void => {
  token = given
}

export const hasToken = (): boolean => token !== ""

/** The address of this page on another port, such as a fork's, which has the same token. */
export const pageAt = (url: string): string => `${url}/#token=${encodeURIComponent(token)}`

const words: Readonly<Record<string, string>> = {
  known: "is unknown",
  format: "has the wrong format",
  min: "is too small",
  max: "is too large",
  type: "has the wrong type",
  precision: "has too many digits",
  required: "is missing"
}

/** Turns a refusal into a sentence. */
const toMessage = (name: string, status: number, refusal: Readonly<Record<string, unknown>>): string => {
  const fields = Object.entries((refusal.fields ?? {}) as Readonly<Record<string, string>>)
  if (fields.length > 0) return fields.map(([field, why]) => `${field} ${words[why] ?? `(${why})`}`).join("; ")
  return typeof refusal.message === "string" ? refusal.message : `${name} was answered with HTTP ${status}`
}

/** Sends a request, and returns its answer if it succeeded. */
export const send = async (method: string, name: string, body?: object, signal?: AbortSignal): Promise<Response> => {
  const response = await fetch(`${prefix}/control/v1/${name}`, {
    method,
    cache: "no-store",
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal })
  }).catch((error: unknown) => {
    throw new ApiError(0, `The sandbox can't be reached (${String(error)})`)
  })
  if (response.ok) return response
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

/** Calls an operation of the control plane. */
export const post = async <A>(name: string, body: object = {}): Promise<A> =>
  (await send("POST", name, body)).json() as Promise<A>

export const remove = async (name: string): Promise<void> => {
  await send("DELETE", name)
}

/** An entry of the feed as JSON. */
export interface Entry {
  readonly id: string
  readonly at: number
  readonly event: { readonly _tag: string } & Readonly<Record<string, unknown>>
}

/** Follows the feed from a position, or from now on, and passes on its entries until it ends. */
export const follow = async (
  after: string,
  onOpen: () => void,
  onEntries: (entries: ReadonlyArray<Entry>) => void,
  signal: AbortSignal
): Promise<void> => {
  const response = await send(
    "GET",
    after === "" ? "Events" : `Events?after=${encodeURIComponent(after)}`,
    undefined,
    signal
  )
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  onOpen()
  let text = ""
  for (;;) {
    const part = await reader?.read()
    if (part === undefined || part.done) return
    const events = (text + part.value).split("\n\n")
    text = events.pop() ?? ""
    const entries = events.flatMap((event) => {
      const data = event.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n")
      return data === "" ? [] : [JSON.parse(data) as Entry]
    })
    if (entries.length > 0) onEntries(entries)
  }
}
