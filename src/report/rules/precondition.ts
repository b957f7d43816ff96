import { kindOf } from '../../core/kind/kinds';
import { JudgedTarget, Rule } from '../../core/rule/rule';
import { FeatureGates } from '../../core/version/feature-gates';

const CLUSTERS: { readonly [kind in NonNullable<JudgedTarget['kind']>]: string } = {
  rancher: 'Rancher management clusters', harvester: 'Harvester clusters', guest: 'guest clusters',
};

/** What a rule is about: the objects that it judges, as text. */
export interface Precondition {
  /** The kinds, `group/Kind`. */
  readonly kinds: readonly string[];
  /** The clusters on which it judges them. Empty for all. */
  readonly clusters: readonly string[];
  /** The version that it needs. @default - it holds for every version */
  readonly versions?: string;
  /** The fields without which an object is not judged. */
  readonly fields: readonly string[];
  /** Whether it judges only objects that do not exist yet. */
  readonly creation: boolean;
}

/** What a rule is about. */
export function preconditionOf({ kinds, on, surelyOn, gate, fields = [], creation }: Rule): Precondition {
  const asked = on ?? surelyOn;
  const served = asked ? [asked] : kinds.flatMap((key) => kindOf({ apiVersion: `${key.split('/')[0]}/`, kind: key.split('/')[1]! })?.targets ?? []);
  return {
    kinds: kinds.includes('*') ? ['every kind'] : kinds.map((kind) => kind.replace(/^\//, '')),
    clusters: [...new Set(served)].map((kind) => CLUSTERS[kind]),
    ...(gate === undefined ? {} : { versions: FeatureGates.of(gate)._requirement() }),
    fields,
    creation: creation === true,
  };
}

/** What a rule is about, on one line: `Secret on Rancher management clusters, new objects`. */
export function preconditionText(rule: Rule): string {
  const { kinds, clusters, versions, creation } = preconditionOf(rule);
  const on = clusters.length === 0 ? '' : ` on ${clusters.join(', ')}`;
  return [`${kinds.map((kind) => kind.replace(/^.*\//, '')).join(', ')}${on}`, ...(creation ? ['new objects'] : []), ...(versions ? [versions] : [])].join('; ');
}
