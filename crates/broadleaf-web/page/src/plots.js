// Small plots of the last frames.

import uPlot from 'uplot';

const FRAMES = 240;
const WIDTH = 214;
const HEIGHT = 70;

const number = (digits) => (_, value) => (value == null ? '–' : value.toFixed(digits));

/** A number at an axis, of few characters. */
const short = (value) => (value >= 1e6 ? `${value / 1e6}M` : value >= 1e4 ? `${value / 1e3}k` : String(value));

/** The plots: a title, and the series with a colour each. */
const PLOTS = [
  {
    title: 'milliseconds a frame, by phase', digits: 2, least: 1,
    series: [['update', '#4ea1ff'], ['pairs', '#e0a43a'], ['questions', '#e5484d'], ['buffers', '#8f9bb3']],
  },
  { title: 'nanoseconds an object', digits: 0, least: 100, series: [['update and pairs', '#4ea1ff'], ['all', '#8f9bb3']] },
  { title: 'pairs', digits: 0, series: [['pairs', '#e0a43a']] },
  { title: 'pairs begun and ended', digits: 0, series: [['begun', '#4cc38a'], ['ended', '#e07b3a']] },
  { title: 'memory in KiB', digits: 0, series: [['nodes', '#4ea1ff'], ['blocks', '#4cc38a'], ['objects', '#8f9bb3']] },
  { title: 'work of the tree in a frame', digits: 0, series: [['refits', '#4ea1ff'], ['relocations', '#e5484d'], ['splits, merges', '#e0a43a']] },
];

/** What the plots show of a report and the one before. */
function values(report, before) {
  const { ms, memory, counters } = report;
  const library = ms.update + ms.pairs;
  const all = library + ms.questions + ms.buffers;
  const each = (milliseconds) => (milliseconds * 1e6) / Math.max(report.objects, 1);
  const since = (name) => Math.max(counters[name] - (before?.counters[name] ?? counters[name]), 0);
  return [
    [ms.update, ms.pairs, ms.questions, ms.buffers],
    [each(library), each(all)],
    [report.pairs],
    [report.begun, report.ended],
    memory.map((bytes) => bytes / 1024),
    [since('refits'), since('relocations'), since('splits') + since('merges')],
  ];
}

export class Plots {
  constructor(element) {
    this.element = element;
    this.data = PLOTS.map(({ series }) => [[], ...series.map(() => [])]);
    this.build();
  }

  /** Builds the plots anew, for instance in other colours. */
  build() {
    const color = getComputedStyle(document.documentElement).getPropertyValue('--dim').trim();
    const axis = { stroke: color, ticks: { show: false }, grid: { stroke: `${color}33`, width: 1 }, font: '10px system-ui' };
    this.element.replaceChildren();
    this.plots = PLOTS.map(({ title, series, digits, least = 10 }, index) => {
      const [place, heading] = [document.createElement('div'), document.createElement('h3')];
      heading.textContent = title;
      place.append(heading);
      this.element.append(place);
      const options = {
        width: WIDTH, height: HEIGHT, padding: [7, 4, 6, 0],
        cursor: { points: { show: false }, drag: { x: false } },
        scales: { x: { time: false }, y: { range: () => [0, Math.max(this.usual(index), least)] } },
        axes: [{ show: false }, { ...axis, size: 38, space: 22, values: (_, ticks) => ticks.map(short) }],
        legend: { show: true, live: true, markers: { width: 0, fill: (_, number) => series[number - 1]?.[1] } },
        series: [{ label: '', show: false }, ...series.map(([label, stroke]) => ({ label, stroke, width: 1.2, value: number(digits), points: { show: false } }))],
      };
      return new uPlot(options, this.data[index], place);
    });
  }

  /** The top of a plot: above what is usual, so that one slow frame does not flatten the others. */
  usual(index) {
    const top = (column) => {
      const sorted = column.toSorted((a, b) => a - b);
      return Math.min(1.5 * (sorted[Math.floor(sorted.length * 0.8)] ?? 0), sorted.at(-1) ?? 0);
    };
    return Math.max(...this.data[index].slice(1).map(top));
  }

  clear() {
    this.before = undefined;
    this.data.forEach((columns) => columns.forEach((column) => { column.length = 0; }));
    this.count = 0;
  }

  /** Another frame has been gone to: what the tree has done on the way is not the work of a frame. */
  restart(report) {
    this.before = report;
  }

  add(report) {
    this.count = (this.count ?? 0) + 1;
    values(report, this.before).forEach((row, plot) => {
      const columns = this.data[plot];
      [this.count, ...row].forEach((value, index) => {
        columns[index].push(value);
        if (columns[index].length > FRAMES) columns[index].shift();
      });
    });
    this.before = report;
  }

  draw() {
    if (this.element.offsetParent === null) return;
    this.plots.forEach((plot, index) => {
      plot.setData(this.data[index]);
      // The legend tells of the last frame unless the pointer is over another one.
      if (plot.cursor.idx == null && this.count > 0) plot.setLegend({ idx: this.data[index][0].length - 1 });
    });
  }
}
