/**
 * The floor of the engine: one market as sorted levels of plain objects, decimals as whole numbers. It knows no accounts,
 * balances, fees, bounds, events or answers.
 */
interface Resting {
  readonly id: number
  readonly isBuy: boolean
  readonly price: bigint
  left: bigint
}

const toUnits = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(18, "0"))
}

export class FloorBook {
  private readonly levels = { bids: new Array<bigint>(), asks: new Array<bigint>() }
  private readonly queues = { bids: new Map<bigint, Array<Resting>>(), asks: new Map<bigint, Array<Resting>>() }
  private readonly orders = new Map<number, Resting>()
  private last = 0

  place(isBuy: boolean, amount: string, price: string): number {
    const order: Resting = { id: ++this.last, isBuy, price: toUnits(price), left: toUnits(amount) }
    const against = isBuy ? "asks" : "bids"
    for (;;) {
      const best = this.levels[against][0]
      if (order.left === 0n || best === undefined || (isBuy ? best > order.price : best < order.price)) break
      const queue = this.queues[against].get(best) ?? []
      const maker = queue[0]
      if (maker === undefined) break
      const amount = maker.left < order.left ? maker.left : order.left
      maker.left -= amount
      order.left -= amount
      if (maker.left === 0n) this.remove(maker)
    }
    if (order.left > 0n) this.rest(order)
    return order.id
  }

  cancel(id: number): void {
    const order = this.orders.get(id)
    if (order !== undefined) this.remove(order)
  }

  private rest(order: Resting): void {
    const side = order.isBuy ? "bids" : "asks"
    this.orders.set(order.id, order)
    const queue = this.queues[side].get(order.price)
    if (queue !== undefined) {
      queue.push(order)
      return
    }
    this.queues[side].set(order.price, [order])
    const index = this.levels[side].findIndex((price) => order.isBuy ? price < order.price : price > order.price)
    this.levels[side].splice(index === -1 ? this.levels[side].length : index, 0, order.price)
  }

  private remove(order: Resting): void {
    const side = order.isBuy ? "bids" : "asks"
    this.orders.delete(order.id)
    const queue = this.queues[side].get(order.price) ?? []
    queue.splice(queue.indexOf(order), 1)
    if (queue.length > 0) return
    this.queues[side].delete(order.price)
    this.levels[side].splice(this.levels[side].indexOf(order.price), 1)
  }
}
