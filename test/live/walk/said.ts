import { Finding } from '../../../src/core/rule/finding';
import { LiveObject } from '../../../src/engine/cluster/cluster';
import { Plan } from '../../../src/engine/plan/plan';
import { NodeState } from '../../../src/engine/run/context/events';
import { Impact } from '../../../src/report/impact/impact';
import { FoundReview } from '../../../src/report/review/review';

/** What the commands say of a commit before it is applied. */
export interface Said {
  readonly plan: Plan;
  readonly impacts: readonly Impact[];
  /** The findings of `lint --before`. */
  readonly findings: readonly Finding[];
  readonly review: Pick<FoundReview, 'impacts' | 'findings' | 'failures' | 'objects' | 'access'>;
}

/** An object before and after the apply, as its server has it. */
export interface Seen {
  readonly before?: LiveObject;
  readonly after?: LiveObject;
}

/** What an apply did. */
export interface Done {
  /** By ID. */
  readonly seen: ReadonlyMap<string, Seen>;
  /** The last state of each object that the apply reported. */
  readonly states: ReadonlyMap<string, NodeState>;
  /** What the servers refused, by ID. */
  readonly failed: ReadonlyMap<string, string>;
  /** What was not tried, since something else failed. */
  readonly skipped: ReadonlySet<string>;
  /** Why the apply did not begin. @default - it did */
  readonly refused?: string;
}
