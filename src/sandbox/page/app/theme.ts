/** The theme of the page: light, dark, or the system's. The choice is lost when the page closes. */
import { effect, signal } from "@preact/signals"

export type Choice = "system" | "light" | "dark"

const system = matchMedia("(prefers-color-scheme: dark)")

export const choice = signal<Choice>("system")

const isDark = signal(system.matches)

system.addEventListener("change", () => {
  isDark.value = system.matches
})

/** The theme that is shown. */
export const theme = signal<"light" | "dark">("light")

effect(() => {
  const shown = choice.value === "system" ? isDark.value ? "dark" : "light" : choice.value
  document.documentElement.dataset.theme = shown
  theme.value = shown
})
