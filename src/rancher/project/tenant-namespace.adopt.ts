import { ANNOTATION_CONTAINER_LIMIT, ANNOTATION_RESOURCE_QUOTA } from './project.kind';
import {
  DraftProps,
  DraftValue,
  FoundObject,
  Surroundings,
  call,
  cpuOf,
  mapAt,
  sizeCall,
  textAt,
} from '../../core/draft/draft';
import { annotationsOf, valueAt, isFromServer } from '../../core/manifest/manifest';
import { ANNOTATION_PROJECT_ID } from '../../core/manifest/names';
import { filledFields, jsonOf } from '../../core/text/values';
import {
  CONTAINER_LIMIT_KEYS,
  EXTENDED_PREFIX,
  QuotaLimit,
  VM_COUNT,
  quotaLimitOf,
} from '../quota/quota.check';

/**
 * A namespace of a project, with the ResourceQuota that limits its virtual machines where Rancher
 * cannot.
 */
export interface FoundNamespace {
  readonly object: FoundObject;
  readonly vmQuota?: FoundObject;
  readonly vmCount?: string;
}

/** The name of that ResourceQuota, and its key. */
const VM_QUOTA = 'virtual-machines';
const VM_KEY = VM_COUNT.slice(EXTENDED_PREFIX.length);

/** The namespaces of a project, on the cluster that it is of. */
export function namespacesOf(
  clusterId: string,
  projectId: string,
  around: Surroundings,
): readonly FoundNamespace[] {
  const target = around.targetOf(clusterId);
  if (target === undefined) {
    return [];
  }
  return around
    .objects(target, '/Namespace')
    .filter(({ manifest }) => annotationsOf(manifest)[ANNOTATION_PROJECT_ID] === projectId)
    .map((object) => {
      const vmQuota = around
        .objects(target, '/ResourceQuota')
        .find(
          ({ manifest }) =>
            manifest.metadata.name === VM_QUOTA &&
            manifest.metadata.namespace === object.manifest.metadata.name,
        );
      const hard = vmQuota && mapAt(vmQuota.manifest, 'spec', 'hard');
      const vmCount =
        hard && Object.keys(hard).length === 1
          ? textAt(vmQuota.manifest, 'spec', 'hard', VM_KEY)
          : undefined;
      return vmCount === undefined ? { object } : { object, vmQuota, vmCount };
    });
}

/** The defaults of a project for its namespaces. */
interface Defaults {
  /** @default - a namespace has no quota, since its project has none */
  readonly namespaceQuota?: QuotaLimit;
  readonly containerDefaults: QuotaLimit;
}

/** The props of a namespace of a project. */
export function namespaceProps(
  { object, vmCount }: FoundNamespace,
  defaults: Defaults,
  around: Surroundings,
): DraftProps {
  const { metadata } = around.cleaned(object);
  const annotations = annotationsOf(object.manifest);
  const limits = quotaLimitOf(jsonOf(annotations[ANNOTATION_CONTAINER_LIMIT]));
  const counted: QuotaLimit = vmCount === undefined ? {} : { [VM_COUNT]: vmCount };
  const quota: QuotaLimit = {
    ...quotaLimitOf(valueAt(jsonOf(annotations[ANNOTATION_RESOURCE_QUOTA]), 'limit')),
    ...counted,
  };
  return {
    name: metadata.name,
    labels: ownTexts(metadata.labels, [ANNOTATION_PROJECT_ID]),
    annotations: ownTexts(metadata.annotations, [
      ANNOTATION_PROJECT_ID,
      ANNOTATION_RESOURCE_QUOTA,
      ANNOTATION_CONTAINER_LIMIT,
    ]),
    quota: defaults.namespaceQuota && quotaProp(differing(quota, defaults.namespaceQuota)),
    // Rancher writes those of the project, which an engine deletes where a file lacks them
    containerDefaults: containerProp(
      isFromServer(object.manifest) ? differing(limits, defaults.containerDefaults) : limits,
    ),
  };
}

function ownTexts(
  map: { readonly [key: string]: string } | undefined,
  others: readonly string[],
): DraftProps | undefined {
  const entries = Object.entries(map ?? {}).filter(([key]) => !others.includes(key));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** A quota as props; undefined without one. */
export function quotaProp(limit: QuotaLimit): DraftProps | undefined {
  const { [VM_COUNT]: virtualMachines, ...rest } = limit;
  const isExtended = ([key]: readonly [string, string]): boolean => key.startsWith(EXTENDED_PREFIX);
  const extended = Object.entries(rest)
    .filter(isExtended)
    .map(([key, value]) => [key.slice(EXTENDED_PREFIX.length), value]);
  const plain = Object.entries(rest).filter((entry) => !isExtended(entry));
  return filledFields({
    ...Object.fromEntries(plain.map(([key, value]) => [key, amountProp(key, value)])),
    virtualMachines: virtualMachines === undefined ? undefined : Number(virtualMachines),
    extended: extended.length > 0 ? Object.fromEntries(extended) : undefined,
  });
}

/** Requests and limits of containers as props; undefined without any. */
export function containerProp(limit: unknown): DraftProps | undefined {
  const all = quotaLimitOf(limit);
  return filledFields(
    Object.fromEntries(
      CONTAINER_LIMIT_KEYS.map((key) => [
        key,
        all[key] === undefined ? undefined : amountProp(key, all[key]),
      ]),
    ),
  );
}

/** The amounts of a limit that another one does not have. */
function differing(limit: QuotaLimit, other: QuotaLimit): QuotaLimit {
  return Object.fromEntries(Object.entries(limit).filter(([key, value]) => other[key] !== value));
}

/** The methods of Size by the units of quantities. */
const SIZES: { readonly [unit: string]: string } = {
  Ki: 'kibibytes',
  Mi: 'mebibytes',
  Gi: 'gibibytes',
  Ti: 'tebibytes',
};

/** An amount in the unit of its text, which the construct writes again. */
function amountProp(key: string, value: string): DraftValue {
  const [, amount, unit = ''] = /^(\d+)([A-Za-z]*)$/.exec(value) ?? [];
  if (key.endsWith('Cpu')) {
    return unit === 'm' ? call('Cpu', 'millis', Number(amount)) : cpuOf(value);
  }
  if (!key.endsWith('Memory') && !key.endsWith('Storage')) {
    return Number(value);
  }
  return SIZES[unit] === undefined ? sizeCall(value) : call('Size', SIZES[unit], Number(amount));
}
