/**
 * The feed as server-sent events. A reader that starts at the oldest event can get tens of thousands of events.
 * For speed, entries are therefore written a page at a time, as plain JSON, without the schema. The text is the same as
 * with the schema.
 */
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Entry, FeedGone } from "../venue/Feed.ts"

const Failure = Schema.fromJsonString(Schema.toCodecJson(Schema.Cause(FeedGone, Schema.Defect())))

const encodeFailure = Schema.encodeEffect(Failure)

/** The name that `HttpApi` expects for the last event of a stream that fails. */
const failed = "effect/http-api/stream/failure"

const write = (id: string | undefined, event: string, data: string): string =>
  Sse.encoder.write({ _tag: "Event", id, event, data })

/** A feed entry as a server-sent event, identical to the encoding of `ControlApi.FeedEvent`. */
export const text = (entry: Entry): string => write(entry.id, entry.event._tag, JSON.stringify(entry))

/** Responds with a stream of feed entries as server-sent events. */
export const respond = (entries: Stream.Stream<Entry, FeedGone>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(
    entries.pipe(
      Stream.mapArray((page) => [page.map(text).join("")]),
      Stream.catchCause((cause) =>
        Stream.fromEffect(Effect.map(Effect.orDie(encodeFailure(cause)), (data) => write(undefined, failed, data)))
      ),
      Stream.encodeText
    ),
    { contentType: "text/event-stream" }
  )
