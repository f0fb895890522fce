/**
 * The page of a host: lists the venues, creates, copies and ends them, and opens their pages. It is the page of a venue
 * with another content, so both look and work alike.
 *
 * A venue's page opens under the venue's own host name if the browser resolves it, so that it has its own origin;
 * otherwise it shares the origin of the host. The token of a venue is held in the memory of its page only, and no page
 * gets a reference to another.
 */
import * as Dashboard from "../page/Dashboard.ts"

/** The page of a host. */
export const page = Dashboard.pageOf("host")
