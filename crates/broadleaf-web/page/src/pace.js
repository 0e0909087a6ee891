// When the next step of a world is due.
//
// A screen may refresh at any rate; a world plays at most 60 updates a second.

const UPDATES_A_MS = 60 / 1000;
/** Parts of an update that may be missing: refreshes at 60 Hz are not exactly 1/60 s apart. */
const EARLY = 0.1;

export class Pace {
  constructor() {
    this.due = 0;
    this.before = undefined;
  }

  /** Begins anew: the next refresh is due to play. */
  clear() {
    this.due = 1;
    this.before = undefined;
  }

  /**
   * The steps of the source to play in the refresh at this time, in milliseconds. A speed above 1
   * joins several steps into one update; below 1, updates are fewer.
   */
  steps(now, speed) {
    const elapsed = this.before === undefined ? 0 : now - this.before;
    this.before = now;
    // A slow screen plays one update a refresh: what it misses is not made up for.
    this.due = Math.min(this.due + elapsed * UPDATES_A_MS * Math.min(speed, 1), 2);
    if (this.due < 1 - EARLY) return 0;
    this.due -= 1;
    return Math.max(speed, 1);
  }
}
