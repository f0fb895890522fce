/** A token bucket: allows a burst of calls, then one call per interval. */

/** Counts the tokens for calls. The bucket starts full. */
export class TokenBucket {
  private left: number
  /** The start of the current interval, in Unix milliseconds. */
  private since = 0
  private readonly most: number
  private readonly interval: number

  /** Holds at most `most` tokens and gains one after each interval, in milliseconds. */
  constructor(most: number, interval: number) {
    this.most = most
    this.interval = interval
    this.left = most
  }

  /** Takes a token and returns 0; if none is left, returns the milliseconds until the next one. */
  take(now: number): number {
    // After the clock is set back, calls do not wait until it has caught up.
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
