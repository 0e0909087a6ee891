// node tests/flashes.mjs: lines at pairs come at most three times in any second (WCAG 2.2, 2.3.1),
// and never where the system asks for less motion.

import assert from 'node:assert/strict';

const FRAMES_A_SECOND = 120;

/** The moments, in milliseconds, at which new lines come while a world plays for ten seconds. */
async function flashes(isReduced) {
  globalThis.window = { matchMedia: () => ({ matches: isReduced }) };
  const { Flashes } = await import('../page/src/flashes.js');
  const [flashes, lines, moments] = [new Flashes(), { begun: {}, ended: {} }, []];
  for (let frame = 0; frame < 10 * FRAMES_A_SECOND; frame += 1) {
    const now = (frame * 1000) / FRAMES_A_SECOND;
    const before = lines.begun.opacity ?? 0;
    if (flashes.take(true, true, now)) moments.push(now);
    flashes.fade(lines, true, now);
    assert.ok(lines.begun.opacity <= before || moments.at(-1) === now, 'lines only fade until new ones come');
    assert.ok(!isReduced || lines.begun.opacity === 0);
  }
  return moments;
}

const moments = await flashes(false);
const most = Math.max(...moments.map((start) => moments.filter((now) => now >= start && now <= start + 1000).length));
assert.ok(moments.length > 0 && most <= 3, `${most} flashes in a second`);
assert.deepEqual(await flashes(true), []);
console.log(`at most ${most} flashes in any second, none where less motion is asked for`);
