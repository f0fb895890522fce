/** Runs the `effect-txc` command on a pseudo-terminal from Python, to test what a user sees. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn, spawnSync } from "node:child_process"
import { compiled, programOf } from "./files.ts"

/**
 * A Python program that waits for each trigger before it types the next string, and ends a command that takes too
 * long.
 */
const script = `
import fcntl, json, os, pty, select, struct, sys, termios, time
command, cwd, environment, columns, steps = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(cwd)
    os.environ.update(environment)
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
output, read, end = "", 0, time.time() + 50
while time.time() < end:
    if steps and steps[0][0] in output[read:]:
        read = len(output)
        os.write(terminal, steps.pop(0)[1].encode())
    if not select.select([terminal], [], [], 0.05)[0]:
        continue
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        chunk = b""
    if not chunk:
        break
    output += chunk.decode()
else:
    os.kill(pid, 9)
print(json.dumps([output, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])]))
`

const isThere = spawnSync("python3", ["--version"]).status === 0

/** Defines a test that needs a pseudo-terminal. Without python3, the test is reported as skipped. */
export const itOnTerminal = <E>(name: string, test: () => Effect.Effect<unknown, E, Scope.Scope>): void =>
  it.live.skipIf(!isThere)(isThere ? name : `${name} (there is no python3 on the PATH)`, test, 60_000)

/** A terminal's output, and the program's exit code. */
export interface Shown {
  readonly output: string
  readonly code: number
}

/**
 * Runs the command on a terminal until it exits. Each step waits for a string, and then types another string. `\u0003`
 * is Ctrl-C.
 */
export const onTerminal = (
  args: ReadonlyArray<string>,
  { columns = 100, environment = {}, folder, steps = [] }: {
    readonly folder: string
    readonly columns?: number
    readonly environment?: Readonly<Record<string, string>>
    readonly steps?: ReadonlyArray<readonly [until: string, typed: string]>
  }
) =>
  Effect.callback<Shown>((resume) => {
    const command = [process.execPath, programOf("main"), ...args]
    const given = JSON.stringify([
      command,
      folder,
      { TERM: "xterm", NO_COLOR: "", ...compiled, ...environment },
      columns,
      steps
    ])
    const child = spawn("python3", ["-c", script, given], { stdio: ["ignore", "pipe", "inherit"] })
    let printed = ""
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString()
    })
    child.on("close", () => {
      const [output, code] = JSON.parse(printed) as [string, number]
      resume(Effect.succeed({ output: output.replaceAll("\r\n", "\n"), code }))
    })
    return Effect.sync(() => child.kill())
  })
