/** A token bucket: allows a burst of calls, then one call per interval. */

/** Counts the tokens for calls. The bucket starts full. */
export class TokenBucket {
  private left: number
  /** The start of the current interval, in Unix milliseconds. */
  private since = 0
  private readonly most: number
  private readonly interval: number

  /** Creates a bucket of at most `most` tokens that gains one token every `interval` milliseconds. */
  constructor(most: number, interval: number) {
    this.most = most
    this.interval = interval
    this.left = most
  }

  /** Takes a token and returns 0. If no token is left, returns the milliseconds until the next token. */
  take(now: number): number {
    // If the clock was set back, the interval restarts, so that calls do not wait until the clock has caught up.
    if (now < this.since) this.since = now
    const come = Math.floor((now - this.since) / this.interval)
    this.left = Math.min(this.most, this.left + come)
    this.since = this.left === this.most ? now : this.since + come * this.interval
    if (this.left > 0) {
      this.left--
      return 0
    }
    return Math.ceil(this.interval - (now - this.since))
  }
}
