import { LiveObject } from '../cluster/cluster';

/** Why an agent of Rancher does not run or does not connect, as far as its cluster says. Its words may hold a secret: scrub them. */
export interface AgentTrouble {
  readonly kind: 'registration' | 'missing' | 'image-pull' | 'not-running' | 'log';
  readonly object?: LiveObject;
  readonly message: string;
  /** What to do. */
  readonly fix: string;
}
