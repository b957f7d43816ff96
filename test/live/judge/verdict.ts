import { setTimeout as sleep } from 'node:timers/promises';
import { Change, Mode } from './changes';
import { Manifest } from '../../../src/core/manifest/manifest';
import { Finding } from '../../../src/core/rule/finding';
import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, JudgedTarget, World } from '../../../src/core/rule/rule';
import { Cluster } from '../../../src/engine/cluster/cluster';
import { manifestsOfDocuments } from '../../../src/engine/files/documents';
import { ApiError, FailureClass } from '../../../src/engine/transport/api';
import { ALL_RULES } from '../../../src/registry/all-rules';

/** The field manager of all requests, the same that `cdk8s-harvester apply` uses. */
export const FIELD_MANAGER = 'cdk8s-harvester';

/** What a server has when a change is judged: the lists of kinds, as `kubectl get -A -o yaml` gives them. */
export type Lists = readonly (readonly Manifest[])[];

/** Failures that are not about the object. */
const NO_VERDICTS: readonly FailureClass[] = ['auth', 'aborted', 'connection'];

/** Answers about the server itself: a webhook does not run, or its store is busy. */
const NO_VERDICT =
  /failed calling webhook.*(refused|no endpoints|deadline|EOF|no such host|currently unable)|etcdserver/;

/** A webhook that did not answer in time. */
const IS_LATE = /failed calling webhook.*(deadline|timeout)/;
const TRIES = 4;
const PAUSE_MS = 3_000;

/** A request whose answer is not about the object. */
export class NoVerdictError extends Error {}

/** The refusal of an object under strict validation; undefined where the server takes it. */
export async function refusalOf(cluster: Cluster, manifest: Manifest): Promise<string | undefined> {
  try {
    await applyPatiently(cluster, manifest, { dryRun: true });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || NO_VERDICTS.includes(error.failure)) {
      throw error;
    }
    if ((error.status ?? 500) >= 500 && NO_VERDICT.test(error.message)) {
      throw new NoVerdictError(error.message);
    }
    return error.message;
  }
}

/** Applies an object, and again where a webhook of a busy server did not answer in time. */
export async function applyPatiently(
  cluster: Cluster,
  manifest: Manifest,
  options: { readonly dryRun?: boolean } = {},
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await cluster.apply(manifest, { fieldManager: FIELD_MANAGER, force: true, ...options });
      return;
    } catch (error) {
      if (tries === TRIES || !(error instanceof ApiError) || !IS_LATE.test(error.message)) {
        throw error;
      }
      await sleep(PAUSE_MS);
    }
  }
}

/** The objects of a server as `lint --world` reads them. */
export function worldOf(lists: Lists, target: JudgedTarget): JudgedObject[] {
  return lists.flatMap((list, document) =>
    list.map((manifest) => ({ manifest, target, file: 'world.yaml', document })),
  );
}

/** Warnings of what only strict validation and server-side apply refuse. */
const STRICT = ['object/unknown-field', 'object/null-field'];

/** What lint finds in a change, which strict validation refuses. */
export function lintRefusals(
  { manifest }: Change,
  mode: Mode,
  world: readonly JudgedObject[],
  written: Manifest | undefined,
  target: JudgedTarget,
): Finding[] {
  const judged = manifestsOfDocuments([manifest]).map((read) => ({
    ...read,
    target,
    file: 'new.yaml',
  }));
  // a copy is added next to the object
  const before =
    mode === 'edit' && written?.metadata.name === manifest.metadata.name
      ? [{ manifest: written, target, file: 'old.yaml' }]
      : [];
  return judge(ALL_RULES, new World(judged, world, before)).filter(
    ({ level, rule, object }) =>
      (level === 'error' || STRICT.includes(rule)) &&
      (object === undefined || object.name === judged[0]?.manifest.metadata.name),
  );
}
