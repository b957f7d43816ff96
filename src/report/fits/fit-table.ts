import { objectLabel } from '../../core/manifest/manifest';
import { World } from '../../core/rule/rule';
import { inEnvironment } from '../../core/text/plain-text';
import { BLANK, Block, Text, Tone, line, list, pinned, table, toned } from '../../core/text/screen';
import { markdownTable, markdownText } from '../../core/text/table';
import { compare, grouped } from '../../core/text/values';
import { TargetOptions } from '../../engine/files/judged-targets';
import { ReadEnvironment, readEnvironments } from '../../engine/read/compared-input';
import { DeviceFit, deviceFits, deviceUserText } from '../../harvester/device/fit/device-fit.facts';
import { addressPlan } from '../../harvester/load-balancer/address-plan.facts';
import { Fits, MORE_BY, QuotaFit, fitPlan } from '../../harvester/resource-quota/quota-fit.facts';

/** A resource that is limited, and the demand for it: a row of `fits`. */
export interface FitRow {
  /**
   * The output folder, below the given one.
   * @default - all paths are one environment
   */
  readonly environment?: string;
  readonly target: string;
  /**
   * The object with the limit: a Namespace, Project, ResourceQuota, or IPPool; `devices of nodes`
   * for devices.
   */
  readonly object: string;
  /**
   * The resource, as the object names it; `addresses` of an IPPool, the resource name of a device.
   */
  readonly resource: string;
  /** The limit as written; the number of addresses of an IPPool, or of devices. */
  readonly limit: string;
  /** The demand of all machines and load balancers, in the unit of the limit. */
  readonly needs: string;
  /**
   * The demand with a rolling update, a live migration, or all machines that an autoscaler may
   * create.
   */
  readonly peak: string;
  /** The reason why the demand rises to the peak. */
  readonly peakBy: string;
  /**
   * `probably not` where a setting of Harvester, or an unknown pool, decides; `without surge` where
   * only the peak is too much.
   */
  readonly fits: Fits;
  /** The consumers of the resource. */
  readonly users: readonly string[];
}

/**
 * The limits of a world and the demand for them: quotas by object and resource, then pools of
 * addresses, then devices of nodes.
 */
export function fitTable(world: World): FitRow[] {
  const byPlace = (a: FitRow, b: FitRow): number =>
    compare(a.target, b.target) || compare(a.object, b.object) || compare(a.resource, b.resource);
  return [
    ...fitPlan(world).map(quotaRow).sort(byPlace),
    ...addressRows(world).sort(byPlace),
    ...deviceFits(world).map(deviceRow).sort(byPlace),
  ];
}

/** Options of `fits`. */
export interface FitsOptions extends TargetOptions {
  /**
   * Paths with live objects: they are counted, and their quotas compared.
   * @default - no live objects
   */
  readonly world?: readonly string[];
}

/**
 * Compares machines, volumes and load balancers with the quotas of their namespaces and projects,
 * with the pools of addresses, and with the devices of nodes. The output folders in a folder that
 * contains several are compared one by one.
 *
 * @param paths output folders, or YAML and JSON files and folders
 */
export function fitRows(
  paths: readonly string[],
  { world = [], ...reading }: FitsOptions = {},
): FitRow[] {
  return fitsOf(readEnvironments(paths, world, reading));
}

/** The rows of environments, one by one. */
export function fitsOf(environments: readonly ReadEnvironment[]): FitRow[] {
  return environments.flatMap(({ environment, input, live }) =>
    fitTable(new World(input.objects, live.objects)).map((row) => ({
      ...(environment === undefined ? {} : { environment }),
      ...row,
    })),
  );
}

function quotaRow({
  object,
  resource,
  limit,
  needs,
  peak,
  peakBy,
  fits: verdict,
  textOf,
  users,
}: QuotaFit): FitRow {
  return {
    target: object.target.name,
    object: objectLabel(object.manifest),
    resource,
    limit,
    needs: textOf(needs),
    peak: textOf(peak),
    peakBy,
    fits: verdict,
    users: users(),
  };
}

/** What holds devices, in place of an object with a limit. */
export const DEVICES = 'devices of nodes';

function deviceRow(fit: DeviceFit): FitRow {
  return {
    target: fit.target.name,
    object: DEVICES,
    resource: fit.resource,
    limit: String(fit.has),
    needs: String(fit.needs),
    peak: String(fit.peak),
    peakBy: fit.isScaled ? MORE_BY.autoscaler : MORE_BY.surge,
    fits: fit.fits,
    users: fit.users.map(deviceUserText),
  };
}

function addressRows(world: World): FitRow[] {
  const plan = addressPlan(world);
  return plan.pools.flatMap(({ object, pool, size, machines }): FitRow[] => {
    const users = plan.balancers.filter(
      ({ selection }) => selection?.kind === 'pool' && selection.pool === pool,
    );
    if (size === undefined || users.length + machines.length === 0) {
      return [];
    }
    const exhausted = users.filter((balancer) => balancer.exhausted);
    // there may be unknown pools of a higher priority, and an address of a machine is allocated
    // again
    const isSure = machines.length === 0 && exhausted.some(({ named }) => named !== undefined);
    const lack = isSure ? 'no' : 'probably not';
    const needs = String(
      BigInt(pool.allocated.size + users.filter(({ holds }) => !holds).length + machines.length),
    );
    return [
      {
        target: object.target.name,
        object: objectLabel(object.manifest),
        resource: 'addresses',
        limit: String(size),
        needs,
        peak: needs,
        peakBy: '',
        fits: exhausted.length === 0 ? 'yes' : lack,
        users: [
          ...users.map((balancer) => objectLabel(balancer.manifest)),
          ...machines.map(({ address, config }) => `${objectLabel(config.manifest)} (${address})`),
        ],
      },
    ];
  });
}

/** The formats of `fits`. */
export const FITS_FORMATS = ['text', 'json', 'markdown'] as const;
export type FitsFormat = (typeof FITS_FORMATS)[number];

/** What `fits` prints without any limit. */
export const NOTHING_LIMITED = 'no machine uses a quota or a device, and no load balancer a pool';

/** The limits of a program in a format. */
export function printFits(rows: readonly FitRow[], format: Exclude<FitsFormat, 'text'>): string;
export function printFits(rows: readonly FitRow[], format: FitsFormat): string | Block[];
export function printFits(rows: readonly FitRow[], format: FitsFormat): string | Block[] {
  switch (format) {
    case 'text':
      return fitsText(rows);
    case 'json':
      return JSON.stringify(rows, undefined, 2);
    case 'markdown':
      return fitsMarkdown(rows);
  }
}

function fitsMarkdown(rows: readonly FitRow[]): string {
  if (rows.length === 0) {
    return NOTHING_LIMITED;
  }
  const cells = rows.map(
    ({ environment, target, object, resource, limit, needs, peak, fits: verdict, users }) => [
      inEnvironment(target, environment),
      object,
      resource,
      limit,
      needs,
      peak,
      verdict,
      users.join(', '),
    ],
  );
  return markdownTable(
    ['Target', 'Object', 'Resource', 'Limit', 'Needs', 'Peak', 'Fits', 'Used by'],
    cells.map((row) => row.map(markdownText)),
  ).join('\n');
}

const TONES: { readonly [verdict in Fits]: Tone } = {
  'yes': 'good',
  'no': 'error',
  'probably not': 'warning',
  'without surge': 'warning',
};

/**
 * A table for each object with limits; a terminal shows those that something does not fit in whole.
 */
function fitsText(rows: readonly FitRow[]): Block[] {
  if (rows.length === 0) {
    return [line(NOTHING_LIMITED)];
  }
  const objects = [...grouped(rows, limitedBy)].map(([title, own]) => {
    const blocks = [line(toned('title', title)), ...limitsText(own), BLANK];
    return own.every((row) => row.fits === 'yes') ? blocks : pinned(blocks);
  });
  const misfits = rows.filter((row) => row.fits !== 'yes');
  const none = misfits.every((row) => row.fits !== 'no');
  return [
    list(objects, 'objects with limits'),
    line(
      misfits.length === 0
        ? toned('good', 'everything fits')
        : toned(
            none ? 'warning' : 'error',
            `${misfits.length} of ${rows.length} limits ${misfits.length === 1 ? 'is' : 'are'} too low, or may be`,
          ),
    ),
  ];
}

function limitsText(rows: readonly FitRow[]): Block[] {
  return [
    table(
      ['RESOURCE', 'LIMIT', 'NEEDS', 'PEAK', 'FITS'],
      rows.map((row): Text[] => [
        row.resource,
        row.limit,
        row.needs,
        row.peak,
        toned(TONES[row.fits], row.fits),
      ]),
      2,
    ),
    ...rows
      .filter(({ users }) => users.length > 0)
      .map(({ resource, users }) =>
        line([toned('quiet', `${resource}:`), ` used by ${users.join(', ')}`], 2),
      ),
  ];
}

/** The object with a limit, and its cluster. */
export function limitedBy({ object, target, environment }: FitRow): string {
  return `${object} on ${inEnvironment(target, environment)}`;
}

export function limitPlace({ target, object, resource }: FitRow): string {
  return `${target} ${object} ${resource}`;
}
