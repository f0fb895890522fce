/** The command as files that need no packages. What only a cluster needs is in a file of its own. */
import { fileURLToPath } from "node:url"
import * as undici from "undici"

const root = new URL("..", import.meta.url)

const names = Object.keys(undici).filter((name) => /^[A-Za-z]\w*$/u.test(name) && name !== "default")

/** `export * from` a package in CommonJS has no names in a file of its own, so they are written out. */
const namesOfUndici = {
  name: "names-of-undici",
  load: (id) =>
    /platform-node[\\/]dist[\\/]Undici\.js$/u.test(id)
      ? `import undici from "undici"\nexport default undici\nexport const { ${names.join(", ")} } = undici\n`
      : null
}

export default {
  input: fileURLToPath(new URL("src/cli/main.ts", root)),
  platform: "node",
  plugins: [namesOfUndici],
  output: {
    dir: fileURLToPath(new URL("dist/cli", root)),
    format: "esm",
    chunkFileNames: "chunks/[name].js"
  }
}
