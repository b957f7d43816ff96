import { AssemblyTarget } from '../../model/assembly';
import { compare } from '../../model/compare';
import { ANNOTATION_OWNER_NAME } from '../../model/labels';
import { refKey } from '../../model/manifest';
import { searchedKinds } from '../../model/retention';
import { ANNOTATION_REMOVED_CLAIMS, KIND_VIRTUAL_MACHINE } from '../../model/virtual-machine/names';
import { Cluster, LiveObject } from '../cluster/cluster';
import { ApiError } from '../transport/api';

/** Whether the run deletes an object itself. */
export type IsGoing = (live: LiveObject) => boolean;

/** What would be lost with a namespace. */
export interface NamespaceContents {
  /** As people say it: `2 VirtualMachines (a, b), 1 Secret (c)`; empty where nothing would be lost. */
  readonly text: string;
  /** All of it is being deleted already. */
  readonly passes: boolean;
  /** Kinds that this identity may not list. */
  readonly unseen: readonly string[];
}

/** Objects that run or configure something and are not recreated by anyone; those that a controller owns are. */
export const WORKLOADS: readonly (readonly [apiVersion: string, kind: string])[] = [
  ['apps/v1', 'Deployment'], ['apps/v1', 'StatefulSet'], ['apps/v1', 'DaemonSet'], ['batch/v1', 'Job'], ['batch/v1', 'CronJob'], ['v1', 'Pod'],
];

const SECRET = ['v1', 'Secret'] as const;

/** Types of Secrets that a controller makes, and makes again. @see https://kubernetes.io/docs/concepts/configuration/secret/#secret-types */
const MADE_SECRETS: readonly unknown[] = ['kubernetes.io/service-account-token', 'helm.sh/release.v1'];

/** Annotations of Secrets that Rancher copies into namespaces. @see rancher/rancher:pkg/controllers/managementuserlegacy/secret, pkg/project-scoped-secret */
const COPIED_SECRETS: readonly string[] = [ANNOTATION_OWNER_NAME, 'management.cattle.io/project-scoped-secret-copy', 'secret.user.cattle.io/secret'];

/** How many names of a kind are said. */
const SAID = 3;

/**
 * What a namespace holds that is lost when it is deleted: machines, data and backups whoever made them, Secrets and workloads that no controller makes
 * again. Kinds that the cluster does not serve are skipped.
 */
export async function contentsOfNamespace(
  namespace: string, target: AssemblyTarget, cluster: Cluster,
  { isGoing = () => false, signal }: { readonly isGoing?: IsGoing; readonly signal?: AbortSignal } = {},
): Promise<NamespaceContents> {
  const holders = searchedKinds(target.kind);
  const kinds = [...holders, SECRET, ...WORKLOADS];
  const lists = await Promise.all(kinds.map(async ([apiVersion, kind]) => listed(cluster, apiVersion, kind, namespace, signal)));
  const claims = goingClaims(lists.flatMap(({ objects }) => objects).filter(isGoing));
  const lost = lists.map(({ kind, objects }, index) => ({
    kind, objects: objects.filter((live) => !isGoing(live) && !isClaimOf(live, claims) && (index < holders.length || !isMadeAgain(live))),
  })).filter(({ objects }) => objects.length > 0);
  return {
    text: lost.map(({ kind, objects }) => countText(kind, objects)).join(', '),
    passes: lost.every(({ objects }) => objects.every(({ metadata }) => metadata.deletionTimestamp !== undefined)),
    unseen: lists.filter(({ forbidden }) => forbidden).map(({ kind }) => kind),
  };
}

/** Whether objects of a kind may be overlooked: all the others are what a namespace is searched for. */
export function mayBeUnseen(kind: string): boolean {
  return kind === SECRET[1];
}

interface Listed {
  readonly kind: string;
  readonly objects: readonly LiveObject[];
  readonly forbidden?: boolean;
}

async function listed(cluster: Cluster, apiVersion: string, kind: string, namespace: string, signal?: AbortSignal): Promise<Listed> {
  try {
    return { kind, objects: await cluster.list(apiVersion, kind, { namespace, signal }) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure !== 'forbidden') { throw error; }
    return { kind, objects: [], forbidden: true };
  }
}

function isMadeAgain({ type, metadata: { ownerReferences = [], annotations = {}, labels = {} } }: LiveObject): boolean {
  return ownerReferences.length > 0 || MADE_SECRETS.includes(type) || COPIED_SECRETS.some((key) => key in annotations || key in labels);
}

/** The claims that go with virtual machines, as Harvester deletes them: `<namespace>/<name>`. */
function goingClaims(going: readonly LiveObject[]): ReadonlySet<string> {
  return new Set(going.filter(({ kind }) => kind === KIND_VIRTUAL_MACHINE).flatMap(({ metadata: { namespace, annotations = {} } }) => (
    (annotations[ANNOTATION_REMOVED_CLAIMS] ?? '').split(',').map((name) => `${namespace ?? ''}/${name.trim()}`))));
}

function isClaimOf({ kind, metadata: { namespace, name } }: LiveObject, claims: ReadonlySet<string>): boolean {
  return (kind === 'PersistentVolumeClaim' || kind === 'DataVolume') && claims.has(`${namespace ?? ''}/${name}`);
}

function countText(kind: string, objects: readonly LiveObject[]): string {
  const names = objects.map(({ metadata: { name } }) => name).sort(compare);
  const more = names.length > SAID ? `, and ${names.length - SAID} more` : '';
  return `${names.length} ${kind}${names.length === 1 ? '' : 's'} (${names.slice(0, SAID).join(', ')}${more})`;
}

/** Whether a live object is one of some that are named. */
export function isOneOf(keys: ReadonlySet<string>): IsGoing {
  return ({ apiVersion, kind, metadata: { namespace, name } }) => keys.has(refKey({ apiVersion, kind, namespace, name }));
}
