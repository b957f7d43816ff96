import * as fs from 'node:fs';
import * as path from 'node:path';
import { Answer, Client } from './client';
import { clientOf, describeCluster } from './clusters';
import { NAMESPACE } from './kubernetes/valid-objects';
import { allCases, Case, DIFFERENT, isRefused, VERSION } from './kubernetes/verdicts';
import { ROOT } from '../support/source-library';

/** Records the verdict of the server on each case for the unit tests; takes minutes. */
const RECORD = process.env.RECORD_VERDICTS !== undefined;

const RECORDING = path.join(ROOT, 'test', 'core', 'kubernetes', 'verdicts.json');

// of more than 13,000
const EVERY = 23;
const AT_ONCE = 8;

/** Creates an object, without leaving anything, as kubectl asks for it. */
async function create(client: Client, { object, manifest }: Case): Promise<Answer> {
  const collection = (await client.pathOf(object)).replace(/\/[^/]+$/, '');
  return client.request('POST', collection, {
    query: { dryRun: 'All', fieldValidation: 'Strict' },
    body: manifest,
  });
}

async function verdictsOf(client: Client, cases: readonly Case[]): Promise<boolean[]> {
  const verdicts: boolean[] = [];
  for (let first = 0; first < cases.length; first += AT_ONCE) {
    const some = cases.slice(first, first + AT_ONCE);
    const answers = await Promise.all(some.map((each) => create(client, each)));
    verdicts.push(...answers.map(({ status }) => status >= 300));
  }
  return verdicts;
}

describeCluster('kinds of Kubernetes itself', () => {
  let client: Client;

  beforeAll(async () => {
    client = clientOf('guest');
    await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    // which admission looks for; without it, the server refuses every Pod
    await client.apply({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'shop', namespace: NAMESPACE },
    });
  });

  test('the server has the version that the verdicts are of', async () => {
    expect((await client.get('/version')).body.gitVersion).toBe(VERSION);
  });

  test('lint and the server agree on changed objects, apart from changes with a reason', async () => {
    const cases = allCases().filter((_, index) => index % EVERY === 0);
    const verdicts = await verdictsOf(client, cases);
    const differs = cases.filter(
      ({ manifest, name }, index) =>
        isRefused(manifest) !== verdicts[index] && !DIFFERENT.some(([change]) => change.test(name)),
    );
    expect(differs.map(({ name }) => name)).toEqual([]);
    expect(cases.length).toBeGreaterThan(500);
  });

  (RECORD ? test : test.skip)(
    'records the verdicts of the server',
    async () => {
      const cases = allCases();
      const verdicts = await verdictsOf(client, cases);
      const recorded: { [object: string]: string } = {};
      for (const [index, { object }] of cases.entries()) {
        const key = `${object.kind}/${object.metadata.name}`;
        recorded[key] = `${recorded[key] ?? ''}${verdicts[index] ? '1' : '0'}`;
      }
      fs.writeFileSync(RECORDING, `${JSON.stringify(recorded, undefined, 1)}\n`);
    },
    1_800_000,
  );
});
