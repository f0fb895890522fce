import { describe } from "@effect/vitest"
import { mistakes, names } from "./gallery/mistakes.ts"

describe("the gallery of mistakes, exhibits 11 to 20", () => {
  mistakes(names.slice(10))
})
