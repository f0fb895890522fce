import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Causes from "../../src/oracle/Causes.ts"
import * as Report from "../../src/oracle/Report.ts"
import * as Rule from "../../src/oracle/Rule.ts"
import * as Paths from "../../src/oracle/world/Paths.ts"

/** A broken rule with the given call and observation. */
const broken = (id: string, call: string | undefined, got: string): Report.Result => ({
  rule: Rule.always({ id, statement: "Holds in every case", clause: "General rules", check: () => Effect.void }),
  level: "MUST",
  outcome: {
    _tag: "Broken",
    counterexample: "{}",
    expected: "success",
    got,
    curl: "",
    ...(call === undefined ? {} : { call }),
    replay: { rule: id, dialect: "document", profile: "control", seed: 1, path: "", runs: 1 }
  },
  isKnown: false,
  millis: 0
})

const empty: Report.Report = {
  version: Report.version,
  target: "http://127.0.0.1",
  dialect: "document",
  profile: "read-only",
  strict: false,
  publicOnly: false,
  seed: 1,
  runs: 1,
  results: [],
  minJudged: 1,
  stale: [],
  warnings: [],
  remains: [],
  traffic: { requests: 0, unanswered: 0, served: [] }
}

const unauthorized = `HTTP 401 {"code":10,"message":"Unauthorized request.","errors":{}}`

describe("causes of broken rules", () => {
  it("the same refusal of many calls is counted as one cause, and a 401 is explained as an authentication failure", () => {
    const results = [1, 2, 3, 4, 5, 6].map((index) => broken(`a.${index}`, `POST /call-${index % 3}`, unauthorized))
    assert.deepStrictEqual(Causes.of(results), [{
      why: "authentication fails: 3 calls have the same response, HTTP 401, Unauthorized request.",
      rules: results.map(({ rule }) => rule.id)
    }])
    const down = [1, 2, 3, 4, 5].map((index) =>
      broken(`b.${index}`, `GET /call-${index}`, `HTTP 502 (not JSON; text/html) <html>${index}`)
    )
    assert.deepStrictEqual(Causes.of(down).map(({ why }) => why), [
      "5 calls have the same response, HTTP 502 (not JSON; text/html)"
    ])
  })

  it("calls that the target does not serve are counted as one cause, which shows how to declare them missing", () => {
    const results = [Paths.fees, Paths.subAccounts, Paths.fees, Paths.markets, Paths.fees].map((path, index) =>
      broken(`a.${index}`, `POST ${path}`, `HTTP 404 {"message":"Not found"}`)
    )
    const [cause, ...others] = Causes.of(results)
    assert.deepStrictEqual([others, cause?.isUnserved, cause?.rules.length], [[], true, 5])
    assert.include(cause?.why, "3 calls get the response HTTP 404, Not found: the target does not seem to serve them")
    const declared = /--features: (.*)$/u.exec(cause?.why ?? "")?.[1] ?? ""
    assert.deepStrictEqual(JSON.parse(declared), {
      missing: { [Paths.fees]: "not served", [Paths.subAccounts]: "not served", [Paths.markets]: "not served" }
    })
  })

  it("a call that is served is not counted as unserved, even if unserved calls get the same response", () => {
    const missing = `HTTP 404 {"message":"Not found"}`
    const many = [1, 2, 3, 4, 5].map((index) => broken(`a.${index}`, `POST /call-${index}`, missing))
    const results = [...many, broken("b.1", "POST /served", missing)]
    const report = { ...empty, results, traffic: { ...empty.traffic, served: ["POST /served"] } }
    assert.deepStrictEqual(Report.late(report).map(({ rule }) => rule.id), ["b.1"])
    assert.include(Report.text(report), "BROKEN  b.1")
    const [cause] = Causes.of(results, ["POST /served"])
    assert.deepStrictEqual(cause?.rules, many.map(({ rule }) => rule.id))
  })

  it("a text report omits rules about unserved calls, but includes a broken rule whose HTTP 404 occurs only once", () => {
    const missing = `HTTP 404 {"message":"Not found"}`
    const many = [1, 2, 3, 4, 5].map((index) => broken(`a.${index}`, `POST /call-${index}`, missing))
    const few = [broken("b.1", "POST /one", `HTTP 404 {"message":"No such plan"}`)]
    assert.deepStrictEqual([...many, ...few].map(Report.isLate), [true, true, true, true, true, true])
    const report = { ...empty, results: [...many, ...few] }
    assert.deepStrictEqual(Report.late(report).map(({ rule }) => rule.id), ["b.1"])
    const lines = Report.text(report).split("\n").filter((line) => line.startsWith("BROKEN"))
    assert.deepStrictEqual(lines.map((line) => line.split(" ")[2]), ["b.1"])
    assert.include(Report.text(report), "CAUSE  5 rules: 5 calls get the response HTTP 404, Not found")
  })

  it("rules with the same call and response have one cause, whatever ids the response contains", () => {
    const found = Causes.of([
      broken("a.1", "POST /one", `HTTP 404 {"id":1,"message":"Not found"}`),
      broken("a.2", "POST /one", `HTTP 404 {"id":2,"message":"Not found"}`),
      broken("a.3", "POST /two", `HTTP 404 {"id":3,"message":"Not found"}`),
      broken("a.4", "POST /one", `HTTP 422 {"message":"Validation failed"}`)
    ])
    assert.deepStrictEqual(found, [{ why: "POST /one gets the response HTTP 404, Not found", rules: ["a.1", "a.2"] }])
  })

  it("three rules about parts of one response share a cause, but two rules do not", () => {
    const field = (id: string, call: string) => broken(id, call, "no field, but other")
    const results = [
      field("a.1", "GET /one"),
      field("a.2", "GET /one"),
      field("a.3", "GET /one"),
      field("b.1", "GET /two"),
      field("b.2", "GET /two")
    ]
    assert.deepStrictEqual(Causes.of(results), [{ why: "GET /one", rules: ["a.1", "a.2", "a.3"] }])
  })

  it("rules broken by successful responses to different calls, or without a call, are not grouped under a cause", () => {
    const success = [1, 2, 3, 4, 5].map((index) => broken(`a.${index}`, `GET /call-${index}`, `HTTP 200 []`))
    const alone = [1, 2, 3, 4, 5].map((index) => broken(`b.${index}`, undefined, unauthorized))
    assert.deepStrictEqual(Causes.of([...success, ...alone]), [])
  })

  it("causes are ordered by the number of their rules", () => {
    const found = Causes.of([
      broken("a.1", "GET /one", "HTTP 500 {}"),
      broken("a.2", "GET /one", "HTTP 500 {}"),
      ...[1, 2, 3].map((index) => broken(`b.${index}`, "GET /two", "HTTP 503 {}"))
    ])
    assert.deepStrictEqual(found.map(({ rules }) => rules.length), [3, 2])
  })
})
