// The page: opens the module, connects controls and keys, shows the first world.

import 'uplot/dist/uPlot.min.css';
import './style.css';
import { counted, find, onCheck, onClick, onRadio, rounded, showLegend, showMessage, slider } from './controls.js';
import { embedded, mainFile, onFiles } from './files.js';
import { onKeys } from './keyboard.js';
import { fromBase64, ViewerModule } from './module.js';
import { Player } from './player.js';
import { Plots } from './plots.js';
import { Stage } from './stage.js';

const BUDGET_NONE = 101;
const FIRST_OBJECTS = 5000;

async function main() {
  const module = await ViewerModule.unpack(fromBase64(find('module').textContent));
  const canvas = find('view');
  const stage = new Stage(canvas);
  const plots = new Plots(find('plots'));
  const pointer = { isInside: false, x: 0, y: 0 };
  const player = new Player(module, stage, plots, settings);
  const again = () => { player.isDue = true; };

  // Sliders. Number, looseness and margin make another tree: it is played up to the frame that is shown.
  const reopen = () => openChosen({ keepCamera: true, frame: player.report?.frame ?? 0 });
  const objects = slider('objects', (value) => counted(rounded(10 ** value)), () => openChosen(), false);
  objects.value = Math.log10(FIRST_OBJECTS);
  const speed = slider('speed', (value) => `× ${value < 0 ? `1/${2 ** -value}` : 2 ** value}`, again);
  const looseness = slider('looseness', (value) => value.toFixed(2), reopen, false);
  const margin = slider('margin', (value) => value.toFixed(2), reopen, false);
  const boxSize = slider('box-size', (value) => `${(value * 100).toFixed(0)} % of the world`, again);
  const budgetWords = (value) => (value >= BUDGET_NONE ? 'all' : `${value} %`);
  const budget = slider('budget', budgetWords, again);

  const shown = ['cells', 'bounds', 'buckets', 'changed', 'pairs', 'flashes', 'objects'];
  const checks = Object.fromEntries(shown.map((name) => [name, onCheck(`show-${name}`, again)]));
  checks.objects.addEventListener('change', () => stage.showObjects(checks.objects.checked));
  const probe = onRadio('probe', again);
  const camera = onRadio('camera', (value) => stage.setFlying(value === 'fly'));
  const culling = onCheck('culling', (is) => {
    stage.helper.visible = is;
    find('place-camera').disabled = !is;
    again();
  });
  const layers = [...document.querySelectorAll('[data-layer]')];
  const mask = () => layers.reduce((bits, input) => bits | (input.checked ? 1 << Number(input.dataset.layer) : 0), 0);
  layers.forEach((input) => input.addEventListener('change', () => {
    player.run({ do: 'layers', mask: mask() }, !player.isModel);
    again();
  }));

  function settings() {
    const show = Object.fromEntries(['cells', 'bounds', 'buckets', 'changed', 'pairs'].map((name) => [name, checks[name].checked]));
    show.light = document.documentElement.dataset.theme === 'light';
    const isProbing = probe.value !== 'none' && pointer.isInside;
    // In a world that rests, a pointer that moves asks anew.
    const isAsking = isProbing && pointer.hasMoved;
    const isLimited = budget.value < BUDGET_NONE;
    return {
      looseness: looseness.value,
      margin: margin.value,
      speed: 2 ** speed.value,
      layers: mask(),
      show,
      showFlashes: checks.flashes.checked,
      probe: isProbing ? probeAt(pointer.x, pointer.y) : undefined,
      culling: culling.checked && !player.isModel ? [...stage.cullingMatrix()] : undefined,
      budget: isLimited ? Math.round(((player.report?.pairs ?? 0) * budget.value) / 100) : undefined,
      isAsking,
      isScrubbing: pointer.isScrubbing,
    };
  }

  function probeAt(x, y) {
    pointer.hasMoved = false;
    const half = probe.value === 'box' && !player.isModel ? (boxSize.value * stage.radius) / 2 : undefined;
    return { ray: stage.ray(x, y), half, distance: stage.camera.position.distanceTo(stage.orbit.target) };
  }

  // What there is to open.
  const files = embedded();
  files.forEach((file) => module.file(file.name, file.bytes()));
  const worlds = [
    ...files.filter((file) => !file.isBeside).map(({ name, title, description }) => ({ title, description, source: { kind: 'file', name } })),
    ...module.catalog.scenes.map(([name, description]) => ({ title: name, description, scene: name })),
  ];
  const select = find('source');
  const addWorld = ({ title, scene }, index) => select.add(new Option(scene ? `scene: ${title}` : title, index));
  worlds.forEach(addWorld);
  select.addEventListener('change', () => openChosen());

  function openChosen(how) {
    const { scene, source, description } = worlds[Number(select.value)];
    const count = rounded(10 ** objects.value);
    const opened = player.open(source ?? { kind: 'scene', name: scene, objects: count, seed: 1 }, how);
    if (!opened) return undefined;
    objects.disable(scene === undefined ? 'as in the file' : undefined);
    if (player.isModel && probe.value === 'box') probe.value = 'ray';
    document.querySelector('input[name="probe"][value="box"]').disabled = player.isModel;
    find('box-size').disabled = player.isModel;
    find('description').textContent = description || (player.isModel ? `${counted(opened.triangles)} ${opened.triangles === 1 ? 'triangle' : 'triangles'}` : '');
    return opened;
  }

  onFiles(async (dropped) => {
    const { name } = mainFile(dropped);
    try {
      const contents = await Promise.all(dropped.map((file) => file.arrayBuffer()));
      contents.forEach((bytes, index) => module.file(dropped[index].name, new Uint8Array(bytes), true));
    } catch (error) {
      showMessage(`${name} cannot be read: ${error.message}`);
      return;
    }
    const before = select.value;
    const world = { title: name, description: '', source: { kind: 'file', name } };
    let index = worlds.findIndex((other) => other.source?.name === name);
    const isNew = index < 0;
    if (isNew) {
      index = worlds.push(world) - 1;
      addWorld(world, index);
    }
    select.value = index;
    if (openChosen()) {
      player.play(!reduced.matches);
    } else {
      // What was open stays open.
      select.value = before;
      if (isNew) {
        [...select.options].find(({ value }) => Number(value) === index).remove();
        worlds[index].source = undefined;
      }
    }
  });

  // Time.
  const last = () => (player.opened?.frames ?? 1) - 1;
  const goTo = (frame) => { player.play(false); player.seek(frame); };
  onClick('play', () => player.play(!player.isPlaying));
  onClick('back', () => player.step(-1));
  onClick('forward', () => player.step(1));
  onClick('first', () => goTo(0));
  find('scrub').addEventListener('input', (event) => goTo(Number(event.target.value)));
  find('frame').addEventListener('focus', () => { pointer.isScrubbing = true; });
  find('frame').addEventListener('blur', () => { pointer.isScrubbing = false; });
  find('frame').addEventListener('change', (event) => {
    pointer.isScrubbing = false;
    goTo(Number(event.target.value));
  });

  // Picking.
  const pick = (command) => player.select(player.run(command));
  const pickAt = (x, y) => pick({ do: 'pick', ray: stage.ray(x, y) });
  const pickSlot = (step) => {
    if (!player.isModel) pick({ do: 'pickSlot', slot: Math.max((player.selection?.slot ?? -step) + step, 0) });
  };
  onClick('next-object', () => pickSlot(1));
  onClick('previous-object', () => pickSlot(-1));
  pointerEvents(canvas, pointer, pickAt, again);
  stage.orbit.addEventListener('change', again);

  // Camera, theme, help, panel.
  const showAll = () => { stage.showAll(); again(); };
  onClick('reset-camera', showAll);
  onClick('place-camera', () => { stage.placeSecondCamera(); again(); });
  onClick('message-close', () => showMessage(''));
  onClick('help-open', () => find('help').showModal());
  onClick('panel-toggle', () => setPanel(document.body.classList.contains('panel-closed')));
  const reduced = window.matchMedia('(prefers-reduced-motion: reduce)');
  themes(stage, plots, again);
  showLegend(module.catalog.legend);
  onKeys(canvas, stage, {
    play: () => player.play(!player.isPlaying),
    back: () => player.step(-1),
    forward: () => player.step(1),
    first: () => goTo(0),
    last: () => goTo(last()),
    fly: () => { camera.value = camera.value === 'fly' ? 'orbit' : 'fly'; stage.setFlying(camera.value === 'fly'); },
    showAll,
    pickMiddle: () => { 
      const [x, y] = stage.middle();
      Object.assign(pointer, { x, y, isInside: true, hasMoved: true });
      pickAt(x, y);
    },
    nextObject: () => pickSlot(1),
    previousObject: () => pickSlot(-1),
    pickNothing: () => pick({ do: 'pick', ray: { origin: [1e30, 1e30, 1e30], direction: [1, 0, 0] } }),
    help: () => find('help').showModal(),
  });

  const resize = () => {
    const isNarrow = window.matchMedia('(max-width: 900px)').matches;
    const [panel, figures, footer] = [find('panel'), find('figures'), document.querySelector('footer')];
    // On a narrow screen the plots stand below the controls.
    const place = isNarrow ? panel : figures;
    if (find('plots').parentElement !== place) place.append(find('plots'));
    const side = (element) => (isNarrow ? 0 : element.offsetWidth);
    const isPanelOpen = panel.offsetParent !== null || panel.offsetWidth > 0;
    stage.resize();
    stage.setMargins({
      left: isPanelOpen ? side(panel) : 0,
      right: side(figures),
      top: 40 + (isNarrow ? figures.offsetHeight : 0),
      bottom: footer.offsetHeight + (isNarrow && isPanelOpen ? panel.offsetHeight : 0),
    });
    again();
  };
  function setPanel(isOpen) {
    document.body.classList.toggle('panel-closed', !isOpen);
    find('panel-toggle').setAttribute('aria-expanded', String(isOpen));
    resize();
  }
  window.addEventListener('resize', resize);
  setPanel(!window.matchMedia('(max-width: 900px)').matches);

  // The last of those that ask for it: `broadleaf view` adds its file after those of the bare page.
  const first = Math.max(files.filter((file) => !file.isBeside).findLastIndex((file) => file.isFirst), 0);
  select.value = first;
  openChosen();
  stage.showAll();
  player.play(!reduced.matches);
  document.body.dataset.ready = 'true';
}

/** The pointer over the world, each coordinate from -1 to 1; a click picks, a drag does not. */
function pointerEvents(canvas, pointer, pickAt, again) {
  const place = (event) => [
    (event.offsetX / canvas.clientWidth) * 2 - 1,
    1 - (event.offsetY / canvas.clientHeight) * 2,
  ];
  let down;
  canvas.addEventListener('pointermove', (event) => {
    [pointer.x, pointer.y] = place(event);
    Object.assign(pointer, { isInside: true, hasMoved: true });
  });
  canvas.addEventListener('pointerleave', () => {
    pointer.isInside = false;
    again();
  });
  canvas.addEventListener('pointerdown', (event) => {
    down = [event.clientX, event.clientY];
    canvas.focus();
  });
  canvas.addEventListener('pointerup', (event) => {
    const isClick = down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 5;
    if (isClick && event.button === 0) pickAt(...place(event));
    down = undefined;
  });
}

/** Dark, light, or as the system says. */
function themes(stage, plots, again) {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const names = ['auto', 'dark', 'light'];
  let chosen = 0;
  const set = () => {
    const theme = chosen === 0 ? (dark.matches ? 'dark' : 'light') : names[chosen];
    document.documentElement.dataset.theme = theme;
    find('theme').textContent = `Theme: ${names[chosen]}`;
    stage.setTheme(theme);
    plots.build();
    again();
  };
  onClick('theme', () => {
    chosen = (chosen + 1) % names.length;
    set();
  });
  dark.addEventListener('change', set);
  set();
}

main().catch((error) => {
  showMessage(`The viewer cannot start: ${error.message}. It needs WebAssembly with SIMD and WebGL 2.`);
  throw error;
});
