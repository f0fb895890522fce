/** Common kinds of flags, and the flags that several commands share. */
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"

/** Makes a flag optional, and gives it this description. */
export const optional = <A>(flag: Flag.Flag<A>, description: string): Flag.Flag<Option.Option<A>> =>
  flag.pipe(Flag.withDescription(description), Flag.optional)

/** Creates a boolean flag that is off by default. */
export const toggle = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** Creates a flag that takes a number above zero. */
export const count = (name: string): Flag.Flag<number> =>
  Flag.Int(name).pipe(Flag.filter((value) => value > 0, () => "a whole number above zero"))

/** Creates a flag that takes a TCP port; 0 stands for any free port. */
export const port = (name: string): Flag.Flag<number> =>
  Flag.Int(name).pipe(Flag.filter((value) => value >= 0 && value <= 65_535, () => "a port from 0 to 65535"))

/** Creates a flag that takes a base URL with http or https. */
export const url = (name: string): Flag.Flag<string> =>
  Flag.String(name).pipe(
    Flag.filter(
      (text) => /^https?:\/\//iu.test(text) && URL.canParse(text),
      () => "a URL such as http://127.0.0.1:8080"
    )
  )

/** Creates a flag that takes a non-empty string. `what` describes the string. */
export const text = (name: string, what: string): Flag.Flag<string> =>
  Flag.String(name).pipe(Flag.filter((text) => text !== "", () => what))

export const json = toggle(
  "json",
  "Even on a terminal, print JSON on the first line and listen on any free port"
)

export const open = toggle(
  "open",
  "Open the page in the browser. Its address contains the control token, which other users of this machine can see while the " +
    "browser starts"
)

export const untilStdinEnds = toggle(
  "until-stdin-ends",
  "Stop when standard input closes, for example because the parent process ended"
)
