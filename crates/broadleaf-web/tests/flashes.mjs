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

/** How lines that differ in each frame are taken over while a world plays for ten seconds, and then rests. */
async function slowLines(isReduced) {
  globalThis.window = { matchMedia: () => ({ matches: isReduced }) };
  const { Flashes } = await import('../page/src/flashes.js');
  const [flashes, moments] = [new Flashes(), []];
  for (let frame = 0; frame < 10 * FRAMES_A_SECOND; frame += 1) {
    const now = (frame * 1000) / FRAMES_A_SECOND;
    const how = flashes.takeSlow(true, now);
    assert.ok(!isReduced || how === 'none');
    if (how === 'new') moments.push(now);
  }
  const [end, isOld] = [10_000, flashes.takeSlow(false, 10_000) === 'old'];
  assert.ok(!isOld || flashes.areSlowDue(end + 600), 'a world that rests shows its own lines');
  assert.equal(flashes.takeSlow(false, end + 600), 'new');
  return moments;
}

const mostOf = (moments) => Math.max(0, ...moments.map((start) => moments.filter((now) => now >= start && now <= start + 1000).length));
const moments = await flashes(false);
const most = mostOf(moments);
assert.ok(moments.length > 0 && most <= 3, `${most} flashes in a second`);
assert.deepEqual(await flashes(true), []);
const slow = await slowLines(false);
assert.ok(slow.length > 0 && mostOf(slow) <= 3, `${mostOf(slow)} times in a second other lines`);
assert.deepEqual(await slowLines(true), []);
console.log(`at most ${most} flashes in any second, none where less motion is asked for`);
