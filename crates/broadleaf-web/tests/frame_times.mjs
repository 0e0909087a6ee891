// node tests/frame_times.mjs FILE.wasm: what a frame of 20,000 moving objects takes, one thread.
//
// Prints medians and checks counts; no time is asserted. Wall times rise where other programs
// run; the processor's time of this program, all of its threads, hardly does.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { ViewerModule } from '../page/src/module.js';

const OBJECTS = 20_000;
const WARM_UP = 50;
const FRAMES = 240;
const PHASES = ['motion', 'update', 'pairs', 'questions', 'buffers'];

/** A camera at the side of a cube that looks across it: view and projection, column by column. */
function cameraMatrix(edge) {
  const [near, far, slope] = [edge * 0.05, edge * 1.3, 1 / Math.tan(0.35)];
  const [a, b] = [(far + near) / (near - far), (2 * far * near) / (near - far)];
  const [x, y, z] = [edge / 2, edge / 2, edge];
  return [slope, 0, 0, 0, 0, slope, 0, 0, 0, 0, a, -1, -slope * x, -slope * y, -a * z + b, z];
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function measure(module, name, half) {
  const opened = module.send({ do: 'open', source: { kind: 'scene', name, objects: OBJECTS, seed: 1 }, settings: { looseness: 3, margin: 0 } });
  const edge = opened.focus[1][0];
  const times = Object.fromEntries([...PHASES, 'all'].map((phase) => [phase, []]));
  let [report, used] = [undefined, undefined];
  for (let frame = 0; frame < WARM_UP + FRAMES; frame += 1) {
    const ray = { origin: [-edge, edge * 0.4, edge * 0.3], direction: [1, 0.1, 0.2] };
    const command = {
      do: 'frame', steps: 1, probe: { ray, half, distance: edge }, culling: cameraMatrix(edge), budget: 5000,
      show: { cells: true, changed: true }, flashes: frame % 30 === 0,
    };
    if (frame === WARM_UP) used = process.cpuUsage();
    const start = performance.now();
    report = module.send(command);
    const all = performance.now() - start;
    if (frame < WARM_UP) continue;
    times.all.push(all);
    PHASES.forEach((phase) => times[phase].push(report.ms[phase]));
  }
  const { user, system } = process.cpuUsage(used);
  assert.equal(report.objects, OBJECTS);
  assert.ok(report.pairs > OBJECTS / 2 && report.begun > 0 && report.ended > 0);
  assert.ok(report.probe.all.visited > 1 && report.probe.all.hits > 0, 'the ray or the box meets something');
  assert.ok(report.culling.hits > 0 && report.culling.hits < OBJECTS, 'the camera sees a part');
  assert.equal(report.budget.served, 5000);
  const solids = module.floats('boxMatrices').length + module.floats('sphereMatrices').length;
  assert.equal(solids, OBJECTS * 16);
  assert.ok(module.floats('cells').length > 0 && module.floats('changed').length > 0);
  const words = [...PHASES, 'all'].map((phase) => `${phase} ${median(times[phase]).toFixed(2)}`);
  console.log(`${name}, ${half ? 'box' : 'ray'}: ${words.join(', ')} ms (median of ${FRAMES}; least ${Math.min(...times.all).toFixed(2)}; processor ${((user + system) / 1000 / FRAMES).toFixed(2)})`);
}

const module = await ViewerModule.from(readFileSync(process.argv[2]));
console.log(`${OBJECTS} moving objects, node ${process.version}, ${cpus()[0].model}`);
for (const name of ['uniform', 'moving', 'shapes']) {
  measure(module, name, undefined);
  measure(module, name, 2);
}
