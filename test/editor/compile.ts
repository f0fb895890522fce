/** Compiles examples in one run of the compiler. A language server would check the whole project once per example. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { root } from "./Package.ts"

/** A compile error. Lines are counted from one. */
export interface Mistake {
  readonly file: string
  readonly line: number
  readonly message: string
}

const folder = `${root}.vitest/examples`

const config = (files: ReadonlyArray<string>) => ({
  extends: "../../tsconfig.json",
  // An example may define a value only to show it. The declarations of packages are checked with the project.
  compilerOptions: { noUnusedLocals: false, skipLibCheck: true },
  files,
  include: ["../../src/**/*.d.ts"],
  exclude: []
})

/** Compiles these files, given as texts keyed by file names, with the project's compiler and settings. */
export const compile = (texts: ReadonlyMap<string, string>): Effect.Effect<ReadonlyArray<Mistake>> =>
  Effect.callback((resume) => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const [file, text] of texts) writeFileSync(`${folder}/${file}`, text)
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(config([...texts.keys()])))
    const child = spawn(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "--pretty", "false", "-p", "."], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"]
    })
    let said = ""
    child.stdout.on("data", (chunk) => said += chunk)
    child.stderr.on("data", (chunk) => said += chunk)
    child.on("close", (status) => {
      const mistakes = [...said.matchAll(/^(?<file>[^(\n]+)\((?<line>\d+),\d+\): (?<message>.*)$/gmu)].map((
        { groups }
      ) => ({
        file: groups?.["file"] ?? "",
        line: Number(groups?.["line"]),
        message: groups?.["message"] ?? ""
      }))
      resume(
        status === 0 || mistakes.length > 0 ? Effect.succeed(mistakes) : Effect.die(new Error(`tsc failed: ${said}`))
      )
    })
  })
