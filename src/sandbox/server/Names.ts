/**
 * The host names that a server accepts. A web page can point its own DNS name at this machine, and its requests then
 * carry that name. The server therefore accepts only names that belong to it: the names of the loopback interface, the
 * addresses that it listens on, and the names that its owner allows.
 */
import { isIP } from "node:net"
import { networkInterfaces } from "node:os"
import { type Head, header, type Written } from "../gateway/Message.ts"
import * as Refusal from "./Refusal.ts"

/** A server's accepted names. */
export interface Names {
  /**
   * The response to a request for a name that is not accepted, or from a page on another site; `undefined` if the
   * request is accepted.
   */
  readonly refusal: (head: Head) => Written | undefined
}

const authority = /^(\[[0-9a-f:.]+\]|[^\s:/?#@%[\]\\]+)(?::\d{0,5})?$/iu

/**
 * The host name of an authority such as `localhost:8080`: without its port, in lower case, and without a trailing dot;
 * `undefined` if the authority has no host name.
 */
export const nameOf = (text: string): string | undefined => {
  const [, name] = authority.exec(text) ?? []
  return name === undefined ? undefined : URL.parse(`http://${name}`)?.hostname.replace(/\.$/u, "")
}

/** An IP address in the form that URLs use. */
const written = (address: string): string | undefined => nameOf(isIP(address) === 6 ? `[${address}]` : address)

const loopback = /^(?:(?:.*\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u

const isEvery = (address: string): boolean => address === "0.0.0.0" || address === "::"

/** Whether an address, in the form that URLs use, belongs to this machine. */
const isOwn = (name: string): boolean =>
  Object.values(networkInterfaces()).flat().some((own) => own !== undefined && written(own.address) === name)

/**
 * Creates the names of a server that is configured to listen on `host`. `bound` returns the server's actual address
 * once it is listening.
 */
export const make = (host: string, bound: () => string | undefined, allowed: ReadonlyArray<string>): Names => {
  const known = new Set([written(host), ...allowed.map(nameOf)])
  const isKnown = (name: string): boolean => {
    if (loopback.test(name) || known.has(name)) return true
    const address = bound()
    return address !== undefined && (isEvery(address) ? isOwn(name) : written(address) === name)
  }
  /** The latest accepted `Host` header, cached because callers repeat it in every request. */
  let last: string | undefined
  const isHere = (text: string): boolean => {
    if (text === last) return true
    const name = nameOf(text)
    if (name === undefined || !isKnown(name)) return false
    last = text
    return true
  }
  return {
    refusal: (head) => {
      const asked = header(head, "host")
      // Browsers always send a host, so a request without one does not come from a web page.
      if (asked !== "" && !isHere(asked)) return misdirected(head.path, nameOf(asked))
      const { origin } = head.headers
      return origin === undefined || isHere(String(origin).replace(/^https?:\/\//u, ""))
        ? undefined
        : foreign(head.path)
    }
  }
}

const misdirected = (path: string, name = "an invalid name"): Written =>
  Refusal.make(
    path,
    421,
    "UnknownHost",
    `This server does not accept the name ${
      name.slice(0, 100)
    }. Call it by its address or as localhost, or allow the name ` +
      "where the server is started (--allow-host NAME)"
  )

const foreign = (path: string): Written =>
  Refusal.make(
    path,
    403,
    "ForeignOrigin",
    "This server refuses requests from pages on other sites. If it should accept requests from this page, allow the " +
      "page's host name where the server is started (--allow-host NAME)"
  )
