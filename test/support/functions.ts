/** Runs `make` in a runtime that does not allow functions to be created from strings. */
export const withoutFunctionsOfText = <A>(make: () => A): A => {
  const { Function } = globalThis
  globalThis.Function = function() {
    throw new EvalError("code generation from strings is disallowed")
  } as never
  try {
    return make()
  } finally {
    globalThis.Function = Function
  }
}
