import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chromium } from "playwright-core"
import * as Node from "../../../src/sandbox/cluster/Node.ts"
import * as Tables from "../../../src/sandbox/cluster/Tables.ts"
import * as Host from "../../../src/sandbox/host/Host.ts"
import * as HostServer from "../../../src/sandbox/host/HostServer.ts"
import { executable } from "../../support/browser.ts"
import { until } from "../../support/clock.ts"
import { itWithPostgres, postgresServer } from "../../support/postgres.ts"
import { closedPort } from "../../support/server.ts"

const see = <A>(work: () => Promise<A>) => Effect.promise(work)

/** Opens a browser for the test, and collects the errors that its pages report. */
const browser = Effect.gen(function*() {
  const opened = yield* Effect.acquireRelease(
    see(() => chromium.launch({ executablePath: executable ?? "", args: ["--no-sandbox", "--disable-gpu"] })),
    (opened) => see(() => opened.close())
  )
  const errors: Array<string> = []
  const context = yield* see(() => opened.newContext())
  context.on("weberror", (error) => errors.push(error.error().message))
  context.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) errors.push(message.text())
  })
  return { context, errors }
})

describe.skipIf(executable === undefined)("a node's page (needs Chromium)", () => {
  itWithPostgres(
    "the page of a cluster's host lists the nodes and their problems, and can drain a node",
    () =>
      Effect.gen(function*() {
        const { layer, url } = yield* postgresServer
        yield* Effect.provide(Tables.migrate, layer)
        const nodePort = yield* closedPort
        const context = yield* Layer.build(Node.layer({ url, nodePort, clusterPort: yield* closedPort }))
        const host = Context.get(context, Host.Host)
        const { baseUrl } = yield* Effect.provideContext(HostServer.serve(), context)
        yield* until(Effect.map(host.status, ({ nodes = [] }) => nodes[0]?.state === "ready"))
        // Adds a node that has stopped reporting.
        yield* Effect.provide(
          Effect.flatMap(PgClient.PgClient, (sql) =>
            sql`INSERT INTO txc_node (node, seen, engine, shards, awake, troubles, stages)
            VALUES ('10.0.0.7:1', now() - interval '1 minute', 1, 0, 3, ARRAY['It is slow'], '[]')`),
          layer
        )
        const { context: tabs, errors } = yield* browser
        const page = yield* see(() =>
          tabs.newPage()
        )
        yield* see(() => page.goto(`${baseUrl}/#token=${host.token}`))
        const row = (node: string) => page.getByRole("row").filter({ hasText: node })
        const cells = (node: string) => see(() => row(node).getByRole("cell").allTextContents())
        yield* see(() => row("10.0.0.7:1").waitFor())
        const [name, state, since, ...others] = yield* cells(`127.0.0.1:${nodePort}`)
        assert.deepStrictEqual([name, state, ...others], [
          `127.0.0.1:${nodePort}`,
          "ready",
          "60 of 60",
          "0",
          "",
          "Drain"
        ])
        assert.match(since ?? "", /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/u)
        const [, ...ofLost] = yield* cells("10.0.0.7:1")
        assert.deepStrictEqual(ofLost.toSpliced(1, 1), ["lost", "0 of 60", "3", "It is slow", "Drain"])

        yield* see(() => page.getByRole("button", { name: `Drain 127.0.0.1:${nodePort}` }).click())
        yield* see(() => page.getByRole("dialog").getByRole("button", { name: "Stop", exact: true }).click())
        yield* host.drained
        yield* see(() => row(`127.0.0.1:${nodePort}`).getByRole("cell", { name: "draining" }).waitFor())
        assert.deepStrictEqual(errors, [])
      })
  )
})

it.live("the host's page lists, creates and deletes venues, and opens each venue on a separate origin", ({ skip }) =>
  Effect.suspend(() => {
    if (executable === undefined) skip("no browser is installed")
    return Effect.gen(function*() {
      const host = yield* Host.Host
      const { baseUrl } = yield* HostServer.serve()
      const { context, errors } = yield* browser
      const page = yield* see(() => context.newPage())
      yield* see(() => page.goto(`${baseUrl}/`))
      yield* see(() => page.getByLabel("The host's control token").fill(host.token))
      yield* see(() => page.getByRole("button", { name: "Open", exact: true }).click())
      yield* see(() => page.getByText("0 of 10000 venues, 0 of 200 awake").waitFor())
      yield* see(() => page.getByLabel("Owner", { exact: true }).fill("me"))
      yield* see(() => page.getByRole("button", { name: "Create a venue" }).click())
      yield* see(() => page.getByRole("gridcell", { name: "me", exact: true }).waitFor())
      const [made] = yield* host.list("me")
      const id = made?.id ?? ""

      const [named] = yield* see(() =>
        Promise.all([
          context.waitForEvent("page"),
          page.getByRole("button", { name: `Open ${id}` }).click()
        ])
      )
      yield* see(() => named.locator("#link.live").waitFor())
      assert.strictEqual(new URL(named.url()).hostname, `${id}.localhost`)
      assert.isTrue(yield* see(() => named.evaluate(() => window.opener === null)))

      // A venue that is served under a path shares its origin with other venues, whose pages must not be able to read
      // the venue's token.
      const { controlToken, url } = yield* host.find(id)
      const under = yield* see(() => context.newPage())
      yield* see(() => under.goto(`${url}/#token=${controlToken}`))
      yield* see(() => under.locator("#link.live").waitFor())
      assert.strictEqual(under.url(), `${url}/`)
      const stored = yield* see(() =>
        under.evaluate(() =>
          JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])
        )
      )
      // The page stores only the user's choices.
      assert.match(stored, /,"",null\]$/u)
      assert.notInclude(stored, controlToken)

      // The page is live: it shows the changes that other programs make, and filters the list.
      const other = yield* host.make({ owner: "another" })
      yield* see(() => page.getByRole("gridcell", { name: "another", exact: true }).waitFor())
      yield* see(() => page.getByLabel("Filter by id or owner").fill("me"))
      yield* see(() => page.getByRole("grid", { name: "Venues: 1", exact: true }).waitFor())
      yield* host.end(other.id)

      yield* see(() => page.getByRole("button", { name: `End ${id}` }).click())
      yield* see(() => page.getByRole("dialog").getByRole("button", { name: "End", exact: true }).click())
      yield* see(() => page.getByText("0 of 10000 venues, 0 of 200 awake").waitFor())
      assert.deepStrictEqual(yield* host.list(), [])
      assert.deepStrictEqual(errors, [])
    }).pipe(Effect.scoped, Effect.provide(Host.layer()))
  }))
