// Pairs that begin and end, as lines that fade.
//
// At most three flashes a second are accepted (WCAG 2.2, 2.3.1). New lines are
// taken twice a second at most, and fade until the next ones; where the system
// asks for less motion there are none. What has changed and what a budget defers may be other
// lines in each frame, so these are taken twice a second at most, too.

const EVERY_MS = 500;

export class Flashes {
  constructor() {
    this.taken = -Infinity;
    this.slowTaken = -Infinity;
    this.areSlowOld = false;
    this.reduced = window.matchMedia('(prefers-reduced-motion: reduce)');
  }

  /** Whether the module shall hand over new ones now. */
  take(isShown, isMoving, now) {
    if (!isShown || this.reduced.matches || !isMoving || now - this.taken < EVERY_MS) return false;
    this.taken = now;
    return true;
  }

  /**
   * How lines that differ from frame to frame are taken over now: 'new', 'old' for those of
   * before, 'none' where the system asks for less motion and the world plays.
   */
  takeSlow(isPlaying, now) {
    if (isPlaying && this.reduced.matches) return 'none';
    this.areSlowOld = now - this.slowTaken < EVERY_MS;
    if (this.areSlowOld) return 'old';
    this.slowTaken = now;
    return 'new';
  }

  /** Whether lines that were left old can be taken now. */
  areSlowDue(now) {
    return this.areSlowOld && now - this.slowTaken >= EVERY_MS;
  }

  /** Fades the lines; whether they are still seen. */
  fade(lines, isShown, now) {
    const left = isShown && !this.reduced.matches ? Math.max(1 - (now - this.taken) / EVERY_MS, 0) : 0;
    for (const name of ['begun', 'ended']) lines[name].opacity = 0.9 * left;
    return left > 0;
  }
}
