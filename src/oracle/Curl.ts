/**
 * A request as a line for a POSIX shell, without anything secret in it.
 *
 * @since 0.1.0
 */
import type { Request } from "./Target.ts"

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Where the nonce goes: the shell that runs the line takes one from its clock. */
const mark = "@nonce@"

const kept: ReadonlyArray<string> = ["content-type"]

/** What the signature is made of is left to the shell that runs the line: it is the reader's own. */
const headersOf = ({ headers }: Request): ReadonlyArray<string> =>
  Object.entries(headers).flatMap(([name, value]) =>
    kept.includes(name)
      ? [`-H ${quote(`${name}: ${value}`)}`]
      : name === "x-txc-apikey"
      ? [`-H "X-TXC-APIKEY: $TXC_API_KEY"`]
      : name === "x-txc-payload"
      ? [`-H "X-TXC-PAYLOAD: $payload"`]
      : name === "x-txc-signature"
      ? [`-H "X-TXC-SIGNATURE: $signature"`]
      : [`-H ${quote(`${name}: ...`)}`]
  )

/**
 * The line that sends a request again. A signed one is signed anew, with a new nonce, from `TXC_API_KEY` and
 * `TXC_API_SECRET`.
 *
 * @category rendering
 * @since 0.1.0
 */
export const line = (baseUrl: string, request: Request): string => {
  const { body, changed = [], method, path, query } = request
  const at = /^https?:/u.test(path) ? path : baseUrl + path
  const url = quote(query === undefined || query === "" ? at : `${at}?${query}`)
  const send = [`curl -s -X ${method}`, url, ...headersOf(request)].join(" ")
  if (body === undefined) return send
  if (request.headers["x-txc-payload"] === undefined || !body.includes(`"nonce":`)) {
    return `${send} --data-binary ${quote(body)}`
  }
  const renewable = body.replace(/"nonce":("?)[^",}]*"?/u, `"nonce":$1${mark}$1`)
  return [
    `body=${quote(renewable).replace(mark, `'$(date +%s%3N)'`)}`,
    `payload=$(printf %s "$body" | base64 | tr -d '\\n')`,
    `signature=$(printf %s "$payload" | openssl dgst -sha512 -hmac "$TXC_API_SECRET" | sed 's/^.* //')`,
    `${send} --data-binary "$body"`,
    ...(changed.length === 0 ? [] : [`# but with another ${changed.join(", ")}: see the counterexample`])
  ].join("; ")
}
