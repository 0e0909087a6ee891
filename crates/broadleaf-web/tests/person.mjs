// What a person does with the page, in headless Chromium: opens it, picks, moves sliders; and the native run
// that the page is compared with. For browser.mjs, whose arguments these are.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// The packages are those of the page.
const require = createRequire(new URL('../page/package.json', import.meta.url));
const { chromium } = require('playwright-core');

export const [pageFile, native, program, screenshots] = process.argv.slice(2).map((path) => resolve(path));
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const WAIT = 120_000;
const FLAGS = [
  '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

mkdirSync(screenshots, { recursive: true });
export const profile = mkdtempSync(join(tmpdir(), 'broadleaf-viewer-'));
export const faults = [];

export async function open(options, file = pageFile) {
  const context = await chromium.launchPersistentContext(mkdtempSync(join(profile, 'user-')), {
    executablePath: CHROMIUM, headless: true, args: FLAGS, viewport: { width: 1280, height: 800 }, ...options,
  });
  const page = context.pages()[0] ?? await context.newPage();
  page.setDefaultTimeout(WAIT);
  page.on('pageerror', (error) => faults.push(`error in the page: ${error.message}`));
  page.on('console', (message) => {
    // Chromium tells of its own slow path of software drawing.
    if (['error', 'warning'].includes(message.type()) && !/GL Driver Message|GPU stall/.test(message.text())) faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) faults.push(`the page asks for ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('body[data-ready]');
  return { context, page };
}

export const text = (page, id) => page.locator(`#${id}`).textContent();
export const count = async (page, id) => Number((await text(page, id)).replaceAll(',', ''));
export const shot = (page, name) => page.screenshot({ path: join(screenshots, `${name}.png`) });
export const step = (name) => console.log(`- ${name}`);

/** Waits until the texts of a frame that rests are shown. */
export async function atRest(page, frame) {
  await page.waitForFunction((frame) => {
    const shown = (id) => document.getElementById(id);
    return shown('state-hash').textContent !== '–' && (frame === undefined || Number(shown('frame').value) === frame);
  }, frame);
  await page.waitForTimeout(700);
}

/** Moves a slider by keys; one of many places is dragged. */
export async function setSlider(page, id, value) {
  const slider = page.locator(`#${id}`);
  const { at, by } = await slider.evaluate((input) => ({ at: Number(input.value), by: Number(input.step) || 1 }));
  const presses = Math.round((value - at) / by);
  if (Math.abs(presses) > 20) {
    await slider.fill(String(value));
  } else {
    for (let press = 0; press < Math.abs(presses); press += 1) await slider.press(presses > 0 ? 'ArrowRight' : 'ArrowLeft');
  }
  assert.ok(Math.abs(Number(await slider.inputValue()) - value) < by / 2, `#${id} is at ${value}`);
}

export async function choose(page, title) {
  await page.locator('#source').selectOption({ label: title });
}

/** Places in the free part of the canvas, the middle first. */
export const PLACES = [[640, 380], [600, 400], [680, 420], [640, 450], [560, 360], [700, 340], [640, 300], [480, 300], [800, 450], [520, 480], [420, 260], [860, 360]];

/** Picks what is in the middle of the free part of the canvas, or near it. */
export async function pickSomething(page) {
  for (const [x, y] of PLACES) {
    await page.mouse.click(x, y);
    await page.waitForTimeout(400);
    if (await page.locator('#selection-fields').isVisible()) return;
  }
  assert.fail('nothing was picked');
}

function runNative(scene, objects, looseness, margin, frame, slot) {
  const output = execFileSync(native, [scene, objects, 1, looseness, margin, frame, slot].map(String));
  return JSON.parse(output.toString());
}

/** What the page says is what the library says natively after the same steps. */
export async function compare(page, scene, looseness, margin, frame) {
  await atRest(page, frame);
  const [objects, handle] = [await count(page, 'figure-objects'), await text(page, 'handle')];
  const expected = runNative(scene, objects, looseness, margin, frame, handle.split(':')[0]);
  assert.equal(handle, expected.handle, 'handle');
  assert.equal(await count(page, 'figure-pairs'), expected.pairs, 'pairs');
  assert.equal(await text(page, 'state-hash'), expected.hash, 'state hash');
  const neighbours = await text(page, 'neighbours');
  assert.equal(neighbours, expected.neighbours.length === 0 ? 'nothing' : expected.neighbours.join(' '), 'neighbours');
  step(`${scene}, ${objects} objects, looseness ${looseness}, frame ${frame}: ${expected.pairs} pairs, state ${expected.hash}, object ${handle} touches ${neighbours}: as natively`);
}
