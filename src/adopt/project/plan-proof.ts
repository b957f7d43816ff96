import { AdoptNote } from './adopt-note';
import { FoundCluster } from '../../core/draft/draft';
import { OpenCluster } from '../../engine/auth/bind-targets';
import { TakeOver } from '../../engine/auth/take-over';
import { BoundTarget } from '../../engine/cluster/cluster';
import { App, appOf } from '../../engine/fields/apply-set';
import { adoptionProblems, planAdoption } from '../../engine/plan/program/adoption';
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

/** Which program is planned. */
interface ProofOptions {
  /** The app. @default - that without a name */
  readonly app?: App;
  /** Whether it is a part that is added to the program of the app. @default false */
  readonly isPart?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Plans the program with the clusters that it was read from: nothing is written, not even in a dry
 * run. Objects that give permissions are adopted, and returned. Targets that are not open are not
 * planned.
 */
export async function provePlan(
  { evaluated }: Adopted,
  clusters: readonly FoundCluster[],
  opened: readonly Pick<OpenCluster, 'name' | 'by' | 'cluster'>[],
  { app = appOf(), isPart = false, signal }: ProofOptions = {},
): Promise<PlanProof> {
  const loaded = assemblyOfFiles(evaluated.app._plainFiles());
  const uids = new Map(
    clusters.flatMap(({ objects }) =>
      objects.map((object) => [foundId(object), String(object.manifest.metadata.uid)]),
    ),
  );
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
  const { plan, taken } = await planAdoption(
    { ...loaded, assembly, targets },
    {
      app,
      rolls: rollsByImpact,
      signal,
      // the inventory contains what the other parts declare
      ...(isPart ? { prune: false, acceptEmpty: true } : {}),
    },
    uids,
  );
  return {
    problems: adoptionProblems(plan).map(({ message, ...place }) => ({
      ...place,
      message: `plan: ${message}`,
    })),
    takeOver: taken,
  };
}
