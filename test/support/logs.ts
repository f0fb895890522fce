import * as Logger from "effect/Logger"

/** A layer that notes every line logged, in place of every other logger. */
export const logsInto = (lines: Array<string>) =>
  Logger.layer([Logger.map(Logger.formatLogFmt, (line) => {
    lines.push(line)
  })])
