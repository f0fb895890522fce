/** Forms that many flags have, and the flags that several commands share. */
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"

/** A flag that may be left out. */
export const optional = <A>(flag: Flag.Flag<A>, description: string): Flag.Flag<Option.Option<A>> =>
  flag.pipe(Flag.withDescription(description), Flag.optional)

/** A flag without a value, off by default. */
export const toggle = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export const json = toggle(
  "json",
  "Behave on a terminal as for a program: print JSON on the first line, and use any free port"
)

export const untilStdinEnds = toggle(
  "until-stdin-ends",
  "Stop when standard input closes, for example because the parent process ended"
)
