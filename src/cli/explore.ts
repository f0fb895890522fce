/** `effect-txc explore`: searches for histories that break the programs of a module, and replays counterexamples. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { Counterexample, Explore, Report } from "../explore/index.ts"
import * as Json from "../protocol/Json.ts"
import * as Flags from "./Flags.ts"
import * as Folder from "./Folder.ts"
import * as Progress from "./Progress.ts"
import { Refused } from "./Refused.ts"
import { version } from "./version.ts"
import * as Writable from "./Writable.ts"

/** An invariant was broken, or a required state was never reached. The report names the invariant or the state. */
class Broken extends Schema.TaggedError<Broken>()("Broken", { summary: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 1
  override get message(): string {
    return this.summary
  }
}

const flags = {
  module: Argument.File("module").pipe(
    Argument.withDescription("A module that exports programs made with Explore.program")
  ),
  only: Flag.String("only").pipe(
    Flag.withDescription("The name of a program to explore; repeatable; all by default"),
    Flag.atLeast(0)
  ),
  seed: Flag.Int("seed").pipe(Flag.withDescription("The seed of the scenarios; 0 by default"), Flag.withDefault(0)),
  runs: Flags.count("runs").pipe(
    Flag.withDescription("The number of histories per program; 1000 by default"),
    Flag.withDefault(1000)
  ),
  budget: Flags.optional(Flags.count("budget"), "The time limit per program, in seconds; none by default"),
  report: Flag.Literals("report", ["text", "json", "junit"]).pipe(
    Flag.withDescription("The format of the report; text by default"),
    Flag.withDefault("text")
  ),
  out: Flags.optional(Flags.text("out", "a file"), "The file for the report; standard output by default"),
  save: Flags.optional(Flags.text("save", "a folder"), "The folder for one file per counterexample; none by default"),
  replay: Flags.optional(Flag.File("replay"), "A counterexample to run again, instead of searching")
}

const repair = "Repair the program or its invariants"

type Given = Command.Command.Config.Infer<typeof flags>

/** The name of the file for a program's counterexample. */
const fileOf = (program: string): string => `${program}.json`.replace(/[^\p{L}\p{N}_.-]+/gu, "-")

/** Loads the programs of a module. */
const load = Effect.fnUntraced(function*(module: string, only: ReadonlyArray<string>) {
  const refuse = (wrong: string, remedy: string) => new Refused({ wrong, remedy })
  const { resolve, toFileUrl } = yield* Path.Path
  const url = yield* toFileUrl(resolve(module))
  const loaded = yield* Effect.tryPromise({
    try: (): Promise<Readonly<Record<string, unknown>>> => import(url.href),
    catch: (cause) => refuse(`${module} cannot be loaded: ${String(cause)}`, "Run it with node")
  })
  // A module may export the same program twice, for example also as its default.
  const all = [...new Set(Object.values(loaded).filter((value) => Explore.isProgram(value)))]
  if (all.length === 0) return yield* refuse(`${module} exports no program`, "Export the result of Explore.program")
  const names = all.map(({ name }) => name)
  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    return yield* refuse(
      `${module} exports no program with the name ${unknown}`,
      `Its programs are: ${names.toSorted().join(", ")}`
    )
  }
  const twice = names.find((name, index) => names.findIndex((other) => fileOf(other) === fileOf(name)) < index)
  if (twice !== undefined) {
    return yield* refuse(
      `${module} exports two programs whose reports and files could not be told apart: both are named ${twice}`,
      "Give each program another name"
    )
  }
  return only.length === 0 ? all : all.filter(({ name }) => only.includes(name))
})

const show = (progress: Progress.Progress, name: string, runs: number) => (at: Explore.Progress) =>
  at.phase === "shrinking" || at.runs % 16 === 0
    ? progress.show(
      at.phase === "searching"
        ? `${name}: history ${at.runs} of ${runs}, ${at.reached} different states reached`
        : `${name}: broken, making the counterexample smaller`
    )
    : Effect.void

const search = Effect.fnUntraced(function*({ budget, runs, seed }: Given, program: Explore.Program) {
  const progress = yield* Progress.current
  const told = show(progress, program.name, runs)
  return yield* Explore.explore(program, {
    runs,
    seed,
    ...Option.isSome(budget) ? { within: budget.value * 1000 } : {},
    onProgress: told
  }).pipe(Effect.ensuring(progress.clear))
})

/** Writes a counterexample to a file, and prints the commands that replay it. */
const save = Effect.fnUntraced(function*(folder: string, module: string, found: Counterexample.Counterexample) {
  const files = yield* FileSystem.FileSystem
  yield* Folder.make(folder)
  const file = `${folder}/${fileOf(found.program)}`
  yield* files.writeFileString(file, `${Json.stringify({ ...found, version })}\n`)
  yield* Console.error(`again:       effect-txc explore ${module} --replay ${file}`)
  yield* Console.error(`on the page: effect-txc sandbox --memory --dialect ${found.dialect} --replay ${file} --open`)
})

const write = Effect.fnUntraced(
  function*({ module, out, report, save: folder }: Given, results: ReadonlyArray<Explore.Result>) {
    const rendered = Report.render[report](results)
    if (Option.isSome(out)) yield* (yield* FileSystem.FileSystem).writeFileString(out.value, `${rendered}\n`)
    else yield* Console.log(rendered)
    if (Option.isNone(folder)) return
    for (const { counterexample } of results) {
      if (counterexample !== undefined) yield* save(folder.value, module, counterexample)
    }
  }
)

const readCounterexample = Effect.fnUntraced(function*(file: string) {
  const text = yield* (yield* FileSystem.FileSystem).readFileString(file)
  return yield* Schema.decodeEffect(Schema.fromJsonString(Counterexample.schema))(text).pipe(
    Effect.mapError(() =>
      new Refused({
        wrong: `${file} is not a counterexample of this version`,
        remedy: "Pass a file that --save has written, with this version of effect-txc"
      })
    )
  )
})

/** Runs the scenario of a counterexample again. */
const replay = Effect.fnUntraced(function*({ module }: Given, file: string) {
  const found = yield* readCounterexample(file)
  for (const program of yield* load(module, [found.program])) {
    const again = yield* Effect.catchTag(
      Explore.replay(program, found),
      "NotChecked",
      ({ message }) => Effect.fail(new Refused({ wrong: message, remedy: repair }))
    )
    if (again === undefined) {
      yield* Console.log(`${found.program}: the scenario no longer breaks anything`)
      if (found.version === version) return
      return yield* Console.error(
        `The file was saved by ${
          found.version === undefined ? "an older effect-txc" : `effect-txc ${found.version}`
        }, and this is ${version}, in which the scenario may mean something else`
      )
    }
    yield* Console.log(again.words.join("\n"))
    return yield* new Broken({ summary: `${again.program}: ${again.invariant} (${again.why})` })
  }
})

const run = Effect.fn(function*(given: Given) {
  if (Option.isSome(given.replay)) return yield* replay(given, given.replay.value)
  const programs = yield* load(given.module, given.only)
  yield* Writable.check({ file: ["--out", given.out], folder: ["--save", given.save] })
  const results = yield* Effect.forEach(programs, (program) => search(given, program))
  yield* write(given, results)
  const summary = results.filter(({ verdict }) => verdict !== "held").map(Report.summary).join("\n")
  switch (Report.exitCode(results)) {
    case 0:
      return
    case 1:
      return yield* new Broken({ summary })
    case 2:
      return yield* new Refused({ wrong: summary, remedy: repair })
  }
})

export const explore = Command.make("explore", flags, run).pipe(
  Command.withDescription(
    "Search for a history (market moves, faults and fiber orders) in which a program breaks an invariant"
  )
)
