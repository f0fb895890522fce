/**
 * A host's page, which lists, creates, copies and deletes venues, and opens their pages. It is built from the same
 * parts as a venue's page, so both look and work alike.
 *
 * A venue's page opens under the venue's own host name if the browser resolves it, so that the page has its own origin.
 * Otherwise the page shares the host's origin. A venue's token is stored only in the memory of its page, and no page
 * gets a reference to another page.
 */
import * as Dashboard from "../page/Dashboard.ts"

/** A host's page. */
export const page = Dashboard.pageOf("host")
