import * as SubAccount from "../../src/domain/SubAccount.ts"
import { examples, noTexts } from "./examples.ts"

const formatRule = { kind: "format" } as const
const noStrings = noTexts.map((value) => [value, { kind: "type", type: "string" }] as const)

examples("HexColour", SubAccount.HexColour, {
  accepted: ["#fff", "#AB12cd", "#AB12cd80"],
  refused: [
    ...noStrings,
    ...["", "#", "fff", "#ff", "#ffff", "#fffff", "#ggg", "#fff ", "#AB12cd8", "#AB12cd800"]
      .map((text) => [text, formatRule] as const)
  ]
})

examples("MaskedEmail", SubAccount.MaskedEmail, {
  accepted: ["", "e***@g***m", "e***@gmail.com", "someone@g***.com", "*@*"],
  refused: [
    ...noStrings,
    ...["someone@gmail.com", "e***", "@", "e***@", "@g***m", "a@b@c***"].map((text) => [text, formatRule] as const)
  ]
})

examples("SubAccountStatus", SubAccount.SubAccountStatus, {
  accepted: ["active", "blocked", ""],
  refused: [[null, formatRule], [1, formatRule], [{}, formatRule]]
})
