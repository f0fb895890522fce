/** Rules about sub-accounts (document, "Sub-account" and Endpoints §9). */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Boundaries from "../world/Boundaries.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import * as SubAccounts from "../world/SubAccounts.ts"
import type { Body } from "../world/World.ts"

const clause = "Sub-account"

const listing = Section.of({ clause: "Endpoints §9" })

const sameFields = (expected: Body, actual: Body): boolean =>
  Object.entries(expected).every(([key, value]) => actual[key] === value)

export const rules: ReadonlyArray<Rule.Rule> = [
  ...FieldRules.rules({
    id: "sub-accounts.entry",
    clause,
    profile: "read-only",
    within: "a sub-account",
    sample: (world) => SubAccounts.all(world),
    rows: [
      { key: "id", kind: Kinds.someText, meaning: "its id" },
      { key: "alias", kind: Kinds.text, meaning: "its alias" },
      { key: "userId", kind: Kinds.someText, meaning: "the user's id" },
      { key: "email", kind: Kinds.maskedEmail, meaning: "its masked e-mail address" },
      { key: "status", kind: Kinds.someText, meaning: "its status" },
      { key: "color", kind: Kinds.colour, meaning: "its color" },
      { key: "kyc", kind: Kinds.object, meaning: "its verification" },
      { key: "permissions", kind: Kinds.object, meaning: "its permissions" }
    ]
  }),
  ...FieldRules.rules({
    id: "sub-accounts.entry.kyc",
    clause,
    profile: "read-only",
    within: "a sub-account's kyc",
    sample: (world) => Effect.map(SubAccounts.all(world), (sample) => FieldRules.part(sample, "kyc")),
    rows: [
      { key: "shareKyc", kind: Kinds.boolean, meaning: "whether it shares its parent's verification" },
      { key: "kycStatus", kind: Kinds.text, meaning: "the state of the verification" }
    ]
  }),
  ...FieldRules.rules({
    id: "sub-accounts.entry.permissions",
    clause,
    profile: "read-only",
    within: "a sub-account's permissions",
    sample: (world) => Effect.map(SubAccounts.all(world), (sample) => FieldRules.part(sample, "permissions")),
    rows: [
      { key: "spotEnabled", kind: Kinds.boolean, meaning: "whether it may trade on spot markets" },
      { key: "collateralEnabled", kind: Kinds.boolean, meaning: "whether it may trade with collateral" }
    ]
  }),
  Rule.forAll({
    id: "sub-accounts.listed",
    statement:
      "Lists a sub-account with its alias, color and permissions, and whether it shares its parent's verification",
    clause,
    values: fc.record({
      alias: fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
      color: fc.constantFrom("#FF0000", "#1D9A6C", "#888"),
      shareKyc: fc.boolean(),
      spotEnabled: fc.boolean(),
      collateralEnabled: fc.boolean()
    }),
    check: Effect.fnUntraced(function*(world, profile) {
      const parent = yield* world.open({ isFunded: false })
      const id = world.unique("sub")
      const email = "a***@b***c"
      yield* world.control("OpenSubAccount", { ...profile, id, parent: parent.id, email, kycStatus: "shared" })
      const answer = yield* world.call(parent, Paths.subAccounts)
      const { objects: [entry] } = yield* FieldRules.records(world, answer, "data")
      const expected: Body = {
        id,
        alias: profile.alias,
        email,
        color: profile.color,
        // The document does not list the states of a verification.
        kyc: { shareKyc: profile.shareKyc },
        permissions: { spotEnabled: profile.spotEnabled, collateralEnabled: profile.collateralEnabled }
      }
      yield* Verdict.expect(
        answer,
        Json.stringify(expected),
        Json.isObject(entry) &&
          Object.entries(expected).every(([key, value]) =>
            Json.stringify(value) === Json.stringify(entry[key]) ||
            (Json.isObject(value) && Json.isObject(entry[key]) && sameFields(value, entry[key]))
          )
      )
    })
  }),
  listing.always("sub-accounts.fields", {
    statement: "Lists each of several sub-accounts with its own values and its own id",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.open({ isFunded: false })
      const expected: Array<Body> = []
      for (const [index, color] of ["#FF0000", "#1D9A6C", "#888888"].entries()) {
        const own = { id: world.unique("sub"), alias: `Desk No. ${index}`, email: `${"abc"[index]}***@b***c`, color }
        const kyc = { shareKyc: index !== 1 }
        const permissions = { spotEnabled: index !== 2, collateralEnabled: index === 1 }
        const fields = { ...own, ...kyc, ...permissions, parent: parent.id, kycStatus: "shared" }
        yield* world.control("OpenSubAccount", fields)
        expected.push({ ...own, kyc, permissions })
      }
      const answer = yield* world.call(parent, Paths.subAccounts)
      const { objects } = yield* FieldRules.records(world, answer, "data")
      const isShown = (entry: unknown, { kyc, permissions, ...own }: Body): boolean =>
        Json.isObject(entry) && sameFields(own, entry) &&
        [["kyc", kyc], ["permissions", permissions]].every(([key, inner]) => {
          const shown = entry[String(key)]
          return Json.isObject(shown) && Json.isObject(inner) && sameFields(inner, shown)
        })
      yield* Verdict.expect(
        answer,
        Json.stringify(expected),
        objects.length === expected.length && expected.every((one) => objects.some((entry) => isShown(entry, one)))
      )
    })
  }),
  Rule.always({
    id: "sub-accounts.status.active",
    statement: "Shows active as the status of a sub-account in use",
    clause: "Sub-account status",
    level: "SHOULD",
    check: Effect.fnUntraced(function*(world) {
      const { answer, objects } = yield* SubAccounts.all(world)
      yield* Verdict.expect(
        answer,
        "status active",
        objects.every((entry) => Json.isObject(entry) && entry["status"] === "active")
      )
    })
  }),
  listing.forEach("sub-accounts.search.matches", {
    statement: "Lists only sub-accounts that match the search term",
    level: "SHOULD",
    values: ["desk 0", "desk 3", "desk"],
    check: Effect.fnUntraced(function*(world, search) {
      const whole = yield* SubAccounts.all(world)
      const { answer, objects } = yield* SubAccounts.all(world, { search })
      const expected = whole.objects.filter((entry) => Json.isObject(entry) && String(entry["alias"]).includes(search))
      yield* Verdict.conclude(
        SubAccounts.idsOf(expected).join(),
        SubAccounts.idsOf(objects),
        SubAccounts.idsOf(expected).toSorted().join() === SubAccounts.idsOf(objects).toSorted().join(),
        answer
      )
    })
  }),
  listing.always("sub-accounts.search.nothing", {
    statement: "Returns an empty page for a search without a match",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const parent = yield* world.parent
      const search = "no such sub-account at all"
      const answer = yield* world.call(parent, Paths.subAccounts, { search })
      yield* Verdict.expect(
        answer,
        "HTTP 200 with an empty data array",
        answer.status === 200 && SubAccounts.isEmpty(answer)
      )
      for (const more of [{ limit: 100 }, { offset: 1 }]) {
        const answer = yield* world.call(parent, Paths.subAccounts, { search, ...more })
        // A server may refuse an offset past the last record.
        if ("offset" in more && Refusals.isRefused(answer)) return
        yield* Verdict.expect(answer, `an empty data array with ${Json.stringify(more)}`, SubAccounts.isEmpty(answer))
      }
    })
  }),
  listing.forAll("sub-accounts.search.type", {
    statement: "Refuses a search term that is not a string",
    profile: "read-only",
    values: Boundaries.noTexts,
    check: Effect.fnUntraced(function*(world, search) {
      const answer = yield* world.call(yield* world.parent, Paths.subAccounts, { search })
      yield* Refusals.call(answer, world.dialect, "search")
    })
  }),
  listing.always("sub-accounts.own", {
    statement: "Lists only the account's own sub-accounts",
    check: Effect.fnUntraced(function*(world) {
      yield* world.parent
      const answer = yield* world.call(yield* world.open({ isFunded: false }), Paths.subAccounts)
      yield* Verdict.expect(answer, "an empty data array", SubAccounts.isEmpty(answer))
    })
  }),
  SubAccounts.envelopeRule("sub-accounts", Paths.subAccounts, "read-only")
]
