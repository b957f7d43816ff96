import { AdoptNote } from './adopt-note';
import { FoundCluster } from '../../core/draft/draft';
import { compare } from '../../core/text/values';
import { OpenCluster } from '../../engine/auth/bind-targets';
import { TakeOver } from '../../engine/auth/take-over';
import { BoundTarget } from '../../engine/cluster/cluster';
import { adoptionOf } from '../../engine/fields/managed-fields';
import { appOf } from '../../engine/inventory/apply-set';
import { isAdoption, labelOf, lossText, Plan, PlanStep } from '../../engine/plan/plan';
import { planProgram } from '../../engine/plan/plan-program';
import { assemblyOfFiles } from '../../engine/read/load-assembly';
import { rollsByImpact } from '../../report/impact/cluster-impacts';
import { Adopted } from '../adopt';
import { foundId } from '../evaluate/statements';

/** What the first plan of an adopted program shows. */
export interface PlanProof {
  /** What an apply would change, create, or fail for. */
  readonly problems: readonly AdoptNote[];
  /** Objects that someone must agree to adopt. */
  readonly takeOver: readonly TakeOver[];
}

/** More rounds than objects wait for each other: a cluster, what names its Secrets, these. */
const MAX_ROUNDS = 4;

/** Preconditions that hold once someone agrees to adopt the objects. */
const AGREED = ['taken-over', 'named-secrets'] as const;

/**
 * Plans the program with the clusters that it was read from: nothing is written, not even in a dry
 * run. Objects that give permissions are adopted, and returned. Targets that are not open, such as
 * guest clusters, are not planned.
 */
export async function provePlan(
  { evaluated }: Adopted,
  clusters: readonly FoundCluster[],
  opened: readonly OpenCluster[],
  signal?: AbortSignal,
): Promise<PlanProof> {
  const loaded = assemblyOfFiles(evaluated.app._plainFiles());
  const uids = new Map(
    clusters.flatMap(({ objects }) =>
      objects.map((object) => [foundId(object), String(object.manifest.metadata.uid)]),
    ),
  );
  const app = appOf();
  const isOpen = ({ target }: { readonly target: string }): boolean =>
    opened.some(({ name }) => name === target);
  const assembly = {
    ...loaded.assembly,
    targets: loaded.assembly.targets.filter(({ name }) => isOpen({ target: name })),
    objects: loaded.assembly.objects.filter(isOpen),
  };
  const targets = new Map(
    assembly.targets.map((target): [string, BoundTarget] => {
      const { by, cluster } = opened.find(({ name }) => name === target.name)!;
      return [target.name, { target, by, cluster: async () => cluster }];
    }),
  );
  const taken = new Map<string, TakeOver>();
  for (let round = 1; ; round++) {
    const { plan } = await planProgram(
      { ...loaded, assembly, targets },
      {
        app,
        rolls: rollsByImpact,
        dryRun: false,
        adopt: [...taken.values()].map(({ id, uid }) => adoptionOf(id, uid)),
        signal,
      },
    );
    const more = plan.steps
      .flatMap((step) => toAgree(step, uids))
      .filter(({ id }) => !taken.has(id));
    more.forEach((each) => taken.set(each.id, each));
    if (more.length === 0 || round === MAX_ROUNDS) {
      const takeOver = [...taken.values()].sort((a, b) => compare(a.id, b.id));
      return { problems: problemsOf(plan), takeOver };
    }
  }
}

/** What someone must agree to adopt, so that a step does not fail. */
function toAgree(
  { id, preconditions = [] }: PlanStep,
  uids: ReadonlyMap<string, string>,
): TakeOver[] {
  return preconditions.flatMap((precondition) => {
    const { problem } = precondition;
    if (problem === undefined || !AGREED.some((each) => each === precondition.id)) {
      return [];
    }
    const ids = precondition.id === 'named-secrets' ? precondition.secrets : [id];
    const because = problem.replace(/\.? ?Fix: .*$/s, '');
    return ids.flatMap((each) => {
      const uid = uids.get(each);
      return uid === undefined ? [] : [{ id: each, uid, because }];
    });
  });
}

function problemsOf({ steps, rolls, problems = [] }: Plan): AdoptNote[] {
  return [
    ...steps.flatMap((step) => {
      const place = { target: step.target, object: labelOf(step) };
      return messagesOf(step).map((message) => ({ ...place, message: `plan: ${message}` }));
    }),
    ...rolls.map((loss) => ({
      target: loss.target,
      object: `Cluster ${loss.cluster}`,
      message: `plan: ${lossText(loss)}`,
    })),
    ...problems.map((message) => ({ target: '', object: 'apply', message: `plan: ${message}` })),
  ];
}

function messagesOf(step: PlanStep): string[] {
  const { action, changes, conflicts, refused, reason } = step;
  return [
    ...(refused === undefined ? [] : [refused]),
    ...conflicts.map(({ field, manager }) => `${field} belongs to ${manager}`),
    ...(action === 'create' ? ['would be created'] : []),
    ...(action === 'prune' || action === 'reset'
      ? [`would be ${action === 'prune' ? 'deleted' : 'reset'}: ${reason ?? ''}`]
      : []),
    ...(action !== 'update' || isAdoption(step)
      ? []
      : changes
          .filter(({ path }) => !isAdoption({ ...step, changes: [{ path }] }))
          .map(({ path }) => `${path} would change`)),
  ];
}
