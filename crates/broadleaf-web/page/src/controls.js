// The controls of the page: values, texts, events.

export const find = (id) => document.getElementById(id);

/** Has a slider show its value in words, and call back when it is let go or moved by keys. */
export function slider(id, words, changed, isLive = true) {
  const [input, output] = [find(id), find(`${id}-value`)];
  const show = () => {
    output.textContent = words(Number(input.value));
    input.setAttribute('aria-valuetext', output.textContent);
  };
  input.addEventListener('input', () => {
    show();
    if (isLive) changed(Number(input.value));
  });
  if (!isLive) input.addEventListener('change', () => changed(Number(input.value)));
  show();
  return {
    get value() { return Number(input.value); },
    set value(value) { input.value = value; show(); },
    /** Disables the slider, and says why in place of a value; or enables it. */
    disable(why) {
      input.disabled = why !== undefined;
      show();
      if (why) output.textContent = why;
    },
  };
}

/** Has a button, a check box or a group of radio buttons call back. */
export function onClick(id, clicked) {
  find(id).addEventListener('click', clicked);
}

export function onCheck(id, changed) {
  const input = find(id);
  input.addEventListener('change', () => changed(input.checked));
  return input;
}

export function onRadio(name, changed) {
  const inputs = [...document.querySelectorAll(`input[name="${name}"]`)];
  inputs.forEach((input) => input.addEventListener('change', () => changed(input.value)));
  return {
    get value() { return inputs.find((input) => input.checked).value; },
    set value(value) { inputs.forEach((input) => { input.checked = input.value === value; }); },
  };
}

const thousands = new Intl.NumberFormat('en');
export const counted = (count) => thousands.format(count);

/** A number of two digits and zeros. */
export const rounded = (value) => Number(value.toPrecision(2));

export function bytes(count) {
  return count < 1 << 20 ? `${(count / 1024).toFixed(0)} KiB` : `${(count / (1 << 20)).toFixed(1)} MiB`;
}

/** The figures at the side; `ms` are the times of a frame. */
export function showFigures(report, ms) {
  const library = ms.update + ms.pairs;
  const all = library + ms.questions + ms.buffers;
  find('figure-objects').textContent = counted(report.objects) + (report.undrawn > 0 ? ` (${counted(report.undrawn)} too far to draw)` : '');
  find('figure-pairs').textContent = counted(report.pairs);
  find('figure-events').textContent = `${counted(report.begun)}, ${counted(report.ended)}`;
  find('figure-ms').textContent = `${all.toFixed(2)} ms`;
  find('figure-ns').textContent = `${((library * 1e6) / Math.max(report.objects, 1)).toFixed(0)} ns`;
  find('figure-memory').textContent = bytes(report.memory.reduce((sum, part) => sum + part, 0));
  const { nodes, blocks, rebuilds, reruns, outsized } = report.counters;
  find('figure-nodes').textContent = `${counted(nodes)}, ${counted(blocks)}`;
  find('figure-rebuilds').textContent = `${counted(rebuilds)}, ${counted(reruns)}`;
  find('figure-outsized').textContent = counted(outsized);
}

const work = ({ visited, tested, hits }, what = 'objects') =>
  `${counted(visited)} nodes visited, ${counted(tested)} ${what} tested, ${counted(hits)} hit`;

/** What the questions found, in words. */
export function showAnswers({ probe, culling, budget }, isModel) {
  if (probe) {
    const first = probe.first ? `First: ${probe.first[0]} at ${probe.first[1].toFixed(2)}. ` : '';
    const closest = probe.closest && !isModel ? ` The closest alone: ${work(probe.closest)}.` : '';
    find('probe-text').textContent = `${first}${work(probe.all, isModel ? 'triangles' : 'objects')}.${closest}`;
  } else {
    find('probe-text').textContent = isModel
      ? 'Of a model: the first triangle that the ray meets. Nodes and triangles are counted, not drawn; there is no box.'
      : 'Red: nodes visited. Yellow: objects tested. Green: objects hit.';
  }
  find('culling-text').textContent = culling
    ? `${counted(culling.hits)} seen; ${counted(culling.visited)} nodes visited, ${counted(culling.tested)} objects tested. What it does not see is dark.`
    : '';
  find('budget-text').textContent = budget
    ? `${counted(budget.served)} served, ${counted(budget.deferred)} deferred (violet), ${counted(budget.dropped)} dropped; the longest waits ${counted(budget.waited)} ${budget.waited === 1 ? 'frame' : 'frames'}.`
    : 'No budget: every pair is served. Layer 0 is the most urgent class.';
}

/** Neighbours that are listed, at most. */
const NEIGHBOURS_MAX = 24;

/** What is picked, in words. */
export function showSelection(selection) {
  find('selection-fields').hidden = !selection;
  const text = selection?.text ?? 'Nothing is picked. Click on an object, or press N.';
  // A live region speaks on every change, so it changes only when the text does.
  if (find('selection-text').textContent !== text) find('selection-text').textContent = text;
  find('handle').textContent = selection?.handle ?? '';
  const names = selection?.neighbours ?? [];
  const more = names.length > NEIGHBOURS_MAX ? ` and ${names.length - NEIGHBOURS_MAX} more` : '';
  find('neighbours').textContent = names.length === 0 ? 'nothing' : names.slice(0, NEIGHBOURS_MAX).join(' ') + more;
}

export function showMessage(text) {
  find('message-text').textContent = text;
  find('message').hidden = !text;
}

/** The legend of objects' colours. */
export function showLegend(legend) {
  find('legend').replaceChildren('touching others:', ...legend.map(([text, [red, green, blue]]) => {
    const [item, key] = [document.createElement('span'), document.createElement('i')];
    key.className = 'key';
    key.style.background = `rgb(${red} ${green} ${blue})`;
    item.append(key, text);
    return item;
  }));
}
