// node tests/pace.mjs: a world plays 60 steps a second, whatever the screen's rate is.

import assert from 'node:assert/strict';
import { Pace } from '../page/src/pace.js';

/** Steps and updates of ten seconds at a screen's rate. */
function play(rate, speed) {
  const pace = new Pace();
  pace.clear();
  let [steps, updates] = [0, 0];
  for (let refresh = 0; refresh < 10 * rate; refresh += 1) {
    // Times of refreshes are rounded, as a browser rounds them.
    const now = pace.steps(Math.round((refresh * 10_000) / rate) / 10, speed);
    steps += now;
    updates += now > 0;
  }
  return { steps, updates };
}

const near = (value, expected, what) => assert.ok(Math.abs(value - expected) <= 0.01 * expected + 1, `${what}: ${value}, not ${expected}`);
for (const rate of [59.94, 60, 75, 120, 144, 240]) {
  near(play(rate, 1).steps, rate < 60 ? 10 * rate : 600, `${rate} Hz`);
  near(play(rate, 1 / 8).steps, 75, `${rate} Hz, speed 1/8`);
  const fast = play(rate, 4);
  near(fast.steps, 4 * fast.updates, `${rate} Hz, speed 4`);
  near(fast.updates, rate < 60 ? 10 * rate : 600, `${rate} Hz, speed 4`);
}
near(play(30, 1).steps, 300, '30 Hz');
console.log('60 updates a second on screens from 60 to 240 Hz, one a refresh on slower ones');
