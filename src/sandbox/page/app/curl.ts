/** A call as lines for a POSIX shell. They hold no secret: the key and its secret come from the environment. */
import type { Shown } from "../../gateway/Exchanged.ts"
import type { RequestRecord } from "../../gateway/Requests.ts"

/** Text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const toCurl = ({ method, path }: RequestRecord, shown: Shown | undefined, origin: string): string => {
  const query = shown?.query ?? ""
  const url = quoted(origin + path + (query === "" ? "" : `?${query}`))
  if (method === "GET") return `curl -s ${url}`
  // A nonce serves once.
  const body = (shown?.body ?? "{}").replace(
    /"nonce":("?)\d+"?/u,
    (_all, mark: string) => `"nonce":${mark}NONCE${mark}`
  )
  return [
    `body=$(printf %s ${quoted(body)} | sed "s/NONCE/$(date +%s)$(printf %05d $$)/")`,
    `payload=$(printf %s "$body" | base64 | tr -d '\\n')`,
    `signature=$(printf %s "$payload" | openssl dgst -sha512 -hmac "$TXC_API_SECRET" | sed 's/^.* //')`,
    `curl -s -X ${method} ${url} -H 'Content-type: application/json' \\`,
    `  -H "X-TXC-APIKEY: $TXC_API_KEY" -H "X-TXC-PAYLOAD: $payload" -H "X-TXC-SIGNATURE: $signature" \\`,
    `  --data-binary "$body"`
  ].join("\n")
}
