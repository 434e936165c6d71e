import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { inFull } from '../format';

/** One line of a chart. */
export interface Series {
  readonly name: string;
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
}

/** Distances between the labels of an axis of whole numbers. */
const wholeSteps = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

const height = 180;
const gap = 'not known';

/** Lines over time, with the same figures as a table for who does not see them or uses no mouse. */
export function Chart(options: ChartOptions) {
  const { title, unit, times, series, format, note } = options;
  const [at, setAt] = useState<number>();
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const isDrawn = useDrawing(frame, options, setAt);
  const shown = (values: Series['values'], index: number): string => {
    const value = values[index];
    return value === undefined ? gap : format(value);
  };
  const last = times.length - 1;
  return (
    <figure class="chart panel">
      <figcaption>
        <h2>{title}</h2>
        <span class="fine">{at === undefined ? unit : `${unit}, ${inFull(times[at] ?? '')}`}</span>
      </figcaption>
      {note === undefined ? null : <p class="fine note">{note}</p>}
      <ul class="legend">
        {series.map(({ name, tone, values }) => (
          <li key={name} class={tone}>
            <i />
            {name} <b>{shown(values, at ?? last)}</b>
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
      if (width > 0 && width !== plot.current?.width) plot.current?.setSize({ width, height });
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
  return {
    width: Math.max(1, Math.floor(element.clientWidth)),
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.05 : 1] } },
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
        points: { size: 4 },
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onMove(cursor.idx ?? undefined)] },
  };
}
