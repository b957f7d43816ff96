import { kindOf } from '../../core/kind/all-kinds';
import { harvesterSetting } from '../../core/kind/all-settings';
import { ANNOTATION_LAST_APPLIED } from '../../core/kind/field-managers';
import { KindDescription } from '../../core/kind/kind';
import { conditionOf } from '../../core/kind/readiness';
import { FieldPath, FieldPattern, at, pathOf, patternOf, replacedAt } from '../../core/manifest/field-path';
import { Manifest, groupOf, isRecord } from '../../core/manifest/manifest';
import { GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { AssemblyObject } from '../../core/output/assembly';
import { macAddressPath } from '../../harvester/virtual-machine/mac-address';
import { Nic, nicsIn } from '../../harvester/virtual-machine/virtual-machine-reader';
import { CONDITION } from '../../rancher/cluster/management-cluster.kind';
import { TOKEN_PLACEHOLDER } from '../../rancher/import/registration-token.kind';
import { LiveObject } from '../cluster/cluster';

/** Fields of every object that only servers write. */
const METADATA = [
  'metadata.managedFields', 'metadata.resourceVersion', 'metadata.uid', 'metadata.generation', 'metadata.creationTimestamp', 'metadata.selfLink',
  'metadata.deletionTimestamp', 'metadata.deletionGracePeriodSeconds', `metadata.annotations[${ANNOTATION_LAST_APPLIED}]`, 'status',
];

const COMMON = METADATA.map(patternOf);
const BY_KIND = new Map<KindDescription, readonly FieldPattern[]>();

/**
 * Fields of an object that others write, by its kind: not a change where the program does not set them. What constructs know beyond that is in the
 * assembly (`othersWrite`); this also applies to manifests that no construct made.
 */
export function noiseOf(manifest: Manifest): readonly FieldPattern[] {
  const description = kindOf(manifest);
  if (!description) { return COMMON; }
  const known = BY_KIND.get(description);
  if (known) { return known; }
  const patterns = [...COMMON, ...(description.writtenByOthers ?? []).map(patternOf)];
  BY_KIND.set(description, patterns);
  return patterns;
}

/** Whether what a live object has in a field means the same to the product that reads it as what the program says. */
export function meansTheSame(object: LiveObject, path: FieldPath, live: unknown, desired: unknown): boolean {
  const { kind, metadata: { name } } = object;
  if (groupOf(object.apiVersion) !== GROUPS.HARVESTER || kind !== 'Setting' || path.join('.') !== 'value') { return false; }
  if (typeof live !== 'string' || typeof desired !== 'string') { return false; }
  if (harvesterSetting(name)?.unordered) { return unordered(live) !== undefined && unordered(live) === unordered(desired); }
  return name === SETTING_REGISTRATION_URL && !isRefused(object) && withoutToken(live) === withoutToken(desired);
}

/** Whether Harvester could do nothing with a registration URL: then its token is to be replaced. */
function isRefused(setting: LiveObject): boolean {
  return conditionOf(setting, CONDITION.CONFIGURED)?.status === 'False' || String(setting.value).includes(TOKEN_PLACEHOLDER);
}

/**
 * A registration URL without its token: Rancher gives another one after a while, which a Harvester that is registered has no use for.
 * @see rancher/rancher:pkg/features/feature.go crt-token-ttl-rotation (2.15.0)
 */
function withoutToken(value: string): string {
  return value.replace(/\/v3\/import\/[^/"\s]*?_([^/_"\s]+\.yaml)/, '/v3/import/<token>_$1');
}

// JSON with its maps and lists sorted
function unordered(text: string): string | undefined {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) { return value.map((item) => JSON.stringify(sorted(item))).sort(); }
    return isRecord(value) ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]) : value;
  };
  try {
    return JSON.stringify(sorted(JSON.parse(text)));
  } catch {
    return undefined;
  }
}

/** Why an object must not be tried in a dry run; undefined where it may. */
export function untriable({ apiVersion, kind, metadata: { name } }: Manifest): string | undefined {
  return groupOf(apiVersion) === GROUPS.HARVESTER && kind === 'Setting' ? harvesterSetting(name)?.actsInDryRun : undefined;
}

/** What a server says where a webhook would do something even in a dry run. @see kubernetes/apiserver:pkg/admission/plugin/webhook/errors */
export const NO_DRY_RUN = /does not support dry run/i;

/** Why the words of a refused dry run say nothing of a real apply; undefined where they do. */
export function onlyInDryRun({ apiVersion, kind }: Manifest, words: string): string | undefined {
  // seen on Rancher 2.13.8: the creation itself is allowed, and Rancher sets the annotation
  return groupOf(apiVersion) === GROUPS.PROVISIONING && kind === 'Cluster' && words.includes('creatorID annotation does not match user')
    ? 'Rancher refuses dry runs of a new Cluster without annotation field.cattle.io/no-creator-rbac, and allows its creation' : undefined;
}

/** A manifest whose derived fields have the values of the live object, and which of them these are. */
export interface Kept {
  readonly manifest: Manifest;
  /** For people: `card nic-0 keeps its hardware address 52:54:00:12:34:56`. */
  readonly kept: readonly string[];
}

/**
 * Lets the live object win where the program only derived a value: a machine that is adopted keeps the hardware addresses of its cards, by which
 * switches, DHCP servers and its own system know it.
 */
export function keepLiveValues({ derived = [] }: Pick<AssemblyObject, 'derived'>, manifest: Manifest, live: Manifest | undefined): Kept {
  if (derived.length === 0 || !live) { return { manifest, kept: [] }; }
  const cards = nicsIn(manifest);
  const others = matching(cards, nicsIn(live));
  const kept: string[] = [];
  let result = manifest;
  for (const card of cards) {
    const path = macAddressPath(card.index);
    const mac = others.get(card)?.mac;
    if (mac === undefined || mac === card.mac || !derived.includes(path)) { continue; }
    result = replacedAt(result, pathOf(path), at(live, pathOf(macAddressPath(others.get(card)!.index))));
    kept.push(`card ${card.name} keeps its hardware address ${mac}`);
  }
  return { manifest: result, kept };
}

/** The live card that each card is: that of its name in the same network, else the next one of the same network that no other card is. */
function matching(cards: readonly Nic[], live: readonly Nic[]): ReadonlyMap<Nic, Nic> {
  const found = new Map<Nic, Nic>();
  const left = new Set(live);
  const take = (fits: (card: Nic, other: Nic) => boolean): void => {
    for (const card of cards.filter((each) => !found.has(each))) {
      const other = [...left].find((each) => each.network === card.network && each.isPod === card.isPod && fits(card, each));
      if (!other) { continue; }
      found.set(card, other);
      left.delete(other);
    }
  };
  take((card, other) => card.name === other.name);
  take(() => true);
  return found;
}
