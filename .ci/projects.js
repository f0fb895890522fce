/**
 * Checks projects that have installed the packed package: `node .ci/projects.js TARBALL`, in an empty folder. They use
 * TypeScript 5.9 and 7, Node and bundler resolution, ESM and CommonJS. All declarations are checked, and the compiled
 * programs run.
 */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { promisify } from "node:util"

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8")
const { devDependencies } = JSON.parse(read("../package.json"))

const execute = promisify(execFile)
/** Runs a program. If it fails, prints its output and exits. */
const run = (program, ...args) =>
  execute(program, args).then(({ stdout }) => stdout, ({ stdout, stderr }) => {
    console.error([program, ...args].join(" "), stdout, stderr)
    process.exit(1)
  })

const peers = ["effect", "fast-check", "vitest", "@types/node"].map((name) => `${name}@${devDependencies[name]}`)
const compilers = { typescript: devDependencies.typescript, "typescript-5": "npm:typescript@~5.9.3" }

writeFileSync("package.json", `{ "private": true }`)
await run(
  "npm",
  ...["install", "--no-audit", "--no-fund", "--prefer-offline", process.argv[2], ...peers],
  ...Object.entries(compilers).map(([name, version]) => `${name}@${version}`)
)

for (const [folder, type] of [["esm", "module"], ["cjs", "commonjs"]]) {
  mkdirSync(folder)
  writeFileSync(`${folder}/package.json`, JSON.stringify({ type }))
  writeFileSync(`${folder}/program.ts`, read("../test/package/program.ts"))
}
writeFileSync("esm/inferred.ts", read("../test/package/inferred.ts"))
const resolutions = { nodenext: "NodeNext", bundler: "Preserve" }
for (const [moduleResolution, module] of Object.entries(resolutions)) {
  const options = { module, moduleResolution, target: "ES2022", types: ["node"], strict: true, skipLibCheck: false }
  writeFileSync(
    `${moduleResolution}.json`,
    JSON.stringify({ compilerOptions: options, files: ["esm/program.ts", "cjs/program.ts"] })
  )
}

/** Compiles one program of each kind of module, and runs both. */
const check = async (compiler, resolution) => {
  const out = `${compiler}-${resolution}`
  await run("node", `node_modules/${compiler}/bin/tsc`, "-p", `${resolution}.json`, "--rootDir", ".", "--outDir", out)
  for (const kind of ["esm", "cjs"]) {
    const program = `${out}/${kind}/program.js`
    if (resolution === "nodenext") cpSync(`${kind}/package.json`, `${out}/${kind}/package.json`)
    else await run(
        "node_modules/.bin/rolldown",
        program,
        "--file",
        program,
        "--format",
        kind,
        "--platform",
        "node",
        "--no-code-splitting"
      )
    const said = await run("node", program)
    if (said !== "1.5\n") throw new Error(`${program} wrote ${said}`)
    console.log(`${compiler}, ${resolution}, ${kind}: compiles and runs`)
  }
}

/** Generates the declarations of a project that exports inferred services and layers, and compiles them again. */
const checkDeclarations = async (compiler, resolution) => {
  const out = `${compiler}-${resolution}-declarations`
  const { compilerOptions } = JSON.parse(readFileSync(`${resolution}.json`, "utf8"))
  const compile = async (name, options, files) => {
    writeFileSync(`${out}-${name}.json`, JSON.stringify({ compilerOptions: { ...compilerOptions, ...options }, files }))
    await run("node", `node_modules/${compiler}/bin/tsc`, "-p", `${out}-${name}.json`)
  }
  const emitted = { declaration: true, emitDeclarationOnly: true, rootDir: ".", outDir: out }
  await compile("emit", emitted, ["esm/inferred.ts"])
  const text = readFileSync(`${out}/esm/inferred.d.ts`, "utf8")
  if (/\bany\b/u.test(text)) throw new Error(`a type was lost: ${text}`)
  cpSync("esm/package.json", `${out}/esm/package.json`)
  await compile("again", { noEmit: true }, [`${out}/esm/inferred.d.ts`])
  console.log(`${compiler}, ${resolution}: declarations compile again`)
}

// Two at a time, for two cores.
for (const resolution of Object.keys(resolutions)) {
  await Promise.all(Object.keys(compilers).map((compiler) => check(compiler, resolution)))
  await Promise.all(Object.keys(compilers).map((compiler) => checkDeclarations(compiler, resolution)))
}
