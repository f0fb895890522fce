/**
 * An order as most calls answer it (document, "Stop-limit order (response)", which lists all types of orders).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Decimal } from "../domain/Decimal.ts"
import { ClientOrderId, MarketName } from "../domain/Identifiers.ts"
import { ReceivedActivationCondition, ReceivedPositionSide, ReceivedSide } from "../domain/Order.ts"
import { UnixTime } from "../domain/Time.ts"
import type { Dialect } from "./Dialect.ts"
import * as Wire from "./Wire.ts"

/** Types of orders without a limit: `price: "0"` is none. */
const marketTypes: ReadonlyArray<unknown> = ["market", "margin market", "stock market", "stop market"]

const fields = ({ omissible, orderStatus, receivedSelfTradePrevention }: Dialect) => ({
  orderId: Wire.OrderId,
  clientOrderId: Schema.optionalKey(ClientOrderId),
  market: MarketName,
  side: ReceivedSide,
  timestamp: UnixTime,
  dealMoney: Decimal,
  dealStock: Decimal,
  amount: Decimal,
  left: Decimal,
  dealFee: Decimal,
  price: Schema.optionalKey(Decimal),
  postOnly: omissible(Schema.Boolean),
  ioc: omissible(Schema.Boolean),
  status: omissible(orderStatus),
  stp: omissible(receivedSelfTradePrevention),
  rpi: omissible(Schema.Boolean),
  reduceOnly: omissible(Schema.Boolean),
  activated: Schema.optionalKey(Wire.Bit),
  activationCondition: Schema.optionalKey(ReceivedActivationCondition),
  activationPrice: Schema.optionalKey(Decimal)
})

/**
 * The values that mean "absent": an empty client order id, and the price `"0"` of an order without a limit.
 *
 * @category schemas
 * @since 0.1.0
 */
export const absent = ({ demandsAll }: Dialect) => ({
  clientOrderId: { value: "", when: () => true, demanded: demandsAll },
  price: {
    value: "0",
    when: (wire: Readonly<Record<string, unknown>>) => marketTypes.includes(wire["type"]),
    demanded: demandsAll
  }
})

const spelling = (dialect: Dialect) => ({
  keys: { ...dialect.keys, activationPrice: "activation_price" },
  absent: absent(dialect)
})

const walletOrder = (dialect: Dialect) =>
  Wire.struct({
    ...fields(dialect),
    type: dialect.orderType,
    positionSide: Schema.optionalKey(ReceivedPositionSide)
  }, spelling(dialect))

const positionOrder = (dialect: Dialect) =>
  Wire.struct({ ...fields(dialect), type: dialect.legType, positionSide: ReceivedPositionSide }, spelling(dialect))

/**
 * An order. Fields that only the document's dialect demands are optional.
 *
 * - `timestamp`: of creation, in Unix seconds with microseconds
 * - `dealMoney`, `dealStock`: filled so far, in units of the quote and of the base currency
 * - `amount`, `left`: ordered and not yet filled, in units of the base currency (of the quote currency for market buys)
 * - `dealFee`: charged so far, in the fee asset
 * - `price`: the limit; absent on market orders
 * - `positionSide`: of orders that trade positions
 * - `activated`, `activationCondition`, `activationPrice`: of orders that wait, or have waited, for a price
 *
 * @category models
 * @since 0.1.0
 */
export type Order = ReturnType<typeof walletOrder>["schema"]["Type"]

/**
 * An order that trades wallets.
 *
 * @category schemas
 * @since 0.1.0
 */
export const spot = (dialect: Dialect): Schema.Codec<Order, unknown> => walletOrder(dialect).schema

/**
 * An order that trades wallets or positions: the latter have a position side, and their types are spelled differently
 * where the dialect does so.
 *
 * @category schemas
 * @since 0.1.0
 */
export const order = (dialect: Dialect): Schema.Codec<Order, unknown> =>
  Schema.Union([positionOrder(dialect).schema, walletOrder(dialect).schema])
