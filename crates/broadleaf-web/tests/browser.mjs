// node tests/browser.mjs PAGE.html NATIVE PROGRAM SCREENSHOTS: uses the page as a person would, in headless Chromium.
//
// The world that the page shows is compared with a native run of the same steps, what it says of
// broken files with what the program says. No error may
// reach the console, and nothing may be asked of the network.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// The packages are those of the page.
const require = createRequire(new URL('../page/package.json', import.meta.url));
const { chromium } = require('playwright-core');

const [page_file, native, program, screenshots] = process.argv.slice(2).map((path) => resolve(path));
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const WAIT = 120_000;
const FLAGS = [
  '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

mkdirSync(screenshots, { recursive: true });
const profile = mkdtempSync(join(tmpdir(), 'broadleaf-viewer-'));
const faults = [];

async function open(options, file = page_file) {
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

const text = (page, id) => page.locator(`#${id}`).textContent();
const count = async (page, id) => Number((await text(page, id)).replaceAll(',', ''));
const shot = (page, name) => page.screenshot({ path: join(screenshots, `${name}.png`) });
const step = (name) => console.log(`- ${name}`);

/** Waits until the texts of a frame that rests are shown. */
async function atRest(page, frame) {
  await page.waitForFunction((frame) => {
    const shown = (id) => document.getElementById(id);
    return shown('state-hash').textContent !== '–' && (frame === undefined || Number(shown('frame').value) === frame);
  }, frame);
  await page.waitForTimeout(700);
}

async function setSlider(page, id, value) {
  await page.locator(`#${id}`).evaluate((input, value) => {
    input.value = value;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }, value);
}

async function choose(page, title) {
  await page.locator('#source').selectOption({ label: title });
}

/** Places in the free part of the canvas, the middle first. */
const PLACES = [[640, 380], [600, 400], [680, 420], [640, 450], [560, 360], [700, 340], [640, 300], [480, 300], [800, 450], [520, 480], [420, 260], [860, 360]];

/** Picks what is in the middle of the free part of the canvas, or near it. */
async function pickSomething(page) {
  for (const [x, y] of PLACES) {
    await page.mouse.click(x, y);
    await page.waitForTimeout(400);
    if (await page.locator('#selection-fields').isVisible()) return;
  }
  assert.fail('nothing was picked');
}

function runNative(scene, objects, looseness, margin, frame, handle) {
  const output = execFileSync(native, [scene, objects, 1, looseness, margin, frame, handle].map(String));
  return JSON.parse(output.toString());
}

/** What the page says is what the library says natively after the same steps. */
async function compare(page, scene, looseness, margin, frame) {
  await atRest(page, frame);
  const [objects, handle] = [await count(page, 'figure-objects'), await text(page, 'handle')];
  const expected = runNative(scene, objects, looseness, margin, frame, handle);
  assert.equal(await count(page, 'figure-pairs'), expected.pairs, 'pairs');
  assert.equal(await text(page, 'state-hash'), expected.hash, 'state hash');
  const neighbours = await text(page, 'neighbours');
  assert.equal(neighbours, expected.neighbours.length === 0 ? 'nothing' : expected.neighbours.join(' '), 'neighbours');
  step(`${scene}, ${objects} objects, looseness ${looseness}, frame ${frame}: ${expected.pairs} pairs, state ${expected.hash}, object ${handle} touches ${neighbours}: as natively`);
}

async function playsARecording(page) {
  await page.waitForFunction(() => Number(document.getElementById('frame').value) > 20);
  await shot(page, '1-first-screen');
  assert.equal(await count(page, 'figure-objects'), 3005);
  assert.ok(await count(page, 'figure-pairs') > 1000);
  await page.click('#play');
  await atRest(page);
  const stopped = await page.locator('#frame').inputValue();
  await page.waitForTimeout(600);
  assert.equal(await page.locator('#frame').inputValue(), stopped, 'paused');
  step(`opens with the pile, plays, and pauses at frame ${stopped}`);

  await setSlider(page, 'scrub', 140);
  await atRest(page, 140);
  const late = [await text(page, 'figure-pairs'), await text(page, 'state-hash')];
  await shot(page, '2-scrubbed');
  await setSlider(page, 'scrub', 10);
  await atRest(page, 10);
  await setSlider(page, 'scrub', 139);
  await atRest(page, 139);
  await page.click('#forward');
  await atRest(page, 140);
  assert.deepEqual([await text(page, 'figure-pairs'), await text(page, 'state-hash')], late, 'the same frame, the same state');
  step(`scrubs there and back: ${late.join(' pairs, state ')}`);
}

async function comparesWithNative(page) {
  await choose(page, 'scene: uniform');
  await setSlider(page, 'objects', 3.3);
  await page.fill('#frame', '12');
  await page.press('#frame', 'Enter');
  await page.locator('#view').focus();
  await atRest(page, 12);
  await pickSomething(page);
  await compare(page, 'uniform', 3, 0, 12);
  await shot(page, '3-picked');
  await setSlider(page, 'looseness', 1.5);
  await page.locator('#view').focus();
  await pickSomething(page);
  await compare(page, 'uniform', 1.5, 0, 12);
  await page.click('#forward');
  await page.click('#forward');
  await compare(page, 'uniform', 1.5, 0, 14);
  await choose(page, 'scene: churn');
  await setSlider(page, 'objects', 3.6);
  await setSlider(page, 'margin', 0.1);
  await setSlider(page, 'scrub', 45);
  await atRest(page, 45);
  await page.locator('#view').focus();
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  await compare(page, 'churn', 1.5, 0.1, 45);
  await setSlider(page, 'looseness', 3);
  await setSlider(page, 'margin', 0);
}

/** Moves the pointer until the question under it hits something; what the page says of it. */
async function pointAtSomething(page) {
  for (const [x, y] of PLACES) {
    await page.mouse.move(x, y);
    await page.waitForTimeout(700);
    const said = await text(page, 'probe-text');
    if (/[1-9][0-9,]* nodes visited, [1-9][0-9,]* objects tested, [1-9][0-9,]* hit/.test(said)) return said;
  }
  return assert.fail(`the pointer meets nothing: ${await text(page, 'probe-text')}`);
}

async function asksQuestions(page) {
  await choose(page, 'scene: mixed');
  await setSlider(page, 'objects', 3.7);
  await page.click('input[name="probe"][value="ray"]');
  step(`ray: ${await pointAtSomething(page)}`);
  await shot(page, '4-ray');
  await page.click('input[name="probe"][value="box"]');
  step(`box: ${await pointAtSomething(page)}`);
  await shot(page, '5-box');
  await page.click('input[name="probe"][value="none"]');
  await page.click('#culling');
  await page.waitForFunction(() => /seen/.test(document.getElementById('culling-text').textContent));
  await shot(page, '6-second-camera');
  step(`second camera: ${await text(page, 'culling-text')}`);
  await page.click('#culling');
}

async function switchesLayersAndBudget(page) {
  await choose(page, 'scene: pile');
  await setSlider(page, 'objects', 3.4);
  await setSlider(page, 'scrub', 5);
  await atRest(page, 5);
  const all = await count(page, 'figure-pairs');
  await page.click('[data-layer="1"]');
  await page.waitForFunction((all) => document.getElementById('figure-pairs').textContent !== all, all.toLocaleString('en'));
  const fewer = await count(page, 'figure-pairs');
  assert.ok(fewer > 0 && fewer < all, `${fewer} of ${all} pairs without a layer`);
  await setSlider(page, 'budget', 30);
  await page.click('#forward');
  await page.waitForFunction(() => /[1-9][0-9,]* deferred/.test(document.getElementById('budget-text').textContent));
  await shot(page, '7-layers-and-budget');
  step(`layer 1 off: ${fewer} of ${all} pairs; budget: ${await text(page, 'budget-text')}`);
  await setSlider(page, 'budget', 101);
  await page.click('[data-layer="1"]');
}

async function drop(page, name, contents) {
  const path = join(profile, name);
  writeFileSync(path, contents);
  await page.locator('#file').setInputFiles(path);
  await taken(page, name);
}

/** Waits until a file is open, or a message names it. */
async function taken(page, name) {
  await page.waitForFunction((name) => {
    const find = (id) => document.getElementById(id);
    const isRefused = !find('message').hidden && find('message-text').textContent.startsWith(name);
    return isRefused || find('source').selectedOptions[0]?.textContent === name;
  }, name);
  await page.waitForTimeout(700);
}

/** Waits until the page says so. */
const says = (page, id, value) => page.waitForFunction(([id, value]) => document.getElementById(id).textContent === value, [id, value]);

/** Drops a file as the mouse does. */
async function dropByMouse(page, name, contents) {
  const transfer = await page.evaluateHandle(([name, contents]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([contents], name));
    return transfer;
  }, [name, contents]);
  for (const type of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent('body', type, { dataTransfer: transfer });
  await taken(page, name);
}

async function takesFiles(page) {
  const rows = [];
  for (let frame = 0; frame < 30; frame += 1) {
    for (let id = 0; id < 40; id += 1) {
      const [x, z] = [(id % 8) * 1.1 - frame * 0.01 * id, Math.floor(id / 8) * 1.05];
      rows.push(`${frame},${id},${x},0,${z},${x + 1},1,${z + 1}`);
    }
  }
  await dropByMouse(page, 'mine.csv', rows.join('\n'));
  await says(page, 'figure-objects', '40');
  assert.equal(await text(page, 'frames'), '30');
  await shot(page, '8-dropped-csv');
  step('a CSV that was dropped plays');

  await drop(page, 'broken.csv', 'frame,id,min_x,min_y,min_z,max_x,max_y,max_z\n0,1,0,0,0,1,1,1\n0,2,0,zero,0,1,1,1\n');
  assert.equal(await text(page, 'message-text'), 'broken.csv is not a trace: line 3: min_y is not a number in range: "zero"');
  assert.equal(await count(page, 'figure-objects'), 40, 'what was open stays open');
  await shot(page, '9-broken-file');
  step(`a broken one: ${await text(page, 'message-text')}`);
  await page.click('#message-close');

  const tetrahedron = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n';
  await drop(page, 'tetrahedron.obj', tetrahedron);
  assert.equal(await text(page, 'description'), '4 triangles');
  await pickSomethingOfAModel(page);
  await shot(page, '10-model');
  step(`a model: ${await text(page, 'selection-text')}`);
}

/** A broken file of each format gets the message of the program. */
async function saysWhatTheProgramSays(page) {
  const broken = {
    'no-frames.csv': 'frame,id,min_x,min_y,min_z,max_x,max_y,max_z\n',
    'backwards.csv': 'frame,id,min_x,min_y,min_z,max_x,max_y,max_z\n1,1,0,0,0,1,1,1\n0,1,0,0,0,1,1,1\n',
    'other.bltrace': 'this is no trace',
    'corner.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n',
    'header.ply': 'ply\nformat ascii 1.0\nelement vertex many\nend_header\n',
    'short.stl': 'solid cube\nfacet normal 0 0 1\n',
    'text.gltf': '{"asset":',
    'begin.glb': 'glTF',
  };
  for (const [name, contents] of Object.entries(broken)) {
    await drop(page, name, contents);
    const said = await text(page, 'message-text');
    const { status, stderr } = spawnSync(program, ['view', name], { cwd: profile, encoding: 'utf8' });
    assert.notEqual(status, 0, name);
    assert.ok(said.startsWith(name) && stderr.includes(said), `${name}: the page says ${said}, the program ${stderr}`);
    step(`as the program: ${said}`);
    await page.click('#message-close');
  }
}

async function pickSomethingOfAModel(page) {
  for (const [x, y] of [[640, 400], [640, 450], [600, 430], [680, 470]]) {
    await page.mouse.click(x, y);
    await page.waitForTimeout(400);
    if (/^triangle \d/.test(await text(page, 'selection-text'))) return;
  }
  assert.fail('no triangle was picked');
}

async function worksByKeys(page) {
  await choose(page, 'scene: shapes');
  await page.locator('#view').focus();
  await page.keyboard.press('Home');
  await atRest(page, 0);
  await page.keyboard.press('.');
  await atRest(page, 1);
  await page.keyboard.press('n');
  assert.match(await text(page, 'selection-text'), /^slot 0, generation 1: moving (box|sphere)/);
  await page.keyboard.press('p');
  for (const key of ['ArrowLeft', 'ArrowUp', 'Shift+ArrowRight', '+', '-', 'g', 'w', 'g', '0', 'Enter']) await page.keyboard.press(key);
  await page.keyboard.press('?');
  assert.ok(await page.locator('#help').isVisible());
  await page.keyboard.press('Escape');
  await page.keyboard.press(' ');
  await page.waitForFunction(() => Number(document.getElementById('frame').value) > 3);
  await page.keyboard.press(' ');
  step('steps, picks, turns, flies and plays by keys');
}

async function fitsTheScreen(page) {
  await page.click('#theme');
  await page.click('#theme');
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'light');
  await page.waitForTimeout(500);
  await shot(page, '11-light');
  await page.setViewportSize({ width: 390, height: 800 });
  await page.waitForTimeout(900);
  await shot(page, '12-narrow');
  for (const id of ['play', 'panel-toggle', 'figure-pairs', 'selection-text']) {
    const box = await page.locator(`#${id}`).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 391, `#${id} lies on a narrow screen`);
  }
  await page.locator('#plots').scrollIntoViewIfNeeded();
  await shot(page, '12-narrow-plots');
  await page.click('#panel-toggle');
  await page.waitForTimeout(400);
  await shot(page, '13-narrow-closed');
  step('light, and on a narrow screen');
}

/** Where the system asks for less motion, nothing plays by itself, and nothing flashes. */
async function respectsReducedMotion() {
  const { context, page } = await open({ reducedMotion: 'reduce', colorScheme: 'light' });
  await atRest(page, 0);
  await page.waitForTimeout(800);
  assert.equal(await page.locator('#frame').inputValue(), '0');
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'light');
  await context.close();
  step('rests where the system asks for less motion');
}

/** The page that `broadleaf view` writes shows the file within it. */
async function showsWhatTheProgramSends() {
  const sent = join(profile, 'sent.html');
  execFileSync(program, ['view', 'tower', '--page', page_file, '--out', sent]);
  const { context, page } = await open({ colorScheme: 'dark' }, sent);
  await page.waitForFunction(() => Number(document.getElementById('frame').value) > 3);
  assert.equal(await page.locator('#source option:checked').textContent(), 'tower.bltrace');
  assert.ok(await count(page, 'figure-objects') > 0);
  await shot(page, '14-sent');
  await context.close();
  step('a page with a recording inside, by `broadleaf view`, plays it');
}

const { context, page } = await open({ colorScheme: 'dark' });
try {
  for (const part of [playsARecording, comparesWithNative, asksQuestions, switchesLayersAndBudget, takesFiles, saysWhatTheProgramSays, worksByKeys, fitsTheScreen]) {
    await part(page);
    assert.deepEqual(faults, []);
  }
  await context.close();
  await respectsReducedMotion();
  await showsWhatTheProgramSends();
  assert.deepEqual(faults, []);
  console.log('the page does what a person expects');
} catch (error) {
  await shot(page, 'failed').catch(() => {});
  console.error([...faults, error.stack].join('\n'));
  process.exitCode = 1;
} finally {
  await context.close().catch(() => {});
  rmSync(profile, { recursive: true, force: true });
}
