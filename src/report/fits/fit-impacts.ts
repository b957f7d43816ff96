import { FitRow, fitTable } from './fit-table';
import { World } from '../../core/rule/rule';
import { Cause, Impact, shown } from '../impact/impact';

/** What an edit does to the room for machines and load balancers: what no longer fits, or only without a rolling update. */
export function fitImpacts(before: World, after: World): Impact[] {
  const rowsBefore = new Map(fitTable(before).map((row) => [placeOf(row), row]));
  return fitTable(after).flatMap((row): Impact[] => {
    const was = rowsBefore.get(placeOf(row));
    if (row.fits === 'yes' || row.fits === was?.fits || was?.fits === 'no') { return []; }
    const [what, risks] = row.fits === 'without surge'
      ? [`${row.resource} fits, but not with ${row.peakBy}`, [`${row.peak} of ${row.limit} are needed: a replacement of machines may stop`]]
      : [`${row.resource} ${row.fits === 'no' ? 'does not fit' : 'probably does not fit'}: ${row.needs} of ${row.limit} are needed`, [WITHOUT_ROOM[row.resource === 'addresses' ? 'addresses' : 'quota']]];
    return [{
      effect: row.fits === 'no' ? 'refuse' : 'none',
      cluster: '',
      object: row.object,
      target: row.target,
      what,
      causes: [...change(row.object, `${row.resource} limit`, was?.limit, row.limit), ...change('machines and load balancers', `${row.resource} needs`, was?.needs, row.needs)],
      risks,
    }];
  });
}

const WITHOUT_ROOM = {
  quota: 'a machine without room does not start: Harvester stops it, or refuses it',
  addresses: 'a load balancer without an address remains pending',
} as const;

function placeOf({ target, object, resource }: FitRow): string {
  return `${target} ${object} ${resource}`;
}

function change(object: string, path: string, before: string | undefined, after: string): Cause[] {
  return before === after ? [] : [{ object, path, ...shown(before, after) }];
}
