import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Check from "../../src/oracle/Check.ts"
import type { Profile } from "../../src/oracle/Profile.ts"
import * as Report from "../../src/oracle/Report.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Paths from "../../src/oracle/world/Paths.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { answering } from "../support/http.ts"
import * as Support from "../support/oracle.ts"

const at = (answer: (path: string) => Response, baseUrl = "https://target.test") =>
  Target.fromLayer(answering(({ path }) => answer(path)), { baseUrl, dialect: Dialect.document })

const refusal = (target: Effect.Effect<Target.Target>) =>
  Effect.map(Effect.flip(Effect.flatMap(target, (target) => Check.check(target))), ({ message }) => message)

const page = () => new Response("<html><body>Welcome</body></html>", { headers: { "content-type": "text/html" } })

describe("the preflight of a check", () => {
  it.live("a check fails if the server does not speak this API", () =>
    Effect.gen(function*() {
      const others: ReadonlyArray<(path: string) => Response> = [
        page,
        () => Response.json({ error: "not found" }, { status: 404 }),
        () => Response.json([]),
        () => new Response("Bad Gateway", { status: 502 })
      ]
      for (const other of others) {
        const message = yield* refusal(Effect.scoped(at(other)) as Effect.Effect<Target.Target>)
        assert.include(
          message,
          "https://target.test does not speak this API: /api/v4/public/ping responded with HTTP"
        )
      }
    }))

  it.live("if the target is a website, the error does not contain the page's HTML source", () =>
    Effect.gen(function*() {
      const message = yield* refusal(Effect.scoped(at(page)) as Effect.Effect<Target.Target>)
      assert.include(message, "responded with HTTP 200 and a web page; give the URL of a server that does")
      assert.notInclude(message, "<")
    }))

  it.live("a target with a broken ping is still recognized as speaking this API", () =>
    Effect.gen(function*() {
      const target = yield* at((path) =>
        path === Paths.ping
          ? Response.json({ status: "up" })
          : Response.json({ code: 10, message: "Unauthorized request.", errors: {} }, { status: 401 })
      )
      const report = yield* Check.check(target, { only: ["ping"] })
      assert.deepStrictEqual(Report.broken(report).map(({ rule }) => rule.id), ["ping.response"])
    }))

  it.live("a base URL with the version prefix is refused, and the error shows the URL to use", () =>
    Effect.gen(function*() {
      const unknown = () => Response.json({ code: 0, message: "There is no such path.", errors: {} }, { status: 404 })
      const served = (path: string) => path === Paths.ping ? Response.json(["pong"]) : unknown()
      const message = yield* refusal(
        Effect.scoped(at(served, "https://target.test/api/v4/")) as Effect.Effect<Target.Target>
      )
      assert.include(message, "the paths already begin with /api/v4: give the URL as https://target.test")
    }))

  const cases: ReadonlyArray<readonly [spoken: Dialect.Dialect, expected: Dialect.Dialect, profile: Profile]> = [
    [Dialect.document, Dialect.live, "read-only"],
    [Dialect.document, Dialect.live, "mutating"],
    [Dialect.document, Dialect.live, "control"],
    [Dialect.live, Dialect.document, "read-only"],
    [Dialect.live, Dialect.document, "mutating"],
    [Dialect.live, Dialect.document, "control"]
  ]
  for (const [spoken, expected, profile] of cases) {
    it.live(`a check with the ${profile} profile fails when the target speaks the ${spoken.name} dialect but the other dialect is expected`, () =>
      Effect.gen(function*() {
        const target = yield* Support.inProcess(spoken)
        const keys = yield* Support.account(target)
        const error = yield* Effect.flip(Check.check({ ...target, keys, dialect: expected }, { profile }))
        assert.include(error.message, `the target speaks the ${spoken.name} dialect`)
        assert.include(error.message, `--dialect ${spoken.name}`)
        assert.deepStrictEqual(yield* Support.openOrders(target, keys), [])
      }))
  }
})
