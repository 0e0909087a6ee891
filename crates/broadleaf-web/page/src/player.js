// What is open, and the frame loop: one command to the module for each frame that is drawn.

import { showAnswers, showFigures, showMessage, showSelection, find } from './controls.js';
import { Flashes } from './flashes.js';
import { ModuleFault } from './module.js';
import { Pace } from './pace.js';

/** Milliseconds between two changes of the texts and plots. */
const TEXT_EVERY = 125;
/** Milliseconds in which the colour of an object goes most of the way to a new one. */
const EASE = 300;
/** Frames whose mean times are shown: a browser's clock is too coarse for one. */
const RECENT = 30;

export class Player {
  /** `settings()` gives what the controls say; see `frame`. */
  constructor(module, stage, plots, settings) {
    Object.assign(this, { module, stage, plots, settings });
    this.flashes = new Flashes();
    this.pace = new Pace();
    this.isPlaying = false;
    this.isDue = true;
    /** Steps by hand that are still to be made. */
    this.byHand = 0;
    this.textsAt = 0;
    this.frameAt = 0;
    /** When colours are the new ones; 0 if they are. */
    this.easedAt = 0;
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
    this.byHand = 0;
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
      const { isDue } = this;
      this.play(false);
      this.isDue = isDue;
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
    if (isPlaying) this.pace.clear();
    this.isPlaying = isPlaying && !this.isModel;
    // Who listens to the page hears of the picked object when it rests, not in each frame.
    find('selection-text').setAttribute('aria-live', this.isPlaying ? 'off' : 'polite');
    find('play').textContent = this.isPlaying ? 'Pause' : 'Play';
    find('play').setAttribute('aria-pressed', String(this.isPlaying));
    this.isDue = true;
  }

  /** One frame by hand. */
  step(frames) {
    this.play(false);
    if (frames < 0) this.seek((this.seekTo ?? this.report?.frame ?? 0) + frames);
    else this.byHand += frames;
    this.isDue = true;
  }

  /** Steps of the source that are due. */
  steps(now, speed) {
    if (this.isPlaying) return this.pace.steps(now, speed);
    if (this.byHand === 0) return 0;
    this.byHand -= 1;
    return 1;
  }

  frame(now) {
    const settings = this.settings();
    // The part of the way that colours go: as if nothing had been slower than ten frames a second.
    this.ease = 1 - Math.exp((-3 * Math.min(now - this.frameAt, 100)) / EASE);
    this.frameAt = now;
    // Steps wait until the frame to go to has been reached.
    const steps = this.seekTo === undefined ? this.steps(now, settings.speed) : 0;
    const flashes = this.flashes.take(settings.showFlashes, steps > 0, now);
    const isEasing = this.easedAt > 0;
    if (isEasing && now >= this.easedAt) [this.ease, this.easedAt] = [1, 0];
    const isAsked = this.isDue || steps > 0 || settings.isAsking || isEasing || this.byHand > 0 || this.flashes.areSlowDue(now);
    if (this.isDue || steps > 0 || settings.isAsking) this.easedAt = now + 2 * EASE;
    if (isAsked && this.opened) this.ask(settings, steps, flashes, now);
    const isFading = this.flashes.fade(this.stage.lines, settings.showFlashes, now);
    if (isAsked || isFading || this.stage.isFlying || this.isDrawn !== true) this.stage.draw();
    this.isDrawn = true;
    if (now - this.textsAt > TEXT_EVERY) {
      this.textsAt = now;
      this.showTexts(settings);
    }
  }

  ask(settings, steps, flashes, now) {
    const { probe, culling, budget, show } = settings;
    const command = { do: 'frame', steps, probe, culling, budget, show, flashes, ease: Math.max(this.ease, 0) };
    const isSought = this.seekTo !== undefined;
    if (this.seekTo !== undefined) command.seek = this.seekTo;
    this.seekTo = undefined;
    this.isDue = false;
    const report = this.run(command);
    if (!report) {
      // What has failed is not asked again by itself.
      [this.byHand, this.easedAt] = [0, 0];
      this.flashes.areSlowOld = false;
      return;
    }
    this.report = report;
    this.stage.take(this.module, flashes, this.flashes.takeSlow(this.isPlaying, now));
    if (isSought) this.plots.restart(report);
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

  /** At the end a world begins anew. */
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
    // While a frame is gone to, the bar stays where it was put.
    if (!isScrubbing && this.seekTo === undefined) {
      find('scrub').value = report.frame;
      find('frame').value = report.frame;
    }
    find('scrub').setAttribute('aria-valuetext', `frame ${report.frame}`);
    if (this.isModel) return;
    if (this.selection) {
      // The object may have moved, met others, or vanished.
      const selection = this.run({ do: 'selected' });
      showSelection(selection);
      this.selection = selection;
    }
    // Hashing reads the whole tree, so it waits until the world rests.
    find('state-hash').textContent = (this.isPlaying ? undefined : this.run({ do: 'stateHash' })) ?? '–';
  }

  showTime(frames) {
    for (const id of ['scrub', 'frame']) find(id).max = Math.max(frames - 1, 0);
    find('frames').textContent = frames;
    for (const id of ['scrub', 'frame', 'play', 'first', 'back', 'forward']) find(id).disabled = frames === 0;
  }
}
