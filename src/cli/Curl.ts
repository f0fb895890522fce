/**
 * A signed call from a shell, to try the sandbox without writing a program.
 *
 * @since 0.1.0
 */

/**
 * Lines for a POSIX shell that sign and send one call with openssl and curl.
 *
 * @category rendering
 * @since 0.1.0
 */
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
