/** Starts a PostgreSQL server from Debian's package, in a temporary folder. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

const installed = "/usr/lib/postgresql"

/** The folder of PostgreSQL's programs; `undefined` if it is not installed. */
export const programs: string | undefined = existsSync(installed)
  ? readdirSync(installed).toSorted((one, other) => Number(other) - Number(one)).map((version) =>
    join(installed, version, "bin")
  ).find((folder) => existsSync(join(folder, "initdb")))
  : undefined

/** Returns the user that runs PostgreSQL, which refuses to run as root. */
const user = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(spawnSync("id", [flag, "postgres"]).stdout.toString())
  return { uid: idOf("-u"), gid: idOf("-g") }
}

/** Finds a TCP port on which nothing listens. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Waits until a process's output contains this text. */
export const said = (child: ChildProcess, words: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const hear = (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes(words)) resolve(text)
    }
    child.stdout?.on("data", hear)
    child.stderr?.on("data", hear)
    child.once("exit", (code) => reject(new Error(`${child.spawnfile} ended with ${code}: ${text}`)))
  })

/** Queries a database; returns the rows, with fields separated by bars. */
export const query = (url: string, statement: string): ReadonlyArray<string> => {
  const asked = spawnSync(join(programs ?? "", "psql"), [url, "--no-psqlrc", "-At", "-c", statement])
  if (asked.status !== 0) throw new Error(asked.stderr.toString())
  return asked.stdout.toString().trim().split("\n")
}

/** Runs `work` with the URL and the process id of a new server. */
export const withPostgres = async <A>(work: (url: string, pid: number) => Promise<A>): Promise<A> => {
  const who = user()
  const folder = mkdtempSync(join(tmpdir(), "effect-txc-bench-"))
  if (who.uid !== undefined && who.gid !== undefined) chownSync(folder, who.uid, who.gid)
  const data = join(folder, "data")
  const made = ["--pgdata", data, "--username", "txc", "--auth", "trust", "--encoding", "UTF8"]
  spawnSync(join(programs ?? "", "initdb"), made, { cwd: folder, ...who })
  const port = await freePort()
  const server = spawn(
    join(programs ?? "", "postgres"),
    ["-D", data, "-p", `${port}`, "-h", "127.0.0.1", "-k", folder],
    {
      cwd: folder,
      ...who
    }
  )
  await said(server, "ready to accept connections")
  try {
    return await work(`postgres://txc@127.0.0.1:${port}/postgres`, server.pid ?? 0)
  } finally {
    server.kill("SIGQUIT")
    await once(server, "exit")
    rmSync(folder, { recursive: true, force: true })
  }
}
