/**
 * Calls a server over keep-alive sockets with as little work as HTTP allows, so that the server's cost dominates the
 * caller's. Argument: the server's port.
 */
import { connect, type Socket } from "node:net"
import { serve } from "../harness/children.ts"
import { signed } from "./floor.ts"

/** Sends each body in turn until `millis` have passed; without `millis`, sends each body once. */
export interface Message {
  readonly path: string
  /** Whether to send unsigned GET requests without a body. */
  readonly isGet?: boolean
  readonly bodies: ReadonlyArray<object>
  /** Prefixes of the path, used in turn. They are not signed. */
  readonly prefixes?: ReadonlyArray<string>
  readonly inFlight: number
  readonly millis?: number
  /** Whether to return all responses; by default, only the last one is returned. */
  readonly collect?: boolean
}

export interface Load {
  /** The number of calls that got a response. */
  readonly calls: number
  /** The time from the first call to the last response, in microseconds. */
  readonly micros: number
  /** All responses in the order of their arrival if `collect` is set; otherwise, only the last response. */
  readonly answers: ReadonlyArray<string>
}

const port = Number(process.argv[2])

const request = (prefix: string, path: string, fields: object): string => {
  const { body, headers } = signed(path, fields)
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("")
  return `POST ${prefix}${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${body.length}\r\n${head}\r\n${body}`
}

const look = (prefix: string, path: string): string => `GET ${prefix}${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`

/** Reads responses from a socket, with one call in flight at a time. */
class Connection {
  private readonly socket: Socket
  private received = ""
  private answered: ((answer: string) => void) | undefined
  private failed: ((error: Error) => void) | undefined

  constructor() {
    this.socket = connect(port, "127.0.0.1")
    this.socket.setNoDelay(true).setEncoding("latin1")
    this.socket.on("data", (text: string) => {
      this.received += text
      const head = this.received.indexOf("\r\n\r\n")
      if (head === -1) return
      const length = /content-length: (\d+)/iu.exec(this.received.slice(0, head))?.[1]
      if (this.received.length < head + 4 + Number(length ?? 0)) return
      const answer = this.received
      this.received = ""
      if (answer.startsWith("HTTP/1.1 20")) this.answered?.(answer.slice(head + 4))
      else this.failed?.(new Error(answer))
    })
    this.socket.on("error", (error) => this.failed?.(error))
    this.socket.on("close", () => this.failed?.(new Error("the server has closed the connection")))
  }

  close(): void {
    this.failed = undefined
    this.socket.destroy()
  }

  call(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.answered = resolve
      this.failed = reject
      this.socket.write(text)
    })
  }
}

/** The idle time after which sockets are replaced, because the server may be about to close them. */
const idleMillis = 2000

let connections: Array<Connection> = []
let lastUse = 0

serve("ready", async (message: Message): Promise<Load> => {
  const { bodies, collect = false, inFlight, isGet = false, millis, path, prefixes = [""] } = message
  if (performance.now() - lastUse > idleMillis) {
    for (const connection of connections) connection.close()
    connections = []
  }
  while (connections.length < inFlight) connections.push(new Connection())
  const start = performance.now()
  let next = 0
  let calls = 0
  const answers: Array<string> = []
  const isOver = () => millis === undefined ? next >= bodies.length : calls > 0 && performance.now() - start >= millis
  await Promise.all(
    connections.slice(0, inFlight).map(async (connection) => {
      while (!isOver()) {
        const turn = next++
        const prefix = prefixes[turn % prefixes.length] ?? ""
        const body = bodies[turn % bodies.length] ?? {}
        const answer = await connection.call(isGet ? look(prefix, path) : request(prefix, path, body))
        answers[collect ? calls : 0] = answer
        calls++
      }
    })
  )
  lastUse = performance.now()
  return { calls, micros: (lastUse - start) * 1000, answers }
})
