/** Common kinds of flags, and the flags that several commands share. */
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"

/** Makes a flag optional, with this description. */
export const optional = <A>(flag: Flag.Flag<A>, description: string): Flag.Flag<Option.Option<A>> =>
  flag.pipe(Flag.withDescription(description), Flag.optional)

/** A boolean flag, off by default. */
export const toggle = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export const json = toggle(
  "json",
  "Even on a terminal, print JSON on the first line and listen on any free port"
)

export const untilStdinEnds = toggle(
  "until-stdin-ends",
  "Stop when standard input closes, for example because the parent process ended"
)
