import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { inFull } from '../format';

/** One line of a chart. */
export interface Series {
  readonly name: string;
  /** What the line counts, in a few words, where its name does not say it. */
  readonly meaning?: string;
  readonly tone: Tone;
  /** One for each moment; undefined: not known, and the line has a gap. */
  readonly values: readonly (number | undefined)[];
}

/** Colours of the stylesheet; each has a pattern of its own, for who does not tell them apart. */
const patterns = { accent: [], good: [], busy: [8, 4], unsure: [2, 3], bad: [6, 3, 2, 3], quiet: [12, 4] } as const;
export type Tone = keyof typeof patterns;
export const tones = Object.keys(patterns) as Tone[];

interface ChartOptions {
  readonly title: string;
  /** What the values are, after a number: `records a minute`. */
  readonly unit: string;
  /** Behind each value of the legend. @default nothing: the value has its unit, or is a number of what the title names */
  readonly shortUnit?: string;
  /** Beginnings of the steps. */
  readonly times: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Whether only whole numbers occur, so that the axis has no others. @default false */
  readonly isWhole?: boolean;
  /** What a reader could take the values for, and what they are. */
  readonly note?: string;
  /** How a moment stands below the chart. */
  readonly tick: (moment: Date) => string;
  /** Length of a step. */
  readonly stepMs: number;
  /** A part was dragged over: whole steps. */
  readonly onBrush: (since: Date, until: Date) => void;
}

/** Distances between the labels of an axis of whole numbers. */
const wholeSteps = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

const heightOf = (width: number): number => (width < 420 ? 180 : 240);
/** A shorter drag is a click. */
const brushPixelsMin = 6;
const gap = 'not known';

/** Lines over time, with the same figures as a table for who does not see them or uses no mouse. */
export function Chart(options: ChartOptions) {
  const { title, unit, shortUnit = '', times, series, format, note } = options;
  const [moved, setAt] = useState<number>();
  // Fewer moments are shown after a zoom.
  const at = moved !== undefined && moved < times.length ? moved : undefined;
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const isDrawn = useDrawing(frame, options, setAt);
  const shown = (values: Series['values'], index: number): string => {
    const value = values[index];
    return value === undefined ? gap : format(value);
  };
  return (
    <figure class="chart panel">
      <figcaption>
        <h2>{title}</h2>
        <span class="fine">{at === undefined ? unit : `${unit}, ${inFull(times[at] ?? '')}`}</span>
      </figcaption>
      {note === undefined ? null : <p class="fine note">{note}</p>}
      <ul class="legend">
        {series.map(({ name, meaning, tone, values }) => (
          <li key={name} class={tone}>
            <Swatch tone={tone} />
            <span>
              {name} <b>{at === undefined ? lastOf(values, format) : shown(values, at)}</b> {shortUnit}
              {meaning === undefined ? null : <span class="fine"> {meaning}</span>}
            </span>
          </li>
        ))}
      </ul>
      <div class="drawing" ref={frame} role="img" aria-label={inWords(options)} />
      {isDrawn === false ? <p class="fine">The chart could not be loaded. The table has the same figures.</p> : null}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          Table<span class="hidden">: {title}</span>
        </summary>
        {isOpen ? (
          <div class="scroll tall" role="region" aria-label={`${title}, ${unit}`} tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">From</th>
                  {series.map(({ name }) => (
                    <th key={name} scope="col" class="number">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {times
                  .map((time, index) => (
                    <tr key={time}>
                      <th scope="row">{inFull(time)}</th>
                      {series.map(({ name, values }) => (
                        <td key={name} class="number">
                          {shown(values, index)}
                        </td>
                      ))}
                    </tr>
                  ))
                  .toReversed()}
              </tbody>
            </table>
          </div>
        ) : null}
      </details>
    </figure>
  );
}

/** A piece of the line, in its colour and its pattern. */
function Swatch({ tone }: Pick<Series, 'tone'>) {
  return (
    <svg class="swatch" width="26" height="8" viewBox="0 0 26 8" aria-hidden="true">
      <line
        x1="0"
        y1="4"
        x2="26"
        y2="4"
        stroke="currentColor"
        stroke-width="2.5"
        stroke-dasharray={patterns[tone].join(' ')}
      />
    </svg>
  );
}

/** The newest that is known. */
function lastOf(values: Series['values'], format: ChartOptions['format']): string {
  const value = values.findLast((one) => one !== undefined);
  return value === undefined ? '–' : format(value);
}

/** The chart in words, for a screen reader. */
function inWords({ title, unit, times, series, format }: ChartOptions): string {
  const lines = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== undefined);
    const missing = known.length < values.length ? `, ${gap} for a part of the time` : '';
    if (known.length === 0) return `${name}: ${gap}`;
    return `${name}: last ${format(known.at(-1) ?? 0)}, at most ${format(Math.max(...known))}${missing}`;
  });
  return `${title} in ${unit}, since ${inFull(times[0] ?? '')}. ${lines.join('; ')}. The table below has each value.`;
}

/**
 * Draws into an element, which keeps its height until then. The library is loaded with the first chart.
 * @returns false when it could not be loaded
 */
function useDrawing(
  frame: { readonly current: HTMLDivElement | null },
  options: ChartOptions,
  onMove: (at: number | undefined) => void,
): boolean | undefined {
  const [isDrawn, setDrawn] = useState<boolean>();
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef(options);
  latest.current = options;
  const shape = options.series.map(({ name, tone }) => `${name} ${tone}`).join();
  useEffect(() => {
    let isLeft = false;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const draw = async (): Promise<void> => {
      try {
        const { default: Plot } = await import('uplot');
        const element = frame.current;
        if (isLeft || element === null) return;
        plot.current?.destroy();
        plot.current = new Plot(plotOptions(element, latest, onMove), dataOf(latest.current), element);
        setDrawn(true);
      } catch {
        setDrawn(false);
      }
    };
    const resize = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry?.contentRect.width ?? 0);
      if (width > 0 && width !== plot.current?.width) plot.current?.setSize({ width, height: heightOf(width) });
    });
    const redraw = (): void => void draw();
    redraw();
    if (frame.current !== null) resize.observe(frame.current);
    dark.addEventListener('change', redraw);
    return () => {
      isLeft = true;
      resize.disconnect();
      dark.removeEventListener('change', redraw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(dataOf(options)), [options.times, options.series]);
  return isDrawn;
}

/** In the form of the library: a gap is null. */
function dataOf({ times, series }: ChartOptions): uPlot.AlignedData {
  const lines = series.map(({ values }) => values.map((value) => value ?? null));
  return [times.map((time) => Date.parse(time) / 1_000), ...lines];
}

function plotOptions(
  element: HTMLElement,
  latest: { readonly current: ChartOptions },
  onMove: (at: number | undefined) => void,
): uPlot.Options {
  const styles = getComputedStyle(element);
  const colour = (name: string): string => styles.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: colour('soft'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
  const font = `12px ${styles.fontFamily}`;
  const { series, isWhole = false } = latest.current;
  const width = Math.max(1, Math.floor(element.clientWidth));
  return {
    width,
    height: heightOf(width),
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false } },
    scales: {
      // A single moment stands in the middle.
      x: { range: (_plot, min, max) => (min === max ? [min - 60, max + 60] : [min, max]) },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.05 : 1] },
    },
    axes: [
      {
        ...axis,
        font,
        space: 70,
        values: (_plot, ticks) => ticks.map((tick) => latest.current.tick(new Date(tick * 1_000))),
      },
      {
        ...axis,
        font,
        size: 56,
        ...(isWhole ? { incrs: wholeSteps } : {}),
        values: (_plot, ticks) => ticks.map((tick) => latest.current.format(tick)),
      },
    ],
    series: [
      {},
      ...series.map(({ name, tone }) => ({
        label: name,
        stroke: colour(tone),
        width: 1.5,
        dash: [...patterns[tone]],
        points: {
          show: false,
          size: 7,
          fill: colour(tone),
          filter: (_plot: uPlot, at: number) => lonely(latest.current.series[at - 1]?.values ?? []),
        },
      })),
    ],
    hooks: {
      setCursor: [({ cursor }) => onMove(cursor.idx ?? undefined)],
      setSelect: [(plot) => brush(plot, latest.current)],
    },
  };
}

/** A value without a neighbour makes no line, so it is a dot. */
function lonely(values: Series['values']): number[] {
  const isKnown = (at: number): boolean => values[at] !== undefined;
  return values.flatMap((_value, at) => (isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1) ? [at] : []));
}

/** What was dragged over, as whole steps. */
function brush(plot: uPlot, { times, stepMs, onBrush }: ChartOptions): void {
  const { left, width } = plot.select;
  if (width === 0) return;
  const [first, last] = [left, left + width].map((at) => times[plot.posToIdx(at)]);
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (width < brushPixelsMin || first === undefined || last === undefined) return;
  onBrush(new Date(first), new Date(Date.parse(last) + stepMs));
}
