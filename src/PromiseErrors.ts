/**
 * Adapts errors to programs without Effect: an error points to the code that made the call, and a console prints it
 * like any other error.
 */
import * as Inspectable from "effect/Inspectable"

/** The place where a program called this package, as a stack trace. */
export interface CallSite {
  readonly stack?: string
}

/**
 * Records the stack trace of the code that called `callee`, a function of this package. In an engine without
 * `captureStackTrace`, nothing is recorded, and errors keep their own stack traces.
 */
export const callSite = (callee: object): CallSite => {
  const site: CallSite = {}
  Error.captureStackTrace?.(site, callee as () => unknown)
  return site
}

/** Replaces an error's stack trace, which shows only fibers, with the stack trace of the calling code. */
export const pointing = <E>(error: E, { stack }: CallSite): E => {
  if (error instanceof Error && stack !== undefined) {
    error.stack = `${error.name}: ${error.message}\n${stack.slice(stack.indexOf("\n") + 1)}`
  }
  return error
}

/**
 * Lets a console print an error like any other error: its message, its stack trace, and its fields. Without this, an
 * Effect error prints only its fields.
 */
export const printable = <E>(error: E): E => {
  if (error instanceof Error && Inspectable.NodeInspectSymbol in error) {
    Object.defineProperty(error, Inspectable.NodeInspectSymbol, { value: undefined })
  }
  return error
}
