import { BindingPlace, KindAccess, Power } from '../../core/kind/description/access';
import { kindOf } from '../../core/kind/kinds';
import { mustExist } from '../../core/kind/retention';
import {
  isRecord,
  itemsAt,
  Manifest,
  objectLabel,
  refId,
  valueAt,
} from '../../core/manifest/manifest';
import { SYSTEM_NAMESPACES, ANNOTATION_PROJECT_ID } from '../../core/manifest/names';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { compare } from '../../core/text/values';
import { ANNOTATION_CREATOR_ID, SUBJECT_FIELDS } from '../../rancher/binding/binding.kind';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { identityOn } from '../cluster/own-identity';
import { missingMark } from '../fields/apply-set';
import { TakeFieldsOptions, isAdopted, otherManagers, ownedBy } from '../fields/managed-fields';
import { InventoryEntry } from '../inventory/inventory';
import { ApiError, onFailure } from '../transport/api';

/** A declared object and its live state. */
interface Declared {
  readonly object: AssemblyObject;
  readonly manifest: Manifest;
  /** Undefined if it does not exist. */
  readonly live?: LiveObject;
  /** What the inventory contains about it. */
  readonly entry?: Pick<InventoryEntry, 'uid'>;
}

interface TakeoverOptions extends TakeFieldsOptions {
  readonly cluster: Cluster;
  readonly read: (target: string, ref: ObjectRef) => Promise<LiveObject | undefined>;
  readonly fieldManager: string;
  /** Whether the program declares an object of the same cluster. */
  readonly isDeclared: (ref: ObjectRef) => boolean;
  /** Targets, and IDs of objects, that may have been recreated. */
  readonly acceptNewCluster?: readonly string[];
  readonly signal?: AbortSignal;
}

/** What an apply must know before it writes to an object that someone else made. */
export interface Takeover {
  /** Why the object is not adopted. @default - it is adopted */
  readonly refused?: string;
  /** Who has access to the object after the adoption. */
  readonly holders: readonly string[];
}

/** Tests whether a program declares an object of a target. */
export function declaredObjectsOf({
  objects,
}: Pick<Assembly, 'objects'>): (target: string, ref: ObjectRef) => boolean {
  const declared = new Set(objects.map((object) => refId(object.target, object)));
  return (target, ref) => declared.has(refId(target, ref));
}

/**
 * Whether an object must be read before it is first written: a user who made it before keeps
 * permissions by it.
 */
export function givesPower(manifest: Manifest): boolean {
  return powerOf(manifest) !== undefined;
}

/**
 * The object that a server would use as part of a new one, such as the management Cluster of a
 * Cluster.
 */
export function usedAs(manifest: Manifest): ObjectRef | undefined {
  return powerOf(manifest)?.uses?.(manifest);
}

function powerOf(manifest: Manifest): Power | undefined {
  const power = kindOf<KindAccess>(manifest)?.power;
  return power?.when?.(manifest) === false ? undefined : power;
}

/**
 * Judges the adoption of an object that gives someone permissions; undefined if there is nothing to
 * adopt, or nothing to fear.
 *
 * A user who can create an object can also set the label and the field manager of this app. So only
 * the inventory, with the UID of the object, shows that this app wrote it.
 */
export async function takeoverOf(
  declared: Declared,
  options: TakeoverOptions,
): Promise<Takeover | undefined> {
  const { object, manifest, live } = declared;
  const power = powerOf(manifest);
  if (!power || mustExist(object)) {
    return undefined;
  }
  if (!live) {
    return usedInstead(declared, options);
  }
  if (isKnown(declared, live, options)) {
    return undefined;
  }
  const interrupted = wasInterrupted(declared, live, options);
  // Rancher makes the user of a run the creator of what the run creates
  const self = interrupted ? await identityOn(options.cluster, options) : undefined;
  const holders = await holdersOf(live, power, manifest, options, self?.username);
  const harmless = power.onlyIfHeld === true || interrupted;
  if (isAdopted(options, object.id, live.metadata.uid) || (harmless && holders.length === 0)) {
    return { holders };
  }
  const managers = otherManagers(live, options.fieldManager);
  const by = managers.length > 0 ? ` (written by ${managers.join(', ')})` : '';
  return {
    holders,
    refused: `already exists, and is not in the inventory of this app${by}: ${withHolders(power.keeps, holders)}. ${fixOf(object.id)}`,
  };
}

/** An object that the server would use as part of a new one. */
async function usedInstead(
  { object, manifest }: Declared,
  options: TakeoverOptions,
): Promise<Takeover | undefined> {
  const { id, target } = object;
  const ref = usedAs(manifest);
  if (!ref || options.isDeclared(ref)) {
    return undefined;
  }
  const live = await options
    .read(target, ref)
    .catch(onFailure(['forbidden'], ({ message }) => message));
  if (typeof live === 'string') {
    return isAdopted(options, id)
      ? { holders: [] }
      : {
          holders: [],
          refused: `cannot check whether ${ref.kind} ${ref.name} on ${target} already exists, which would become part of it: ${live}. Fix: allow this identity to read it`,
        };
  }
  const other = live && powerOf(live);
  if (!live || !other || live.metadata.deletionTimestamp !== undefined) {
    return undefined;
  }
  const holders = await holdersOf(live, other, manifest, options);
  if (isAdopted(options, id, live.metadata.uid)) {
    return { holders };
  }
  return {
    holders,
    refused: `${live.apiVersion} ${objectLabel(live)} on ${target} already exists and would become part of it: ${withHolders(other.keeps, holders)}. ${fixOf(id)}`,
  };
}

function isKnown(
  { object, entry }: Declared,
  live: LiveObject,
  { fieldManager, acceptNewCluster = [] }: TakeoverOptions,
): boolean {
  if (entry?.uid === live.metadata.uid || acceptNewCluster.includes(object.id)) {
    return true;
  }
  // the cluster was restored: its objects have other UIDs
  return acceptNewCluster.includes(object.target) && missingMark(live, fieldManager) === undefined;
}

/** Whether a run ended before it could record the UID of an object that it wrote. */
function wasInterrupted(
  { entry }: Declared,
  live: LiveObject,
  { fieldManager }: TakeoverOptions,
): boolean {
  return (
    entry !== undefined && entry.uid === undefined && ownedBy(live, fieldManager) !== undefined
  );
}

/** Who has access to an object, for messages; empty if no one is known to have it. */
export function heldText(holders: readonly string[]): string {
  return holders.length === 0 ? '' : `access has: ${holders.join('; ')}`;
}

function withHolders(text: string, holders: readonly string[]): string {
  return [text, heldText(holders)].filter((part) => part).join('; ');
}

function fixOf(id: string): string {
  return `Fix: find out who made it, and delete it if you do not know it; to adopt it with all who have access to it, set --accept-existing '${id}'`;
}

/** The number of bindings that a message lists per object. */
const MAX_BINDINGS = 5;

/**
 * Who has access to a live object that the app did not write, one text for each; empty if no one is
 * known to have it.
 *
 * @param manifest what the program declares for the object
 * @param self the name of the user of this run: its own access is not reported
 */
async function holdersOf(
  live: LiveObject,
  { bindings }: Power,
  manifest: Manifest,
  options: TakeoverOptions,
  self?: string,
): Promise<readonly string[]> {
  const { annotations = {}, ownerReferences = [] } = live.metadata;
  const creator = annotations[ANNOTATION_CREATOR_ID];
  const project = annotations[ANNOTATION_PROJECT_ID];
  const lists = await Promise.all(
    (bindings?.(live) ?? []).map(async (place) => boundIn(place, options, self)),
  );
  return [
    // the program may name a creator itself
    ...(creator &&
    creator !== self &&
    creator !== manifest.metadata.annotations?.[ANNOTATION_CREATOR_ID]
      ? [`${creator}, who created it`]
      : []),
    ...(project && manifest.metadata.annotations?.[ANNOTATION_PROJECT_ID] === undefined
      ? [`the members of project ${project}`]
      : []),
    ...ownerReferences
      .filter((owner) => !isOwnerDeclared(owner, live, options))
      .map(
        ({ kind, name }) =>
          `the owner of ${String(kind)} ${String(name)}, with which it is deleted`,
      ),
    ...lists.flat(),
  ];
}

/**
 * Whether the program declares the owner of an object, such as the Cluster of a machine
 * configuration.
 */
function isOwnerDeclared(
  owner: { readonly [field: string]: unknown },
  live: LiveObject,
  { isDeclared }: TakeoverOptions,
): boolean {
  const ref = {
    apiVersion: String(owner.apiVersion),
    kind: String(owner.kind),
    name: String(owner.name),
  };
  return isDeclared(ref) || isDeclared({ ...ref, namespace: live.metadata.namespace });
}

async function boundIn(
  place: BindingPlace,
  { cluster, isDeclared, signal }: TakeoverOptions,
  self?: string,
): Promise<string[]> {
  const { apiVersion, kind, namespace } = place;
  const unknown = ({ message }: ApiError): string[] => [
    `others, who are unknown: the ${kind}s in namespace ${namespace} cannot be listed (${message})`,
  ];
  const found = await cluster
    .list(apiVersion, kind, { namespace, signal })
    .then(
      (bindings) =>
        bindings
          .filter((binding) => !isDeclared({ ...binding, ...binding.metadata }))
          .flatMap((binding) => textsOf(binding, self)),
      onFailure(['forbidden'], unknown),
    );
  const sorted = found.sort(compare);
  return sorted.length <= MAX_BINDINGS
    ? sorted
    : [
        ...sorted.slice(0, MAX_BINDINGS),
        `${sorted.length - MAX_BINDINGS} more by ${kind}s in namespace ${namespace}`,
      ];
}

/** Who gets a role by a binding; nothing for parts of the system. */
function textsOf(binding: LiveObject, self?: string): string[] {
  const role = String(
    valueAt(binding, 'roleTemplateName') ?? valueAt(binding, 'roleRef', 'name') ?? 'unknown',
  );
  const by = `with role ${role}, by ${binding.kind} ${binding.metadata.name}`;
  const member = SUBJECT_FIELDS.map((field) => binding[field]).find(
    (value) => typeof value === 'string' && value !== '',
  );
  if (typeof member === 'string') {
    return member === self ? [] : [`${member} ${by}`];
  }
  return itemsAt(binding, 'subjects').flatMap((subject) => {
    if (isRecord(subject) && !isOfSystem(subject)) {
      return [
        `${String(subject.kind)} ${typeof subject.namespace === 'string' ? `${subject.namespace}/` : ''}${String(subject.name)} ${by}`,
      ];
    }
    return [];
  });
}

/**
 * Whether a subject is a part of Kubernetes or of the products, whose accounts only administrators
 * can use.
 */
function isOfSystem({ kind, name, namespace }: { readonly [field: string]: unknown }): boolean {
  if (kind === 'ServiceAccount') {
    return (
      typeof namespace === 'string' &&
      namespace !== 'default' &&
      SYSTEM_NAMESPACES.includes(namespace)
    );
  }
  // the group system:serviceaccounts:<namespace> is that of tenants
  return (
    typeof name === 'string' &&
    name.startsWith('system:') &&
    !/^system:(serviceaccount|authenticated|unauthenticated)/.test(name)
  );
}
