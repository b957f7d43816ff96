import { readFileSync } from 'fs';
import { join } from 'path';
import { GENERATIONS, allRecordings } from './recordings';
import { ROOT } from './source-library';
import { Client } from '../cluster/client';
import { HarvesterDouble } from '../cluster/doubles/harvester-double';
import { RancherDouble } from '../cluster/doubles/rancher-double';

/** What a double handles; protected, since no test steers it. */
interface Handles {
  readonly reconcilers: readonly { readonly apiVersion: string; readonly kind: string }[];
}

/** Kinds that no recorded program applied, and what test/recordings/README.md calls what was seen of them. */
const SEEN: { readonly [kind: string]: string } = {
  'management.cattle.io/v3 ClusterRegistrationToken': 'tokens',
  'v1 Secret': 'credentials',
};

// no server is asked
const client = new Client({ url: 'https://localhost:1', ca: '', token: '' });
const doubles = {
  rancher: new RancherDouble(client, { version: '2.13.8', serverUrl: 'https://localhost:1' }),
  harvester: new HarvesterDouble(client, { version: '1.7.2', vip: '10.10.0.10' }),
};

test.each(['rancher', 'harvester'] as const)(
  'the double of %s acts on kinds that were recorded, and on no others',
  (product) => {
    const [first] = GENERATIONS;
    const recorded = new Set(
      allRecordings()
        .filter((each) => each.product === product && each.generation === first)
        .flatMap(({ objects }) => objects)
        .filter(({ states }) => states.length > 0)
        .map(({ applied: { apiVersion, kind } }) => `${apiVersion} ${kind}`),
    );
    const { reconcilers } = doubles[product] as unknown as Handles;
    const handled = reconcilers.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
    expect(handled.length).toBeGreaterThan(3);
    const unknown = handled.filter((kind) => !recorded.has(kind));
    expect(unknown.filter((kind) => !isSeen(kind))).toEqual([]);
  },
);

function isSeen(kind: string): boolean {
  const readme = readFileSync(join(ROOT, 'test', 'recordings', 'README.md'), 'utf8');
  return kind in SEEN && readme.includes(`\n- **${SEEN[kind]}**: `);
}
