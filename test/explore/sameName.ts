/** Two programs with the same name, which the command refuses. */
import { Explore } from "../../src/explore/index.ts"
import { careful, impatient } from "./programs.ts"

export const one = Explore.program({ ...careful, name: "a bot" })

export const other = Explore.program({ ...impatient, name: "a bot" })
