/** A signed call from a shell, without writing a program. */

/** Lines for a POSIX shell that sign and send one call with openssl and curl. */
export const script = (
  options: { readonly baseUrl: string; readonly path: string; readonly apiKey: string; readonly apiSecret: string }
): string =>
  [
    `body='{"request":"${options.path}","nonce":"'$(date +%s)$(printf %05d $RANDOM)'"}'`,
    `payload=$(printf %s "$body" | base64 | tr -d '\\n')`,
    `signature=$(printf %s "$payload" | openssl dgst -sha512 -hmac '${options.apiSecret}' | sed 's/^.* //')`,
    `curl -s ${options.baseUrl}${options.path} -H 'Content-type: application/json' \\`,
    `  -H "X-TXC-APIKEY: ${options.apiKey}" -H "X-TXC-PAYLOAD: $payload" -H "X-TXC-SIGNATURE: $signature" \\`,
    `  --data-binary "$body"`
  ].join("\n")

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * The line for a POSIX shell that sends a request that is signed already. Without a base URL the shell fills in
 * `TXC_BASE_URL`.
 */
export const signed = (
  { baseUrl, body, headers, path }: {
    readonly baseUrl: string | undefined
    readonly path: string
    readonly headers: ReadonlyArray<string>
    readonly body: string
  }
): string => {
  const url = baseUrl === undefined ? `"$TXC_BASE_URL"${quote(path)}` : quote(baseUrl + path)
  return ["curl -s", url, ...headers.map((header) => `-H ${quote(header)}`), "--data-binary", quote(body)].join(" ")
}
