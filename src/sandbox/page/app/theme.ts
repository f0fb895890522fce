/** The page's theme: light, dark, or the system's theme. */
import { effect, signal } from "@preact/signals"
import { kept } from "./kept.ts"

export type Choice = "system" | "light" | "dark"

const system = matchMedia("(prefers-color-scheme: dark)")

export const choice = kept<Choice>("theme", "system", "localStorage")

const isDark = signal(system.matches)

system.addEventListener("change", () => {
  isDark.value = system.matches
})

/** The current theme. */
export const theme = signal<"light" | "dark">("light")

effect(() => {
  const shown = choice.value === "system" ? isDark.value ? "dark" : "light" : choice.value
  document.documentElement.dataset.theme = shown
  theme.value = shown
})
