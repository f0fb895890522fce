/** The schemas that the operations of the control plane share. */
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { JournalError } from "../store/Journal.ts"
import { ControlRefused } from "../venue/ControlRefused.ts"

/** The error type of operations that only read. */
export const Unavailable = JournalError.annotate({ httpApiStatus: 503 })

/** The error types of operations that can be refused. */
export const error = [ControlRefused, Unavailable] as const

/** An object without fields: the payload or response of an operation that has none. */
export const Nothing = Schema.Record(Schema.String, Schema.Never)

/** The query of an operation about one account. */
export const Account = Schema.Struct({ account: Schema.String })

/** Annotates an operation with its description for the OpenAPI document. */
export const described = (description: string) => OpenApi.annotations({ description })
