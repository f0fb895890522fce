import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Quotas from "../../../src/sandbox/gateway/Quotas.ts"
import { property } from "../../support/property.ts"

const ofAll = 10
const ofOne = ofAll * Quotas.shareOfAddress

describe("quotas per address", () => {
  property(
    "no address exceeds its quota, all addresses together stay within the total, and released amounts can be used again",
    [fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 1, max: 6 }), fc.boolean()))],
    (steps) =>
      Effect.sync(() => {
        const quotas = Quotas.make(ofAll)
        const held: Array<readonly [string, number]> = []
        const sumOf = (entries: ReadonlyArray<readonly [string, number]>) => entries.reduce((sum, [, n]) => sum + n, 0)
        for (const [address, amount, isTaking] of steps) {
          if (isTaking) {
            const isFree = sumOf(held) + amount <= ofAll
            const isWithin = sumOf(held.filter(([other]) => other === address)) + amount <= ofOne
            const debtor = quotas.debtorFor(address, amount)
            assert.strictEqual(quotas.take(address, amount), isFree && isWithin)
            if (!isWithin) assert.strictEqual(debtor, address)
            else if (!isFree) {
              const of = (other: string) => sumOf(held.filter(([owner]) => owner === other))
              for (const other of ["a", "b", "c"]) assert.isAtLeast(of(debtor), of(other))
            }
            if (isFree && isWithin) held.push([address, amount])
          } else {
            const given = held.pop()
            if (given !== undefined) quotas.giveBack(...given)
          }
        }
        for (const given of held) quotas.giveBack(...given)
        for (const address of ["a", "b"]) assert.isTrue(quotas.take(address, ofOne))
      })
  )
})
