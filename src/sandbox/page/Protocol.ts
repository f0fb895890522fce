/**
 * The OpenAPI document of a venue's protocol, for tools. The document is public, and reveals nothing about the venue.
 */
import * as OpenApi from "../../OpenApi.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import { isReading, type Request, type Written } from "../gateway/Message.ts"

/**
 * The path of the OpenAPI document. The exchange's paths begin with `/api/`, and the control plane's paths begin with
 * `/control/`.
 */
export const path = "/openapi.json"

/** Each dialect's document, created on first use. */
const documents = new WeakMap<Dialect, Written>()

const write = (dialect: Dialect): Written => {
  const written: Written = {
    _tag: "Answer",
    status: 200,
    headers: { "content-type": "application/json" },
    body: OpenApi.text(dialect)
  }
  documents.set(dialect, written)
  return written
}

/** The response that contains the document, or `undefined` if the request is for something else. */
export const answer = (request: Request, dialect: Dialect): Written | undefined =>
  request.path === path && isReading(request) ? documents.get(dialect) ?? write(dialect) : undefined
