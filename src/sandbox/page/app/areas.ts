/** The page's areas, and the navigation between them. */
import { signal } from "@preact/signals"
import type { RequestRecord } from "../../gateway/RequestRecord.ts"
import { kept } from "./kept.ts"
import { focus } from "./Keys.tsx"
import { lookAt, requests } from "./store.ts"

export const areas = {
  orders: "Orders",
  requests: "Requests",
  streams: "Streams",
  time: "Time",
  faults: "Faults"
} as const

export type Area = keyof typeof areas

export const names = Object.keys(areas) as ReadonlyArray<Area>

/** The area that is shown. */
export const area = kept<Area>("area", "orders")

/** Goes to an area, and focuses its tab. */
export const goTo = (name: Area): void => {
  area.value = name
  focus(`#tab-${name}`)
}

/** The call whose details are shown. */
export const openedRequest = signal<RequestRecord | undefined>(undefined)

/** The order whose history is shown. */
export const openedOrder = signal<{ readonly account: string; readonly id: string } | undefined>(undefined)

/** The call that produced a command, if the page still has the call. */
export const requestOf = (command: number): RequestRecord | undefined =>
  requests.value.find((request) => request.command === command)

/** Shows the details of a call. */
export const showRequest = (request: RequestRecord): void => {
  openedOrder.value = undefined
  area.value = "requests"
  openedRequest.value = request
}

/** Shows the exchange as it was after a command. */
export const showCommand = (sequence: number): void => {
  openedOrder.value = undefined
  openedRequest.value = undefined
  area.value = "time"
  lookAt(sequence)
}
