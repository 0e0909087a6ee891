// node tests/browser.mjs PAGE.html NATIVE PROGRAM SCREENSHOTS: uses the page as a person would, in headless Chromium.
//
// The world that the page shows is compared with a native run of the same steps, what it says of broken
// files with what the program says. No error may reach the console, and nothing may be asked of the network.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  PLACES, atRest, choose, compare, count, faults, open, pageFile, pickSomething, profile, program, setSlider, shot, step, text,
} from './person.mjs';

async function playsARecording(page) {
  await page.waitForFunction(() => Number(document.getElementById('frame').value) > 20);
  await shot(page, '1-first-screen');
  assert.equal(await count(page, 'figure-objects'), 3005);
  assert.ok(await count(page, 'figure-pairs') > 1000);
  assert.equal(await page.locator('#selection-text').getAttribute('aria-live'), 'off');
  await page.click('#play');
  assert.equal(await page.locator('#selection-text').getAttribute('aria-live'), 'polite');
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
  const [legend, nodes] = [await page.locator('#plots > div:last-child .u-legend').textContent(), await text(page, 'figure-nodes')];
  const refits = Number(/refits:?\s*(\d+)/.exec(legend)[1]);
  assert.ok(refits < 10 * parseInt(nodes, 10), `the plot tells of one frame: ${refits} refits, ${nodes} nodes, blocks`);
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
  await picksTheMiddle(page);
  await beginsAnew(page);
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

/** In a world that rests, another place of the pointer has another answer. */
async function followsThePointer(page) {
  assert.equal(await text(page, 'play'), 'Play');
  const answers = new Set();
  for (const [x, y] of PLACES.slice(0, 4)) {
    await page.mouse.move(x, y);
    await page.waitForTimeout(700);
    answers.add(await text(page, 'probe-text'));
  }
  assert.ok(answers.size > 1, `one answer for four places: ${[...answers]}`);
  step(`${answers.size} answers for four places of the pointer in a world that rests`);
}

/** Enter picks what a click in the middle of the free part picks. */
async function picksTheMiddle(page) {
  const free = await page.evaluate(() => {
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    return { x: (box('#panel').right + box('#figures').left) / 2, y: (box('header').bottom + box('footer').top) / 2 };
  });
  await page.mouse.click(free.x, free.y);
  await page.waitForTimeout(500);
  const clicked = await text(page, 'selection-text');
  assert.match(clicked, /^slot /, 'the middle of the world');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(500);
  assert.equal(await text(page, 'selection-text'), clicked);
  step(`Enter picks what is in the middle: ${clicked}`);
}

/** A scene ends, and begins anew. */
async function beginsAnew(page) {
  await setSlider(page, 'scrub', 296);
  await atRest(page, 296);
  await page.click('#play');
  await page.waitForFunction(() => Number(document.getElementById('frame').value) < 200);
  await page.click('#play');
  step('after its last frame a scene begins anew');
}

async function asksQuestions(page) {
  await choose(page, 'scene: mixed');
  await setSlider(page, 'objects', 3.7);
  await page.click('input[name="probe"][value="ray"]');
  step(`ray: ${await pointAtSomething(page)}`);
  await shot(page, '4-ray');
  await followsThePointer(page);
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
  const [all, hash] = [await count(page, 'figure-pairs'), await text(page, 'state-hash')];
  await page.click('[data-layer="1"]');
  await page.waitForFunction((all) => document.getElementById('figure-pairs').textContent !== all, all.toLocaleString('en'));
  const fewer = await count(page, 'figure-pairs');
  assert.ok(fewer > 0 && fewer < all, `${fewer} of ${all} pairs without a layer`);
  await setSlider(page, 'budget', 30);
  await page.click('#forward');
  await page.waitForFunction(() => /[1-9][0-9,]* deferred/.test(document.getElementById('budget-text').textContent));
  await shot(page, '7-layers-and-budget');
  step(`layer 1 off: ${fewer} of ${all} pairs; budget: ${await text(page, 'budget-text')}`);
  const served = await text(page, 'budget-text');
  await page.locator('#view').focus();
  for (let press = 0; press < 5; press += 1) await page.keyboard.press('ArrowLeft');
  await page.waitForTimeout(700);
  assert.equal(await text(page, 'budget-text'), served, 'a redraw is no frame of the budget');
  await setSlider(page, 'budget', 101);
  await page.click('[data-layer="1"]');
  await page.click('#back');
  await atRest(page, 5);
  assert.equal(await text(page, 'state-hash'), hash, 'layers that are on again leave no trace');
  await page.click('[data-layer="2"]');
  await page.waitForFunction((hash) => document.getElementById('state-hash').textContent !== hash, hash);
  await page.click('[data-layer="2"]');
  await says(page, 'state-hash', hash);
  step(`layers off and on: state ${hash} as before`);
}

async function drop(page, name, contents, beside = {}) {
  const paths = Object.entries({ ...beside, [name]: contents }).map(([name, contents]) => {
    writeFileSync(join(profile, name), contents);
    return join(profile, name);
  });
  await page.locator('#file').setInputFiles(paths);
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

  await drop(page, 'mine.csv', 'frame,id\n0,0\n');
  await page.waitForSelector('#message:not([hidden])');
  await page.click('#message-close');
  await setSlider(page, 'looseness', 2);
  await page.waitForTimeout(700);
  assert.ok(await page.locator('#message').isHidden());
  assert.equal(await count(page, 'figure-objects'), 40, 'a broken file does not take the place of the open one');
  await setSlider(page, 'looseness', 3);
  await drop(page, 'pile.bltrace', readFileSync(new URL('../../workloads/recordings/tower.bltrace', import.meta.url)));
  const dropped = await count(page, 'figure-objects');
  await choose(page, 'recording: pile');
  await says(page, 'figure-objects', '3,005');
  assert.notEqual(dropped, 3005);
  step('files that are dropped replace neither the open one, if broken, nor those within the page');

  const tetrahedron = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n';
  await drop(page, 'tetrahedron.obj', tetrahedron);
  assert.equal(await text(page, 'description'), '4 triangles');
  await pickSomethingOfAModel(page);
  await shot(page, '10-model');
  step(`a model: ${await text(page, 'selection-text')}`);
  assert.ok(await page.locator('input[name="probe"][value="box"]').isDisabled());
  await page.click('input[name="probe"][value="ray"]');
  await page.mouse.move(645, 425);
  await page.waitForFunction(() => /triangles tested/.test(document.getElementById('probe-text').textContent));
  await page.click('input[name="probe"][value="none"]');

  const buffer = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
  const document = {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
    bufferViews: [{ buffer: 0, byteLength: 36 }], buffers: [{ byteLength: 36, uri: 'buffers/corners.bin' }],
  };
  await drop(page, 'triangle.gltf', JSON.stringify(document), { 'a-texture.png': 'none', 'corners.bin': buffer });
  await says(page, 'description', '1 triangle');
  step('a glTF document with its buffer and an image beside it');
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
  execFileSync(program, ['view', 'tower', '--page', pageFile, '--out', sent]);
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
