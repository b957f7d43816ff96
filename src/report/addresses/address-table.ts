import { itemsAt } from '../../core/manifest/manifest';
import { World } from '../../core/rule/rule';
import { inEnvironment } from '../../core/text/plain-text';
import { BLANK, Block, Tone, line, table as textTable, toned } from '../../core/text/screen';
import { markdownTable, markdownText } from '../../core/text/table';
import { compare } from '../../core/text/values';
import {
  printRange,
  PoolRequirement,
  printRequirement,
} from '../../harvester/ip-pool/pool-selection.facts';
import {
  Balancer,
  PlannedPool,
  addressPlan,
} from '../../harvester/load-balancer/address-plan.facts';

/** What `addresses` prints, as data. */
interface AddressTable {
  readonly pools: readonly PoolRow[];
  readonly balancers: readonly BalancerRow[];
}

/** An IP pool. */
interface PoolRow {
  /** The output folder, below the given one. @default - all paths are one environment */
  readonly environment?: string;
  readonly harvester: string;
  readonly pool: string;
  readonly ranges: readonly string[];
  /** The network that load balancers must be of; empty for those without one. */
  readonly network: string;
  /**
   * How many addresses it gives out, as text: IPv6 pools are larger than a number; null where its
   * ranges cannot be read.
   */
  readonly size: string | null;
  /** How many are left when all below have one. */
  readonly free: string | null;
}

/** A load balancer: of a guest cluster a Service, of virtual machines a LoadBalancer. */
interface BalancerRow {
  /** The output folder, below the given one. @default - all paths are one environment */
  readonly environment?: string;
  readonly target: string;
  readonly balancer: string;
  readonly ports: readonly string[];
  readonly mode: 'pool' | 'dhcp' | 'shared';
  readonly harvester: string | null;
  /** The pool that it gets its address of. */
  readonly pool: string | null;
  /** Why that pool, or why none is known. */
  readonly reason: string;
  /** Its address: the one that it has, or the only one of its pool. */
  readonly address: string | null;
}

/** Who gets an address from where, over all targets of a world. */
export function addressTable(world: World): AddressTable {
  const plan = addressPlan(world);
  const pools = plan.pools
    .map(poolRow)
    .sort((a, b) => compare(a.harvester, b.harvester) || compare(a.pool, b.pool));
  return { pools, balancers: plan.balancers.map(balancerRow) };
}

/** The tables of several environments as one. */
export function joinAddresses(
  tables: readonly { readonly environment?: string; readonly table: AddressTable }[],
): AddressTable {
  const marked = <Row>(rowsOf: (table: AddressTable) => readonly Row[]): Row[] =>
    tables.flatMap(({ environment, table }) =>
      rowsOf(table).map((row) => ({
        ...(environment === undefined ? {} : { environment }),
        ...row,
      })),
    );
  return { pools: marked(({ pools }) => pools), balancers: marked(({ balancers }) => balancers) };
}

function poolRow({ object, pool, size, free }: PlannedPool): PoolRow {
  return {
    harvester: object.target.name,
    pool: pool.name,
    ranges: pool.ranges.map(printRange),
    network: pool.network,
    size: size === undefined ? null : String(size),
    free: free === undefined ? null : String(free),
  };
}

function balancerRow(balancer: Balancer): BalancerRow {
  const { object, mode, harvester, selection } = balancer;
  const { metadata } = balancer.manifest;
  const pool = selection?.kind === 'pool' && !balancer.exhausted ? selection.pool : undefined;
  return {
    target: object.target.name,
    balancer: `${metadata.namespace ?? 'default'}/${metadata.name}`,
    ports: portsOf(balancer),
    mode,
    harvester: harvester ?? null,
    pool: pool?.name ?? null,
    reason: reasonOf(balancer),
    address: (pool && balancer.address) ?? null,
  };
}

function portsOf({ manifest }: Balancer): string[] {
  const { spec } = manifest;
  const { ports, listeners } = (spec ?? {}) as {
    readonly ports?: unknown;
    readonly listeners?: unknown;
  };
  const list: readonly unknown[] = Array.isArray(ports) ? ports : itemsAt(listeners);
  return list.flatMap((entry) => {
    const { port, protocol } = (entry ?? {}) as {
      readonly port?: unknown;
      readonly protocol?: unknown;
    };
    return typeof port === 'number'
      ? [`${port}/${typeof protocol === 'string' ? protocol : 'TCP'}`]
      : [];
  });
}

function reasonOf(balancer: Balancer): string {
  const { mode, primary, selection, named, requirement } = balancer;
  if (mode === 'dhcp') {
    return 'the DHCP server of its network';
  }
  if (mode === 'shared') {
    return `the address of Service ${primary}`;
  }
  if (!selection) {
    return 'which Harvester it is on is not known';
  }
  if (selection.kind === 'pool') {
    if (balancer.exhausted) {
      return `pool ${selection.pool.name} has no address left`;
    }
    return named === undefined ? CHOSEN[selection.by] : 'it names the pool';
  }
  if (selection.kind === 'none') {
    return named === undefined
      ? `no pool takes ${printRequirement(requirement)}`
      : `there is no pool ${named}`;
  }
  const among = selection.candidates
    .map(({ name }) => name)
    .sort(compare)
    .join(', ');
  return `one of ${among || 'the pools'}; ${unknownOf(requirement)}`;
}

const CHOSEN = {
  'held': 'it has an address of it already',
  'scope': 'by its scope',
  'loose scope': 'by its namespace, since nothing else fits',
  'global': 'the global pool, since nothing else fits',
} as const;

function unknownOf({ network, project, namespace, cluster }: PoolRequirement): string {
  const fields = [
    ['network', network],
    ['project', project],
    ['namespace', namespace],
    ['guest cluster', cluster],
  ] as const;
  const names = fields.filter(([, value]) => value === undefined).map(([name]) => name);
  return names.length > 0
    ? `its ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not known`
    : "the choice is the server's";
}

/** How `addresses` prints. */
export const ADDRESS_FORMATS = ['text', 'json', 'markdown'] as const;
export type AddressFormat = (typeof ADDRESS_FORMATS)[number];

type Column<Row> = readonly [
  title: string,
  cell: (row: Row) => string,
  tone?: (row: Row) => Tone | undefined,
];

const POOL_COLUMNS: readonly Column<PoolRow>[] = [
  ['HARVESTER', ({ harvester, environment }) => inEnvironment(harvester, environment)],
  ['POOL', ({ pool }) => pool],
  ['NETWORK', ({ network }) => network || '-'],
  ['RANGES', ({ ranges }) => ranges.join(' ') || '-'],
  ['SIZE', ({ size }) => size ?? '?'],
  ['FREE', ({ free }) => free ?? '?', ({ free }) => (free === '0' ? 'warning' : undefined)],
];

const BALANCER_COLUMNS: readonly Column<BalancerRow>[] = [
  ['TARGET', ({ target, environment }) => inEnvironment(target, environment)],
  ['LOAD BALANCER', ({ balancer }) => balancer],
  ['PORTS', ({ ports }) => ports.join(' ') || '-'],
  ['MODE', ({ mode }) => mode],
  ['POOL', ({ pool }) => pool ?? '-'],
  ['ADDRESS', ({ address }) => address ?? '-'],
  [
    'WHY',
    ({ reason }) => reason,
    ({ pool, mode }) => (pool === null && mode === 'pool' ? 'warning' : undefined),
  ],
];

/** A table of addresses in a format. */
export function printAddresses(table: AddressTable, format: AddressFormat): string | Block[] {
  switch (format) {
    case 'text':
      return [
        drawn(POOL_COLUMNS, table.pools, 'no IP pools'),
        BLANK,
        drawn(BALANCER_COLUMNS, table.balancers, 'no load balancers'),
      ];
    case 'json':
      return JSON.stringify(table, undefined, 2);
    case 'markdown':
      return `${markdown(POOL_COLUMNS, table.pools, 'no IP pools')}\n\n${markdown(BALANCER_COLUMNS, table.balancers, 'no load balancers')}`;
  }
}

function drawn<Row>(columns: readonly Column<Row>[], rows: readonly Row[], nothing: string): Block {
  if (rows.length === 0) {
    return line(nothing);
  }
  return textTable(
    columns.map(([title]) => title),
    rows.map((row) =>
      columns.map(([, cell, tone]) => {
        const meaning = tone?.(row);
        return meaning === undefined ? cell(row) : toned(meaning, cell(row));
      }),
    ),
  );
}

function markdown<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  nothing: string,
): string {
  if (rows.length === 0) {
    return nothing;
  }
  const titles = columns.map(([title]) => `${title[0]}${title.slice(1).toLowerCase()}`);
  return markdownTable(
    titles,
    rows.map((row) => columns.map(([, cell]) => markdownText(cell(row)))),
  ).join('\n');
}
