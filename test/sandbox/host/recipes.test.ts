import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Host from "../../../src/sandbox/host/Host.ts"
import * as HostServer from "../../../src/sandbox/host/HostServer.ts"
import { own } from "../../support/host.ts"
import { isLong } from "../../support/long.ts"
import * as Project from "../../support/project.ts"

const page = Project.readSource("src/sandbox/docs/host.md")

/** The page's code blocks that are files, keyed by the name in their first line. */
const files = Object.fromEntries(
  [...page.matchAll(/```(?:ts|python)\n(?:#|\/\/) (\S+)\n(.*?)```/gsu)].map(([, name = "", text = ""]) => [name, text])
)

/** Starts a host. Returns the environment variables for a project's tests. */
const serving = Effect.gen(function*() {
  const host = yield* Host.Host
  const { baseUrl } = yield* HostServer.serve()
  return { host, baseUrl, environment: { TXC_HOST_URL: baseUrl, TXC_HOST_TOKEN: host.token } }
})

const served = Layer.merge(Layer.orDie(Layer.fresh(Host.layer())), NodeHttpClient.layerUndici)

describe("the page about hosts", () => {
  it("the page about hosts contains exactly the files that are tested here", () => {
    assert.deepStrictEqual(Object.keys(files), ["venue.test.ts", "conftest.py", "test_exchange.py"])
    assert.strictEqual(files["venue.test.ts"], Project.readSource("test/sandbox/tools/venue.ts"))
  })

  it.live("the pytest recipe gives each test file a venue, and deletes the venue afterwards", ({ skip }) =>
    Effect.suspend(() => {
      if (Project.missing(["pytest-3"]).length > 0) skip("there is no pytest-3 here")
      return Effect.gen(function*() {
        const { environment, host } = yield* serving
        const kept = yield* host.make({})
        const folder = yield* Project.make({
          "pytest.ini": "[pytest]\npythonpath = node_modules/effect-txc/src/sandbox/tools\n",
          "conftest.py": files["conftest.py"] ?? "",
          "test_exchange.py": files["test_exchange.py"] ?? "",
          "test_other.py": `
def test_again(exchange):
    assert exchange.call("/api/v4/main-account/balance")["BTC"] == {"main_balance": "0.5"}
    with exchange.fork() as fork:
        assert fork.url == exchange.url + "/fork/1"
        assert fork.get("/api/v4/public/ping") == ["pong"]
`
        })
        const { ended, output } = yield* Project.run(folder, ["pytest-3", "-p", "no:cacheprovider"], environment)
        assert.strictEqual(ended, 0, output)
        assert.include(output, "2 passed")
        assert.deepStrictEqual((yield* host.list()).map(({ id }) => id), [kept.id])
      }).pipe(Effect.scoped, Effect.provide(served))
    }))

  if (isLong) {
    it.live("the Vitest recipe gives each test file a venue, and deletes the venue afterwards", () =>
      Effect.gen(function*() {
        const { environment, host } = yield* serving
        const test = files["venue.test.ts"] ?? ""
        const folder = yield* Project.make({ "one.test.ts": test, "other.test.ts": test })
        const { ended, output } = yield* Project.run(folder, ["node_modules/.bin/vitest", "run"], environment)
        assert.strictEqual(ended, 0, output)
        assert.match(output, /Tests +2 passed/u)
        assert.deepStrictEqual(yield* host.list(), [])
      }).pipe(Effect.scoped, Effect.provide(served)))
  }

  it.live("a venue's token does not open the host's control plane", () =>
    Effect.gen(function*() {
      const { baseUrl, environment, host } = yield* serving
      const plane = { controlUrl: `${baseUrl}/control/v1/`, controlToken: environment.TXC_HOST_TOKEN }
      const mine = yield* host.make({ owner: "me" })
      yield* host.make({ owner: "you" })
      assert.strictEqual((yield* own(plane, "GET", "Venues")).text.match(/"id"/gu)?.length, 2)
      assert.strictEqual((yield* own({ ...plane, controlToken: mine.controlToken }, "GET", "Venues")).status, 401)
      assert.notInclude((yield* own(plane, "GET", "Venues")).text, mine.controlToken)
    }).pipe(Effect.scoped, Effect.provide(served)))
})
