import { objectLabel } from '../../core/manifest/manifest';
import { World } from '../../core/rule/rule';
import { markdownTable, markdownText, textTable } from '../../core/text/table';
import { compare } from '../../core/text/values';
import { TargetOptions, readInput, targetsOf } from '../../engine/read/read-input';
import { addressPlan } from '../../harvester/load-balancer/address-plan.rules';
import { Fits, QuotaFit, amountText, fitPlan } from '../../harvester/resource-quota/fit-plan.rules';

/** A resource that is limited, and the demand for it: a row of `fits`. */
export interface FitRow {
  readonly target: string;
  /** The object with the limit: a Namespace, Project, ResourceQuota, or IPPool. */
  readonly object: string;
  /** The resource, as the object names it; `addresses` of an IPPool. */
  readonly resource: string;
  /** The limit as written; the number of addresses of an IPPool. */
  readonly limit: string;
  /** The demand of all machines and load balancers. */
  readonly needs: string;
  /** The demand with a rolling update, a live migration, or all machines that an autoscaler may create. */
  readonly peak: string;
  /** The reason why the demand rises to the peak. */
  readonly peakBy: string;
  /** `probably not` where a setting of Harvester, or an unknown pool, decides; `without surge` where only the peak is too much. */
  readonly fits: Fits;
  /** The consumers of the resource. */
  readonly users: readonly string[];
}

/** The limits of a world and the demand for them: quotas by object and resource, then pools of addresses. */
export function fitTable(world: World): FitRow[] {
  const byPlace = (a: FitRow, b: FitRow): number => compare(a.target, b.target) || compare(a.object, b.object) || compare(a.resource, b.resource);
  return [...fitPlan(world).map(quotaRow).sort(byPlace), ...addressRows(world).sort(byPlace)];
}

/** Options of `fits`. */
export interface FitsOptions extends TargetOptions {
  /** Paths with live objects: they are counted, and their quotas compared. @default - no live objects */
  readonly world?: readonly string[];
}

/**
 * Compares machines, volumes and load balancers with the quotas of their namespaces and projects, and with the pools of addresses.
 *
 * @param paths output folders, or YAML and JSON files and folders
 */
export function fits(paths: readonly string[], { world = [], ...target }: FitsOptions = {}): FitRow[] {
  const input = readInput(paths, target);
  const live = readInput(world, target, targetsOf(input.assemblies, target));
  const broken = [...input.findings, ...live.findings];
  if (broken.length > 0) { throw new Error(broken.map(({ message }) => message).join('\n')); }
  return fitTable(new World(input.objects, live.objects));
}

function quotaRow({ object, resource, limit, needs, peak, peakBy, fits: verdict, users }: QuotaFit): FitRow {
  return {
    target: object.target.name,
    object: objectLabel(object.manifest),
    resource,
    limit,
    needs: amountText(resource, needs),
    peak: amountText(resource, peak),
    peakBy,
    fits: verdict,
    users: users(),
  };
}

function addressRows(world: World): FitRow[] {
  const plan = addressPlan(world);
  return plan.pools.flatMap(({ object, pool, size, machines }): FitRow[] => {
    const users = plan.balancers.filter(({ selection }) => selection?.kind === 'pool' && selection.pool === pool);
    if (size === undefined || users.length + machines.length === 0) { return []; }
    const exhausted = users.filter((balancer) => balancer.exhausted);
    const needs = String(BigInt(pool.allocated.size + users.filter(({ holds }) => !holds).length + machines.length));
    return [{
      target: object.target.name,
      object: objectLabel(object.manifest),
      resource: 'addresses',
      limit: String(size),
      needs,
      peak: needs,
      peakBy: '',
      // there may be unknown pools of a higher priority, and an address of a machine is allocated again
      fits: exhausted.length === 0 ? 'yes' : machines.length === 0 && exhausted.some(({ named }) => named !== undefined) ? 'no' : 'probably not',
      users: [...users.map((balancer) => objectLabel(balancer.manifest)), ...machines.map(({ address, config }) => `${objectLabel(config.manifest)} (${address})`)],
    }];
  });
}

/** The formats of `fits`. */
export const FITS_FORMATS = ['text', 'json', 'markdown'] as const;
export type FitsFormat = typeof FITS_FORMATS[number];

const HEAD = ['TARGET', 'OBJECT', 'RESOURCE', 'LIMIT', 'NEEDS', 'PEAK', 'FITS', 'USED BY'];

/** A table of limits as text. */
export function printFits(rows: readonly FitRow[], format: FitsFormat): string {
  if (format === 'json') { return JSON.stringify(rows, undefined, 2); }
  if (rows.length === 0) { return 'no machine uses a quota, and no load balancer a pool'; }
  const cells = rows.map(({ target, object, resource, limit, needs, peak, fits: verdict, users }) => (
    [target, object, resource, limit, needs, peak, verdict, users.join(', ')]));
  return format === 'text' ? textTable(HEAD, cells)
    : markdownTable(HEAD.map((title) => `${title[0]}${title.slice(1).toLowerCase()}`), cells.map((row) => row.map(markdownText))).join('\n');
}
