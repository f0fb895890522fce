import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isLong } from "../support/long.ts"
import * as Project from "../support/project.ts"
import { closedPort, listens } from "../support/server.ts"

const page = Project.readSource("src/sandbox/docs/from-other-tools.md")

/** Returns the page's code blocks in one language. */
const fences = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gsu"))].map(([, code = ""]) => code)

/** The page's code blocks that are files, keyed by the name in their first line. */
const files = Object.fromEntries(
  ["ini", "python", "ts", "yaml"].flatMap(fences).flatMap((text) => {
    const [, name] = /^(?:#|\/\/) (\S+)\n/u.exec(text) ?? []
    return name === undefined ? [] : [[name.split("/").at(-1) ?? "", text]]
  })
)

/** Returns the scripts in a CI configuration, in order. */
const scriptsIn = (yaml = "") =>
  [...yaml.matchAll(/^( *)(?:- )?(?:run: |- )\|\n((?:\1 +.*\n)+)/gmu)].map(([, , script = ""]) =>
    script.replaceAll(new RegExp(`^${/^ */u.exec(script)?.[0]}`, "gmu"), "")
  )

/** Returns the variables that a CI configuration sets for all scripts. */
const variablesIn = (yaml = "") =>
  Object.fromEntries([...yaml.matchAll(/^ +(TXC_\w+): (.*)$/gmu)].map(([, name, value]) => [name, value]))

/**
 * Defines a test that needs programs installed on this machine. If a program is missing, the test is skipped with a
 * note.
 */
const itNeeds = <E>(
  programs: ReadonlyArray<string>,
  name: string,
  test: Effect.Effect<unknown, E, Scope.Scope>
): void =>
  it.live(name, ({ skip }) =>
    Effect.suspend(() => {
      const missing = Project.missing(programs)
      if (missing.length > 0) skip(`not installed: ${missing.join(", ")}`)
      return Effect.scoped(test)
    }))

/** Waits until no server listens at the URL. */
const closed = (url: string): Effect.Effect<void> =>
  Effect.flatMap(
    listens(url),
    (isOpen) => isOpen ? Effect.andThen(Effect.sleep("50 millis"), closed(url)) : Effect.void
  )

/** Defines a test like `itNeeds` that runs only in long test runs, because its programs start slowly. */
const itTakesTime: typeof itNeeds = isLong ? itNeeds : () => undefined

const pytest = (...args: ReadonlyArray<string>) => ["pytest-3", "-v", "-p", "no:cacheprovider", ...args]

describe("the page about other tools", () => {
  it("the page about other tools shows exactly the files that these tests check", () => {
    assert.deepStrictEqual(Object.keys(files), [
      "pytest.ini",
      "conftest.py",
      "test_bot.py",
      "without_pytest.py",
      "vitest.config.ts",
      "balance.test.ts",
      "setup.ts",
      "test.yml",
      ".gitlab-ci.yml"
    ])
    for (const [name, source] of [["balance.test.ts", "balance"], ["setup.ts", "setup"]] as const) {
      assert.strictEqual(files[name], `// ${name}\n${Project.readSource(`test/sandbox/tools/${source}.ts`)}`)
    }
    assert.strictEqual(fences("sh").length, 1)
  })

  itNeeds(
    ["pytest-3"],
    "every pytest test gets its own exchange, and no exchange remains when pytest is killed",
    Effect.gen(function*() {
      const folder = yield* Project.make({
        ...files,
        "test_killed.py": `
import os, signal

def test_killed(txc_sandbox):
    with open("url", "w") as file:
        file.write(txc_sandbox.url)
    os.kill(os.getpid(), signal.SIGKILL)
`
      })
      const { ended, output } = yield* Project.run(folder, pytest("test_bot.py", "test_killed.py"))
      assert.strictEqual(ended, "SIGKILL", output)
      assert.strictEqual(output.match(/^test_bot.*PASSED/gmu)?.length, 3, output)
      yield* closed(readFileSync(join(folder, "url"), "utf8"))
    })
  )

  itNeeds(
    ["dash", "curl"],
    "no sandbox remains when the shell fails or is killed",
    Effect.gen(function*() {
      const [script = ""] = fences("sh")
      const started = `set -eu\n${script.split("\n").slice(0, 2).join("\n")}\nsandbox_start`
      const folder = yield* Project.make({
        "failing.sh": `${started}\nprintf %s $sandbox_url > failing\nexit 3`,
        "killed.sh": `${started}\nprintf %s $sandbox_url > killed\nkill -9 $$`,
        "refused.sh": `${started} --dialect none || echo refused \${sandbox_pid-none}`
      })
      const [failing, killed, refused] = yield* Effect.forEach(
        ["failing", "killed", "refused"],
        (name) => Project.run(folder, ["dash", `${name}.sh`]),
        { concurrency: 3 }
      )
      assert.strictEqual(failing?.ended, 3, failing?.output)
      assert.isFalse(yield* listens(readFileSync(join(folder, "failing"), "utf8")))
      assert.strictEqual(killed?.ended, "SIGKILL", killed?.output)
      yield* closed(readFileSync(join(folder, "killed"), "utf8"))
      assert.match(refused?.output ?? "", /see the lines above\nrefused none$/mu)
    })
  )

  itTakesTime(
    ["pytest-3"],
    "pytest's settings apply, and a test leaves no state behind for the next one",
    Effect.gen(function*() {
      const folder = yield* Project.make({
        ...files,
        "pytest.ini": `${files["pytest.ini"]}
txc_dialect = live
txc_scope = session
txc_clock = 2026-01-01T00:00:00Z
`,
        "test_settings.py": `
import pytest

urls = set()

@pytest.mark.parametrize("test", [1, 2])
def test_settings(txc_sandbox, test):
    fee = "/api/v4/main-account/fee"
    urls.add(txc_sandbox.url)
    assert len(urls) == 1
    assert "carol" not in txc_sandbox.keys
    txc_sandbox.open_account("carol")
    assert txc_sandbox.dialect == "live"
    assert txc_sandbox.control("Clock") == {"at": 1767225600000000, "frozen": True, "skewMillis": 0}
    txc_sandbox.call(fee)
    # The time stands still: what was called before would count here.
    txc_sandbox.control("Limit", {"path": fee, "limit": {"calls": 2, "perSeconds": 1}})
    txc_sandbox.call(fee, account="alice")
    txc_sandbox.control("Faults", {"path": fee, "symptom": {"_tag": "Refuse", "kind": "rateLimited"}})
    assert txc_sandbox.environment("bob")["TXC_API_KEY"] == "bob-sandbox-key"
    assert txc_sandbox.get("/api/v4/public/ping") == ["pong"]
`
      })
      const [settings, alone] = yield* Effect.all([
        Project.run(folder, pytest("test_settings.py")),
        Project.run(folder, ["python3", "without_pytest.py"], {
          PYTHONPATH: "node_modules/effect-txc/src/sandbox/tools"
        })
      ], { concurrency: 2 })
      assert.strictEqual(settings.ended, 0, settings.output)
      assert.deepStrictEqual(alone, { output: "{'main_balance': '0.5'}\n", ended: 0 })
    })
  )

  for (const shell of ["dash", "bash"]) {
    itTakesTime(
      [shell, "curl"],
      `the page's shell examples run in ${shell}`,
      Effect.gen(function*() {
        const folder = yield* Project.make({ "whole.sh": `set -eu\n${fences("sh")[0]}` })
        const { ended, output } = yield* Project.run(folder, [shell, "whole.sh"])
        assert.strictEqual(ended, 0, output)
        assert.match(output, /^\["pong"\]\{\n {2}"BTC": "0.5"/u)
        assert.include(output, `{"wallet":"main","ticker":"BTC","free":"1.5"`)
      })
    )
  }

  itTakesTime(
    [],
    "Vitest tests get an exchange with the options in their setup file",
    Effect.gen(function*() {
      const folder = yield* Project.make({
        ...files,
        "vitest.own.ts": files["vitest.config.ts"]?.replace("effect-txc/sandbox/vitest", "./setup.ts") ?? "",
        "settings.test.ts": `
            import { expect, inject, test } from "vitest"
            test("a sandbox in the live dialect starts at the beginning of the year", async () => {
              const { controlToken, controlUrl, dialect } = inject("effect-txc/sandbox")
              const clock = await fetch(controlUrl + "Clock", { headers: { Authorization: "Bearer " + controlToken } })
              expect(dialect).toBe("live")
              expect(await clock.json()).toStrictEqual({ at: Date.UTC(2026, 0, 1) * 1000, frozen: true, skewMillis: 0 })
            })
          `
      })
      const [shared, own] = yield* Effect.all([
        Project.run(folder, ["node_modules/.bin/vitest", "run", "balance"]),
        Project.run(folder, ["node_modules/.bin/vitest", "run", "settings", "--config", "vitest.own.ts"])
      ], { concurrency: 2 })
      assert.match(shared.output, /Tests +2 passed/u, shared.output)
      assert.match(own.output, /Tests +1 passed/u, own.output)
      assert.deepStrictEqual([shared.ended, own.ended], [0, 0])
    })
  )

  for (const [file, expected] of [["test.yml", 4], [".gitlab-ci.yml", 3]] as const) {
    itTakesTime(
      ["bash", "curl"],
      `the scripts of ${file} run unchanged`,
      Effect.gen(function*() {
        const [install, ...scripts] = scriptsIn(files[file])
        // The project already has the packages that `npm ci` would install.
        assert.deepStrictEqual([install, scripts.length], ["npm ci\n", expected - 1])
        const port = yield* closedPort
        const folder = yield* Project.make({})
        const environment = {
          ...variablesIn(files[file]?.replace("8080", `${port}`)),
          GITHUB_ENV: join(folder, "variables")
        }
        // GitHub runs each script in a separate shell, and passes on the variables that scripts write to a file. GitLab
        // runs all scripts in one shell.
        const shells = file === "test.yml"
          ? scripts.map((script) => `set -a; [ ! -e $GITHUB_ENV ] || . $GITHUB_ENV; set +a\n${script}`)
          : [scripts.join("")]
        let said = ""
        for (const shell of shells) {
          const script = `${shell.replace("8080", `${port}`)}\necho "token $TXC_CONTROL_TOKEN"`
          const { ended, output } = yield* Project.run(folder, ["bash", "-eo", "pipefail", "-c", script], environment)
          assert.strictEqual(ended, 0, output)
          said += output
        }
        assert.match(said, /"BTC": "0.5"/u)
        assert.match(said, /^token \S{32}$/mu)
        yield* closed(environment["TXC_BASE_URL"] ?? "")
      })
    )
  }
})
