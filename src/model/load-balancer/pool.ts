import { AddressRange, readRange } from './ip-range';
import { ANY } from './names';
import { isRecord, Manifest, valueAt } from '../manifest';

/** One tuple of a pool's selector: who may take addresses from it. What is left out is empty, which is a value of its own. */
export interface PoolScope {
  readonly project: string;
  readonly namespace: string;
  readonly guestCluster: string;
}

/** An IPPool as the selection reads it. */
export interface Pool {
  readonly name: string;
  readonly ranges: readonly AddressRange[];
  /** Whether all ranges could be read, so that its size is known. */
  readonly complete: boolean;
  readonly network: string;
  readonly priority: number;
  readonly scope: readonly PoolScope[];
  /** Whether it takes who finds no other pool. */
  readonly global: boolean;
  /** Addresses that are given out, with `<namespace>/<name>` of the load balancer, where the manifest was read from a server. */
  readonly allocated: ReadonlyMap<string, string>;
  /** Who have them, and which; of the names that the cloud provider makes also by what comes before their hash. */
  readonly owners: ReadonlyMap<string, string>;
  /** Who had one before and would get it again. */
  readonly formerOwners: ReadonlyMap<string, string>;
}

/** The length of the hash at the end of such a name: it holds the UID of the Service, so it is not known here. */
const HASH_LENGTH = 8;

/** Reads an IPPool; what is of another type than it should be counts as left out. */
export function readPool(manifest: Manifest): Pool {
  const entries = listOf(valueAt(manifest, 'spec', 'ranges'));
  const ranges = entries.map((entry) => readRange('', entry).range);
  const known = ranges.filter((range): range is AddressRange => range !== undefined);
  const priority = valueAt(manifest, 'spec', 'selector', 'priority');
  const scope = scopeOf(manifest);
  const allocated = addressesOf(manifest, 'allocated');
  return {
    name: manifest.metadata.name,
    ranges: known,
    complete: known.length === entries.length,
    network: textOf(valueAt(manifest, 'spec', 'selector', 'network')),
    priority: typeof priority === 'number' ? priority : 0,
    scope,
    global: isGlobal(scope),
    allocated,
    owners: new Map([...allocated].flatMap(([ip, owner]) => [[owner, ip], [owner.slice(0, -HASH_LENGTH), ip]] as const)),
    formerOwners: new Map([...addressesOf(manifest, 'allocatedHistory')].map(([ip, owner]) => [owner, ip])),
  };
}

/** The tuples of a pool's selector. */
export function scopeOf(manifest: Manifest): PoolScope[] {
  return listOf(valueAt(manifest, 'spec', 'selector', 'scope')).map((tuple) => ({
    project: textOf(valueAt(tuple, 'project')), namespace: textOf(valueAt(tuple, 'namespace')), guestCluster: textOf(valueAt(tuple, 'guestCluster')),
  }));
}

/** Exactly one tuple, of three wildcards. @see harvester/load-balancer-harvester:pkg/webhook/ippool isGlobalIPPool */
export function isGlobal(scope: readonly PoolScope[]): boolean {
  return scope.length === 1 && scope[0].project === ANY && scope[0].namespace === ANY && scope[0].guestCluster === ANY;
}

/** Whether two tuples can be meant by one load balancer. */
export function scopesOverlap(a: PoolScope, b: PoolScope): boolean {
  const same = (one: string, other: string) => one === ANY || other === ANY || one === other;
  return same(a.project, b.project) && same(a.namespace, b.namespace) && same(a.guestCluster, b.guestCluster);
}

function addressesOf(manifest: Manifest, field: 'allocated' | 'allocatedHistory'): ReadonlyMap<string, string> {
  const addresses = valueAt(manifest, 'status', field);
  return new Map(isRecord(addresses) ? Object.entries(addresses).map(([ip, owner]) => [ip, textOf(owner)]) : []);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
