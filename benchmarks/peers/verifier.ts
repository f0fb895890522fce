/**
 * The lower bound for the sandbox over HTTP: a `node:http` server that checks the signature, compares the payload with
 * the body, parses the body, and returns an order. It stores nothing.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { serve } from "../harness/children.ts"
import { sign } from "./floor.ts"

let lastId = 0

const order = ({ activation_price, amount, market, price, side }: Readonly<Record<string, string>>) => ({
  order_id: ++lastId,
  client_order_id: "",
  market,
  side,
  type: "stop limit",
  timestamp: Date.now() / 1000,
  deal_money: "0",
  deal_stock: "0",
  amount,
  left: amount,
  deal_fee: "0",
  price,
  postOnly: false,
  ioc: false,
  status: "NEW",
  stp: "no",
  positionSide: "LONG",
  rpi: false,
  reduceOnly: false,
  activated: 0,
  activationCondition: "gte",
  activation_price
})

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const body = Buffer.concat(chunks)
    const payload = request.headers["x-txc-payload"]
    const isGenuine = typeof payload === "string" && payload === body.toString("base64")
      && sign(payload) === request.headers["x-txc-signature"]
    if (!isGenuine) {
      response.writeHead(401).end()
      return
    }
    const text = JSON.stringify(order(JSON.parse(body.toString())))
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) }).end(text)
  })
})

server.keepAliveTimeout = 600_000
server.listen(0, "127.0.0.1", () => serve((server.address() as AddressInfo).port, () => process.cpuUsage()))
