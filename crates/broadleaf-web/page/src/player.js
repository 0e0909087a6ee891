// What is open, and the frame loop: one command to the module for each frame that is drawn.

import { showAnswers, showFigures, showMessage, showSelection, find } from './controls.js';
import { Flashes } from './flashes.js';
import { ModuleFault } from './module.js';

/** Milliseconds between two changes of the texts and plots. */
const TEXT_EVERY = 125;
/** Frames whose mean times are shown: a browser's clock is too coarse for one. */
const RECENT = 30;

export class Player {
  /** `settings()` gives what the controls say; see `frame`. */
  constructor(module, stage, plots, settings) {
    Object.assign(this, { module, stage, plots, settings });
    this.flashes = new Flashes();
    this.isPlaying = false;
    this.isDue = true;
    this.due = 0;
    this.textsAt = 0;
    this.seekTo = undefined;
    this.report = undefined;
    const step = (now) => {
      this.frame(now);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  /** Opens a source; a message is shown if it is broken, and what was open stays. */
  open(source, { keepCamera = false, frame = 0 } = {}) {
    const { looseness, margin } = this.settings();
    const opened = this.run({ do: 'open', source, settings: { looseness, margin } });
    if (!opened) return undefined;
    showMessage('');
    this.opened = opened;
    this.isModel = opened.triangles > 0;
    this.stage.takeModel(this.isModel ? this.module : undefined);
    if (!keepCamera) this.stage.frame({ min: opened.focus[0], max: opened.focus[1] });
    this.plots.clear();
    this.recent = [];
    this.due = 0;
    document.body.dataset.open = this.isModel ? 'model' : 'world';
    for (const id of ['previous-object', 'next-object']) find(id).disabled = this.isModel;
    find('state-hash').textContent = '–';
    find('objects-name').textContent = this.isModel ? 'triangles' : 'objects';
    this.showTime(opened.frames);
    this.select(undefined);
    this.run({ do: 'layers', mask: this.settings().layers }, this.settings().layers !== 15 && !this.isModel);
    this.seek(frame);
    return opened;
  }

  /** Sends a command; undefined if it failed, and then a message is shown. */
  run(command, isWanted = true) {
    if (!isWanted) return undefined;
    try {
      return this.module.send(command);
    } catch (error) {
      this.isPlaying = false;
      showMessage(error instanceof ModuleFault ? `The viewer has failed, load the page again: ${error.message}` : error.message);
      return undefined;
    }
  }

  seek(frame) {
    this.seekTo = Math.min(Math.max(frame, 0), Math.max((this.opened?.frames ?? 1) - 1, 0));
    this.isDue = true;
  }

  play(isPlaying) {
    if (isPlaying && this.report?.atEnd) this.seek(0);
    this.isPlaying = isPlaying && !this.isModel;
    find('play').textContent = this.isPlaying ? 'Pause' : 'Play';
    find('play').setAttribute('aria-pressed', String(this.isPlaying));
    this.isDue = true;
  }

  /** One frame by hand. */
  step(frames) {
    this.play(false);
    if (frames < 0) this.seek((this.seekTo ?? this.report?.frame ?? 0) + frames);
    else this.due += frames;
    this.isDue = true;
  }

  /** Steps of the source that are due: `speed` a frame, or one in some frames. */
  steps(speed) {
    if (this.isPlaying) this.due += Math.min(speed, 1);
    if (this.due < 1) return 0;
    this.due = 0;
    return this.isPlaying ? Math.max(speed, 1) : 1;
  }

  frame(now) {
    const settings = this.settings();
    // Steps wait until the frame to go to has been reached.
    const steps = this.seekTo === undefined ? this.steps(settings.speed) : 0;
    const flashes = this.flashes.take(settings.showFlashes, steps > 0, now);
    const isAsked = this.isDue || steps > 0 || settings.isAsking;
    if (isAsked && this.opened) this.ask(settings, steps, flashes);
    const isFading = this.flashes.fade(this.stage.lines, settings.showFlashes, now);
    if (isAsked || isFading || this.stage.isFlying || this.isDrawn !== true) this.stage.draw();
    this.isDrawn = true;
    if (now - this.textsAt > TEXT_EVERY) {
      this.textsAt = now;
      this.showTexts(settings);
    }
  }

  ask(settings, steps, flashes) {
    const { probe, culling, budget, show } = settings;
    const command = { do: 'frame', steps, probe, culling, budget, show, flashes };
    if (this.seekTo !== undefined) command.seek = this.seekTo;
    this.seekTo = undefined;
    this.isDue = false;
    const report = this.run(command);
    if (!report) return;
    this.report = report;
    this.stage.take(this.module, flashes);
    if (steps > 0) {
      this.plots.add(report);
      this.recent = [...this.recent.slice(1 - RECENT), report.ms];
    }
    // What the question visits is seen better alone.
    this.stage.lines.cells.opacity = report.probe ? 0.08 : 0.4;
    if (steps > 0 && this.isPlaying && report.atEnd) this.atEnd();
    this.areTextsDue = true;
  }

  meanTimes() {
    const all = this.recent.length > 0 ? this.recent : [this.report.ms];
    const mean = (phase) => all.reduce((sum, ms) => sum + ms[phase], 0) / all.length;
    return Object.fromEntries(Object.keys(all[0]).map((phase) => [phase, mean(phase)]));
  }

  /** At the end of a recording it begins anew. */
  atEnd() {
    this.seek(0);
  }

  select(selection) {
    this.selection = selection;
    showSelection(selection);
    this.isDue = true;
  }

  showTexts({ isScrubbing }) {
    if (!this.areTextsDue) return;
    this.areTextsDue = false;
    const { report } = this;
    showFigures(report, this.meanTimes());
    showAnswers(report, this.isModel);
    this.plots.draw();
    if (!isScrubbing) {
      find('scrub').value = report.frame;
      find('frame').value = report.frame;
    }
    find('scrub').setAttribute('aria-valuetext', `frame ${report.frame}`);
    if (this.isModel) return;
    if (this.selection) {
      // The object may have moved, met others, or vanished.
      const selection = this.module.send({ do: 'selected' });
      showSelection(selection);
      this.selection = selection;
    }
    // Hashing reads the whole tree, so it waits until the world rests.
    find('state-hash').textContent = this.isPlaying ? '–' : this.module.send({ do: 'stateHash' });
  }

  showTime(frames) {
    for (const id of ['scrub', 'frame']) find(id).max = Math.max(frames - 1, 0);
    find('frames').textContent = frames;
    for (const id of ['scrub', 'frame', 'play', 'first', 'back', 'forward']) find(id).disabled = frames === 0;
  }
}
