import { Change, changesOf, Mode } from './changes';
import { DIFFERENCES } from './differences/by-product';
import { DifferenceRow, Differences } from './differences/differences';
import { listsOf, Recording } from './recording';
import { schemaOf } from './run';
import { Tried } from './trials/witness';
import { Lists, lintRefusals, worldOf } from './verdict';
import { Manifest } from '../../../src/core/manifest/manifest';
import { JudgedTarget } from '../../../src/core/rule/rule';
import { Product } from '../lab/kubeconfigs';

/** A change about which lint and the server differ. */
export interface Difference {
  /** The side that refuses alone. */
  readonly side: 'lint' | 'server';
  readonly change: Change;
  /** `<kind>/<name> <mode>: <change>` */
  readonly name: string;
  /** The rules that refuse, or the words of the server, or of what failed later. */
  readonly by: readonly string[];
  /** Undefined: no reason is known. */
  readonly reason?: string;
}

/** How often lint and a server agree. */
export interface Summary {
  readonly total: number;
  /** Changes that lint and the dry run both refuse or both take. */
  readonly agree: number;
  /** Changes about which they differ, and lint is right: what became of them when they were tried. */
  readonly settled: number;
  readonly differences: readonly Difference[];
}

/** The servers that the verdicts are of. */
export const JUDGED_TARGETS: { readonly [product in Product]: JudgedTarget } = {
  harvester: {
    name: 'dc1',
    kind: 'harvester',
    harvesterVersion: '1.8.2',
    kubernetesVersion: 'v1.34.4',
  },
  rancher: {
    name: 'rancher',
    kind: 'rancher',
    rancherVersion: '2.15.0',
    kubernetesVersion: 'v1.34.4',
  },
};

/** The object that was changed, and what the server had then. */
interface Place {
  readonly mode: Mode;
  readonly object: Manifest;
  readonly isApplied: boolean;
  readonly lists: Lists;
}

/** Compares lint with the answers of a server about one object. */
export function compare(
  { mode, object, isApplied, lists }: Place,
  answers: Iterable<readonly [change: Change, refusal: string | undefined]>,
  target: JudgedTarget,
  tried: Tried = new Map(),
): Summary {
  const world = worldOf(lists, target);
  const known = DIFFERENCES[productOf(target)];
  const differences: Difference[] = [];
  let [total, agree, settled] = [0, 0, 0];
  for (const [change, refusal] of answers) {
    total++;
    const found = lintRefusals(change, mode, world, isApplied ? object : undefined, target);
    const isFound = found.length > 0;
    const isAgreed = isFound === (refusal !== undefined);
    const failure = tried.has(change.what) ? tried.get(change.what) : refusal;
    agree += isAgreed ? 1 : 0;
    if (isFound === (failure !== undefined)) {
      settled += isAgreed ? 0 : 1;
      continue;
    }
    const name = `${object.kind}/${object.metadata.name} ${mode}: ${change.what}`;
    const by = isFound ? [...new Set(found.map(({ rule }) => rule))] : [failure!];
    differences.push({
      side: isFound ? 'lint' : 'server',
      change,
      name,
      by,
      reason: isFound
        ? reasonOfLint(known, `${object.kind}: ${change.what}`, by)
        : reasonOf(known.serverAlone, name),
    });
  }
  return { total, agree, settled, differences };
}

/** Compares lint with a recording, whose changes are made again. */
export function compareRecorded(recording: Recording, target: JudgedTarget): Summary {
  const each = recording.objects.map((recorded) => {
    const { object, mode, taken, refused } = recorded;
    const changes = new Map(
      changesOf(object, schemaOf(object, target), mode).map((change) => [change.what, change]),
    );
    const answers = [...taken, ...refused].flatMap((what) => {
      const change = changes.get(what);
      return change ? [[change, refused.includes(what) ? 'refused' : undefined] as const] : [];
    });
    const tried = new Map<string, string | undefined>([
      ...(recorded.failed ?? []).map((what) => [what, 'failed'] as const),
      ...(recorded.worked ?? []).map((what) => [what, undefined] as const),
    ]);
    return compare({ ...recorded, lists: listsOf(recording, recorded) }, answers, target, tried);
  });
  return summed(each);
}

export function summed(summaries: readonly Summary[]): Summary {
  return {
    total: summaries.reduce((sum, { total }) => sum + total, 0),
    agree: summaries.reduce((sum, { agree }) => sum + agree, 0),
    settled: summaries.reduce((sum, { settled }) => sum + settled, 0),
    differences: summaries.flatMap(({ differences }) => differences),
  };
}

function productOf({ kind }: JudgedTarget): Product {
  return kind === 'rancher' ? 'rancher' : 'harvester';
}

function reasonOfLint(
  { lintAlone }: Differences,
  changed: string,
  rules: readonly string[],
): string | undefined {
  const reasons = rules.map((rule) => reasonOf(lintAlone, `${rule} ${changed}`));
  return reasons.includes(undefined) ? undefined : reasons[0];
}

function reasonOf(table: readonly DifferenceRow[], text: string): string | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1];
}
