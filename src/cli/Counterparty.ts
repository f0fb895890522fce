/** The flag `--counterparty`: a market that the sandbox's counterparty quotes, and the settings for its quotes. */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { SetCounterparty, type SetCounterpartyOptions } from "../sandbox/engine/SetCounterparty.ts"

const BooleanText = Schema.Literals(["true", "false"]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({ decode: (text) => text === "true", encode: (flag) => flag ? "true" : "false" })
  )
)

const IntegerText = Schema.optionalKey(Schema.NumberFromString.check(Schema.isInt()))

/** The schema of a counterparty's settings, with each value written as text. */
const Settings = Schema.Struct({
  ...SetCounterparty,
  enabled: Schema.optionalKey(BooleanText),
  refill: Schema.optionalKey(BooleanText),
  credit: Schema.optionalKey(BooleanText),
  levels: IntegerText,
  seed: IntegerText
})

const decode = Schema.decodeUnknownOption(Settings, { onExcessProperty: "error" })

/** Parses `BTC_USDT` or `BTC_USDT:spread=0.2,levels=10`. */
const read = (text: string): Option.Option<SetCounterpartyOptions> => {
  const [market = "", settings = ""] = text.split(":", 2)
  const pairs = settings.split(",").filter((pair) => pair !== "").map((pair) => pair.split("="))
  if (pairs.some(({ length }) => length !== 2)) return Option.none()
  return decode({ ...Object.fromEntries(pairs), market })
}

/** The `--counterparty` flag, which may be repeated. */
export const flag = Flag.String("counterparty").pipe(
  Flag.withMetavar("MARKET[:SETTING=VALUE,...]"),
  Flag.withDescription(
    "Quote a market around its price, so that market orders find liquidity: BTC_USDT, or with settings " +
      "BTC_USDT:spread=0.2,levels=10,amount=0.5,seed=7. Repeat the flag for more markets"
  ),
  Flag.filterMap(read, () => "a market with settings such as BTC_USDT:spread=0.2,levels=10"),
  Flag.atLeast(0)
)
