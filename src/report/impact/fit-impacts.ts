import { Cause, Impact, shown } from './impact';
import { World } from '../../core/rule/rule';
import { DEVICES, FitRow, fitTable, limitedBy, limitPlace } from '../fits/fit-table';

/**
 * What an edit does to the room for machines and load balancers: what no longer fits, or only
 * without a rolling update.
 *
 * @param stuck the updates of the edit that have no room: their limits are reported with them
 */
export function fitImpacts(before: World, after: World, stuck: readonly Impact[] = []): Impact[] {
  const rowsBefore = new Map(fitTable(before).map((row) => [limitPlace(row), row]));
  const reported = new Set(
    stuck.flatMap(({ causes }) => causes.map(({ object, path }) => `${object} ${path}`)),
  );
  return fitTable(after).flatMap((row): Impact[] => {
    const was = rowsBefore.get(limitPlace(row));
    if (row.fits === 'yes' || row.fits === was?.fits || was?.fits === 'no') {
      return [];
    }
    if (row.fits === 'without surge' && reported.has(`${limitedBy(row)} ${row.resource}`)) {
      return [];
    }
    const [what, risks] =
      row.fits === 'without surge'
        ? [
            `enough ${row.resource}, but not with ${row.peakBy}`,
            [`${row.peak} of ${row.limit} are needed: a replacement of machines may stop`],
          ]
        : [
            `${row.fits === 'no' ? 'not' : 'probably not'} enough ${row.resource}: ${row.needs} of ${row.limit} are needed`,
            [WITHOUT_ROOM[roomOf(row)]],
          ];
    return [
      {
        effect: row.fits === 'no' ? 'refuse' : 'none',
        cluster: '',
        object: row.object,
        target: row.target,
        what,
        causes: [
          ...change(row.object, `${row.resource} limit`, was?.limit, row.limit),
          ...change('machines and load balancers', `${row.resource} needs`, was?.needs, row.needs),
        ],
        risks,
      },
    ];
  });
}

const WITHOUT_ROOM = {
  quota: 'a machine without room does not start: Harvester stops it, or refuses it',
  addresses: 'a load balancer without an address remains pending',
  devices: 'a machine without a device does not start: no node has one left',
} as const;

function roomOf({ object, resource }: FitRow): keyof typeof WITHOUT_ROOM {
  if (object === DEVICES) {
    return 'devices';
  }
  return resource === 'addresses' ? 'addresses' : 'quota';
}

function change(object: string, path: string, before: string | undefined, after: string): Cause[] {
  return before === after ? [] : [{ object, path, ...shown(before, after) }];
}
