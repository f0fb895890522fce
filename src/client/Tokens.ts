/** A bucket of tokens: so many at once, and one more each time that an interval has passed. */

/** The tokens that are left. All are there at first. */
export class Tokens {
  private left: number
  /** Since when the next token has been coming, in Unix milliseconds; nothing comes to a full bucket. */
  private since = 0
  private readonly most: number
  private readonly interval: number

  /** At most so many tokens; one more comes after each interval, in milliseconds. */
  constructor(most: number, interval: number) {
    this.most = most
    this.interval = interval
    this.left = most
  }

  /** Takes a token and gives 0; when none is left, gives the milliseconds until the next one. */
  take(now: number): number {
    // A clock that was set back is not waited for.
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
