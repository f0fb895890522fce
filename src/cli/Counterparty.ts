/** The flag `--counterparty`: markets that the counterparty of a sandbox quotes, and how. */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { SetCounterparty, type SetCounterpartyOptions } from "../sandbox/engine/SetCounterparty.ts"

const Flagged = Schema.Literals(["true", "false"]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({ decode: (text) => text === "true", encode: (flag) => flag ? "true" : "false" })
  )
)

const Whole = Schema.optionalKey(Schema.NumberFromString.check(Schema.isInt()))

/** The settings, as texts. */
const Settings = Schema.Struct({
  ...SetCounterparty,
  enabled: Schema.optionalKey(Flagged),
  refill: Schema.optionalKey(Flagged),
  credit: Schema.optionalKey(Flagged),
  levels: Whole,
  seed: Whole
})

const decode = Schema.decodeUnknownOption(Settings, { onExcessProperty: "error" })

/** Reads `BTC_USDT` or `BTC_USDT:spread=0.2,levels=10`. */
const read = (text: string): Option.Option<SetCounterpartyOptions> => {
  const [market = "", settings = ""] = text.split(":", 2)
  const pairs = settings.split(",").filter((pair) => pair !== "").map((pair) => pair.split("="))
  if (pairs.some(({ length }) => length !== 2)) return Option.none()
  return decode({ ...Object.fromEntries(pairs), market })
}

/** The flag, which may be given several times. */
export const flag = Flag.String("counterparty").pipe(
  Flag.withMetavar("MARKET[:SETTING=VALUE,...]"),
  Flag.withDescription(
    "Quote a market around its price, so that market orders find a book: BTC_USDT, or with settings " +
      "BTC_USDT:spread=0.2,levels=10,amount=0.5,seed=7. May be given for several markets"
  ),
  Flag.filterMap(read, (text) => `${text} is no market with settings, such as BTC_USDT:spread=0.2,levels=10`),
  Flag.atLeast(0)
)
