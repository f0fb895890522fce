/**
 * Writes calls as shell scripts (POSIX) that sign with openssl and send with curl.
 *
 * This module has no imports, because the sandbox's page uses it in a browser.
 */

/** Quotes a string as one shell word. */
export const word = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const nonceForm = /"nonce":("?)([0-9]+)"?/u

/** Returns the nonce in a request's JSON text, if there is one. */
export const nonceOf = (text: string): string | undefined => nonceForm.exec(text)?.[2]

/**
 * Quotes a request's JSON text as one shell word. The shell expression `nonce` replaces the nonce in the text, if there
 * is one.
 */
export const renewed = (text: string, nonce: string): string => {
  const found = nonceForm.exec(text)
  if (found === null) return word(text)
  const [all, mark = ""] = found
  const before = `${text.slice(0, found.index)}"nonce":${mark}`
  return word(before) + nonce + word(mark + text.slice(found.index + all.length))
}

/** Returns the shell command that sets `payload` to the Base64 of another variable. */
export const payloadOf = (variable: string): string => `payload=$(printf %s "$${variable}" | base64 | tr -d '\\n')`

/** Returns the shell command that sets `signature` to the signature of `payload`. `secret` is a shell word. */
export const signatureBy = (secret: string): string =>
  `signature=$(printf %s "$payload" | openssl dgst -sha512 -hmac ${secret} | sed 's/^.* //')`

/**
 * The headers as shell words. The API key comes from `TXC_API_KEY`; the other values come from shell variables of the
 * same script.
 */
export const fromShell = {
  apiKey: `"X-TXC-APIKEY: $TXC_API_KEY"`,
  payload: `"X-TXC-PAYLOAD: $payload"`,
  signature: `"X-TXC-SIGNATURE: $signature"`
}

/** A request whose parts are all shell words. Without a method, curl uses POST if there is a body. */
export interface Command {
  readonly method?: string
  readonly url: string
  readonly headers: ReadonlyArray<string>
  readonly body?: string
}

/** Writes the command that sends a request, with its parts separated by spaces or line breaks. */
export const send = ({ body, headers, method, url }: Command, between = " "): string =>
  [
    method === undefined ? `curl -s ${url}` : `curl -s -X ${method} ${url}`,
    ...headers.map((header) => `-H ${header}`),
    ...(body === undefined ? [] : [`--data-binary ${body}`])
  ].join(between)

/**
 * Returns a shell expression for a new nonce: the time in seconds, followed by random digits. In a shell without random
 * numbers, the digits come from the process id. If the old nonce has more than ten digits, the new nonce has the same
 * number of digits. A nonce with more digits would be greater than all nonces of other programs that use the key. Where
 * nonces must increase, the exchange would then refuse their calls.
 */
const newNonce = (old = ""): string => {
  const digits = old.length > 10 ? old.length - 10 : 5
  return `$(date +%s)$(printf %0${digits}d $((\${RANDOM:-$$} % ${10 ** digits})))`
}

/**
 * Writes the lines that sign and send a call. They can run repeatedly, because each run generates a new nonce. Without
 * `keys`, the shell reads `TXC_API_KEY` and `TXC_API_SECRET`.
 */
export const script = (
  { body, keys, method, url }: {
    readonly method?: string
    readonly url: string
    readonly body: string
    readonly keys?: { readonly apiKey: string; readonly apiSecret: string }
  }
): string =>
  [
    `body=${renewed(body, newNonce(nonceOf(body)))}`,
    payloadOf("body"),
    signatureBy(keys === undefined ? `"$TXC_API_SECRET"` : word(keys.apiSecret)),
    send({
      ...(method === undefined ? {} : { method }),
      url: word(url),
      headers: [
        word("Content-type: application/json"),
        keys === undefined ? fromShell.apiKey : word(`X-TXC-APIKEY: ${keys.apiKey}`),
        fromShell.payload,
        fromShell.signature
      ],
      body: `"$body"`
    }, " \\\n  ")
  ].join("\n")
