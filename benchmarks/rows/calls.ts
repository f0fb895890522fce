/** Measures complete calls over loopback, and the CPU cost of the library's own work, without a socket. */
import { start } from "../harness/children.ts"
import { compare, type Turn } from "../harness/compare.ts"
import type { Sample } from "../harness/operation.ts"
import { type Context, type Found, line, type Row, unsettledNotes } from "../harness/report.ts"

/** A client and its operation. */
interface Part {
  readonly peer: string
  /** The client's name in the table. */
  readonly as: string
  readonly operation: string
}

const part = (peer: string, operation: string, as = peer): Part => ({ peer, as, operation })

/** Starts the clients against one server with canned responses, lets them take turns, and ends them. */
const sideBySide = async ({ plan }: Context, parts: ReadonlyArray<Part>) => {
  const stub = await start("stub.ts")
  const peers = await Promise.all(parts.map(async (part) => {
    const child = await start("peer.ts", part.peer, `http://127.0.0.1:${stub.ready}`)
    const turn: Turn = async (millis) => await child.ask({ operation: part.operation, millis }) as Sample
    return { child, turn: [part.as, turn] as const }
  }))
  const compared = await compare(plan, new Map(peers.map(({ turn }) => turn)))
  await Promise.all([stub, ...peers.map(({ child }) => child)].map((child) => child.end()))
  return compared
}

/** The library's name in the table when it uses `FetchTransport`. */
const overFetch = "txc over fetch"

/** Compares each client with undici, and the library also with each other client. */
const call = (name: string, title: string, operation: string, others: ReadonlyArray<string>): Row => ({
  name,
  title,
  run: async (context): Promise<Found> => {
    const compared = await sideBySide(context, ["undici", "txc", ...others].map((peer) => part(peer, operation)))
    return {
      lines: [
        ...["txc", ...others].map((peer) => line(compared, title, peer, "undici")),
        ...others.filter((peer) => peer !== overFetch).map((peer) => line(compared, title, "txc", peer))
      ],
      notes: unsettledNotes(compared, name),
      data: Object.fromEntries(compared.samples)
    }
  }
})

/** Compares the library's own work, without a socket, with the lower bound. */
const alone = (name: string, title: string, operation: string, peer: string, base: string): Row => ({
  name,
  title,
  run: async (context): Promise<Found> => {
    const compared = await sideBySide(context, [part("undici", operation, base), part(peer, operation, "txc")])
    return {
      lines: [line(compared, title, "txc", base)],
      notes: unsettledNotes(compared, name),
      data: Object.fromEntries(compared.samples)
    }
  }
})

const withoutPackage = [
  "The exchange's own SDK calls itself `whitebit-typescript-sdk` and `@whitebit/sdk`. Neither is on npm, nor is any other "
  + "SDK for this protocol except ccxt. A naive Effect client stands in for it."
]

/** Notes the packages that could not be installed. */
const noted = (row: Row): Row => ({
  ...row,
  run: async (context) => {
    const found = await row.run(context)
    return { ...found, notes: [...found.notes ?? [], ...withoutPackage] }
  }
})

export const rows: ReadonlyArray<Row> = [
  noted(call("order-64", "order, 64 in flight", "order64", [overFetch, "ccxt", "naive Effect client"])),
  call("order-sequence", "order, sequential", "order", [overFetch, "ccxt"]),
  alone("own-work", "a call's own work, no socket", "ownWork", "txc without a socket", "lower bound"),
  call("balances", "complete call with 500 balances", "balances", ["ccxt"]),
  call("fees", "complete call with 500 fees", "fees", ["ccxt"]),
  alone("decode-order", "decoding one order", "decodeOrder", "txc decoding", "JSON.parse"),
  alone("decode-balances", "decoding 500 balances", "decodeBalances", "txc decoding", "JSON.parse"),
  alone("decode-fees", "decoding 500 fees", "decodeFees", "txc decoding", "JSON.parse")
]
