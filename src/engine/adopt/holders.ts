import { BindingPlace, Power } from '../../core/kind/description/access';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { SYSTEM_NAMESPACES } from '../../core/manifest/names';
import { compare } from '../../core/text/values';
import { ANNOTATION_CREATOR_ID, SUBJECT_FIELDS } from '../../rancher/members/binding.kind';
import { ANNOTATION_PROJECT_ID } from '../../rancher/project/project.kind';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { onFailure } from '../transport/api';

/** How holders are searched for. */
export interface HolderOptions {
  /** What the program declares for the object. */
  readonly manifest: Manifest;
  /** Whether the program declares an object of the same cluster: it is judged by itself. */
  readonly isDeclared: (ref: ObjectRef) => boolean;
  /** The name of the user of this run: its own access is not reported. @default - unknown */
  readonly self?: string;
  readonly signal?: AbortSignal;
}

/** The number of bindings that a message lists per object. */
const MAX_BINDINGS = 5;

/** Who has access to a live object that the app did not write, one text for each; empty if no one is known to have it. */
export async function holdersOf(live: LiveObject, { bindings }: Power, cluster: Cluster, options: HolderOptions): Promise<readonly string[]> {
  const { annotations = {}, ownerReferences = [] } = live.metadata;
  const creator = annotations[ANNOTATION_CREATOR_ID];
  const project = annotations[ANNOTATION_PROJECT_ID];
  const lists = await Promise.all((bindings?.(live) ?? []).map(async (place) => boundIn(place, cluster, options)));
  return [
    // the program may name a creator itself
    ...(creator && creator !== options.self && creator !== options.manifest.metadata.annotations?.[ANNOTATION_CREATOR_ID] ? [`${creator}, who created it`] : []),
    ...(project && options.manifest.metadata.annotations?.[ANNOTATION_PROJECT_ID] === undefined ? [`the members of project ${project}`] : []),
    ...ownerReferences.filter((owner) => !isOwnerDeclared(owner, live, options)).map(({ kind, name }) => `the owner of ${String(kind)} ${String(name)}, with which it is deleted`),
    ...lists.flat(),
  ];
}

/** Whether the program declares the owner of an object, such as the Cluster of a machine configuration. */
function isOwnerDeclared(owner: { readonly [field: string]: unknown }, live: LiveObject, { isDeclared }: HolderOptions): boolean {
  const ref = { apiVersion: String(owner.apiVersion), kind: String(owner.kind), name: String(owner.name) };
  return isDeclared(ref) || isDeclared({ ...ref, namespace: live.metadata.namespace });
}

async function boundIn(place: BindingPlace, cluster: Cluster, { isDeclared, self, signal }: HolderOptions): Promise<string[]> {
  const { apiVersion, kind, namespace } = place;
  const found = await cluster.list(apiVersion, kind, { namespace, signal })
    .then((bindings) => bindings.flatMap((binding) => (isDeclared({ ...binding, ...binding.metadata }) ? [] : textsOf(binding, self))), onFailure(['forbidden'], ({ message }) => (
      [`others, who are unknown: the ${kind}s in namespace ${namespace} cannot be listed (${message})`])));
  const sorted = found.sort(compare);
  return sorted.length <= MAX_BINDINGS ? sorted : [...sorted.slice(0, MAX_BINDINGS), `${sorted.length - MAX_BINDINGS} more by ${kind}s in namespace ${namespace}`];
}

/** Who gets a role by a binding; nothing for parts of the system. */
function textsOf(binding: LiveObject, self?: string): string[] {
  const role = String(valueAt(binding, 'roleTemplateName') ?? valueAt(binding, 'roleRef', 'name') ?? 'unknown');
  const by = `with role ${role}, by ${binding.kind} ${binding.metadata.name}`;
  const member = SUBJECT_FIELDS.map((field) => binding[field]).find((value) => typeof value === 'string' && value !== '');
  if (typeof member === 'string') { return member === self ? [] : [`${member} ${by}`]; }
  const subjects = binding.subjects;
  return (Array.isArray(subjects) ? subjects : []).flatMap((subject: unknown) => (isRecord(subject) && !isOfSystem(subject) ? [
    `${String(subject.kind)} ${typeof subject.namespace === 'string' ? `${subject.namespace}/` : ''}${String(subject.name)} ${by}`,
  ] : []));
}

/** Whether a subject is a part of Kubernetes or of the products, whose accounts only administrators can use. */
function isOfSystem({ kind, name, namespace }: { readonly [field: string]: unknown }): boolean {
  if (kind === 'ServiceAccount') { return typeof namespace === 'string' && namespace !== 'default' && SYSTEM_NAMESPACES.includes(namespace); }
  // the group system:serviceaccounts:<namespace> is that of tenants
  return typeof name === 'string' && name.startsWith('system:') && !/^system:(serviceaccount|authenticated|unauthenticated)/.test(name);
}
