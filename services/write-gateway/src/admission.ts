import { RateLimitedError } from '@sluice/errors';
import type { Store, Waiting } from '@sluice/store';
import { repeat, type Counter, type Logger, type Metrics } from '@sluice/telemetry';

/** What is about to be accepted: calls, or a record of an auto-batch, and the bytes of its plans. */
export interface AskedRoom extends Waiting {
  readonly projectId: string;
  readonly groupRef: string;
}

export interface AdmissionOptions {
  readonly writes: Pick<Store['writes'], 'countBacklog'>;
  readonly limits: BacklogLimits;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface BacklogLimits {
  /** Waiting calls and records of open auto-batches of one project at most. A call has at most 100 records. */
  readonly backlogMax: number;
  /** Bytes of their plans at most. */
  readonly backlogBytesMax: number;
  /** Share of the project's remaining capacity that one group may use, in percent. 100: all of it. */
  readonly backlogGroupPercent: number;
}

/** How often the backlog is counted. */
const countEveryMs = 2_000;
/** A long count is rare: counting takes at most a twentieth of one database connection's time. */
const restPerCount = 20;
/** A group without writes for this long, and with free capacity, is dropped; a project when it has no group left. */
const idleMs = 60_000;
/** When a refused caller may come again: a full backlog takes minutes, and a few counts, to shrink. */
const retryAfterMs = 10_000;

interface Backlog {
  /** At the last count. */
  counted: Waiting;
  /** What this process has let in since then. None is taken off before the next count. */
  since: Waiting;
  askedAtMs: number;
}

interface OfProject extends Backlog {
  readonly groups: Map<string, Backlog>;
}

type Measure = keyof Waiting;
const measures: readonly Measure[] = ['writes', 'bytes'];
const none: Waiting = { writes: 0, bytes: 0 };

/**
 * Keeps one project's backlog from filling the database of all, and one group's from filling that of its project.
 * Caps what waits of a project, in writes and in bytes, and of each of its groups: a group may fill a share of what the others leave. So a
 * group alone has that share of the whole, hungry groups come to equal parts, and one that comes last still finds capacity.
 * Each process counts for itself, only what is written to, and adds what it lets in between two counts. So a cap is passed by no more than
 * other processes accept within one count's time, and what is committed while a count is made. A group is let in until its first
 * count, and while the database does not answer the last count holds.
 */
export class Admission {
  private readonly projects = new Map<string, OfProject>();
  private readonly refusals: Counter<'sluice_admission_refusals_total'>;
  /** Counts no more, after the count in hand. */
  readonly stop: () => Promise<void>;

  constructor(private readonly options: AdmissionOptions) {
    const { metrics, logger } = options;
    this.refusals = metrics.counter('sluice_admission_refusals_total');
    const onFailure = (error: unknown) => logger.warn({ error }, 'backlog.not-counted');
    this.stop = repeat(() => this.count(), { everyMs: countEveryMs, restTimes: restPerCount, onFailure });
  }

  /**
   * Reserves capacity for what is about to be accepted. In memory, without reading the database.
   * @throws RateLimitedError `write.backlog-full`, which names the bound
   */
  assertRoom(asked: AskedRoom): void {
    const project = this.projects.get(asked.projectId) ?? { ...fresh(), groups: new Map<string, Backlog>() };
    const group = project.groups.get(asked.groupRef) ?? fresh();
    this.projects.set(asked.projectId, project);
    project.groups.set(asked.groupRef, group);
    project.askedAtMs = group.askedAtMs = performance.now();
    for (const measure of measures) this.assertBelow(project, group, asked, measure);
    project.since = combined(project.since, asked, 1);
    group.since = combined(group.since, asked, 1);
  }

  private async count(): Promise<void> {
    const { projects } = this;
    const { writes, limits, logger } = this.options;
    this.forgetIdle();
    const asked = [...projects].map(([projectId, { groups }]) => ({ projectId, groupRefs: [...groups.keys()] }));
    const before = new Map([...projects.values()].flatMap(backlogsOf).map((backlog) => [backlog, backlog.since]));
    const counts = await writes.countBacklog(asked, limits.backlogMax);
    // What was let in during the count may or may not be in it: it is kept.
    const update = (backlog: Backlog, counted: Waiting): void => {
      backlog.counted = counted;
      backlog.since = combined(backlog.since, before.get(backlog) ?? none, -1);
    };
    for (const [projectId, counted] of counts) {
      const project = projects.get(projectId);
      if (project === undefined) continue;
      const wereFull = this.fullOnes(project);
      update(project, counted);
      for (const [ref, ofGroup] of counted.groups) {
        const group = project.groups.get(ref);
        if (group !== undefined) update(group, ofGroup);
      }
      const areFull = this.fullOnes(project);
      const log = (groupRef: string | undefined, event: 'backlog.full' | 'backlog.has-room'): void => {
        const held = (groupRef === undefined ? counted : counted.groups.get(groupRef)) ?? none;
        logger.warn({ projectId, groupRef, writes: held.writes, bytes: held.bytes }, event);
      };
      for (const groupRef of areFull) if (!wereFull.has(groupRef)) log(groupRef, 'backlog.full');
      for (const groupRef of wereFull) if (!areFull.has(groupRef)) log(groupRef, 'backlog.has-room');
    }
  }

  private projectMax(measure: Measure): number {
    const { backlogMax, backlogBytesMax } = this.options.limits;
    return measure === 'writes' ? backlogMax : backlogBytesMax;
  }

  /** Rounded up, so that an empty group may take the last free slot. */
  private groupMax(project: OfProject, group: Backlog, measure: Measure): number {
    const others = Math.max(0, heldOf(project, measure) - heldOf(group, measure));
    return Math.ceil(Math.max(0, this.projectMax(measure) - others) * (this.options.limits.backlogGroupPercent / 100));
  }

  /** Its groups that may have no more; `undefined` stands for the project itself. */
  private fullOnes(project: OfProject): Set<string | undefined> {
    const isFull = (backlog: Backlog, maxOf: (measure: Measure) => number): boolean =>
      measures.some((measure) => heldOf(backlog, measure) >= maxOf(measure));
    const groups = [...project.groups].filter(([, group]) =>
      isFull(group, (measure) => this.groupMax(project, group, measure)),
    );
    const full = new Set<string | undefined>(groups.map(([ref]) => ref));
    return isFull(project, (measure) => this.projectMax(measure)) ? full.add(undefined) : full;
  }

  private forgetIdle(): void {
    const idleSinceMs = performance.now() - idleMs;
    for (const [id, project] of this.projects) {
      const full = this.fullOnes(project);
      for (const [ref, { askedAtMs }] of project.groups) {
        if (askedAtMs < idleSinceMs && !full.has(ref)) project.groups.delete(ref);
      }
      if (project.groups.size === 0 && !full.has(undefined)) this.projects.delete(id);
    }
  }

  private assertBelow(project: OfProject, group: Backlog, asked: AskedRoom, measure: Measure): void {
    const max = this.projectMax(measure);
    const maxOfGroup = this.groupMax(project, group, measure);
    const setting = measure === 'writes' ? 'SLUICE_BACKLOG_MAX' : 'SLUICE_BACKLOG_BYTES_MAX';
    const [ofProject, ofGroup, size] = [heldOf(project, measure), heldOf(group, measure), asked[measure]];
    let bound: string;
    if (ofProject + size > max) {
      bound = `About ${ofProject} ${measure} of the project wait, and ${max} may (${setting})`;
    } else if (ofGroup + size > maxOfGroup) {
      const share = `${this.options.limits.backlogGroupPercent} % (SLUICE_BACKLOG_GROUP_PERCENT)`;
      const whole = `what the project's other groups leave of ${max} (${setting})`;
      bound = `About ${ofGroup} ${measure} of the group "${asked.groupRef}" wait, and ${maxOfGroup} may: ${share} of ${whole}`;
    } else return;
    this.refusals.inc();
    const detail = `${bound}; this request has ${size}. Nothing was accepted.`;
    throw new RateLimitedError({ code: 'write.backlog-full', detail, retryAfterMs });
  }
}

const fresh = (): Backlog => ({ counted: none, since: none, askedAtMs: 0 });

function combined(one: Waiting, other: Waiting, sign: 1 | -1): Waiting {
  return { writes: one.writes + sign * other.writes, bytes: one.bytes + sign * other.bytes };
}

function backlogsOf(project: OfProject): Backlog[] {
  return [project, ...project.groups.values()];
}

const heldOf = ({ counted, since }: Backlog, measure: Measure): number => counted[measure] + since[measure];
