/** Shows what a call is about to change, and asks. */
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
 * Whether money may be at stake: the call changes something, and goes anywhere but to a sandbox. The live exchange is
 * reached over https only, and a sandbox serves plain http.
 */
const isSerious = (endpoint: Endpoint.Any, baseUrl: string): boolean =>
  endpoint.mutates && !baseUrl.startsWith("http://")

const describe = (endpoint: Endpoint.Any, { baseUrl, dialect }: Region["Service"], request: object): string => {
  // A request that breaks a constraint is refused before it is sent. It is shown as it was written.
  const fields = Result.getOrElse(Endpoint.codec(endpoint, dialect).encodeRequest(request), () => ({ ...request }))
  const body = Json.stringify(fields)
  return `${endpoint.name} changes something at ${baseUrl}:\n\n  ${endpoint.method} ${endpoint.path}\n  ${body}\n`
}

const saysYes = (answer: string): boolean => /^\s*y(?:es)?\s*$/iu.test(answer)

const notSent = "Nothing was sent"

/**
 * Succeeds when the call may be made: it only reads, it goes to a sandbox, or a person has agreed. `agreed` is an answer
 * that was given before.
 */
export const ask = Effect.fnUntraced(function*(endpoint: Endpoint.Any, request: object, agreed: boolean) {
  const region = yield* Region
  if (agreed || !isSerious(endpoint, region.baseUrl)) return
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stdinIsTerminal) || !(yield* stdio.stderrIsTerminal)) {
    return yield* new Refused({
      wrong: `${notSent}: ${endpoint.name} changes something at ${region.baseUrl}, and there is nobody to ask`,
      remedy: "Say --yes to send it without a question"
    })
  }
  const terminal = yield* Terminal.Terminal
  yield* toStderr(`${describe(endpoint, region, request)}\nSend it? [y/N] `)
  const answer = yield* Effect.orElseSucceed(terminal.readLine, () => "")
  if (saysYes(answer)) return
  return yield* new Refused({ wrong: notSent, remedy: "Answer y, or say --yes, to send it" })
})
