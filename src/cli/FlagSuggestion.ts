/** Suggests a similar flag when a user types a flag that the command does not have. */
import type { FlagDoc } from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import * as Suggestion from "./Suggestion.ts"

/** For each flag, the names of similar flags in other tools. A flag is suggested only for commands that have it. */
export const synonyms: Readonly<Record<string, ReadonlyArray<string>>> = {
  "allow-host": ["allowed-host", "allowed-hosts", "hostname"],
  budget: ["duration", "max-time", "time-limit"],
  clock: ["date", "now", "start", "time"],
  counterparty: ["liquidity", "market-maker", "quotes"],
  data: ["d", "database", "db", "dir", "directory", "folder", "path", "storage"],
  empty: ["blank", "clean", "no-example"],
  host: ["address", "bind", "ip", "listen"],
  key: ["api-key", "k"],
  "known-failing": ["allow-failures", "baseline", "expected-failures", "xfail"],
  "max-rate": ["qps", "rate", "rate-limit", "rps"],
  memory: ["ephemeral", "in-memory", "no-data", "no-persist"],
  only: ["filter", "grep", "include", "match", "rules", "tests"],
  out: ["file", "o", "output", "output-file", "report-file"],
  port: ["p"],
  report: ["f", "format", "output-format", "reporter"],
  runs: ["iterations", "num-runs", "samples"],
  "secret-file": ["api-secret", "s", "secret"],
  skip: ["exclude", "ignore"],
  "streams-url": ["websocket", "websocket-url", "ws", "ws-url"],
  url: ["base-url", "endpoint", "server", "target", "u"],
  yes: ["confirm", "force", "y"]
}

/** Returns a flag's choices, if it has any. Effect's help appends them to the flag's description. */
const choicesOf = ({ description }: FlagDoc): ReadonlyArray<string> =>
  /\(choices: ([^)]+)\)$/u.exec(Option.getOrElse(description, () => ""))?.[1]?.split(", ") ?? []

/**
 * Returns a flag with its value if the user typed the value as a flag: `--report junit` for `--junit` or `--junit-xml`.
 */
const withValue = (name: string, flags: ReadonlyArray<FlagDoc>): string | undefined => {
  for (const flag of flags) {
    const value = choicesOf(flag).find((choice) => name === choice || name.replace(/-?xml$/u, "") === choice)
    if (value !== undefined) return `--${flag.name} ${value}`
  }
  return undefined
}

/** Returns `; did you mean --memory?` for a flag that does not exist, or an empty string if no flag is similar. */
export const question = (unknown: string, flags: ReadonlyArray<FlagDoc>, operand: string | undefined): string => {
  const name = unknown.replace(/^-+/u, "").toLowerCase()
  const known = flags.map((flag) => `--${flag.name}`)
  const valued = withValue(name, flags)
  // Some other tools select the report's format with a flag whose value is the report file: `--junit report.xml`.
  const file = valued?.startsWith("--report ") === true && operand !== undefined && known.includes("--out")
    ? ` --out ${operand}`
    : ""
  if (valued !== undefined) return `; did you mean ${valued}${file}?`
  const synonym = known.find((flag) => synonyms[flag.slice(2)]?.includes(name) === true)
  return synonym === undefined ? Suggestion.question(unknown, known) : `; did you mean ${synonym}?`
}
