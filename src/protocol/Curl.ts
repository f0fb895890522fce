/**
 * Calls as lines for a POSIX shell, which signs them with openssl and sends them with curl.
 *
 * It imports nothing: the sandbox's page uses it in a browser.
 */

/** Text as one word of a shell. */
export const word = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const nonceForm = /"nonce":("?)([0-9]+)"?/u

/** The nonce in the text of a body. */
export const nonceOf = (text: string): string | undefined => nonceForm.exec(text)?.[2]

/** The text as one word, with what the shell puts for its nonce. A text without a nonce stays as it is. */
export const renewed = (text: string, nonce: string): string => {
  const found = nonceForm.exec(text)
  if (found === null) return word(text)
  const [all, mark = ""] = found
  const before = `${text.slice(0, found.index)}"nonce":${mark}`
  return word(before) + nonce + word(mark + text.slice(found.index + all.length))
}

/** Sets the shell's `payload` to the Base64 of another variable. */
export const payloadOf = (variable: string): string => `payload=$(printf %s "$${variable}" | base64 | tr -d '\\n')`

/** Sets the shell's `signature` to that of its `payload`. The secret is a word. */
export const signatureBy = (secret: string): string =>
  `signature=$(printf %s "$payload" | openssl dgst -sha512 -hmac ${secret} | sed 's/^.* //')`

/** The words of the headers whose values the shell has: the key from the environment, the others from its variables. */
export const fromShell = {
  apiKey: `"X-TXC-APIKEY: $TXC_API_KEY"`,
  payload: `"X-TXC-PAYLOAD: $payload"`,
  signature: `"X-TXC-SIGNATURE: $signature"`
}

/** A request of which every part is a word. Without a method, curl sends a body by POST. */
export interface Command {
  readonly method?: string
  readonly url: string
  readonly headers: ReadonlyArray<string>
  readonly body?: string
}

/** The command that sends a request, its parts divided by spaces or by ends of lines. */
export const send = ({ body, headers, method, url }: Command, between = " "): string =>
  [
    method === undefined ? `curl -s ${url}` : `curl -s -X ${method} ${url}`,
    ...headers.map((header) => `-H ${header}`),
    ...(body === undefined ? [] : [`--data-binary ${body}`])
  ].join(between)

/** Seconds and five digits. Not every shell has random numbers; where one has none, each process has its own digits. */
const newNonce = "$(date +%s)$(printf %05d $((${RANDOM:-$$} % 100000)))"

/**
 * The lines that sign a call and send it, as often as they are run: the shell puts a nonce of its own. Without keys, they come from
 * `TXC_API_KEY` and `TXC_API_SECRET`.
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
