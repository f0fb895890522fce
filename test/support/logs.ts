import * as Logger from "effect/Logger"

/** A layer that replaces all loggers and records every line. */
export const logsInto = (lines: Array<string>) =>
  Logger.layer([Logger.map(Logger.formatLogFmt, (line) => {
    lines.push(line)
  })])
