import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isLong } from "../support/long.ts"
import { compile } from "./compile.ts"
import { type Hover, LanguageServer } from "./LanguageServer.ts"
import * as Package from "./Package.ts"
import { surface, type Thing } from "./surface.ts"

/** A user's program. The tests read the editor's hovers for `orders` and for the names after it. */
const program = `import { type Errors, Exchange, StopLimitOrders, SubAccounts } from "effect-txc"
import * as Effect from "effect/Effect"

export const place = (request: StopLimitOrders.Request) =>
  Effect.gen(function*() {
    const orders = yield* StopLimitOrders.StopLimitOrders
    const result = orders.create({ ...request, amount: request.amount })
    const order = yield* result
    return [order.activationPrice, order.clientOrderIdEcho]
  }).pipe(
    Effect.tapError((failure) => Effect.logError(failure.outcome)),
    Effect.catchTags({
      ValidationFailed: (refusal) => Effect.logError(refusal.fields, refusal.status),
      RateLimited: (limited) => Effect.logError(limited.retryAfter, limited.isRetryable),
      OutcomeUnknown: (unknown) => Effect.logError(unknown.clientOrderId, unknown.sentAt)
    })
  )

export const list = Effect.gen(function*() {
  const accounts = yield* SubAccounts.SubAccounts
  const { records } = yield* accounts.page({ limit: undefined as never })
  return [accounts.stream(), records[0]?.alias]
})

export const layers = [Exchange.layer, Exchange.layerConfig, StopLimitOrders.StopLimitOrders.layer]

export type Failure = StopLimitOrders.Failure | Errors.CallError
`

/** Extracts the documentation from a hover, without JSDoc tags. */
const prose = (hover: Hover | undefined): string => hover?.prose.split(/^\*@/mu)[0]?.trim() ?? ""

/** Finds the position of the last word in a fragment of the program. */
const pointAt = (piece: string) => {
  const start = program.indexOf(piece)
  assert.isAtLeast(start, 0, piece)
  const before = program.slice(0, start + (/\w+$/u.exec(piece)?.index ?? 0)).split("\n")
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
}

const path = `${Package.root}test/editor/program.ts`

/** Reads the editor's hover for the last word in a fragment of the program. */
const hoverAt = Effect.fnUntraced(function*(piece: string) {
  const server = yield* LanguageServer
  server.open(path, program)
  return yield* server.hover(path, pointAt(piece))
})

/** Formats findings as lines, grouped by file. */
const byFile = (
  findings: ReadonlyArray<{ readonly file: string; readonly line: number; readonly text: string }>
): string =>
  [...Map.groupBy(findings, ({ file }) => file)]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([file, found]) =>
      [
        `${file}: ${found.length}`,
        ...found.toSorted((one, other) => one.line - other.line).map(({ line, text }) => `  ${file}:${line} ${text}`)
      ].join("\n")
    ).join("\n\n")

const loaded = Package.load()

const { files, things } = surface(loaded)

/** Adds to each of these names the hover that the editor shows for it. */
const hovers = Effect.fnUntraced(function*(things: ReadonlyArray<Thing>) {
  const server = yield* LanguageServer
  for (const { path, text } of files) server.open(path, text)
  return yield* Effect.forEach(
    things,
    (thing) => Effect.map(server.hover(thing.path, thing.position), (hover) => ({ ...thing, hover })),
    { concurrency: 64 }
  )
})

/**
 * Extracts the TypeScript from a hover. The namespace is removed from error types, because it depends on the file's
 * imports.
 */
const code = (hover: Hover | undefined): string =>
  hover?.code.replaceAll(/\b(?:E\d\.(?:Errors\.)?|Errors\.)/gu, "") ?? ""

layer(LanguageServer.layer)("The editor", (it) => {
  // Only CI runs these tests, because they check every file.
  const itInFull = isLong ? it.effect : () => undefined

  itInFull("the editor shows a doc for everything that a user can reach", () =>
    Effect.gen(function*() {
      const names = new Set(things.map(({ name }) => name))
      const known = [
        "Exchange.layer",
        "StopLimitOrders.Terms.activationPrice",
        "StopLimitOrders.StopLimitOrders.create",
        "StopLimitOrders.StopLimitOrders.layer",
        "Errors.RateLimited.retryAfter",
        "Errors.ValidationFailed.fields",
        "NonceRedis.layerIncreasing",
        "Control.Control.openOrders",
        "check",
        "conformance"
      ]
      assert.deepStrictEqual(known.filter((name) => !names.has(name)), [])
      // TypeScript 7 does not show the docs of any mapped type, such as the promise client's services. TypeScript 5 does.
      // A declaration can be reached in several ways, but is reported only once.
      const silent = new Map(
        (yield* hovers(things.filter(({ isShownByTypeScript }) => !isShownByTypeScript))).filter(({ hover }) =>
          prose(hover) === ""
        ).map(({ file, isDocumented, line, name }) => [
          `${file}:${line} ${name.split(".").at(-1)}`,
          { file, line, text: isDocumented ? `${name}: the doc is lost in a mapped type (Omit, say)` : name }
        ])
      )
      assert.strictEqual(
        silent.size,
        0,
        `${silent.size} names show no documentation in an editor.\n\n${byFile([...silent.values()])}\n`
      )
    }))

  it.effect("the editor shows a declaration's doc wherever the declaration is used", () =>
    Effect.gen(function*() {
      const used = [
        "request, amount",
        "request.amount",
        "orders.create",
        "order.activationPrice",
        "order.clientOrderIdEcho",
        "failure.outcome",
        "refusal.fields",
        "refusal.status",
        "limited.retryAfter",
        "limited.isRetryable",
        "unknown.clientOrderId",
        "unknown.sentAt",
        "accounts.page",
        "{ limit",
        "accounts.stream",
        "{ records",
        "?.alias",
        "Exchange.layer",
        "Exchange.layerConfig",
        "StopLimitOrders.StopLimitOrders.layer",
        "Errors.CallError"
      ]
      const hovers = yield* Effect.forEach(used, (piece) => Effect.map(hoverAt(piece), prose))
      assert.deepStrictEqual(used.filter((_, index) => hovers[index] === ""), [])
    }))

  const fields = ["activationPrice", "amount", "bboRole", "clientOrderId", "market", "price", "side", "stp"]
    .map((field) => `"${field}"`).join(" | ")
  const failures = [
    "AcceptedUnreadable",
    "ExchangeUnreachable",
    "NonceRejected",
    "NotAuthorized",
    "OutcomeUnknown",
    "RateLimited",
    `RequestRejected<${fields}>`,
    `ValidationFailed<${fields}>`
  ].join(" | ")

  it.effect("the editor lists the errors with which a call can fail", () =>
    Effect.gen(function*() {
      const pieces = ["StopLimitOrders.Failure", "const result", "orders.create", "(failure", "(refusal"]
      const shown = yield* Effect.forEach(pieces, (piece) => Effect.map(hoverAt(piece), code))
      // The order's type may have any name, but must not be shown expanded.
      assert.deepStrictEqual(shown.map((code) => code.replace(/Created<[\w.]+>/u, "Created<Order>")), [
        `type Failure = ${failures}`,
        `const result: Effect.Effect<Created<Order>, ${failures}, never>`,
        "(property) create: (request: StopLimitOrders.Request) => "
        + "Effect.Effect<Created<Order>, StopLimitOrders.Failure>",
        `(parameter) failure: ${failures}`,
        `(parameter) refusal: ValidationFailed<${fields}>`
      ])
    }))

  itInFull("the editor lists every call's errors", () =>
    Effect.gen(function*() {
      const shown = (yield* hovers(
        things.filter(({ file, name }) => file.startsWith("src/endpoints/") && name.endsWith(".Failure"))
      )).map(({ hover, name }) => ({ name, code: code(hover) }))
      assert.isAbove(shown.length, 30)
      // The errors' field names may be abbreviated, but each error must be shown by name.
      const spelled = /^type Failure = \w+(?:<[^<>]+>)?(?: \| \w+(?:<[^<>]+>)?)+$/u
      assert.deepStrictEqual(shown.filter(({ code }) => !spelled.test(code) || !code.includes("RateLimited")), [])
    }))

  itInFull(
    "every module's example compiles, and a compile error in an example is reported",
    () =>
      Effect.gen(function*() {
        const examples = Package.publicModules(loaded).map((module) => ({
          ...module,
          compiled: `${module.name}.ts`,
          example: Package.exampleOf(module.text)
        }))
        const wrong = "import { Exchange } from \"effect-txc\"\nexport const wrong: string = Exchange.layer\n"
        const errors = yield* compile(
          new Map([
            ["wrong.ts", wrong],
            ...examples.flatMap(({ compiled, example }) =>
              example === undefined ? [] : [[compiled, example.text] as const]
            )
          ])
        )
        assert.deepStrictEqual(errors.filter(({ file }) => file === "wrong.ts").map(({ line }) => line), [2])
        const mistakes = examples.flatMap(({ compiled, example, file, name }) => {
          const found = (line: number, text: string) => ({ file: file.slice(Package.root.length), line, text })
          if (example === undefined) return [found(1, `${name} has no @example with a ts block in its first comment`)]
          if (!/ from "effect-txc(?:\/\w+)*"$/mu.test(example.text))
            return [found(example.line, `the example of ${name} does not import the package by its name`)]
          return errors.filter((error) => error.file === compiled).map(({ line, message }) =>
            found(example.line + line - 1, `${name}: ${message}`)
          )
        })
        assert.strictEqual(
          mistakes.length,
          0,
          `${mistakes.length} examples are missing or do not compile.\n\n${byFile(mistakes)}\n`
        )
        // An error in any other file is not an example's mistake, but would hide one.
        const known = new Set(["wrong.ts", ...examples.map(({ compiled }) => compiled)])
        assert.deepStrictEqual(errors.filter(({ file }) => !known.has(file)), [])
      })
  )
})
