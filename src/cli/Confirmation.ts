/** Shows a mutating call before it is sent, and asks for confirmation. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { Region } from "../client/Region.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Json from "../protocol/Json.ts"
import { Refused } from "./Refused.ts"
import { toStderr } from "./Screen.ts"

/**
 * Whether a call might move real money: it is mutating, and its URL is not plain http. The live exchange requires
 * https, so plain http leads to a sandbox.
 */
const mayMoveMoney = (endpoint: Endpoint.Any, baseUrl: string): boolean =>
  endpoint.mutates && !baseUrl.startsWith("http://")

const describe = (endpoint: Endpoint.Any, { baseUrl, dialect }: Region["Service"], request: object): string => {
  // An invalid request can't be encoded, so it is shown as the user wrote it. The client will refuse it later, before
  // sending.
  const fields = Result.getOrElse(Endpoint.codec(endpoint, dialect).encodeRequest(request), () => ({ ...request }))
  const body = Json.stringify(fields)
  return `${endpoint.name} changes something at ${baseUrl}:\n\n  ${endpoint.method} ${endpoint.path}\n  ${body}\n`
}

const saysYes = (answer: string): boolean => /^\s*y(?:es)?\s*$/iu.test(answer)

const notSent = "Nothing was sent"

/**
 * Asks the user to confirm a call that might move real money. With `agreed`, the user has confirmed in advance and is
 * not asked. Fails with `Refused` if the user declines, or if there is no terminal to ask on.
 */
export const ask = Effect.fnUntraced(function*(endpoint: Endpoint.Any, request: object, agreed: boolean) {
  const region = yield* Region
  if (agreed || !mayMoveMoney(endpoint, region.baseUrl)) return
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stdinIsTerminal) || !(yield* stdio.stderrIsTerminal)) {
    return yield* new Refused({
      wrong: `${notSent}: ${endpoint.name} changes something at ${region.baseUrl}, and no terminal is available to ask`,
      remedy: "Pass --yes to send it without confirmation"
    })
  }
  const terminal = yield* Terminal.Terminal
  yield* toStderr(`${describe(endpoint, region, request)}\nSend it? [y/N] `)
  const answer = yield* Effect.orElseSucceed(terminal.readLine, () => "")
  if (saysYes(answer)) return
  return yield* new Refused({ wrong: notSent, remedy: "Answer y or pass --yes to send it" })
})
