/**
 * Writes calls as shell scripts (POSIX) that sign with openssl and send with curl.
 *
 * It imports nothing, because the sandbox's page uses it in a browser.
 */

/** Quotes a text as one shell word. */
export const word = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const nonceForm = /"nonce":("?)([0-9]+)"?/u

/** Finds the nonce in a body's text. */
export const nonceOf = (text: string): string | undefined => nonceForm.exec(text)?.[2]

/** Quotes a text as one shell word, with the nonce replaced by the shell's own. A text without a nonce is unchanged. */
export const renewed = (text: string, nonce: string): string => {
  const found = nonceForm.exec(text)
  if (found === null) return word(text)
  const [all, mark = ""] = found
  const before = `${text.slice(0, found.index)}"nonce":${mark}`
  return word(before) + nonce + word(mark + text.slice(found.index + all.length))
}

/** Sets the shell's `payload` to the Base64 of another variable. */
export const payloadOf = (variable: string): string => `payload=$(printf %s "$${variable}" | base64 | tr -d '\\n')`

/** Sets the shell's `signature` to the signature of its `payload`. The secret is a shell word. */
export const signatureBy = (secret: string): string =>
  `signature=$(printf %s "$payload" | openssl dgst -sha512 -hmac ${secret} | sed 's/^.* //')`

/**
 * The headers whose values come from the shell, as words: the key from the environment, the others from shell
 * variables.
 */
export const fromShell = {
  apiKey: `"X-TXC-APIKEY: $TXC_API_KEY"`,
  payload: `"X-TXC-PAYLOAD: $payload"`,
  signature: `"X-TXC-SIGNATURE: $signature"`
}

/** A request whose parts are all shell words. Without a method, curl sends a body by POST. */
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
 * Seconds followed by five digits. Not every shell has random numbers; without them, the process id supplies the
 * digits.
 */
const newNonce = "$(date +%s)$(printf %05d $((${RANDOM:-$$} % 100000)))"

/**
 * Writes the lines that sign and send a call. They can run repeatedly, because the shell makes a new nonce each time.
 * Unless keys are given, they come from `TXC_API_KEY` and `TXC_API_SECRET`.
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
    `body=${renewed(body, newNonce)}`,
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
