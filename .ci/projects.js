/**
 * Checks projects that have installed the packed package: `node .ci/projects.js TARBALL`, in an empty folder. They use
 * TypeScript 5.9 and 7, Node and bundler resolution, ESM and CommonJS. All declarations are checked, and the compiled
 * programs run. Projects that need another setting fail as the page about modules says, and its remedy mends them.
 */
import ts from "@tsd/typescript"
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

const programs = ["program", "promises"]

for (const [folder, type] of [["esm", "module"], ["cjs", "commonjs"]]) {
  mkdirSync(folder)
  writeFileSync(`${folder}/package.json`, JSON.stringify({ type }))
  for (const name of programs) writeFileSync(`${folder}/${name}.ts`, read(`../test/package/${name}.ts`))
}
writeFileSync("esm/inferred.ts", read("../test/package/inferred.ts"))
const kinds = ["esm", "cjs"]
const resolutions = { nodenext: "NodeNext", bundler: "Preserve" }
for (const [moduleResolution, module] of Object.entries(resolutions)) {
  const options = { module, moduleResolution, target: "ES2022", types: ["node"], strict: true, skipLibCheck: false }
  writeFileSync(
    `${moduleResolution}.json`,
    JSON.stringify({
      compilerOptions: options,
      files: kinds.flatMap((kind) => programs.map((name) => `${kind}/${name}.ts`))
    })
  )
}

/** Compiles one program of each kind of module, and runs both. */
const check = async (compiler, resolution) => {
  const out = `${compiler}-${resolution}`
  await run("node", `node_modules/${compiler}/bin/tsc`, "-p", `${resolution}.json`, "--rootDir", ".", "--outDir", out)
  for (const [kind, name] of kinds.flatMap((kind) => programs.map((name) => [kind, name]))) {
    const program = `${out}/${kind}/${name}.js`
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
    console.log(`${compiler}, ${resolution}, ${kind}, ${name}: compiles and runs`)
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

/** The codes of a compiler's errors in a project, without repetitions. */
const errorsIn = (compiler, folder) =>
  execute("node", [`node_modules/${compiler}/bin/tsc`, "-p", folder, "--noEmit"]).then(
    () => [],
    ({ stdout }) => [...new Set(stdout.match(/TS\d+/gu))]
  )

/** A project with this manifest and these settings. */
const project = (folder, manifest, compilerOptions) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/package.json`, JSON.stringify(manifest))
  writeFileSync(`${folder}/promises.ts`, read("../test/package/promises.ts"))
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, files: ["promises.ts"] }))
}

/** Checks that a project fails with these errors, and that its remedy mends it. */
const checkRemedy = async (compiler, name, found, broken, mended) => {
  for (const [state, [manifest, compilerOptions], expected] of [["broken", broken, found], ["mended", mended, []]]) {
    const folder = `${compiler}-${name}-${state}`
    project(folder, manifest, compilerOptions)
    const errors = await errorsIn(compiler, folder)
    if (errors.join() !== expected.join()) throw new Error(`${folder}: ${errors.join() || "no error"}`)
  }
  console.log(`${compiler}, ${name}: ${found.join(", ")}, and the remedy`)
}

/** What `tsc --init` of each compiler writes, in a default `npm init` project. */
const initial = async (compiler) => {
  mkdirSync(`${compiler}-init`)
  await execute("npm", ["init", "--yes"], { cwd: `${compiler}-init` })
  await execute("node", [`../node_modules/${compiler}/bin/tsc`, "--init"], { cwd: `${compiler}-init` })
  const { config } = ts.readConfigFile(`${compiler}-init/tsconfig.json`, (path) => readFileSync(path, "utf8"))
  return [JSON.parse(readFileSync(`${compiler}-init/package.json`, "utf8")), config.compilerOptions]
}

const types = ["node"]
await Promise.all(
  Object.keys(compilers).map(async (compiler) => {
    const cjs = { type: "commonjs" }
    const strict = { strict: true, target: "ES2022", types, skipLibCheck: true }
    await checkRemedy(compiler, "node16", ["TS1479"], [cjs, { ...strict, module: "Node16" }], [
      cjs,
      { ...strict, module: "NodeNext" }
    ])
    const [manifest, options] = await initial(compiler)
    await checkRemedy(compiler, "init", ["TS1295", "TS1287"], [manifest, options], [
      { ...manifest, type: "module" },
      options
    ])
  })
)

// Without TypeScript: a default project's `require`, and `import` of an ES module.
writeFileSync(
  "plain.cjs",
  `const { createClient } = require("effect-txc/promise")
createClient({ region: "eu" }).close().then(() => console.log(typeof require("effect-txc").Exchange.layer))`
)
writeFileSync(
  "plain.mjs",
  `import { createClient } from "effect-txc/promise"
await createClient({ region: "eu" }).close()
console.log("function")`
)
for (const file of ["plain.cjs", "plain.mjs"]) {
  const said = await run("node", file)
  if (said !== "function\n") throw new Error(`${file} wrote ${said}`)
  console.log(`${file}: runs`)
}
