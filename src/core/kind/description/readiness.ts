import { HealthRule } from '../ready/health';
import { ReadyRule } from '../ready/readiness';

/** When an object is ready: what waits for it in an apply, or in a delivery. */
export interface KindReadiness {
  /**
   * When an object is ready.
   * @default - by the conditions that most controllers agree on, within 5 minutes
   */
  readonly ready?: ReadyRule;
  /** When later stages of a delivery can go on. @default - once the object exists */
  readonly health?: HealthRule;
  /** Whether servers need some time before they allow what a new object grants. @default false */
  readonly grantsAccess?: boolean;
}
