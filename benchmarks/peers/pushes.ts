/**
 * Places orders in a sandbox over HTTP, and receives their events over its WebSocket. The response and the push both
 * wait until the order is durable, so comparing their times shows how long a push takes from the commit to the
 * subscriber. Argument: the sandbox's port.
 */
import { Agent, request } from "node:http"
import { serve } from "../harness/children.ts"
import { account } from "./account.ts"
import { sign } from "./floor.ts"
import { market } from "./frames.ts"

const port = Number(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

let nonce = Date.now() * 1000

const call = (path: string, fields: object): Promise<Readonly<Record<string, unknown>>> => {
  const body = JSON.stringify({ ...fields, request: path, nonce: ++nonce })
  const payload = Buffer.from(body).toString("base64")
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-txc-apikey": account.apiKey,
    "x-txc-payload": payload,
    "x-txc-signature": sign(payload)
  }
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, method: "POST", agent, headers }, (answer) => {
      let text = ""
      answer.setEncoding("utf8").on("data", (chunk: string) => text += chunk)
      answer.on("end", () => answer.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(text)))
    }).on("error", reject).end(body)
  })
}

interface Frame {
  readonly id: number | null
  readonly error?: unknown
  readonly params?: readonly [number, { readonly id: number }]
}

const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`)
await new Promise((resolve, reject) => {
  socket.addEventListener("open", resolve)
  socket.addEventListener("error", reject)
})

let answered: (frame: Frame) => void = () => {}
let pushed: (at: number) => void = () => {}

socket.addEventListener("message", ({ data }) => {
  const frame = JSON.parse(String(data)) as Frame
  if (frame.id !== null) answered(frame)
  else if (frame.params?.[0] === 1) pushed(performance.now())
})

const ask = async (method: string, params: ReadonlyArray<unknown>): Promise<void> => {
  const answer = new Promise<Frame>((resolve) => {
    answered = resolve
  })
  socket.send(JSON.stringify({ id: 1, method, params }))
  const { error } = await answer
  if (error !== null) throw new Error(`${method}: ${JSON.stringify(error)}`)
}

const { websocket_token } = await call("/api/v4/profile/websocket_token", {})
await ask("authorize", [websocket_token, "public"])
await ask("ordersPending_subscribe", [market])

/** The mean times from a call to its response, and to the order's event, in microseconds. */
export interface Delays {
  readonly answer: number
  readonly push: number
}

/** Places orders, one at a time, for a number of milliseconds. */
serve("ready", async (millis: number): Promise<Delays> => {
  const end = performance.now() + millis
  let [answer, push, count] = [0, 0, 0]
  do {
    const heard = new Promise<number>((resolve) => {
      pushed = resolve
    })
    const start = performance.now()
    const { orderId } = await call("/api/v4/order/new", { market, side: "buy", amount: "0.001", price: "30000" })
    answer += performance.now() - start
    push += await heard - start
    count++
    await call("/api/v4/order/cancel", { market, orderId })
  } while (performance.now() < end)
  return { answer: answer * 1000 / count, push: push * 1000 / count }
})
