import { readFileSync } from 'fs';
import { join } from 'path';
import { TargetKind } from '../../core/construct/target';
import { kindKey } from '../../core/manifest/manifest';
import { compare, lazily } from '../../core/text/values';

/**
 * The file, which `test/props/writes.test.ts` writes: it makes all constructs with each of their
 * props.
 */
export const WRITES_FILE = join(__dirname, '..', '..', '..', 'schema', 'writes.json');

/**
 * The kinds that each construct writes, as `group/Kind`, with the targets that it writes them on.
 */
type Writes = { readonly [construct: string]: { readonly [kind: string]: readonly TargetKind[] } };

const allWrites = lazily(() => JSON.parse(readFileSync(WRITES_FILE, 'utf8')) as Writes);

/**
 * The constructs for kinds that several constructs write; of other kinds, it is the first by name.
 */
const FIRST: readonly string[] = [
  'ProjectSecret',
  'RancherNamespace',
  'RegistrationToken',
  'ServiceAccountKubeconfig',
  'TenantProject',
  'IpPool',
  'VmLoadBalancer',
  'VmNetwork',
  'HarvesterSetting',
  'HarvesterStorageClass',
  'HarvesterVolumeSnapshotClass',
  'GuestCluster',
];

/** The kinds that a construct writes, as `group/Kind`, with the targets that it writes them on. */
export function writesOf(construct: string): ReadonlyMap<string, readonly TargetKind[]> {
  return new Map(Object.entries(allWrites()[construct] ?? {}));
}

/** The constructs that write a kind, the one for it first. */
export function constructsThatWrite(group: string, kind: string): readonly string[] {
  const key = kindKey(group, kind);
  const place = (name: string): number =>
    FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;
  return Object.keys(allWrites())
    .filter((name) => allWrites()[name][key] !== undefined)
    .sort((a, b) => place(a) - place(b) || compare(a, b));
}
